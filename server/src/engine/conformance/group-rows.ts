/** A plain program that groups rows, at any cost: the reference for engines. */
import { DECIMAL_DIGITS_MAX } from '../../catalog/column-types.ts';
import { type CellValue, dateOfDays, daysOfDate } from '../columns.ts';
import { OutOfRangeError } from '../engine.ts';
import { GROUP_INTERVALS, type GroupKey, type Measure, type MeasureKind } from '../groups.ts';
import { type GroupedPlan, rowsOfGroups } from '../query-plan.ts';
import { compareValues, type Row, sortedBy } from './select-rows.ts';

type Value = Exclude<CellValue, null>;

const NANOS_PER_MINUTE = 60_000_000_000n;

/** The beginning of the interval that a value lies in. */
function beginningOf(value: CellValue, interval: GroupKey['interval']): CellValue {
  if (interval === undefined || value === null) return value;
  const length = GROUP_INTERVALS[interval];
  if (typeof length === 'number') {
    const nanos = BigInt(length) * NANOS_PER_MINUTE;
    let begun = ((value as bigint) / nanos) * nanos;
    if (begun > (value as bigint)) begun -= nanos;
    return begun;
  }
  const date = value as string;
  if (length === 'month') return `${date.slice(0, 7)}-01`;
  if (length === 'day') return date;
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  return dateOfDays(daysOfDate(date) - ((weekday + 6) % 7));
}

/** Decimals are in units of their last digit. */
function numberOf(value: CellValue, scale: number): number {
  return typeof value === 'bigint' ? Number(value) / 10 ** scale : (value as number);
}

function added(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => Math.abs(b) - Math.abs(a)).reduce((sum, each) => sum + each, 0);
}

function deviation(numbers: readonly number[]): number | null {
  if (numbers.length < 2) return null;
  const mean = added(numbers) / numbers.length;
  return Math.sqrt(added(numbers.map((each) => (each - mean) ** 2)) / (numbers.length - 1));
}

function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const [low, high] = [Math.floor(place), Math.ceil(place)].map((at) => sorted[at] as number);
  return (low as number) + ((high as number) - (low as number)) * (place - Math.floor(place));
}

function weighted(pairs: readonly (readonly number[])[]): number | null {
  const size = added(pairs.map(([, each]) => each as number));
  return size === 0 ? null : added(pairs.map(([a, b]) => (a as number) * (b as number))) / size;
}

function sum(values: readonly Value[]): CellValue {
  if (typeof values[0] !== 'bigint') return added(values as number[]);
  const total = (values as bigint[]).reduce((sum, each) => sum + each, 0n);
  if (`${total}`.replace('-', '').length > DECIMAL_DIGITS_MAX) throw new OutOfRangeError(total);
  return total;
}

function average(values: readonly Value[], scale: number): number {
  const total = sum(values);
  return numberOf(total, scale) / values.length;
}

type Compute = (values: readonly Value[], scale: number, share: number) => CellValue;

/** The values are those of at least one row. */
const COMPUTES: Readonly<Record<Exclude<MeasureKind, 'count' | 'vwap'>, Compute>> = {
  sum,
  min: (values) => values.toSorted(compareValues)[0] as Value,
  max: (values) => values.toSorted(compareValues).at(-1) as Value,
  avg: average,
  first: (values) => values[0] as Value,
  last: (values) => values.at(-1) as Value,
  stddev: (values, scale) => deviation(values.map((each) => numberOf(each, scale))),
  quantile: (values, scale, share) =>
    quantile(
      values.map((each) => numberOf(each, scale)),
      share,
    ),
};

/** `cells` has, of each row, the values of the measure's columns. */
function computed({ kind, columns, share = 0 }: Measure, cells: readonly Row[]): CellValue {
  const whole = cells.filter((row) => !row.includes(null));
  if (kind === 'count') return BigInt(whole.length);
  if (whole.length === 0) return null;
  const scales = columns.map(({ scale = 0 }) => scale);
  if (kind !== 'vwap')
    return COMPUTES[kind](
      whole.map(([value]) => value as Value),
      scales[0] as number,
      share,
    );
  return weighted(whole.map((row) => row.map((cell, c) => numberOf(cell, scales[c] as number))));
}

/** All groups of rows in the columns of `rowsOfGroups`, which come in natural order. */
export function groupRows(plan: GroupedPlan, rows: readonly Row[]): Row[] {
  const { keys, measures } = plan.groups;
  const names = rowsOfGroups(plan).columns.map(({ name }) => name);
  const cell = (row: Row, name: string) => row[names.indexOf(name)] ?? null;
  const keysOf = (row: Row) =>
    keys.map(({ column, interval }) => beginningOf(cell(row, column.name), interval));
  const textOf = (row: Row) =>
    keysOf(row)
      .map((each) => `${typeof each} ${each}`)
      .join('|');
  const groups = [...Map.groupBy(rows, textOf).values()].map((group) => [
    ...keysOf(group[0] as Row),
    ...measures.map((measure) =>
      computed(
        measure,
        group.map((row) => measure.columns.map(({ name }) => cell(row, name))),
      ),
    ),
  ]);
  const order = keys.map((_, at) => ({ at, descending: false }));
  return sortedBy(groups, order, (row, { at }) => row[at] ?? null);
}
