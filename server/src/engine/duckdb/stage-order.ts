/** Brings staged rows into natural order and tells which partitions they fall into. */

import { UsageError } from '../../base/errors.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import { quoteName } from './sql-text.ts';
import { naturalOrderList, rowOrderKey, type StageTable } from './stage-table.ts';

const WHOLE_KEY = 'all';
/** Of a date, what its partition goes by. */
const KEY_LENGTHS = { day: 10, month: 7, year: 4 } as const;

/** Sort keys that differ within a partition: on a day of its own the date is always the same. */
export function keysWithinPartition({ naturalOrder, partitioning }: Dataset): readonly string[] {
  const { unit, column } = partitioning;
  return unit === 'day' ? naturalOrder.filter((name) => name !== column) : naturalOrder;
}

/** True where the rows lie in natural order, so that there is nothing to sort. */
export async function isInNaturalOrder(table: StageTable, dataset: Dataset): Promise<boolean> {
  // Rows compare like their keys one after the other, null as the greatest value. A window without
  // order streams over the rows as they lie, which costs a fraction of a sort.
  const key = `row(${dataset.naturalOrder.map(quoteName).join(', ')})`;
  const reader = await table.connection.runAndReadAll(
    `SELECT 1 FROM (SELECT ${key} < lag(${key}) OVER () AS is_behind FROM ${table.name})
     WHERE is_behind LIMIT 1`,
  );
  return reader.currentRowCount === 0;
}

/** Sorts the table by natural order, equal keys in feed order. */
export async function sortStageTable(table: StageTable, dataset: Dataset): Promise<void> {
  const order = `${naturalOrderList(dataset)}, ${await rowOrderKey(table)} ASC`;
  await table.connection.run(
    `CREATE TABLE sorted AS SELECT * FROM ${table.name} ORDER BY ${order}`,
  );
  await table.connection.run(`DROP TABLE ${table.name}`);
  await table.connection.run(`ALTER TABLE sorted RENAME TO ${table.name}`);
}

/** Keys of the partitions that hold staged rows, in natural order. */
export async function stagedPartitionKeys(table: StageTable, dataset: Dataset): Promise<string[]> {
  const { unit, column } = dataset.partitioning;
  if (unit === 'whole' || column === null) {
    const reader = await table.connection.runAndReadAll(`SELECT 1 FROM ${table.name} LIMIT 1`);
    return reader.currentRowCount === 0 ? [] : [WHOLE_KEY];
  }
  const name = quoteName(column);
  const reader = await table.connection.runAndReadAll(
    `SELECT ${name}::VARCHAR, count(*) FROM ${table.name} GROUP BY ${name} ORDER BY ${name} NULLS FIRST`,
  );
  const days = reader.getRows() as [string | null, bigint][];
  const first = days[0];
  if (first && first[0] === null) {
    throw new UsageError(
      `${column} is null in ${first[1]} of the rows, but ${dataset.textId} is partitioned by its ${unit}`,
    );
  }
  return [...new Set(days.map(([day]) => (day as string).slice(0, KEY_LENGTHS[unit])))];
}

/** SQL condition that holds for the rows of one partition. */
export function partitionCondition(dataset: Dataset, key: string): string {
  const { unit, column } = dataset.partitioning;
  if (unit === 'whole' || column === null) return 'true';
  const first = `DATE '${`${key}-01-01`.slice(0, 10)}'`;
  const name = quoteName(column);
  return `${name} >= ${first} AND ${name} < ${first} + INTERVAL 1 ${unit}`;
}
