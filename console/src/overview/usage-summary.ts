import type { UsageOfDay, UsedAmounts } from '@ticklake/client';
import { ofEachQuantity, type Quantity } from '../format/texts';

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

/** By `measure`, most first, without those that have none of it. */
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

const STEPS = [1, 2, 5, 10];
const TICKS = 4;

/** At most five whole values at equal distances, from 0 to at least `max`. */
export function axisTicks(max: number): number[] {
  if (max <= 0) return [0, 1];
  const least = Math.max(max / TICKS, 1);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = (STEPS.find((factor) => factor * power >= least) ?? 10) * power;
  const count = Math.ceil(max / step);
  return Array.from({ length: count + 1 }, (_, at) => at * step);
}

/** From this part of a limit on, people are told that they are near it. */
const NEAR_FRACTION = 0.8;

type LimitState =
  | { readonly kind: 'unlimited' }
  | { readonly kind: 'within' | 'near' | 'reached'; readonly fraction: number };

/** A limit is reached when it is used up to the last; null is none. */
export function limitState(used: number, limit: number | null): LimitState {
  if (limit === null) return { kind: 'unlimited' };
  if (used >= limit) return { kind: 'reached', fraction: 1 };
  const fraction = used / limit;
  return { kind: fraction >= NEAR_FRACTION ? 'near' : 'within', fraction };
}

/** Whole percent, never rounded up to a limit that is not reached. */
function percentText(fraction: number): string {
  if (fraction === 0) return 'Nothing used';
  if (fraction < 0.01) return 'Less than 1% used';
  return `${Math.floor(fraction * 100)}% used`;
}

/** `85% used, near the limit`. */
export function limitStateText(state: LimitState): string {
  if (state.kind === 'unlimited') return 'No limit';
  if (state.kind === 'reached') return 'Limit reached: requests are refused';
  return `${percentText(state.fraction)}${state.kind === 'near' ? ', near the limit' : ''}`;
}
