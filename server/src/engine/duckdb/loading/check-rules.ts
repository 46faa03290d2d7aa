/**
 * Holds the rows of a stage's table to the rules of their definition: all rules that look at one
 * row are counted in one pass, and only those that are broken are asked for their rows.
 */
import { isTradingDayOf } from '@ticklake/market/calendars.ts';
import { type CheckRule, columnsOfRule } from '../../../catalog/checks.ts';
import { isArray } from '../../../catalog/column-types.ts';
import type { Column } from '../../../catalog/dataset.ts';
import type { CellValue } from '../../columns.ts';
import { BLANKS, type BrokenRows, type RemovedRows, SHOWN_BROKEN_ROWS } from '../../engine.ts';
import { quoteName, quoteText } from '../sql-text.ts';
import { DAY_SECONDS, isInSpanSql, isSurelyInSpanSql, setClocks } from './clocks.ts';
import { areDatesTaken, staysSql, storedColumnList } from './partition-rows.ts';
import {
  haveNeighbours,
  ROW_ORDER,
  type StageTable,
  selectRows,
  sqlType,
  stagedDays,
} from './stage-table.ts';

/** The file of a part of which rows stay. */
export interface ExistingFile {
  /** The partition's key. */
  readonly key: string;
  readonly file: string;
  /** The rows as SQL, see `partitionSql`. */
  readonly source: string;
  readonly removed: RemovedRows | undefined;
}

/** A stage, and the files of the parts that stay when its rows are added. */
interface CheckedStage {
  readonly table: StageTable;
  readonly existingFiles: readonly ExistingFile[];
  /** The table lies in natural order. */
  readonly isInOrder: boolean;
}

/** A value as a query has to return it: a date and a decimal as text, a time as nanoseconds. */
function cellSql({ name, dataType }: Column): string {
  const value = quoteName(name);
  if (dataType === 'date' || dataType === 'decimal') return `CAST(${value} AS VARCHAR)`;
  return dataType === 'date-time' ? `epoch_ns(${value})` : value;
}

/** The values that a query has returned by `cellSql`. */
function cellsOf(columns: readonly Column[], values: readonly unknown[]): CellValue[] {
  return columns.map(({ dataType }, c) => {
    const value = values[c] as CellValue;
    if (dataType !== 'decimal' || value === null) return value;
    return BigInt(`${value}`.replace('.', ''));
  });
}

/**
 * Finds rows of a stage's table whose key another row has, too. Nearly always there are none, which
 * their hashes tell: integers are grouped several times as fast as texts and times.
 */

const NONE: BrokenRows = { rowCount: 0, rows: [] };
/** Stands for the number of a row in the stage, where a row is of a part that stays. */
const PUBLISHED = -1;

/** The key of each row, and its number as `place`. */
function keyedRowsSql({ table, existingFiles }: CheckedStage, columns: readonly Column[]): string {
  const staged = columns.map(({ name }) => quoteName(name));
  const existing = existingFiles.map(({ key, source, removed }) => {
    const stays = removed ? ` WHERE ${staysSql(table, key, removed)}` : '';
    return `SELECT ${PUBLISHED} AS place, ${storedColumnList(columns)} FROM ${source}${stays}`;
  });
  return [
    `SELECT ${ROW_ORDER} AS place, ${staged.join(', ')} FROM ${table.name}`,
    ...existing,
  ].join(' UNION ALL ');
}

/** True if rows that stay cannot share a key with the stage, being of other dates. */
async function areApart(
  { table, existingFiles }: CheckedStage,
  names: readonly string[],
): Promise<boolean> {
  const { dateColumn } = table.dataset;
  for (const { key, removed } of existingFiles) {
    const isDated = dateColumn !== null && names.includes(dateColumn);
    if (!isDated || !(await areDatesTaken(table, key, removed))) return false;
  }
  return true;
}

/** True if rows with equal keys are adjacent. */
function areNeighbours(stage: CheckedStage, names: readonly string[]): boolean {
  const first = new Set(stage.table.dataset.naturalOrder.slice(0, names.length));
  const isPrefix = first.size === names.length && names.every((name) => first.has(name));
  return stage.isInOrder && isPrefix && stage.existingFiles.length === 0;
}

