/**
 * Loads blocks of CSV records into a stage's table, each by way of a short-lived file. Plain
 * records are read by the engine as values of their types. Numbered ones are read as texts, which
 * pass through the rules of values.
 */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { atPath } from '../../../base/failure-text.ts';
import { writeAll } from '../../../base/write-whole-file.ts';
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import {
  type BlockReport,
  type NumberedBlock,
  type PlainBlock,
  RECORD_BYTES_MAX,
  type RecordBlock,
} from '../../file-loading.ts';
import { type ColumnText, FIELD_VALUES, type RecordReading } from '../../record-reading.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { utcOfLocalSql } from './clocks.ts';
import { insertAllSql, insertTextRows, rowRule, type TextRows } from './load-rows.ts';
import { isComputed, isSlow, keptSql, readingSql, type UsualTexts } from './reading-sql.ts';
import { type StageTable, selectRows, sqlType } from './stage-table.ts';

/** More than any record has, with its number. */
const READ_BYTES_MIN = 2 * RECORD_BYTES_MAX;
/** Rows that a table keeps together. */
const TABLE_GROUP_ROWS = 122_880;

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
export function newPath({ directory }: Pick<LoadTarget, 'directory'>, name: string): string {
  fileCount += 1;
  return join(directory, `${name}-${fileCount}`);
}

async function writeBlock(file: string, parts: readonly Buffer[]): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await writeAll(handle, parts);
}

