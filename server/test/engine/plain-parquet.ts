/** Rows as a Parquet file, by a library that shares nothing with the installed engine. */
import type { SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { elementType, isArray } from '../../src/catalog/column-types.ts';
import type { Column, DataType } from '../../src/catalog/dataset.ts';
import { type CellValue, daysOfDate } from '../../src/engine/columns.ts';
import type { Row } from '../../src/engine/conformance/select-rows.ts';
import { type FileColumn, fileColumnsOf, type TimeForm } from '../../src/engine/file-columns.ts';
import type { QueryPlan } from '../../src/engine/query-plan.ts';
import { arrowSchema } from '../../src/formats/arrow/fields.ts';
import { labelsOf } from '../../src/response/page.ts';
import { floorDivide } from '../../src/time/market-time.ts';

type Fields = Omit<SchemaElement, 'name'>;

const decimal = ({ precision = 0, scale = 0 }: Column): Fields => ({
  ...{ type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL' },
  ...{ precision, scale },
});

const FIELDS: Readonly<Partial<Record<DataType, (column: FileColumn) => Fields>>> = {
  string: () => ({ type: 'BYTE_ARRAY', converted_type: 'UTF8' }),
  integer: () => ({ type: 'INT64' }),
  number: () => ({ type: 'DOUBLE' }),
  decimal,
  boolean: () => ({ type: 'BOOLEAN' }),
  date: () => ({ type: 'INT32', converted_type: 'DATE' }),
  'date-time': ({ isMicros }) => ({
    type: 'INT64',
    logical_type: {
      ...{ type: 'TIMESTAMP', isAdjustedToUTC: true },
      unit: isMicros ? 'MICROS' : 'NANOS',
    },
  }),
};

function elementsOf(column: FileColumn): SchemaElement[] {
  const { name, dataType } = column;
  const fields = FIELDS[elementType(dataType)]?.(column) as Fields;
  if (!isArray(dataType)) return [{ name, repetition_type: 'OPTIONAL', ...fields }];
  return [
    { name, repetition_type: 'OPTIONAL', converted_type: 'LIST', num_children: 1 },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: 'OPTIONAL', ...fields },
  ];
}

function stored({ dataType, isMicros }: FileColumn, cell: CellValue) {
  if (isMicros && typeof cell === 'bigint') return BigInt(floorDivide(cell, 1000n));
  return dataType === 'date' && typeof cell === 'string' ? daysOfDate(cell) : cell;
}

/** The rows of a plan, in the order in which they are given. */
export function plainParquet(plan: QueryPlan, rows: readonly Row[], times: TimeForm): Buffer {
  const columns = fileColumnsOf(plan.columns, times);
  const places = new Map(plan.columns.map(({ name }, c) => [name, c]));
  const hasPlanColumns = columns.length === plan.columns.length;
  const metadata = { ...labelsOf(plan), ...(hasPlanColumns && arrowSchema(plan)) };
  const kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  const columnData = columns.map((column) => ({
    name: column.name,
    data: rows.map((row) =>
      stored(column, row[places.get(column.from ?? column.name) as number] ?? null),
    ),
  }));
  const schema = [{ name: 'root', num_children: columns.length }, ...columns.flatMap(elementsOf)];
  return Buffer.from(parquetWriteBuffer({ columnData, schema, kvMetadata }));
}
