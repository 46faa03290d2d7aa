/**
 * Loads blocks of CSV records into a stage's table, each by way of a short-lived file. Plain records
 * are read by the engine as values of their types. Numbered ones are read as texts, which pass
 * through the rules of values.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import {
  type BlockReport,
  type NumberedBlock,
  type PlainBlock,
  RECORD_BYTES_MAX,
  type RecordBlock,
} from '../engine.ts';
import { insertTextRows } from './load-file-rows.ts';
import { rowRule } from './load-file-rules.ts';
import { utcOfLocalSql } from './load-file-values.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { SQL_TYPES, type StageTable } from './stage-table.ts';

const READ_BUFFER_BYTES = 8_388_608;

export interface LoadTarget {
  readonly table: StageTable;
  readonly dataset: Dataset;
  /** Where short-lived files of the load go. */
  readonly directory: string;
}

/** Names are given once: what the engine knows of one file it must not take for the next. */
let fileCount = 0;

async function withBlockFile<T>(
  directory: string,
  { parts }: RecordBlock,
  use: (file: string) => Promise<T>,
): Promise<T> {
  fileCount += 1;
  const file = join(directory, `block-${fileCount}.csv`);
  try {
    await writeFile(file, parts, { flag: 'wx', mode: 0o600 });
    return await use(file);
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

/** The value that is stored, of one that was read as its column's type. */
function storedSql(
  { name, dataType }: Column,
  c: number,
  { offsetColumns }: PlainBlock,
  dataset: Dataset,
): string {
  const isLocal = dataType === 'date-time' && !offsetColumns.has(name);
  // A time with an offset is read as the instant that it is.
  return isLocal ? utcOfLocalSql(dataset.timeZone, `local${c}`) : `read${c}`;
}

/** What has to hold of a time. Other plain values break no rule: see `PlainBlock`. */
function timeConditions(columns: readonly Column[], dataset: Dataset): string[] {
  return columns.flatMap(({ dataType }, c) => {
    if (dataType !== 'date-time') return [];
    const rule = rowRule(dataset, columns, c);
    const isShownByClock = `(value${c} IS NOT NULL OR read${c} IS NULL)`;
    return [isShownByClock, ...(rule ? [`(${rule.holds}) IS NOT FALSE`] : [])];
  });
}

function insertPlainSql(file: string, block: PlainBlock, { table, dataset }: LoadTarget): string {
  const { columns, lineEnd } = block;
  const names = columns.map(({ name }) => quoteName(name));
  const types = columns.map(({ dataType }, c) => [`read${c}`, SQL_TYPES[dataType]] as const);
  const locals = columns.flatMap(({ dataType }, c) =>
    dataType === 'date-time' ? [`epoch_ns(read${c}) AS local${c}`] : [],
  );
  const stored = columns.map((column, c) => `${storedSql(column, c, block, dataset)} AS value${c}`);
  const values = columns.map((_, c) => `value${c}`);
  const conditions = ['true', ...timeConditions(columns, dataset)];
  return `INSERT INTO ${table.name} (${names.join(', ')}) SELECT ${values.join(', ')}
    FROM (SELECT ${['*', ...stored].join(', ')} FROM (SELECT ${['*', ...locals].join(', ')}
      FROM (${readCsvSql(file, types, lineEnd, true)}))) WHERE ${conditions.join(' AND ')}`;
}

/** Inserts all records of the block or, where one of them does not fit, none. */
export async function loadPlainRecords(target: LoadTarget, block: PlainBlock): Promise<boolean> {
  const { connection } = target.table;
  return await withBlockFile(target.directory, block, async (file) => {
    await connection.run('BEGIN TRANSACTION');
    const inserted = await connection
      .run(insertPlainSql(file, block, target))
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
  const { table, dataset, directory } = target;
  const { columns, recordCount, hasLineFeeds } = block;
  return await withBlockFile(directory, block, async (file) => {
    const texts = columns.map((_, c) => [`text${c}`, 'VARCHAR'] as const);
    const sql = readCsvSql(file, [['number', 'BIGINT'], ...texts], '\n', !hasLineFeeds);
    return await insertTextRows(table, dataset, { sql, columns, recordCount }, shownCount);
  });
}
