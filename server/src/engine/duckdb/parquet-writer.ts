/** Writes partitions as Parquet files and reads back what the lake's index keeps of them. */
import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { digestOfFiles } from '../../base/file-digest.ts';
import { synchronizeFile } from '../../base/synchronize.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { digestOfLanes, EMPTY_DIGEST, sumOfDigests } from '../content-digest.ts';
import { indexedColumns } from '../indexed-columns.ts';
import type { WrittenPart } from '../part.ts';
import { digestLanesSql, rowDigestSql } from './content-digest-sql.ts';
import { filesOfPart } from './identifier-files.ts';
import { writeIdentifierOrder } from './identifier-writer.ts';
import { lakeFileOptions } from './lake-file.ts';
import { editFooter } from './parquet-footer.ts';
import { type PartitionTarget, selectPartition } from './partition-rows-sql.ts';
import { boundsOf, boundsSql, rowGroupNumber, type StoredGroup } from './row-group-sql.ts';
import { quoteText } from './sql-text.ts';
import type { StageTable } from './stage-table.ts';
import { storedName, withUtcColumns } from './utc-columns.ts';

const ROW_GROUP_ROWS = 61_440;
const ROW_DIGEST = 'row_digest';

/** Writes one partition of the table, sorted, to a new file that is on disk when this resolves. */
export async function writeParquetPartition(
  table: StageTable,
  dataset: Dataset,
  target: PartitionTarget,
): Promise<WrittenPart> {
  const rows = await selectPartition(table, dataset, target);
  await table.connection.run(
    `COPY (${rows}) TO ${quoteText(target.targetFile)}
     (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, USE_TMP_FILE false,
     ${lakeFileOptions(dataset)})`,
  );
  editFooter(target.targetFile, withUtcColumns);
  synchronizeFile(target.targetFile);
  const { rowGroups, contentDigest } = await readBack(table.connection, dataset, target.targetFile);
  const identifierOrder = await writeIdentifierOrder(table.connection, dataset, target.targetFile);
  const files = await filesOfPart(target.targetFile);
  const storedByteCount = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const digest = await digestOfFiles(files);
  return {
    rowCount: rowGroups.reduce((sum, group) => sum + group.rowCount, 0),
    byteCount: rowGroups.reduce((sum, group) => sum + group.byteCount, 0),
    storedByteCount,
    digest,
    contentDigest,
    rowGroups,
    ...(identifierOrder && { identifierOrder }),
  };
}

async function readStoredGroups(connection: DuckDBConnection, dataset: Dataset, file: string) {
  // Twins share the pages of their times, which count once.
  const twins = dataset.columns.map(storedName).filter((name) => !dataset.columnByName.has(name));
  const isCounted = `NOT list_contains([${twins.map(quoteText).join(', ')}], path_in_schema)`;
  const reader = await connection.runAndReadAll(
    `SELECT row_group_id, any_value(row_group_num_rows),
       sum(total_compressed_size) FILTER (${isCounted})::BIGINT
     FROM parquet_metadata(${quoteText(file)}) GROUP BY row_group_id ORDER BY row_group_id`,
  );
  const groups: StoredGroup[] = [];
  for (const [, rows, bytes] of reader.getRows()) {
    const rowCount = Number(rows);
    const endRow = (groups.at(-1)?.endRow ?? 0) + rowCount;
    groups.push({ rowCount, byteCount: Number(bytes), endRow });
  }
  return groups;
}

/** The columns that have a value in every row of the file, as its footer says. */
async function readFullColumns(
  connection: DuckDBConnection,
  { columns }: Dataset,
  file: string,
): Promise<ReadonlySet<string>> {
  const reader = await connection.runAndReadAll(
    `SELECT path_in_schema FROM parquet_metadata(${quoteText(file)})
     GROUP BY path_in_schema HAVING bool_and(coalesce(stats_null_count = 0, false))`,
  );
  const full = new Set(reader.getRows().map(([path]) => path));
  const plain = columns.filter((column) => full.has(storedName(column)));
  return new Set(plain.map(({ name }) => name));
}

/**
 * The row groups of a partition file in file order, and the digest of its rows. Bounds are exact; both
 * come from the rows as they can be read again.
 */
async function readBack(
  connection: DuckDBConnection,
  dataset: Dataset,
  file: string,
): Promise<Pick<WrittenPart, 'rowGroups' | 'contentDigest'>> {
  const groups = await readStoredGroups(connection, dataset, file);
  if (groups.length === 0) return { rowGroups: [], contentDigest: EMPTY_DIGEST };
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const number = rowGroupNumber(groups);
  const digestLanes = digestLanesSql(ROW_DIGEST);
  const full = await readFullColumns(connection, dataset, file);
  const reader = await connection.runAndReadAll(
    `SELECT ${[`${number} AS row_group`, digestLanes, ...columns.map(boundsSql)].join(', ')}
     FROM (SELECT *, ${rowDigestSql(dataset.columns, full)} AS ${ROW_DIGEST}
       FROM read_parquet(${quoteText(file)}, file_row_number = true))
     GROUP BY row_group ORDER BY row_group`,
  );
  const values = reader.getRows();
  const rowGroups = groups.map(({ rowCount, byteCount }, g) => {
    const [, , , ...found] = values[g] ?? [];
    return { rowCount, byteCount, bounds: boundsOf(columns, found) };
  });
  const lanes = values.map(([, upper, lower]) => digestOfLanes(upper as bigint, lower as bigint));
  return { rowGroups, contentDigest: sumOfDigests(lanes) };
}
