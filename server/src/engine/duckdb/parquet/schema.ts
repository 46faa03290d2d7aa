/** The columns of a Parquet file as its schema: every value may be null, times are UTC. */
import { decimalDigits, elementType, isArray } from '../../../catalog/column-types.ts';
import type { DataType } from '../../../catalog/dataset.ts';
import type { FileColumn } from '../../file-columns.ts';
import {
  COLUMN_ORDER,
  CONVERTED,
  DECIMAL,
  ELEMENT,
  LOGICAL,
  PHYSICAL,
  REPETITION,
  TIMESTAMP,
  UNIT,
} from './footer.ts';
import {
  binary,
  boolean,
  int32,
  structWith,
  type ThriftStruct,
  type ThriftValue,
} from './thrift.ts';

type Fields = Readonly<Record<number, ThriftValue>>;

const EMPTY = structWith({});

const physical = (type: keyof typeof PHYSICAL): Fields => ({
  [ELEMENT.type]: int32(PHYSICAL[type]),
});

function meaning(converted: keyof typeof CONVERTED, logical: Fields): Fields {
  return {
    [ELEMENT.convertedType]: int32(CONVERTED[converted]),
    [ELEMENT.logicalType]: structWith(logical),
  };
}

const BYTES_OF_LONG_DECIMALS = 16;

/** The engine keeps decimals in the smallest integers that hold their digits. */
function decimalStorage(precision: number): Fields {
  if (precision <= 9) return physical('int32');
  if (precision <= 18) return physical('int64');
  return {
    ...physical('fixedLengthByteArray'),
    [ELEMENT.typeLength]: int32(BYTES_OF_LONG_DECIMALS),
  };
}

function decimalFields(column: FileColumn): Fields {
  const { precision, scale } = decimalDigits(column);
  const digits = structWith({
    [DECIMAL.scale]: int32(scale),
    [DECIMAL.precision]: int32(precision),
  });
  return {
    ...decimalStorage(precision),
    ...meaning('decimal', { [LOGICAL.decimal]: digits }),
    [ELEMENT.scale]: int32(scale),
    [ELEMENT.precision]: int32(precision),
  };
}

type PlainType = Exclude<DataType, `array of ${string}`>;

const FIELDS: Readonly<Record<PlainType, (column: FileColumn) => Fields>> = {
  string: () => ({ ...physical('byteArray'), ...meaning('utf8', { [LOGICAL.string]: EMPTY }) }),
  integer: () => physical('int64'),
  number: () => physical('double'),
  decimal: decimalFields,
  boolean: () => physical('boolean'),
  date: () => ({ ...physical('int32'), ...meaning('date', { [LOGICAL.date]: EMPTY }) }),
  'date-time': ({ isMicros }) => ({
    ...physical('int64'),
    // Older readers know microseconds by this alone; nanoseconds have none.
    ...(isMicros && { [ELEMENT.convertedType]: int32(CONVERTED.timestampMicros) }),
    [ELEMENT.logicalType]: structWith({
      [LOGICAL.timestamp]: structWith({
        [TIMESTAMP.isUtc]: boolean(true),
        [TIMESTAMP.unit]: structWith({ [UNIT[isMicros ? 'micros' : 'nanos']]: EMPTY }),
      }),
    }),
  }),
};

function element(name: string, repetition: keyof typeof REPETITION, fields: Fields): ThriftStruct {
  return structWith({
    [ELEMENT.name]: binary(name),
    [ELEMENT.repetition]: int32(REPETITION[repetition]),
    ...fields,
  });
}

function group(
  name: string,
  repetition: keyof typeof REPETITION,
  childCount: number,
  fields: Fields = {},
): ThriftStruct {
  return element(name, repetition, { [ELEMENT.childCount]: int32(childCount), ...fields });
}

const LIST = meaning('list', { [LOGICAL.list]: EMPTY });
const LIST_PATH = ['list', 'element'] as const;

function elementsOf(column: FileColumn): ThriftStruct[] {
  const { name, dataType } = column;
  const values = FIELDS[elementType(dataType) as PlainType](column);
  if (!isArray(dataType)) return [element(name, 'optional', values)];
  const [list, item] = LIST_PATH;
  return [
    group(name, 'optional', 1, LIST),
    group(list, 'repeated', 1),
    element(item, 'optional', values),
  ];
}

/** The schema's elements, the root first. */
export function schemaOf(columns: readonly FileColumn[]): ThriftStruct[] {
  return [group('schema', 'required', columns.length), ...columns.flatMap(elementsOf)];
}

/** Path of a column's values in the schema. */
export function leafPath({ name, dataType }: FileColumn): string[] {
  return isArray(dataType) ? [name, ...LIST_PATH] : [name];
}

/**
 * That bounds in the file go by the order of the columns' types; without it, readers ignore them.
 */
export function columnOrdersOf(columns: readonly FileColumn[]): ThriftStruct[] {
  return columns.map(() => structWith({ [COLUMN_ORDER.ofType]: EMPTY }));
}
