/** Writes partitions as Parquet files and reads back what the lake's index keeps of them. */

import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { digestOfFiles } from '../../../base/file-digest.ts';
import { synchronizeFile, synchronizeFolder } from '../../../base/write-whole-file.ts';
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import { digestOfLanes, EMPTY_DIGEST, sumOfDigests } from '../../content-digest.ts';
import { indexedColumns } from '../../indexed-columns.ts';
import type { RowGroup, WrittenPart } from '../../part.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  editFooter,
  FILE,
  ROW_GROUP,
  STATISTICS,
  structOf,
  structsOf,
  textOf,
} from '../parquet/footer.ts';
import {
  numberOf,
  type ThriftList,
  type ThriftScalar,
  type ThriftStruct,
} from '../parquet/thrift.ts';
import {
  filesOfPart,
  IDENTIFIER_FILE_ROWS,
  IDENTIFIER_ROW_GROUP_ROWS,
  identifierFile,
  identifierFolder,
  NATURAL_ROW,
} from '../part-files.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { storedSql, withUtcColumns } from '../utc-columns.ts';
import { digestLanesSql, rowDigestSql } from './content-digest-sql.ts';
import { type PartitionTarget, selectPartition } from './partition-rows.ts';
import { boundsOf, boundsSql, rowGroupNumber, type StoredGroup } from './row-group-sql.ts';
import type { StageTable } from './stage-table.ts';

/**
 * How a partition file says that it is one: in its key-value metadata, which any tool shows. Its
 * time columns themselves say that they are UTC, see `utc-columns.ts`.
 */

const METADATA_KEY = 'ticklake';

/** Options of COPY that write the metadata. */
function lakeFileOptions({ textId }: Dataset): string {
  const metadata = JSON.stringify({ dataset: textId, times: 'UTC' });
  return `KV_METADATA {${METADATA_KEY}: ${quoteText(metadata)}}`;
}

/** True if a lake wrote the Parquet file, so that its unmarked times are UTC. */
export async function isLakeFile(connection: DuckDBConnection, file: string): Promise<boolean> {
  const found = await connection.runAndReadAll(
    `SELECT 1 FROM parquet_kv_metadata(${quoteText(file)})
     WHERE key = ${quoteText(METADATA_KEY)}::BLOB`,
  );
  return found.currentRowCount > 0;
}

const TABLE = 'by_identifier';

/** Brings the rows of the partition's file into their order; resolves with how many they are. */
async function sortRows(
  connection: DuckDBConnection,
  dataset: Dataset,
  column: string,
  file: string,
): Promise<number> {
  const columns = dataset.columns.map(storedSql).join(', ');
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${TABLE} AS
     SELECT ${columns}, file_row_number AS ${NATURAL_ROW}
     FROM read_parquet(${quoteText(file)}, file_row_number = true)
     ORDER BY ${quoteName(column)} ASC NULLS LAST, ${NATURAL_ROW} ASC`,
  );
  const reader = await connection.runAndReadAll(`SELECT count(*) FROM ${TABLE}`);
  return Number(reader.getRows()[0]?.[0]);
}

async function writeFiles(
  connection: DuckDBConnection,
  dataset: Dataset,
  folder: string,
  rowCount: number,
): Promise<string[]> {
  const files: string[] = [];
  for (let first = 0; first < rowCount; first += IDENTIFIER_FILE_ROWS) {
    const file = identifierFile(folder, files.length);
    await connection.run(
      `COPY (SELECT * FROM ${TABLE} WHERE rowid >= ${first} AND rowid < ${first + IDENTIFIER_FILE_ROWS})
       TO ${quoteText(file)} (FORMAT parquet, COMPRESSION lz4_raw, USE_TMP_FILE false,
       ROW_GROUP_SIZE ${IDENTIFIER_ROW_GROUP_ROWS}, ${lakeFileOptions(dataset)})`,
    );
    synchronizeFile(file);
    files.push(file);
  }
  synchronizeFolder(folder);
  return files;
}

async function readGroups(
  connection: DuckDBConnection,
  files: readonly string[],
): Promise<StoredGroup[]> {
  const reader = await connection.runAndReadAll(
    `SELECT any_value(row_group_num_rows), sum(total_compressed_size)::BIGINT
     FROM parquet_metadata([${files.map(quoteText).join(', ')}])
     GROUP BY file_name, row_group_id ORDER BY file_name, row_group_id`,
  );
  let endRow = 0;
  return reader.getRows().map(([rows, bytes]) => {
    const rowCount = Number(rows);
    endRow += rowCount;
    return { rowCount, byteCount: Number(bytes), endRow };
  });
}

/**
 * SQL for the number of the row group of a row of the table: mostly all but the last are of one
 * size.
 */
function groupSql(groups: readonly StoredGroup[]): string {
  const isRegular = groups.every(
    ({ endRow, rowCount }, g) =>
      endRow - rowCount === g * IDENTIFIER_ROW_GROUP_ROWS && rowCount <= IDENTIFIER_ROW_GROUP_ROWS,
  );
  return isRegular ? `rowid // ${IDENTIFIER_ROW_GROUP_ROWS}` : rowGroupNumber(groups, 'rowid');
}