async function findDoubledKeys(
  checked: CheckedStage,
  names: readonly string[],
): Promise<BrokenRows> {
  const stage = (await areApart(checked, names)) ? { ...checked, existingFiles: [] } : checked;
  const { connection } = stage.table;
  const columns = names.map((name) => columnOf(stage, name));
  const keyed = keyedRowsSql(stage, columns);
  const key = columns.map(({ name }) => quoteName(name)).join(', ');
  // A pass over neighbours costs a fraction of grouping all rows.
  const mayLook = areNeighbours(stage, names);
  if (mayLook && !(await haveNeighbours(stage.table, names, 'IS NOT DISTINCT FROM'))) return NONE;
  const isOfLoad = stage.existingFiles.length > 0 ? ` AND max(place) > ${PUBLISHED}` : '';
  const suspects = `SELECT hashed FROM (SELECT place, hash(${key}) AS hashed FROM (${keyed}))
    GROUP BY hashed HAVING count(*) > 1${isOfLoad}`;
  if ((await selectRows(connection, `${suspects} LIMIT 1`)).length === 0) return NONE;
  const cells = columns.map(cellSql);
  const found = (
    await connection.runAndReadAll(
      `SELECT count(*) OVER (), place, first, ${cells.join(', ')} FROM (
       SELECT *, min(place) OVER (PARTITION BY ${key}) AS first FROM (${keyed})
       WHERE hash(${key}) IN (${suspects})
     ) WHERE place > first ORDER BY place LIMIT ${SHOWN_BROKEN_ROWS}`,
    )
  ).getRowsJS();
  const rows = found.map(([, row, twin, ...values]) => ({
    row: Number(row),
    cells: cellsOf(columns, values),
    twin: Number(twin) === PUBLISHED ? null : Number(twin),
  }));
  return { rowCount: Number(found[0]?.[0] ?? 0), rows };
}

type RuleOf<Kind extends CheckRule['kind']> = Extract<CheckRule, { readonly kind: Kind }>;
type BrokenSql<Kind extends CheckRule['kind']> = (
  rule: RuleOf<Kind>,
  stage: CheckedStage,
) => string | Promise<string>;

const NEVER = 'false';

function columnOf({ table }: CheckedStage, name: string): Column {
  return table.dataset.columnByName.get(name) as Column;
}

function requiredSql({ column }: RuleOf<'required'>, stage: CheckedStage): string {
  const value = quoteName(column);
  const { dataType } = columnOf(stage, column);
  if (isArray(dataType)) return `${value} IS NULL OR len(${value}) = 0`;
  if (dataType !== 'string') return `${value} IS NULL`;
  // ASCII without a blank at either end, as nearly all text is: a pattern takes much longer.
  const ends = Array.from('\t\n\v\f\r ', (blank) => `ends_with(${value}, ${quoteText(blank)})`);
  return `CASE WHEN ${value} IS NULL THEN true
    WHEN strlen(${value}) = length(${value}) AND ${value} >= '!' AND NOT (${ends.join(' OR ')}) THEN false
    ELSE ${value} = '' OR ${value} <> trim(${value}, ${quoteText(BLANKS)}) END`;
}

/** `least` and `greatest`, as SQL: those of many values, or a value itself. */
function rangeSql(
  { column, min, max }: RuleOf<'range'>,
  stage: CheckedStage,
  least = quoteName(column),
  greatest = least,
): string {
  const type = sqlType(columnOf(stage, column));
  const bound = (value: number | string) => `CAST(${quoteText(`${value}`)} AS ${type})`;
  const sides = [
    ...(min === null ? [] : [`${least} < ${bound(min)}`]),
    ...(max === null ? [] : [`${greatest} > ${bound(max)}`]),
  ];
  return sides.join(' OR ') || NEVER;
}

/** Most sessions are told without a clock. */
async function sessionSql(rule: RuleOf<'session'>, { table }: CheckedStage): Promise<string> {
  const { column, dateColumn, beforeMidnightSeconds } = rule;
  const { connection, name, dataset } = table;
  const [time, date] = [quoteName(column), quoteName(dateColumn)];
  const day = { start: -beforeMidnightSeconds, end: DAY_SECONDS - beforeMidnightSeconds };
  const span = [dataset.timeZone, time, date, day] as const;
  // Null where one of the two is.
  const doubtful = `NOT ${isSurelyInSpanSql(...span)}`;
  const found = await selectRows(connection, `SELECT 1 FROM ${name} WHERE ${doubtful} LIMIT 1`);
  if (found.length === 0) return NEVER;
  await setClocks(connection, dataset);
  return `(${doubtful}) AND NOT (${isInSpanSql(...span)})`;
}

