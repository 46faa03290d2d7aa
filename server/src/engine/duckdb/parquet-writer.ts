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
import { CHUNK, CHUNK_METADATA, FILE, ROW_GROUP, STATISTICS } from './parquet-fields.ts';
import { editFooter, structOf, structsOf, textOf } from './parquet-footer.ts';
import { type PartitionTarget, selectPartition } from './partition-rows-sql.ts';
import { boundsOf, boundsSql, rowGroupNumber, type StoredGroup } from './row-group-sql.ts';
import { quoteText } from './sql-text.ts';
import type { StageTable } from './stage-table.ts';
import {
  numberOf,
  type ThriftList,
  type ThriftScalar,
  type ThriftStruct,
} from './thrift-compact.ts';
import { withUtcColumns } from './utc-columns.ts';

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
 * The row groups of a partition file in file order, and the digest of its rows. Bounds are exact; both
 * come from the rows as they can be read again. `footer`: as the engine wrote it.
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
