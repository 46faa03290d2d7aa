/** Usage of an account in a month, by day and by the busiest datasets and keys. */
import type { Amounts, DayUsage } from '../api/records';
import { bytesText, countText, plural } from '../format/amounts';

export type Measure = keyof Amounts;

interface MeasureText {
  readonly value: Measure;
  readonly label: string;
  /** Beside the label. */
  readonly text: (amount: number) => string;
  /** In a sentence. */
  readonly longText: (amount: number) => string;
}

const REQUESTS: MeasureText = {
  value: 'requests',
  label: 'Requests',
  text: countText,
  longText: (count) => plural(count, 'request'),
};

const SCANNED: MeasureText = {
  value: 'data_scanned',
  label: 'Data scanned',
  text: bytesText,
  longText: bytesText,
};

const RETURNED: MeasureText = { ...SCANNED, value: 'data_returned', label: 'Data returned' };

/** The quantities that are counted, in display order. */
export const MEASURES: readonly MeasureText[] = [REQUESTS, SCANNED, RETURNED];

export function measureOf(measure: Measure): MeasureText {
  return MEASURES.find(({ value }) => value === measure) ?? REQUESTS;
}

const NOTHING: Amounts = { requests: 0, data_scanned: 0, data_returned: 0 };

function sum(a: Amounts, b: Amounts): Amounts {
  return {
    requests: a.requests + b.requests,
    data_scanned: a.data_scanned + b.data_scanned,
    data_returned: a.data_returned + b.data_returned,
  };
}

function sumBy<Key>(rows: readonly DayUsage[], keyOf: (row: DayUsage) => Key) {
  const sums = new Map<Key, Amounts>();
  for (const row of rows) sums.set(keyOf(row), sum(sums.get(keyOf(row)) ?? NOTHING, row));
  return sums;
}

/** Every day of the month of `first` (YYYY-MM-DD), also those to come. */
export function daysOfMonth(first: string): string[] {
  const month = first.slice(0, 7);
  const [year, number] = month.split('-').map(Number) as [number, number];
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate();
  return Array.from({ length: count }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
}

export interface DayAmounts extends Amounts {
  readonly day: string;
}

/** The sums of each of `days`, in their order. */
export function byDay(rows: readonly DayUsage[], days: readonly string[]): DayAmounts[] {
  const sums = sumBy(rows, ({ day }) => day);
  return days.map((day) => ({ day, ...(sums.get(day) ?? NOTHING) }));
}

export interface Share<Key> {
  readonly key: Key;
  readonly amount: number;
  /** Share of the total, from 0 to 1. */
  readonly share: number;
}

/** Those with most of `measure`, most first, without those that have none of it. */
export function busiest<Key>(
  rows: readonly DayUsage[],
  keyOf: (row: DayUsage) => Key,
  measure: Measure,
  max: number,
): Share<Key>[] {
  const sums = [...sumBy(rows, keyOf)].map(([key, amounts]) => ({ key, amount: amounts[measure] }));
  const total = sums.reduce((all, { amount }) => all + amount, 0);
  return sums
    .filter(({ amount }) => amount > 0)
    .toSorted((a, b) => b.amount - a.amount)
    .slice(0, max)
    .map((one) => ({ ...one, share: one.amount / total }));
}

/** The first of the month after `day`, when the month's limits begin anew. */
export function nextMonthStart(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month, 1)).toISOString();
}
