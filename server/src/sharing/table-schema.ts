/** The columns of a table as Delta and Spark write them, in JSON. Pure. */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column, Dataset, DataType } from '../catalog/dataset.ts';
import { fileColumnsOf } from '../engine/file-columns.ts';

type DeltaType = string | { type: 'array'; elementType: string; containsNull: boolean };

const arrayOf = (elementType: string) => () => ({
  ...{ type: 'array' as const, elementType },
  containsNull: true,
});

const TYPES: Readonly<Record<DataType, (column: Column) => DeltaType>> = {
  string: () => 'string',
  integer: () => 'long',
  number: () => 'double',
  decimal: (column) => {
    const { precision, scale } = decimalDigits(column);
    return `decimal(${precision},${scale})`;
  },
  boolean: () => 'boolean',
  date: () => 'date',
  'date-time': () => 'timestamp',
  'array of string': arrayOf('string'),
  'array of integer': arrayOf('long'),
  'array of number': arrayOf('double'),
};

/** How the files of tables have times: Delta's timestamps are microseconds. */
export const TABLE_TIMES = 'microseconds and integers';

/** The same text each time for the same definition. */
export function schemaString({ columns }: Pick<Dataset, 'columns'>): string {
  const fields = fileColumnsOf(columns, TABLE_TIMES).map((column) => ({
    name: column.name,
    type: TYPES[column.dataType](column),
    nullable: true,
    metadata: { comment: column.description },
  }));
  return JSON.stringify({ type: 'struct', fields });
}
