/**
 * From rows of text to typed rows in the stage's table: each is judged, the good ones, which are
 * nearly all, are stored and the bad ones described.
 */
import { nightSeconds } from '@ticklake/market/sessions.ts';
import type { Column, Dataset } from '../../../catalog/dataset.ts';
import type { TimeZone } from '../../../time/time-zone.ts';
import { acceptedByColumn, acceptedIdentifier, acceptedOnDate } from '../../accepted-values.ts';
import { BAD_ROW_NUMBERS_MAX, type BadField, type BlockReport } from '../../file-loading.ts';
import { IDENTIFIER_PATTERN } from '../../identifier-text.ts';
import { identifierTextColumns } from '../../indexed-columns.ts';
import { type RecordReading, UNREADABLE } from '../../record-reading.ts';
import { quoteName } from '../sql-text.ts';
import { DAY_SECONDS, isInSpanSql, isLocalInSpanSql } from './clocks.ts';
import { castSql, valueSql } from './load-values.ts';
import { type StageTable, selectRows } from './stage-table.ts';

/**
 * Rules between a value, the rest of its row and its place in the dataset, beyond its column's
 * type: the times that a definition lists under `same_day` lie on the row's date or in the evening
 * on which its sessions begin, and identifiers are text that a request can name.
 */

/** One rule of one column. */
interface RowRule {
  /**
   * SQL over the columns `value0`, `value1`...: false where the rule is broken, null or true else.
   */
  readonly holds: string;
  /**
   * Like `holds`, for local times of the market: SQL over nanoseconds `local0`... and dates
   * `read0`...
   */
  readonly holdsOfLocal?: string;
  /** Like `holds`, for ASCII without control characters. */
  readonly holdsOfAscii?: string;
  /** The legal values, in words; `texts` are those of the row. */
  readonly accepts: (texts: readonly (string | null)[]) => string;
}

function sameDayRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { dateColumn, sameDayColumns, timeZone, fileTimeZone } = dataset;
  if (!sameDayColumns.includes(columns[c]?.name ?? '')) return null;
  const d = columns.findIndex(({ name }) => name === dateColumn);
  if (d < 0) return null;
  const span = { start: -nightSeconds(dataset.sessions), end: DAY_SECONDS };
  return {
    holds: isInSpanSql(timeZone, `value${c}`, `value${d}`, span),
    ...(fileTimeZone === timeZone && {
      holdsOfLocal: isLocalInSpanSql(`local${c}`, `read${d}`, span),
    }),
    accepts: (texts) => acceptedOnDate(dataset, texts[d] ?? null),
  };
}

function identifierRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  const { name } = columns[c] as Column;
  if (!identifierTextColumns(dataset).has(name)) return null;
  const holds = `regexp_full_match(value${c}, '${IDENTIFIER_PATTERN}')`;
  return {
    holds,
    // The pattern takes ten times as long, and most values have no dot or space in front.
    holdsOfAscii: `CASE WHEN value${c} >= '/' AND NOT ends_with(value${c}, ' ') THEN true ELSE ${holds} END`,
    accepts: (texts) => acceptedIdentifier(texts[c] ?? null),
  };
}

/** The rule that the values of column `c` have to keep; null: none. */
export function rowRule(dataset: Dataset, columns: readonly Column[], c: number): RowRule | null {
  return sameDayRule(dataset, columns, c) ?? identifierRule(dataset, columns, c);
}

const SHOWN_CHARACTERS = 200;

/** A query that yields `number BIGINT`, which grows, and the texts `text0`... of `columns`. */
export interface TextRows {
  readonly sql: string;
  /**
   * Places of columns of which it also yields the values, such as `value0`, and texts only to tell
   * nulls: of ASCII without control characters. Absent: none.
   */
  readonly computed?: ReadonlySet<number>;
  /** Places of columns whose rules hold, as of times whose date is read out of them. */
  readonly sure?: ReadonlySet<number>;
  readonly columns: readonly Column[];
  /** How the texts were read; null: they stand so in the file. */
  readonly reading: RecordReading | null;
  readonly recordCount: number;
  /** There is room for all of them once more, besides those that are stored. */
  readonly areFew: boolean;
}

