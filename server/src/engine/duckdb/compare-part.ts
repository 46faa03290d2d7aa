/** What a partition's rows would lose if staged ones took their place. */
import type { Dataset } from '../../catalog/dataset.ts';
import { type PartComparison, SHOWN_IDENTIFIERS } from '../engine.ts';
import { identifierColumn } from '../indexed-columns.ts';
import { quoteName } from './sql-text.ts';
import { partitionCondition } from './stage-order.ts';
import type { StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

export async function countStagedRows(
  { connection, name }: StageTable,
  dataset: Dataset,
  key: string,
): Promise<number> {
  const counted = await connection.runAndReadAll(
    `SELECT count(*)::BIGINT FROM ${name} WHERE ${partitionCondition(dataset, key)}`,
  );
  return Number(counted.getRows()[0]?.[0] ?? 0);
}

/** `source` is SQL, see `partitionSql`. */
export async function compareWithRows(
  table: StageTable,
  dataset: Dataset,
  key: string,
  source: string,
): Promise<PartComparison> {
  const { connection, name } = table;
  const condition = partitionCondition(dataset, key);
  const rowCount = await countStagedRows(table, dataset, key);
  const column = identifierColumn(dataset);
  const base = { rowCount, sharedRowCount: 0 };
  if (!column) return { ...base, lostIdentifierCount: 0, lostIdentifiers: [] };
  const staged = `SELECT ${quoteName(column.name)} FROM ${name} WHERE ${condition}`;
  const shared = await connection.runAndReadAll(
    `SELECT count(*)::BIGINT FROM ${source}
     WHERE ${storedSql(column)} IN (${staged} AND ${quoteName(column.name)} IS NOT NULL)`,
  );
  const [[sharedRowCount = 0n] = []] = shared.getRows() as [bigint][];
  const lost = await connection.runAndReadAll(
    `SELECT identifier::VARCHAR, (count(*) OVER ())::BIGINT FROM (
       SELECT DISTINCT ${storedSql(column)} AS identifier FROM ${source}
       EXCEPT ${staged})
     WHERE identifier IS NOT NULL ORDER BY identifier LIMIT ${SHOWN_IDENTIFIERS}`,
  );
  const rows = lost.getRows() as [string, bigint][];
  return {
    ...base,
    sharedRowCount: Number(sharedRowCount),
    lostIdentifierCount: Number(rows[0]?.[1] ?? 0n),
    lostIdentifiers: rows.map(([identifier]) => identifier),
  };
}
