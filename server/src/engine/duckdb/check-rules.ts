/**
 * Holds the rows of a stage's table to the rules of their definition: all rules that look at one row
 * are counted in one pass, and only those that are broken are asked for their rows.
 */
import { isTradingDayOf } from '@ticklake/market/calendars.ts';
import { type CheckRule, columnsOfRule } from '../../catalog/checks.ts';
import { isArray } from '../../catalog/column-types.ts';
import type { Column } from '../../catalog/dataset.ts';
import { BLANKS, type BrokenRows, SHOWN_BROKEN_ROWS } from '../broken-rows.ts';
import { findDoubledKeys } from './check-keys.ts';
import { type CheckedStage, cellSql, cellsOf } from './checked-stage.ts';
import { isOnDateSql } from './on-date-sql.ts';
import { quoteName, quoteText } from './sql-text.ts';
import { ROW_ORDER, sqlType } from './stage-table.ts';

type RuleOf<Kind extends CheckRule['kind']> = Extract<CheckRule, { readonly kind: Kind }>;
type BrokenSql<Kind extends CheckRule['kind']> = (
  rule: RuleOf<Kind>,
  stage: CheckedStage,
) => string | Promise<string>;

const NONE: BrokenRows = { rowCount: 0, rows: [] };
const NEVER = 'false';
/** ASCII without a blank at either end, as nearly all text is: `trim` takes ten times as long to say so. */
const PLAIN_TEXT = '[!-~]([ -~]*[!-~])?';

function columnOf({ dataset }: CheckedStage, name: string): Column {
  return dataset.columnByName.get(name) as Column;
}

function requiredSql({ column }: RuleOf<'required'>, stage: CheckedStage): string {
  const value = quoteName(column);
  const { dataType } = columnOf(stage, column);
  if (isArray(dataType)) return `${value} IS NULL OR len(${value}) = 0`;
  if (dataType !== 'string') return `${value} IS NULL`;
  return `CASE WHEN ${value} IS NULL THEN true
    WHEN regexp_full_match(${value}, ${quoteText(PLAIN_TEXT)}) THEN false
    ELSE ${value} = '' OR ${value} <> trim(${value}, ${quoteText(BLANKS)}) END`;
}

function rangeSql({ column, min, max }: RuleOf<'range'>, stage: CheckedStage): string {
  const type = sqlType(columnOf(stage, column));
  const bound = (value: number | string) => `CAST(${quoteText(`${value}`)} AS ${type})`;
  const value = quoteName(column);
  const sides = [
    ...(min === null ? [] : [`${value} < ${bound(min)}`]),
    ...(max === null ? [] : [`${value} > ${bound(max)}`]),
  ];
  return sides.join(' OR ') || NEVER;
}

async function holidaysSql({ column }: RuleOf<'trading_days'>, { table, dataset }: CheckedStage) {
  const name = quoteName(column);
  const reader = await table.connection.runAndReadAll(
    `SELECT CAST(day AS VARCHAR) FROM (SELECT DISTINCT ${name} AS day FROM ${table.name})
     WHERE day IS NOT NULL`,
  );
  const days = reader.getRows().map(([day]) => `${day}`);
  const wrong = days.filter((day) => !isTradingDayOf(dataset.calendar, day));
  if (wrong.length === 0) return NEVER;
  return `${name} IN (${wrong.map((day) => `DATE ${quoteText(day)}`).join(', ')})`;
}

/** SQL that is true of the rows that break a rule, and false or null of the others. */
const BROKEN: { readonly [Kind in Exclude<CheckRule['kind'], 'keys'>]: BrokenSql<Kind> } = {
  required: requiredSql,
  range: rangeSql,
  relation: ({ left, operator, right }) =>
    `NOT (${quoteName(left)} ${operator} ${quoteName(right)})`,
  session: ({ column, dateColumn, beforeMidnightSeconds }, { dataset }) => {
    const [time, date] = [quoteName(column), quoteName(dateColumn)];
    // Of a null, a `CASE` would not be null.
    return `${time} IS NOT NULL AND ${date} IS NOT NULL
      AND NOT (${isOnDateSql(dataset.timeZone, time, date, beforeMidnightSeconds)})`;
  },
  trading_days: holidaysSql,
};

async function brokenSql(rule: CheckRule, stage: CheckedStage): Promise<string> {
  if (rule.kind === 'keys') return NEVER;
  const make = BROKEN[rule.kind] as BrokenSql<CheckRule['kind']>;
  return await make(rule, stage);
}

async function countBroken({ table }: CheckedStage, conditions: readonly string[]) {
  // A `FILTER` copies the rows that it leaves, for each of the counts.
  const counts = conditions.map((condition) => `count_if(${condition})`);
  if (conditions.every((condition) => condition === NEVER)) return conditions.map(() => 0);
  const reader = await table.connection.runAndReadAll(
    `SELECT ${counts.join(', ')} FROM ${table.name}`,
  );
  return (reader.getRows()[0] ?? []).map(Number);
}

async function selectBroken(rule: CheckRule, stage: CheckedStage, condition: string) {
  const { table } = stage;
  const columns = columnsOfRule(rule).map((name) => columnOf(stage, name));
  const cells = columns.map((column) => cellSql(column));
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
  const counts = await countBroken(stage, conditions);
  const found: BrokenRows[] = [];
  for (const [i, rule] of rules.entries()) {
    const rowCount = counts[i] ?? 0;
    if (rule.kind === 'keys') found.push(await findDoubledKeys(stage, rule.columns));
    else if (rowCount === 0) found.push(NONE);
    else found.push({ rowCount, rows: await selectBroken(rule, stage, conditions[i] as string) });
  }
  return found;
}
