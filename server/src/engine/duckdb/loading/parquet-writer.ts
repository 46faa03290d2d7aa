/** Writes partitions as Parquet files and reads back what the lake's index keeps of them. */

import { renameSync, rmdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { digestOfFiles } from '../../../base/file-digest.ts';
import { synchronize, synchronizeFolder } from '../../../base/write-whole-file.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { digestOfLanes, EMPTY_DIGEST, sumOfDigests } from '../../content-digest.ts';
import { indexedColumns } from '../../indexed-columns.ts';
import type { ColumnBounds, RowGroup, WrittenPart } from '../../part.ts';
import { LOCAL_FILES } from '../folder-files.ts';
import {
  CHUNK,
  CHUNK_METADATA,
  editFooter,
  FILE,
  ROW_GROUP,
  readFooter,
  structOf,
  structsOf,
} from '../parquet/footer.ts';
import { decodeThrift, numberOf, type ThriftScalar, type ThriftStruct } from '../parquet/thrift.ts';
import {
  byteCountOf,
  filesOfPart,
  IDENTIFIER_FILE_ROWS,
  IDENTIFIER_ROW_GROUP_ROWS,
  identifierFile,
  identifierFolder,
  NATURAL_ROW,
} from '../part-files.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { storedSql, withUtcColumns } from '../utc-columns.ts';
import { DIGEST_LANES, rowDigestSql } from './content-digest-sql.ts';
import { copySql, lakeFileOptions } from './lake-file.ts';
import {
  PARTITION_KEY,
  type PartitionTarget,
  rowsAround,
  selectPartition,
  selectPartitions,
} from './partition-rows.ts';
import { boundsOf, boundsSql, rowGroupNumber, type StoredGroup } from './row-group-sql.ts';
import { ROW_ORDER, type StageTable, selectRows } from './stage-table.ts';

const TABLE = 'by_identifier';

async function writeFiles(
  { connection, dataset }: StageTable,
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
    await synchronize(file);
    files.push(file);
  }
  synchronizeFolder(folder);
  return files;
}

function numberIn({ fields }: ThriftStruct, field: number): number {
  return numberOf(fields.get(field) as ThriftScalar);
}

/** The row groups of files, by footers without the twins of times, which would count twice. */
function storedGroups(footers: readonly ThriftStruct[]): StoredGroup[] {
  let endRow = 0;
  return footers
    .flatMap((footer) => structsOf(footer, FILE.rowGroups))
    .map((group) => {
      const chunks = structsOf(group, ROW_GROUP.columns).map(
        (chunk) => structOf(chunk.fields.get(CHUNK.metadata)) as ThriftStruct,
      );
      const sizes = chunks.map((each) => numberIn(each, CHUNK_METADATA.compressedByteCount));
      const byteCount = sizes.reduce((sum, size) => sum + size, 0);
      const rowCount = numberIn(group, ROW_GROUP.rowCount);
      endRow += rowCount;
      return { rowCount, byteCount, endRow };
    });
}

async function footerOf(file: string): Promise<ThriftStruct> {
  return decodeThrift((await readFooter(LOCAL_FILES, file)).footer);
}

/**
 * SQL for the number of the row group of a row of the table: mostly all but the last are of one
 * size.
 */
function groupSql(groups: readonly StoredGroup[]): string {
  const isRegular =
    groups.length > 1 &&
    groups.every(
      ({ endRow, rowCount }, g) =>
        endRow - rowCount === g * IDENTIFIER_ROW_GROUP_ROWS &&
        rowCount <= IDENTIFIER_ROW_GROUP_ROWS,
    );
  return isRegular ? `rowid // ${IDENTIFIER_ROW_GROUP_ROWS}` : rowGroupNumber(groups, 'rowid');
}

/** Grouping costs as much as all else where there is one group. */
function byRowGroup({ length }: readonly StoredGroup[]): string {
  return length > 1 ? ' GROUP BY row_group ORDER BY row_group' : '';
}

async function readBounds(
  { connection, dataset }: StageTable,
  groups: readonly StoredGroup[],
): Promise<RowGroup[]> {
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const values = await selectRows(
    connection,
    `SELECT ${[`${groupSql(groups)} AS row_group`, ...columns.map(boundsSql)].join(', ')}
     FROM ${TABLE}${byRowGroup(groups)}`,
  );
  return groups.map(({ rowCount, byteCount }, g) => {
    return { rowCount, byteCount, bounds: boundsOf(columns, values[g]?.slice(1) ?? []) };
  });
}

