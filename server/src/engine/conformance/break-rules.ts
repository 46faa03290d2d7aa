/** A plain program that finds rows breaking a rule, at any cost: the reference for engines. */
import { isTradingDayOf } from '@ticklake/market/calendars.ts';
import { type CheckRule, columnsOfRule } from '../../catalog/checks.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import type { CellValue } from '../columns.ts';
import { type BrokenRow, type BrokenRows, SHOWN_BROKEN_ROWS } from '../engine.ts';
import { compareValues, type Row } from './select-rows.ts';

type RuleOf<Kind extends CheckRule['kind']> = Extract<CheckRule, { readonly kind: Kind }>;
/** True if a row breaks the rule. Except for `required`, all of the rule's columns have values. */
type IsBroken<Kind extends CheckRule['kind']> = (
  rule: RuleOf<Kind>,
  values: readonly CellValue[],
  dataset: Dataset,
) => boolean;
type Value = Exclude<CellValue, null>;

function isBlank(value: CellValue): boolean {
  if (value === null) return true;
  if (typeof value === 'string') return value === '' || value !== value.trim();
  return typeof value === 'object' && value.length === 0;
}

/** A bound as a value of the column. */
function boundOf(
  { dataType, scale = 0 }: Column,
  bound: number | string,
): number | string | bigint {
  return dataType === 'decimal' ? BigInt(Math.round(Number(bound) * 10 ** scale)) : bound;
}

const HOLDS: Readonly<Record<RuleOf<'relation'>['operator'], (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
};

function sessionDate(nanos: bigint, seconds: number, { timeZone }: Dataset): string {
  const local = Temporal.Instant.fromEpochNanoseconds(nanos).toZonedDateTimeISO(timeZone);
  return local.toPlainDateTime().add({ seconds }).toPlainDate().toString();
}

const BROKEN: { readonly [Kind in Exclude<CheckRule['kind'], 'keys'>]: IsBroken<Kind> } = {
  required: (_rule, [value = null]) => isBlank(value),
  range: ({ column: name, min, max }, [value], { columnByName }) => {
    const column = columnByName.get(name) as Column;
    const isBelow = min !== null && (value as Value) < boundOf(column, min);
    return isBelow || (max !== null && (value as Value) > boundOf(column, max));
  },
  relation: ({ operator }, [left, right]) =>
    !HOLDS[operator](compareValues(left as Value, right as Value)),
  session: ({ beforeMidnightSeconds }, [time, date], dataset) =>
    sessionDate(time as bigint, beforeMidnightSeconds, dataset) !== date,
  trading_days: (_rule, [date], { calendar }) => !isTradingDayOf(calendar, date as string),
};

function keyOf(cells: readonly CellValue[]): string {
  return JSON.stringify(
    cells.map((cell) => (typeof cell === 'bigint' ? `${cell}n` : cell === 0 ? 0 : cell)),
  );
}

function cellsOf(dataset: Dataset, rule: CheckRule, row: Row): CellValue[] {
  return columnsOfRule(rule).map((name) => {
    return row[dataset.columns.findIndex((column) => column.name === name)] ?? null;
  });
}

function doubledKeys(keys: readonly CellValue[][], published: readonly CellValue[][]): BrokenRow[] {
  const seen = new Map<string, number | null>(published.map((cells) => [keyOf(cells), null]));
  return keys.flatMap((cells, row) => {
    const twin = seen.get(keyOf(cells));
    if (twin === undefined) seen.set(keyOf(cells), row);
    return twin === undefined ? [] : [{ row, cells, twin }];
  });
}

/** The rows that break one rule; `published` are those of the parts that stay. */
export function brokenRows(
  dataset: Dataset,
  rule: CheckRule,
  rows: readonly Row[],
  published: readonly Row[],
): BrokenRows {
  const cells = rows.map((row) => cellsOf(dataset, rule, row));
  const isBroken = (values: readonly CellValue[]) => {
    if (rule.kind !== 'required' && values.includes(null)) return false;
    const judge = BROKEN[rule.kind as Exclude<CheckRule['kind'], 'keys'>] as IsBroken<'required'>;
    return judge(rule as RuleOf<'required'>, values, dataset);
  };
  const broken =
    rule.kind === 'keys'
      ? doubledKeys(
          cells,
          published.map((row) => cellsOf(dataset, rule, row)),
        )
      : cells.flatMap((values, row) => (isBroken(values) ? [{ row, cells: values }] : []));
  return { rowCount: broken.length, rows: broken.slice(0, SHOWN_BROKEN_ROWS) };
}