/** Writes the block to a file at once, and uses that when its `turn` comes. */
export async function withBlockFile<T>(
  target: Pick<LoadTarget, 'directory'>,
  { parts }: RecordBlock,
  use: (file: string) => Promise<T>,
  turn?: Promise<void>,
): Promise<T> {
  const file = `${newPath(target, 'block')}.csv`;
  const atFile = (error: unknown) => Promise.reject(atPath(file, error));
  try {
    await writeBlock(file, parts).catch(atFile);
    // A failure of the work before is none of this file.
    await turn;
    return await use(file).catch(atFile);
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Bytes of a block that a thread reads at a time. The engine copies the rows once more where they
 * are fewer than a table keeps together. Two reads, as a thread without one spins.
 */
function readBytes({ parts, recordCount }: RecordBlock): number {
  if (recordCount < 2 * TABLE_GROUP_ROWS) return READ_BYTES_MIN;
  const byteCount = parts.reduce((sum, part) => sum + part.length, 0);
  // The second one ends behind the block, so that no third one looks for more.
  return Math.max(READ_BYTES_MIN, Math.ceil((byteCount + 1) / 2));
}

/** A query of the records of a file; `columns` are pairs of name and type. */
function readCsvSql(
  file: string,
  block: RecordBlock,
  columns: readonly (readonly [name: string, type: string])[],
  lineEnd: '\n' | '\r\n',
  isParallel: boolean,
): string {
  const types = columns.map(([name, type]) => `'${name}': '${type}'`);
  const bytes = readBytes(block);
  // The engine's strict mode fails on records with '\r\n' if told of it, and finds it by itself.
  const newLine = lineEnd === '\n' ? String.raw`new_line = '\n',` : '';
  return `SELECT * FROM read_csv(${quoteText(file)}, columns = {${types.join(', ')}},
    auto_detect = false, header = false, delim = ${quoteText(block.reading?.separator ?? ',')}, quote = '"', escape = '"',
    ${newLine} nullstr = '', allow_quoted_nulls = false, strict_mode = true,
    null_padding = false, max_line_size = ${bytes}, buffer_size = ${bytes},
    parallel = ${isParallel})`;
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
      FROM (${readCsvSql(file, block, types, lineEnd, true)})))`;
}

/** The texts of a block whose fields a query yields, behind the `number` of each record. */
function textRows(block: RecordBlock, fields: string, dataset: Dataset): TextRows {
  const { columns, reading, recordCount } = block;
  const rows = { reading, recordCount, areFew: true };
  if (!reading) return { ...rows, sql: fields, columns };
  const read = reading.texts.map(({ column }) => column);
  return { ...rows, sql: readingSql(fields, reading, dataset), columns: read };
}

/** Records of a block in which usual texts are looked for, if it has so many. */
const SAMPLE_RECORDS = 10_000;
const USUAL_TEXTS_MAX = 64;
/** Limits the length of a statement with usual texts and their values. */
const USUAL_BYTES_MAX = 100;

/** The texts of one reading are usual in all blocks of a load. */
const usualOf = new WeakMap<RecordReading, UsualTexts>();

/** Codes take longest to read, and few of their combinations are usual. */
async function usualTexts(
  { connection, dataset }: StageTable,
  file: string,
  block: ReadBlock,
): Promise<UsualTexts> {
  const { reading, recordCount } = block;
  const known = usualOf.get(reading);
  const usual = new Map<number, [string, string][]>();
  if (known || recordCount < SAMPLE_RECORDS) return known ?? usual;
  const sample = `${fieldsSql(file, block)} LIMIT ${SAMPLE_RECORDS}`;
  for (const [c, text] of reading.texts.entries()) {
    if (!isSlow(text)) continue;
    const parts = [...text.parts, ...(text.choice?.by ?? [])];
    const fields = parts.flatMap((part) => (typeof part === 'number' ? `field${part}` : []));
    const common = `SELECT number, ${fields.join(', ')} FROM (${sample})
      GROUP BY ALL ORDER BY count(*) DESC LIMIT ${USUAL_TEXTS_MAX}`;
    const read = readingSql(common, { ...reading, texts: [text], only: [], except: [] }, dataset);
    const found = `SELECT given0, text0 FROM (${read})
      WHERE NOT starts_with(text0, chr(0)) AND strlen(given0 || text0) <= ${USUAL_BYTES_MAX}`;
    usual.set(c, (await selectRows(connection, found)) as [string, string][]);
  }
  usualOf.set(reading, usual);
  return usual;
}

type ReadBlock = PlainBlock & { readonly reading: RecordReading };

function fieldsSql(file: string, block: ReadBlock): string {
  const names = readFields(block, 'field', (column) =>
    column === FIELD_VALUES.clock ? 'TIME_NS' : sqlType(column),
  );
  return `SELECT 0 AS number, * FROM (${readCsvSql(file, block, names, block.lineEnd, true)})`;
}

async function insertReadSql(file: string, block: ReadBlock, table: StageTable): Promise<string> {
  const { reading, recordCount } = block;
  const fields = fieldsSql(file, block);
  const usual = await usualTexts(table, file, block);
  const fieldType = ({ parts }: ColumnText) => {
    const field = parts.at(-1);
    const value = typeof field === 'number' ? block.columns[field] : undefined;
    return value && value.dataType !== 'string' ? value : null;
  };
  const date = reading.texts.find(({ column }) => column.name === table.dataset.dateColumn);
  const isInstant = (text: ColumnText) => !text.choice && fieldType(text) === FIELD_VALUES.instant;
  const hasItsDate = (text: ColumnText) =>
    date && [text, date].every(isInstant) && text.parts[0] === date.parts[0];
  const places = (is: (text: ColumnText) => unknown) =>
    new Set([...reading.texts.keys()].filter((c) => is(reading.texts[c] as ColumnText)));
  return insertAllSql(table, {
    ...{ reading, recordCount, areFew: true },
    sql: readingSql(fields, reading, table.dataset, { usual, fieldType }),
    columns: reading.texts.map(({ column }) => column),
    computed: places((text) => isComputed(text) || fieldType(text)),
    sure: places(hasItsDate),
  });
}

/** Numbers of the records of which no row comes. */
async function leftOutNumbers(
  { connection }: StageTable,
  fields: string,
  reading: RecordReading | null,
): Promise<number[]> {
  if (!reading || reading.only.length + reading.except.length === 0) return [];
  const sql = `SELECT number FROM (${fields}) WHERE NOT (${keptSql(reading)}) ORDER BY number`;
  return (await selectRows(connection, sql)).map(([number]) => Number(number));
}

/**
 * Inserts all records of the block, which `file` has, or, where one of them does not fit, none
 * (null). Resolves with the places of those of which no row comes.
 */
export async function loadPlainRecords(
  table: StageTable,
  block: PlainBlock,
  file: string,
): Promise<readonly number[] | null> {
  const { connection } = table;
  const { reading, recordCount, lineEnd } = block;
  const insert = reading
    ? await insertReadSql(file, { ...block, reading }, table).catch(() => null)
    : insertPlainSql(file, block, table);
  if (insert === null) return null;
  const inserted = await connection
    .run(`BEGIN TRANSACTION; ${insert}`)
    .then(({ rowsChanged }) => rowsChanged / (reading?.rows.length ?? 1))
    .catch(() => null);
  const texts = readFields(block, 'field', () => 'VARCHAR');
  const fields = `SELECT row_number() OVER () - 1 AS number, * FROM (${readCsvSql(file, block, texts, lineEnd, false)})`;
  const isSure = inserted === null || inserted === recordCount;
  const leftOut = isSure ? [] : await leftOutNumbers(table, fields, reading);
  const isWhole = inserted !== null && inserted + leftOut.length === recordCount;
  await connection.run(isWhole ? 'COMMIT' : 'ROLLBACK');
  return isWhole ? leftOut : null;
}

export async function loadNumberedRecords(
  target: LoadTarget,
  block: NumberedBlock,
  shownCount: number,
): Promise<BlockReport> {
  const { reading, hasLineFeeds } = block;
  return await withBlockFile(target, block, async (file) => {
    const texts = readFields(block, reading ? 'field' : 'text', () => 'VARCHAR');
    const numbered = [['number', 'BIGINT'] as const, ...texts];
    const fields = readCsvSql(file, block, numbered, '\n', !hasLineFeeds);
    const leftOut = await leftOutNumbers(target.table, fields, reading);
    const asked = { ...block, recordCount: block.recordCount - leftOut.length };
    const rows = textRows(asked, fields, target.table.dataset);
    const report = await insertTextRows(target.table, rows, shownCount);
    const badNumbers = report.badRecordNumbers ?? [];
    const badRecordNumbers =
      leftOut.length > 0 ? [...leftOut, ...badNumbers].sort((a, b) => a - b) : badNumbers;
    return { ...report, badRecordNumbers };
  });
}

/** The texts of the columns, in the order of the first row that a record becomes. */
export async function readTexts(target: LoadTarget, block: NumberedBlock) {
  return await withBlockFile(target, block, async (file) => {
    const names = readFields(block, 'field', () => 'VARCHAR');
    const fields = readCsvSql(file, block, [['number', 'BIGINT'], ...names], '\n', false);
    const { sql } = textRows(block, fields, target.table.dataset);
    const records = await selectRows(target.table.connection, `${sql} ORDER BY number`);
    return records.flatMap(([, ...texts]) =>
      (block.reading?.rows ?? []).map((row) => row.map((c) => texts[c] as string | null)),
    );
  });
}