/**
 * Writes the rows of a partition's file into the folder that belongs to it, and tells of its row
 * groups; null where the dataset is stored once only. They are on disk when this resolves.
 */
async function writeIdentifierOrder(table: StageTable, file: string): Promise<RowGroup[] | null> {
  const { connection, dataset } = table;
  const { alsoStoredBy: column } = dataset;
  if (column === null) return null;
  const folder = identifierFolder(file);
  await mkdir(folder);
  try {
    const columns = dataset.columns.map(storedSql).join(', ');
    await connection.run(
      `CREATE OR REPLACE TEMP TABLE ${TABLE} AS
       SELECT ${columns}, file_row_number AS ${NATURAL_ROW}
       FROM read_parquet(${quoteText(file)}, file_row_number = true)
       ORDER BY ${quoteName(column)} ASC NULLS LAST, ${NATURAL_ROW} ASC`,
    );
    const [[count] = []] = await selectRows(connection, `SELECT count(*) FROM ${TABLE}`);
    const files = await writeFiles(table, folder, Number(count));
    if (files.length === 0) return [];
    return await readBounds(table, storedGroups(await Promise.all(files.map(footerOf))));
  } finally {
    await connection.run(`DROP TABLE IF EXISTS ${TABLE}`);
  }
}

/** Packed, so few rows take hardly less space, and it takes longer to unpack them than all else. */
export const PLAIN_ROWS_MAX = 256;
const isPlain = ({ rowsMax }: PartitionTarget) => rowsMax <= PLAIN_ROWS_MAX;

/**
 * The rows of several partitions that one statement may write: the engine sorts them into one
 * chunk. Those of several chunks it writes in any order.
 */
export const ROWS_TOGETHER_MAX = 2048;

/** A partition's file, and its row groups by its footer. */
interface WrittenFile {
  readonly file: string;
  readonly groups: readonly StoredGroup[];
  /** Resolves when it outlasts a crash of the machine. */
  readonly onDisk: Promise<void>;
}

async function copyApart(table: StageTable, target: PartitionTarget): Promise<void> {
  const { targetFile: file } = target;
  const around = await rowsAround(table, target);
  if (target.join && around) return await target.join(file, around);
  const rows = await selectPartition(table, target, around);
  await table.connection.run(copySql(table.dataset, rows, file, isPlain(target)));
}

/** By one statement, which takes longer to plan than a file to write. See `requireOrder`. */
async function copyTogether(table: StageTable, targets: readonly PartitionTarget[]): Promise<void> {
  const folder = `${targets[0]?.targetFile}.together`;
  const rows = `${selectPartitions(table, targets)} ORDER BY ${ROW_ORDER}`;
  const more = `, PARTITION_BY (${PARTITION_KEY}), HIVE_FILE_PATTERN false`;
  await table.connection.run(copySql(table.dataset, rows, folder, true, more));
  for (const [t, { targetFile }] of targets.entries()) {
    renameSync(`${folder}/data_${t}.parquet`, targetFile);
  }
  rmdirSync(folder);
}

function finishFile({ targetFile: file }: PartitionTarget): WrittenFile {
  const footer = editFooter(file, withUtcColumns);
  const onDisk = synchronize(file);
  // The next file is written meanwhile. A failure is met by whoever waits for it.
  onDisk.catch(() => undefined);
  return { file, groups: storedGroups([footer]), onDisk };
}

async function describePart(
  { file, groups, onDisk }: WrittenFile,
  read: readonly ReadGroup[],
  identifierOrder: readonly RowGroup[] | null,
): Promise<WrittenPart> {
  const rowGroups = groups.map(({ rowCount, byteCount }, g) => {
    return { rowCount, byteCount, bounds: read[g]?.bounds ?? {} };
  });
  await onDisk;
  const files = identifierOrder ? await filesOfPart(file) : [file];
  return {
    rowCount: rowGroups.reduce((sum, group) => sum + group.rowCount, 0),
    byteCount: rowGroups.reduce((sum, group) => sum + group.byteCount, 0),
    storedByteCount: byteCountOf(files),
    digest: await digestOfFiles(files),
    contentDigest: read.length > 0 ? sumOfDigests(read.map(({ digest }) => digest)) : EMPTY_DIGEST,
    rowGroups,
    ...(identifierOrder && { identifierOrder }),
  };
}

