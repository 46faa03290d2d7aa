/**
 * Finds rows of a stage's table whose key another row has, too. Nearly always there are none, which
 * their hashes tell: integers are grouped several times as fast as texts and times.
 */
import type { Column } from '../../catalog/dataset.ts';
import { type BrokenRows, SHOWN_BROKEN_ROWS } from '../broken-rows.ts';
import { type CheckedStage, cellSql, cellsOf } from './checked-stage.ts';
import { areDatesTaken, staysSql } from './removed-rows-sql.ts';
import { quoteName } from './sql-text.ts';
import { ROW_ORDER } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

/** Stands for the number of a row in the stage, where a row is of a part that stays. */
const PUBLISHED = -1;

/** The key of each row, and its number as `place`. */
function keyedRowsSql(
  { table, dataset, existingFiles }: CheckedStage,
  columns: readonly Column[],
): string {
  const staged = columns.map(({ name }) => quoteName(name));
  const stored = columns.map((column) =>
    column.dataType === 'date-time'
      ? `make_timestamp_ns(${storedSql(column)}) AS ${quoteName(column.name)}`
      : storedSql(column),
  );
  const existing = existingFiles.map(({ key, source, removed }) => {
    const stays = removed ? ` WHERE ${staysSql(table, dataset, key, removed)}` : '';
    return `SELECT ${PUBLISHED} AS place, ${stored.join(', ')}
      FROM ${source}${stays}`;
  });
  return [
    `SELECT ${ROW_ORDER} AS place, ${staged.join(', ')} FROM ${table.name}`,
    ...existing,
  ].join(' UNION ALL ');
}

/** Whether no row that stays has a key of the stage, because it is of another date. */
async function areApart(
  { table, dataset, existingFiles }: CheckedStage,
  names: readonly string[],
): Promise<boolean> {
  const { dateColumn } = dataset;
  for (const { key, removed } of existingFiles) {
    const isDated = dateColumn !== null && names.includes(dateColumn);
    if (!isDated || !(await areDatesTaken(table, dataset, key, removed))) return false;
  }
  return true;
}

/** Whether rows of one key lie one behind the other. */
function areNeighbours(stage: CheckedStage, names: readonly string[]): boolean {
  const first = new Set(stage.dataset.naturalOrder.slice(0, names.length));
  const isPrefix = first.size === names.length && names.every((name) => first.has(name));
  return stage.isInOrder && isPrefix && stage.existingFiles.length === 0;
}

/** A pass over neighbours costs a fraction of grouping all rows. */
async function hasEqualNeighbours({ table }: CheckedStage, key: string): Promise<boolean> {
  const reader = await table.connection.runAndReadAll(
    `SELECT 1 FROM (SELECT row(${key}) IS NOT DISTINCT FROM lag(row(${key})) OVER () AS is_doubled
       FROM ${table.name}) WHERE is_doubled LIMIT 1`,
  );
  return reader.currentRowCount > 0;
}

export async function findDoubledKeys(
  checked: CheckedStage,
  names: readonly string[],
): Promise<BrokenRows> {
  const stage = (await areApart(checked, names)) ? { ...checked, existingFiles: [] } : checked;
  const { connection } = stage.table;
  const columns = names.map((name) => stage.dataset.columnByName.get(name) as Column);
  const keyed = keyedRowsSql(stage, columns);
  const key = columns.map(({ name }) => quoteName(name)).join(', ');
  const none = { rowCount: 0, rows: [] };
  if (areNeighbours(stage, names) && !(await hasEqualNeighbours(stage, key))) return none;
  const isOfLoad = stage.existingFiles.length > 0 ? ` AND max(place) > ${PUBLISHED}` : '';
  const suspects = `SELECT hashed FROM (SELECT place, hash(${key}) AS hashed FROM (${keyed}))
    GROUP BY hashed HAVING count(*) > 1${isOfLoad}`;
  const first = await connection.runAndReadAll(`${suspects} LIMIT 1`);
  if (first.currentRowCount === 0) return none;
  const cells = columns.map((column) => cellSql(column));
  const reader = await connection.runAndReadAll(
    `SELECT count(*) OVER (), place, first, ${cells.join(', ')} FROM (
       SELECT *, min(place) OVER (PARTITION BY ${key}) AS first FROM (${keyed})
       WHERE hash(${key}) IN (${suspects})
     ) WHERE place > first ORDER BY place LIMIT ${SHOWN_BROKEN_ROWS}`,
  );
  const rows = reader.getRowsJS().map(([, row, twin, ...values]) => ({
    row: Number(row),
    cells: cellsOf(columns, values),
    twin: Number(twin) === PUBLISHED ? null : Number(twin),
  }));
  return { rowCount: Number(reader.getRowsJS()[0]?.[0] ?? 0), rows };
}
