/** The columns of a dataset as fields of an Arrow schema. */
import { decimalDigits } from '../../catalog/column-types.ts';
import type { Column, DataType } from '../../catalog/dataset.ts';
import type { QueryPlan } from '../../engine/query-plan.ts';
import type { TimeZone } from '../../time/time-zone.ts';
import { type ArrowField, type ArrowType, intType, schemaMessage, tableType } from './messages.ts';

const DOUBLE_PRECISION = 2;
const NANOSECOND = 3;
const DAY = 0;
/** A date's unit where none is written, so that 0 has to be. */
const DEFAULT_DATE_UNIT = 1;

const TEXT = tableType(5);
const INTEGER = intType(64);
const DOUBLE = tableType(3, 1, (builder) => builder.addFieldInt16(0, DOUBLE_PRECISION, 0));

function listOf(element: ArrowType): ArrowType {
  return { ...tableType(12), element };
}

/** The types of the catalogue, exactly: the readers of text are told less. */
const TYPES: Readonly<Record<DataType, (column: Column, zone: TimeZone) => ArrowType>> = {
  string: () => TEXT,
  integer: () => INTEGER,
  number: () => DOUBLE,
  decimal: (column) => {
    const { precision, scale } = decimalDigits(column);
    return tableType(7, 3, (builder) => {
      builder.addFieldInt32(0, precision, 0);
      builder.addFieldInt32(1, scale, 0);
    });
  },
  boolean: () => tableType(6),
  date: () => tableType(8, 1, (builder) => builder.addFieldInt16(0, DAY, DEFAULT_DATE_UNIT)),
  'date-time': (_, zone) => {
    const write: ArrowType['write'] = (builder) => {
      const zoneOffset = builder.createString(zone);
      builder.startObject(2);
      builder.addFieldInt16(0, NANOSECOND, 0);
      builder.addFieldOffset(1, zoneOffset, 0);
      return builder.endObject();
    };
    return { typeId: 10, write, element: null };
  },
  'array of string': () => listOf(TEXT),
  'array of integer': () => listOf(INTEGER),
  'array of number': () => listOf(DOUBLE),
};

/**
 * The fields of the columns. It is up to the dataset alone whether texts are codes of dictionaries,
 * so that all pages of a walk, with rows or without, have the same schema.
 */
export function fieldsOf(
  columns: readonly Column[],
  zone: TimeZone,
  textRepeats: boolean,
): ArrowField[] {
  return columns.map((column, c) => ({
    name: column.name,
    type: TYPES[column.dataType](column, zone),
    dictionaryId: column.dataType === 'string' && textRepeats ? c : null,
  }));
}

/** Bytes of a value in a record batch, or about as many; of a text, those of its code. */
export const VALUE_BYTES: Readonly<Record<DataType, number>> = {
  string: 4,
  integer: 8,
  number: 8,
  decimal: 16,
  boolean: 1,
  date: 4,
  'date-time': 8,
  'array of string': 32,
  'array of integer': 32,
  'array of number': 32,
};

const KEY = 'ARROW:schema';

/**
 * The schema of the plan's columns, as key-value metadata of a Parquet file, whose own has no place
 * for the clock of a market. Texts are plain: readers take far longer to give them out as codes of
 * dictionaries.
 */
export function arrowSchema({
  columns,
  dataset,
}: Pick<QueryPlan, 'columns' | 'dataset'>): Readonly<Record<string, string>> {
  const fields = fieldsOf(columns, dataset.timeZone, false);
  return { [KEY]: schemaMessage(fields, {}).toString('base64') };
}