/**
 * Writes partitions of the table, sorted, to new files that are on disk when this resolves. Small
 * ones are read back together: planning the statement takes longer than reading them.
 */
export async function writeParquetPartitions(
  table: StageTable,
  targets: readonly PartitionTarget[],
): Promise<WrittenPart[]> {
  const written: WrittenFile[] = [];
  const areTogether = targets.length > 1 && targets.every((each) => isPlain(each) && each.isSorted);
  if (areTogether) await copyTogether(table, targets);
  for (const target of targets) {
    if (!areTogether) await copyApart(table, target);
    written.push(finishFile(target));
  }
  const areSmall = written.every(({ groups }) => groups.length === 1);
  const runs = areSmall ? [written] : written.map((each) => [each]);
  const read: (readonly ReadGroup[])[] = [];
  for (const run of runs) {
    const groups = await readBack(table, run, areTogether);
    read.push(...(areSmall ? groups.map((group) => [group]) : [groups]));
  }
  if (areTogether) await requireOrder(table, targets, read.flat());
  const ordered: (readonly RowGroup[] | null)[] = [];
  for (const { file } of written) ordered.push(await writeIdentifierOrder(table, file));
  const described = written.map((each, w) => describePart(each, read[w] ?? [], ordered[w] ?? null));
  return await Promise.all(described);
}

/** A row group as it was read again: its exact bounds, and the digest of its rows. */
interface ReadGroup {
  readonly bounds: Record<string, ColumnBounds>;
  readonly digest: string;
  readonly order: bigint;
}

/** SQL of a number that other rows, or another order, do not have; `row`: their numbers. */
function orderSql(columns: readonly string[], row: string): string {
  const hash = `(hash(${columns.join(', ')}) % 4294967296)::HUGEINT`;
  return `sum(${hash} * ${row}) - (min(${row}) - 1) * sum(${hash})`;
}

/** The engine does not promise that files which it writes together have their rows in order. */
async function requireOrder(
  table: StageTable,
  targets: readonly PartitionTarget[],
  read: readonly ReadGroup[],
): Promise<void> {
  const columns = table.dataset.columns.map(({ name }) => quoteName(name));
  const staged = await selectRows(
    table.connection,
    `SELECT ${orderSql(columns, 'row_order')}
     FROM (${selectPartitions(table, targets, `, ${ROW_ORDER} AS row_order`)})
     GROUP BY ${PARTITION_KEY} ORDER BY ${PARTITION_KEY}`,
  );
  const wrong = targets.find((_, t) => read[t]?.order !== staged[t]?.[0]);
  if (wrong) throw new Error(`the rows of ${wrong.targetFile} are not those staged, in order`);
}

/** The row groups of one file, or those of several files of one each, in their order. */
async function readBack(
  { connection, dataset }: StageTable,
  written: readonly WrittenFile[],
  areTogether: boolean,
): Promise<ReadGroup[]> {
  const groups = written.flatMap((each) => each.groups);
  if (groups.length === 0) return [];
  const columns = indexedColumns(dataset).map((name) => dataset.columnByName.get(name) as Column);
  const number = written.length > 1 ? 'file_index' : rowGroupNumber(groups);
  const order = areTogether ? orderSql(dataset.columns.map(storedSql), 'file_row_number') : 'NULL';
  const found = [`${number} AS row_group`, DIGEST_LANES, order, ...columns.map(boundsSql)];
  const values = await selectRows(
    connection,
    `SELECT ${found.join(', ')}
     FROM (SELECT *, file_index, file_row_number, ${rowDigestSql(dataset.columns)}
       FROM read_parquet([${written.map(({ file }) => quoteText(file)).join(', ')}]))
     ${byRowGroup(groups)}`,
  );
  return values.map(([, upper, lower, order, ...bounds]) => ({
    bounds: boundsOf(columns, bounds),
    digest: digestOfLanes(upper as bigint, lower as bigint),
    order: order as bigint,
  }));
}