function typedRowsSql({ sql, columns, computed }: TextRows, zone: TimeZone): string {
  const texts = columns.map((_, c) => `text${c}`);
  const casts = columns.map((column, c) => {
    return computed?.has(c) ? `value${c}` : `${castSql(column, `text${c}`)} AS cast${c}`;
  });
  const values = columns.map((column, c) => {
    const sql = valueSql(column, `text${c}`, `cast${c}`, zone);
    return computed?.has(c) ? `value${c}` : `${sql} AS value${c}`;
  });
  return `SELECT ${['number', ...texts, ...values].join(', ')} FROM (
      SELECT ${['number', ...texts, ...casts].join(', ')} FROM (${sql}))`;
}

interface ColumnCheck {
  /** SQL: the text is one of the column's type. */
  readonly fits: string;
  readonly rule: RowRule | null;
}

/** A row without the value by which partitions are told apart has no place to go to. */
function checksOf(columns: readonly Column[], dataset: Dataset): ColumnCheck[] {
  return columns.map((column, c) => {
    const isNeeded = column.name === dataset.partitioning.column;
    const fits = isNeeded ? `value${c} IS NOT NULL` : `(value${c} IS NOT NULL OR text${c} IS NULL)`;
    return { fits, rule: rowRule(dataset, columns, c) };
  });
}

/** The values of each row and, of a bad row, what there is to say of it. */
function judgedRowsSql(rows: TextRows, checks: readonly ColumnCheck[], zone: TimeZone): string {
  const named = (name: string) => checks.map((_, c) => `${name}${c}`);
  const fits = checks.map(({ fits }, c) => `${fits} AS fits${c}`);
  const keeps = checks.map(({ rule }, c) => {
    return `${rule ? `(${rule.holds}) IS NOT FALSE` : 'true'} AS keeps${c}`;
  });
  const isGood = [...named('fits'), ...named('keeps')].join(' AND ');
  const bad = ['fits', 'keeps', 'text'].map((name) => `${name}: [${named(name).join(', ')}]`);
  return `SELECT ${named('value').join(', ')},
      CASE WHEN ${isGood} THEN NULL ELSE {number: number, ${bad.join(', ')}} END AS bad
    FROM (SELECT *, ${[...fits, ...keeps].join(', ')} FROM (${typedRowsSql(rows, zone)}))`;
}

/**
 * Hands over the SQL of the judged rows. Few are judged once and kept meanwhile. Many are judged as
 * they are asked for: each condition on them has the rules planned and computed once more.
 */
async function withJudgedRows<T>(
  { connection, dataset }: StageTable,
  rows: TextRows,
  checks: readonly ColumnCheck[],
  use: (judged: string) => Promise<T>,
): Promise<T> {
  const sql = judgedRowsSql(rows, checks, dataset.fileTimeZone);
  if (!rows.areFew) return await use(`(${sql})`);
  await connection.run(`CREATE TEMP TABLE judged AS ${sql}`);
  try {
    return await use('judged');
  } finally {
    await connection.run('DROP TABLE judged');
  }
}

interface JudgedRows {
  readonly table: StageTable;
  readonly judged: string;
  readonly columns: readonly Column[];
  readonly reading: RecordReading | null;
  readonly checks: readonly ColumnCheck[];
}

