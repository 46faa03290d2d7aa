/** Usage of an account in a month, by day and by the busiest datasets and keys. */
import type { UsageOfDay, UsedAmounts } from '@ticklake/client';
import { ofEachQuantity, type Quantity } from '../format/quantities';

const NOTHING: UsedAmounts = ofEachQuantity(() => 0);

function sum(a: UsedAmounts, b: UsedAmounts): UsedAmounts {
  return ofEachQuantity((quantity) => a[quantity] + b[quantity]);
}

export function sumBy<Key>(rows: readonly UsageOfDay[], keyOf: (row: UsageOfDay) => Key) {
  const sums = new Map<Key, UsedAmounts>();
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

export interface DayAmounts extends UsedAmounts {
  readonly day: string;
}

/** The sums of each of `days`, in their order. */
export function byDay(rows: readonly UsageOfDay[], days: readonly string[]): DayAmounts[] {
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
  rows: readonly UsageOfDay[],
  keyOf: (row: UsageOfDay) => Key,
  measure: Quantity,
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