async function readBounds(
  connection: DuckDBConnection,
  dataset: Dataset,
  groups: readonly StoredGroup[],
): Promise<RowGroup[]> {
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const reader = await connection.runAndReadAll(
    `SELECT ${[`${groupSql(groups)} AS row_group`, ...columns.map(boundsSql)].join(', ')}
     FROM ${TABLE} GROUP BY row_group ORDER BY row_group`,
  );
  const values = reader.getRows();
  return groups.map(({ rowCount, byteCount }, g) => {
    return { rowCount, byteCount, bounds: boundsOf(columns, values[g]?.slice(1) ?? []) };
  });
}

/**
 * Writes the rows of a partition's file into the folder that belongs to it, and tells of its row
 * groups; null where the dataset is stored once only. They are on disk when this resolves.
 */
async function writeIdentifierOrder(
  connection: DuckDBConnection,
  dataset: Dataset,
  file: string,
): Promise<RowGroup[] | null> {
  if (dataset.alsoStoredBy === null) return null;
  const folder = identifierFolder(file);
  await mkdir(folder);
  try {
    const rowCount = await sortRows(connection, dataset, dataset.alsoStoredBy, file);
    const files = await writeFiles(connection, dataset, folder, rowCount);
    if (files.length === 0) return [];
    const groups = await readGroups(connection, files);
    return await readBounds(connection, dataset, groups);
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${TABLE}`);
  }
}

const ROW_GROUP_ROWS = 61_440;
const ROW_DIGEST = 'row_digest';

/** Writes one partition of the table, sorted, to a new file that is on disk when this resolves. */
export async function writeParquetPartition(
  table: StageTable,
  dataset: Dataset,
  target: PartitionTarget,
): Promise<WrittenPart> {
  const { targetFile: file } = target;
  const rows = await selectPartition(table, dataset, target);
  await table.connection.run(
    `COPY (${rows}) TO ${quoteText(file)}
     (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROW_GROUP_ROWS}, USE_TMP_FILE false,
     ${lakeFileOptions(dataset)})`,
  );
  const footer = editFooter(file, withUtcColumns);
  synchronizeFile(file);
  const { rowGroups, contentDigest } = await readBack(table.connection, dataset, file, footer);
  const identifierOrder = await writeIdentifierOrder(table.connection, dataset, file);
  const files = await filesOfPart(file);
  const storedByteCount = files.reduce((sum, each) => sum + statSync(each).size, 0);
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

type Chunks = readonly ThriftStruct[];

/** The metadata of the chunks of each row group. */
function chunksOfGroups(footer: ThriftStruct): Chunks[] {
  return structsOf(footer, FILE.rowGroups).map((group) =>
    structsOf(group, ROW_GROUP.columns).map(
      (chunk) => structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct,
    ),
  );
}

function numberIn({ fields }: ThriftStruct, field: number): number {
  return numberOf(fields.get(field) as ThriftScalar);
}

/** The row groups, by a footer without the twins of times, whose pages would count twice. */
function storedGroups(footer: ThriftStruct, chunks: readonly Chunks[]): StoredGroup[] {
  let endRow = 0;
  return structsOf(footer, FILE.rowGroups).map((group, g) => {
    const sizes = (chunks[g] as Chunks).map((each) =>
      numberIn(each, CHUNK_METADATA.compressedByteCount),
    );
    const rowCount = numberIn(group, ROW_GROUP.rowCount);
    endRow += rowCount;
    return { rowCount, byteCount: sizes.reduce((sum, size) => sum + size, 0), endRow };
  });
}

function pathOf({ fields }: ThriftStruct): string {
  const { elements } = fields.get(CHUNK_METADATA.path) as ThriftList;
  return elements.map(textOf).join('.');
}

function isFull({ fields }: ThriftStruct): boolean {
  const statistics = structOf(fields.get(CHUNK_METADATA.statistics));
  const nullCount = statistics?.fields.get(STATISTICS.nullCount);
  return nullCount !== undefined && numberOf(nullCount as ThriftScalar) === 0;
}

/** Names of the columns, lists aside, that have a value in every row. */
function fullColumns(chunks: readonly Chunks[]): ReadonlySet<string> {
  const partial = chunks.flat().filter((each) => !isFull(each));
  const full = new Set(chunks.flat().map(pathOf));
  for (const each of partial) full.delete(pathOf(each));
  return full;
}

/**
 * The row groups of a partition file in file order, and the digest of its rows. Bounds are exact;
 * both come from the rows as they can be read again. `footer`: as the engine wrote it.
 */
async function readBack(
  connection: DuckDBConnection,
  dataset: Dataset,
  file: string,
  footer: ThriftStruct,
): Promise<Pick<WrittenPart, 'rowGroups' | 'contentDigest'>> {
  const chunks = chunksOfGroups(footer);
  const groups = storedGroups(footer, chunks);
  if (groups.length === 0) return { rowGroups: [], contentDigest: EMPTY_DIGEST };
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const number = rowGroupNumber(groups);
  const digestLanes = digestLanesSql(ROW_DIGEST);
  const reader = await connection.runAndReadAll(
    `SELECT ${[`${number} AS row_group`, digestLanes, ...columns.map(boundsSql)].join(', ')}
     FROM (SELECT *, ${rowDigestSql(dataset.columns, fullColumns(chunks))} AS ${ROW_DIGEST}
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