async function holidaysSql({ column }: RuleOf<'trading_days'>, { table }: CheckedStage) {
  const days = [...(await stagedDays(table, column)).keys()].filter((day) => day !== null);
  const wrong = days.filter((day) => !isTradingDayOf(table.dataset.calendar, day));
  if (wrong.length === 0) return NEVER;
  return `${quoteName(column)} IN (${wrong.map((day) => `DATE ${quoteText(day)}`).join(', ')})`;
}

/** SQL that is true of the rows that break a rule, and false or null of the others. */
const BROKEN: { readonly [Kind in Exclude<CheckRule['kind'], 'keys'>]: BrokenSql<Kind> } = {
  required: requiredSql,
  range: rangeSql,
  relation: ({ left, operator, right }) =>
    `NOT (${quoteName(left)} ${operator} ${quoteName(right)})`,
  session: sessionSql,
  trading_days: holidaysSql,
};

async function brokenSql(rule: CheckRule, stage: CheckedStage): Promise<string> {
  if (rule.kind === 'keys') return NEVER;
  const make = BROKEN[rule.kind] as BrokenSql<CheckRule['kind']>;
  return await make(rule, stage);
}

/** The rules that all packed rows keep, as the bounds of each of their row groups prove. */
async function areKeptInFiles(stage: CheckedStage, rules: readonly CheckRule[]) {
  const { connection, packed } = stage.table;
  if (!packed || !rules.some(({ kind }) => kind === 'range')) return [];
  const areProven = rules.map((rule) => {
    if (rule.kind !== 'range') return NEVER;
    const column = columnOf(stage, rule.column);
    const [least, greatest] = ['min', 'max'].map(
      (bound) => `TRY_CAST(stats_${bound}_value AS ${sqlType(column)})`,
    );
    const broken = rangeSql(rule, stage, least, greatest);
    return `count_if(path_in_schema = ${quoteText(column.name)}
      AND NOT coalesce(${broken}, stats_null_count <> num_values, true))
      = count(DISTINCT (file_name, row_group_id))`;
  });
  const sql = `SELECT ${areProven.join(', ')} FROM parquet_metadata(${packed.files})`;
  const [found = []] = await selectRows(connection, sql);
  return found;
}

async function countBroken(table: StageTable, conditions: readonly string[]) {
  // A `FILTER` copies the rows that it leaves, for each of the counts.
  const counts = conditions.map((condition) => `count_if(${condition})`);
  if (conditions.every((condition) => condition === NEVER)) return conditions.map(() => 0);
  const sql = `SELECT ${counts.join(', ')} FROM ${table.name}`;
  const [found = []] = await selectRows(table.connection, sql);
  return found.map(Number);
}

async function selectBroken(rule: CheckRule, stage: CheckedStage, condition: string) {
  const { table } = stage;
  const columns = columnsOfRule(rule).map((name) => columnOf(stage, name));
  const cells = columns.map(cellSql);
  const reader = await table.connection.runAndReadAll(
    `SELECT ${[ROW_ORDER, ...cells].join(', ')} FROM ${table.name} WHERE ${condition}
     ORDER BY ${ROW_ORDER} LIMIT ${SHOWN_BROKEN_ROWS}`,
  );
  return reader.getRowsJS().map(([row, ...values]) => {
    return { row: Number(row), cells: cellsOf(columns, values) };
  });
}

/** The rows that break each of the rules. The table lies as it was loaded. */
export async function findBrokenRows(
  stage: CheckedStage,
  rules: readonly CheckRule[],
): Promise<BrokenRows[]> {
  const conditions: string[] = [];
  for (const rule of rules) conditions.push(await brokenSql(rule, stage));
  const areKept = await areKeptInFiles(stage, rules);
  const ofRules = (isKept: boolean) =>
    conditions.map((condition, i) => ((areKept[i] ?? false) === isKept ? condition : NEVER));
  const counts = await countBroken(stage.table, ofRules(false));
  const looseCounts = await countBroken(stage.table.packed?.loose ?? stage.table, ofRules(true));
  const found: BrokenRows[] = [];
  for (const [i, rule] of rules.entries()) {
    const rowCount = (counts[i] ?? 0) + (looseCounts[i] ?? 0);
    if (rule.kind === 'keys') found.push(await findDoubledKeys(stage, rule.columns));
    else if (rowCount === 0) found.push(NONE);
    else found.push({ rowCount, rows: await selectBroken(rule, stage, conditions[i] as string) });
  }
  return found;
}
