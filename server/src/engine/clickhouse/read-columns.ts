/** Columns of a dataset as a part stores them: as SQL, and as vectors of what was read. Pure. */
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnVector } from '../columns.ts';
import type { Part, StoredColumn } from '../part.ts';
import { readAs, readingsOf } from '../stored-columns.ts';
import { type Encoding, encodingOf } from './encodings.ts';
import type { StoredValues } from './native-blocks.ts';
import { nameSql } from './sql-values.ts';

export interface ReadColumn {
  readonly column: Column;
  /** As it is stored, if not as it is read; null: it is not stored. */
  readonly stored: Column | StoredColumn | null;
}

/** How the dataset's columns are read out of a part. */
export function readColumnsOf(
  part: Pick<Part, 'storedColumns'>,
  dataset: Dataset,
): (column: Column) => ReadColumn {
  const readings = new Map(
    readingsOf(part, dataset).map(({ column, stored }) => [column.name, stored]),
  );
  return (column) => {
    const stored = readings.get(column.name);
    return { column, stored: stored === undefined ? column : stored };
  };
}

/** What a server answers for a column: whole numbers are read as numbers by itself. */
export function answeredEncoding({ column, stored }: ReadColumn): Encoding | null {
  if (stored === null) return null;
  return isWidenedToNumber(column) ? encodingOf(column) : encodingOf(stored);
}

function isWidenedToNumber({ dataType }: Column): boolean {
  return dataType === 'number' || dataType === 'array of number';
}

/** A column that is stored, as SQL. */
export function columnSql({ column, stored }: ReadColumn): string {
  const name = nameSql(column.name);
  if (stored === null) throw new Error(`${column.name} is not stored`);
  if (stored.dataType === column.dataType || !isWidenedToNumber(column)) return name;
  if (column.dataType === 'number') return `toFloat64(${name})`;
  return `arrayMap(outer -> arrayMap(inner -> toFloat64(inner), outer), ${name})`;
}

type MakeVector = (values: StoredValues) => ColumnVector;

/** Vectors whose nulls stand among their values. */
function listed(type: ColumnVector['type'], toCell: (value: unknown) => CellValue): MakeVector {
  return ({ values, nulls }) =>
    ({
      type,
      values: Array.from(values, (value, row) =>
        nulls?.[row] === 1 || value === null ? null : toCell(value),
      ),
    }) as ColumnVector;
}

const asIs = (value: unknown) => value as CellValue;

const textsWithNulls = listed('string', asIs);

/** Most columns of texts have no nulls, and are a list already. */
function texts(stored: StoredValues): ColumnVector {
  if (stored.nulls !== null) return textsWithNulls(stored);
  return { type: 'string', values: stored.values as readonly string[] };
}

function masked(type: ColumnVector['type']): MakeVector {
  return ({ values, nulls }) => ({ type, values, nulls }) as ColumnVector;
}

const VECTORS: Readonly<Record<Exclude<Column['dataType'], 'decimal'>, MakeVector>> = {
  integer: masked('integer'),
  'date-time': masked('date-time'),
  number: masked('number'),
  date: masked('date'),
  string: texts,
  boolean: listed('boolean', (value) => value === 1),
  'array of string': listed('array of string', asIs),
  'array of integer': listed('array of integer', asIs),
  'array of number': listed('array of number', asIs),
};

/** The vector of what was read of a stored column, or of `rowCount` nulls. */
export function vectorOf(
  { column, stored }: ReadColumn,
  values: StoredValues | undefined,
  rowCount: number,
): ColumnVector {
  if (stored === null || values === undefined) {
    const nulls = Array.from({ length: rowCount }, () => [null]);
    return batchOfRows([column], nulls).columns[0] as ColumnVector;
  }
  if (column.dataType !== 'decimal') return VECTORS[column.dataType](values);
  return listed('decimal', (value) => readAs(stored, column, value as bigint))(values);
}

/** Some rows of a vector. */
export function slicedVector(vector: ColumnVector, start: number, end: number): ColumnVector {
  if (!('nulls' in vector))
    return { type: vector.type, values: vector.values.slice(start, end) } as ColumnVector;
  const nulls = vector.nulls?.subarray(start, end) ?? null;
  return { ...vector, values: vector.values.subarray(start, end), nulls } as ColumnVector;
}
