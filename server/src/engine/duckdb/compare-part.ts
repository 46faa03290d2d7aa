/** What a partition's rows would lose if staged ones took their place. */
import type { Dataset } from '../../catalog/dataset.ts';
import { type PartComparison, SHOWN_IDENTIFIERS } from '../engine.ts';
import { identifierColumn } from '../indexed-columns.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { partitionCondition } from './stage-order.ts';
import type { StageTable } from './stage-table.ts';
import { storedSql } from './utc-columns.ts';

export async function compareWithFile(
  table: StageTable,
  dataset: Dataset,
  key: string,
  file: string,
): Promise<PartComparison> {
  const { connection, name } = table;
  const condition = partitionCondition(dataset, key);
  const counted = await connection.runAndReadAll(
    `SELECT count(*)::BIGINT FROM ${name} WHERE ${condition}`,
  );
  const [[rowCount = 0n] = []] = counted.getRows() as [bigint][];
  const column = identifierColumn(dataset);
  if (!column) return { rowCount: Number(rowCount), lostIdentifierCount: 0, lostIdentifiers: [] };
  const lost = await connection.runAndReadAll(
    `SELECT identifier::VARCHAR, (count(*) OVER ())::BIGINT FROM (
       SELECT DISTINCT ${storedSql(column)} AS identifier FROM read_parquet(${quoteText(file)})
       EXCEPT SELECT ${quoteName(column.name)} FROM ${name} WHERE ${condition})
     WHERE identifier IS NOT NULL ORDER BY identifier LIMIT ${SHOWN_IDENTIFIERS}`,
  );
  const rows = lost.getRows() as [string, bigint][];
  return {
    rowCount: Number(rowCount),
    lostIdentifierCount: Number(rows[0]?.[1] ?? 0n),
    lostIdentifiers: rows.map(([identifier]) => identifier),
  };
}
