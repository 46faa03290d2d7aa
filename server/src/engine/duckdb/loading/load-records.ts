/**
 * Loads blocks of CSV records into a stage's table, each by way of a short-lived file. Plain
 * records are read by the engine as values of their types. Numbered ones are read as texts, which
 * pass through the rules of values.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atPath } from '../../../base/failure-text.ts';
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import {
  type BlockReport,
  type NumberedBlock,
  type PlainBlock,
  RECORD_BYTES_MAX,
  type RecordBlock,
} from '../../file-loading.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { utcOfLocalSql } from './clocks.ts';
import { insertTextRows, rowRule } from './load-rows.ts';
import { type StageTable, sqlType } from './stage-table.ts';

const READ_BUFFER_BYTES = 8_388_608;

export interface LoadTarget {
  readonly table: StageTable;
  /** Folder for the load's temporary files. */
  readonly directory: string;
}

let fileCount = 0;

/**
 * A path without an extension. It is given once: what the engine knows of one file it must not take
 * for the next.
 */
export function newPath({ directory }: LoadTarget, name: string): string {
  fileCount += 1;
  return join(directory, `${name}-${fileCount}`);
}

async function withBlockFile<T>(
  target: LoadTarget,
  { parts }: RecordBlock,
  use: (file: string) => Promise<T>,
): Promise<T> {
  const file = `${newPath(target, 'block')}.csv`;
  try {
    await writeFile(file, parts, { flag: 'wx', mode: 0o600 });
    return await use(file);
  } catch (error) {
    throw atPath(file, error);
  } finally {
    await rm(file, { force: true });
  }
}

/** A query of the records of a file; `columns` are pairs of name and type. */
function readCsvSql(
  file: string,
  columns: readonly (readonly [name: string, type: string])[],
  lineEnd: '\n' | '\r\n',
  isParallel: boolean,
): string {
  const types = columns.map(([name, type]) => `'${name}': '${type}'`);
  const newLine = lineEnd === '\n' ? '\\n' : '\\r\\n';
  return `SELECT * FROM read_csv(${quoteText(file)}, columns = {${types.join(', ')}},
    auto_detect = false, header = false, delim = ',', quote = '"', escape = '"',
    new_line = '${newLine}', nullstr = '', allow_quoted_nulls = false, strict_mode = true,
    null_padding = false, max_line_size = ${2 * RECORD_BYTES_MAX},
    buffer_size = ${READ_BUFFER_BYTES}, parallel = ${isParallel})`;
}

/** True if a column was read as local time; times with an offset are read as instants. */
function isLocalTime({ name, dataType }: Column, { offsetColumns }: PlainBlock): boolean {
  return dataType === 'date-time' && !offsetColumns.has(name);
}

/**
 * The fields of a file as the engine is to read them: those of columns by the column's number,
 * others as texts that nothing asks for.
 */
function readFields(
  { fields }: RecordBlock,
  prefix: string,
  typeOf: (column: Column) => string,
): (readonly [name: string, type: string])[] {
  let c = 0;
  return fields.map((field, f) =>
    field === null
      ? ([`ignored${f}`, 'VARCHAR'] as const)
      : ([`${prefix}${c++}`, typeOf(field)] as const),
  );
}

/** The value that is stored, of one that was read as its column's type. */
function storedSql(column: Column, c: number, block: PlainBlock, zone: TimeZone): string {
  return isLocalTime(column, block)
    ? `make_timestamp_ns(${utcOfLocalSql(zone, `local${c}`)})`
    : `read${c}`;
}

/**
 * The value, or an error where a time does not fit. Other plain values break no rule: see
 * `PlainBlock`. A condition on rows would have all of this planned twice.
 */
function fittingSql(column: Column, c: number, block: PlainBlock, dataset: Dataset): string {
  if (column.dataType !== 'date-time') return `value${c}`;
  const rule = rowRule(dataset, block.columns, c);
  const holds = (isLocalTime(column, block) && rule?.holdsOfLocal) || rule?.holds;
  const isShownByClock = `(value${c} IS NOT NULL OR read${c} IS NULL)`;
  const fits = [isShownByClock, ...(holds ? [`(${holds}) IS NOT FALSE`] : [])].join(' AND ');
  return `CASE WHEN ${fits} THEN value${c} ELSE error('a time that does not fit') END`;
}

function insertPlainSql(file: string, block: PlainBlock, table: StageTable): string {
  const { columns, lineEnd } = block;
  const zone = table.dataset.fileTimeZone;
  const names = columns.map(({ name }) => quoteName(name));
  const types = readFields(block, 'read', sqlType);
  const locals = columns.flatMap((column, c) =>
    isLocalTime(column, block) ? [`epoch_ns(read${c}) AS local${c}`] : [],
  );
  const stored = columns.map((column, c) => `${storedSql(column, c, block, zone)} AS value${c}`);
  const values = columns.map((column, c) => fittingSql(column, c, block, table.dataset));
  return `INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${values.join(', ')}
    FROM (SELECT ${['*', ...stored].join(', ')} FROM (SELECT ${['*', ...locals].join(', ')}
      FROM (${readCsvSql(file, types, lineEnd, true)})))`;
}

/** Inserts all records of the block or, where one of them does not fit, none. */
export async function loadPlainRecords(target: LoadTarget, block: PlainBlock): Promise<boolean> {
  const { connection } = target.table;
  return await withBlockFile(target, block, async (file) => {
    await connection.run('BEGIN TRANSACTION');
    const inserted = await connection
      .run(insertPlainSql(file, block, target.table))
      .then(({ rowsChanged }) => rowsChanged)
      .catch(() => null);
    const isWhole = inserted === block.recordCount;
    await connection.run(isWhole ? 'COMMIT' : 'ROLLBACK');
    return isWhole;
  });
}

export async function loadNumberedRecords(
  target: LoadTarget,
  block: NumberedBlock,
  shownCount: number,
): Promise<BlockReport> {
  const { columns, recordCount, hasLineFeeds } = block;
  return await withBlockFile(target, block, async (file) => {
    const texts = readFields(block, 'text', () => 'VARCHAR');
    const sql = readCsvSql(file, [['number', 'BIGINT'], ...texts], '\n', !hasLineFeeds);
    const rows = { sql, columns, recordCount, areFew: true };
    const { badRecordNumbers, ...report } = await insertTextRows(target.table, rows, shownCount);
    return { ...report, badRecordNumbers: badRecordNumbers ?? [] };
  });
}