async function selectBadFields(
  { table: { connection, dataset }, judged, columns, reading, checks }: JudgedRows,
  rowCount: number,
): Promise<BadField[]> {
  const reader = await connection.runAndReadAll(
    `SELECT bad.number, bad.fits, bad.keeps, bad.text FROM ${judged} WHERE bad IS NOT NULL
     ORDER BY bad.number LIMIT ${rowCount}`,
  );
  const rows = reader.getRowsJS() as [bigint, boolean[], boolean[], (string | null)[]][];
  return rows.flatMap(([number, fits, keeps, texts]) =>
    columns.flatMap((column, c) => {
      if (fits[c] && keeps[c]) return [];
      const value = texts[c] ?? null;
      const rule = fits[c] ? checks[c]?.rule : null;
      return {
        recordNumber: Number(number),
        column: column.name,
        value: (value ?? '').replaceAll(UNREADABLE, '').slice(0, SHOWN_CHARACTERS),
        reason:
          rule?.accepts(texts) ??
          (value?.startsWith(UNREADABLE) ? reading?.texts[c]?.legal : undefined) ??
          acceptedByColumn(column, dataset, value),
      };
    }),
  );
}

async function selectBadNumbers({ table, judged }: JudgedRows): Promise<number[]> {
  const sql = `SELECT bad.number FROM ${judged} WHERE bad IS NOT NULL ORDER BY bad.number`;
  return (await selectRows(table.connection, sql)).map(([number]) => Number(number));
}

interface TextRowsReport extends Omit<BlockReport, 'badRecordNumbers'> {
  /** Null: the rows are many, and more than `BAD_ROW_NUMBERS_MAX` of them are bad. */
  readonly badRecordNumbers: readonly number[] | null;
}

/** Begins a statement that inserts each record's values `value0`... as the rows that it becomes. */
function insertSql({ name }: StageTable, { columns, reading }: TextRows): string {
  const rows = reading?.rows ?? [columns.map((_, c) => c)];
  const [first = []] = rows;
  const names = first.map((c) => quoteName((columns[c] as Column).name));
  const values = first.map((only, place) => {
    const each = rows.map((row) => `value${row[place]}`);
    return rows.length === 1 ? `value${only}` : `unnest([${each.join(', ')}])`;
  });
  return `INSERT INTO ${name} (${names.join(', ')}) SELECT ${values.join(', ')}`;
}

/** A statement that inserts all records, or fails where a value of one does not fit. */
export function insertAllSql(table: StageTable, rows: TextRows): string {
  const { columns, computed, sure } = rows;
  const isGood = checksOf(columns, table.dataset).flatMap(({ fits, rule }, c) => {
    const holds = (computed?.has(c) && rule?.holdsOfAscii) || rule?.holds;
    return holds && !sure?.has(c) ? [fits, `(${holds}) IS NOT FALSE`] : [fits];
  });
  const values = columns.map((_, c) => `value${c}`);
  const [first, ...others] = values;
  const fitting = `CASE WHEN ${isGood.join(' AND ')} THEN ${first} ELSE error('a value that does not fit') END AS ${first}`;
  return `${insertSql(table, rows)} FROM (SELECT ${[fitting, ...others].join(', ')} FROM (${typedRowsSql(rows, table.dataset.fileTimeZone)}))`;
}

/** Appends the good rows and reports the bad ones; at most `shownCount` values are described. */
export async function insertTextRows(
  table: StageTable,
  rows: TextRows,
  shownCount: number,
): Promise<TextRowsReport> {
  const { connection, dataset } = table;
  const { columns, reading, recordCount } = rows;
  const checks = checksOf(columns, dataset);
  const rowsPerRecord = reading?.rows.length ?? 1;
  return await withJudgedRows(table, rows, checks, async (judged) => {
    const { rowsChanged: rowCount } = await connection.run(
      `${insertSql(table, rows)} FROM ${judged} WHERE bad IS NULL`,
    );
    const badRowCount = recordCount - rowCount / rowsPerRecord;
    const judgedRows = { table, judged, columns, reading, checks };
    const badFields =
      badRowCount > 0 && shownCount > 0 ? await selectBadFields(judgedRows, shownCount) : [];
    const areTooMany = !rows.areFew && badRowCount > BAD_ROW_NUMBERS_MAX;
    const numbers = areTooMany || badRowCount === 0 ? [] : await selectBadNumbers(judgedRows);
    const badRecordNumbers = areTooMany ? null : numbers;
    return { rowCount, badRowCount, badFields: badFields.slice(0, shownCount), badRecordNumbers };
  });
}
