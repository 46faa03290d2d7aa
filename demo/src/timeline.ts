/** The days of the demo market. */
import { tradingDaysEndingAt } from '@ticklake/market/calendar.ts';

/** How much is generated; the shipped demo is `FULL_SIZE`, tests make do with less. */
export interface DemoSize {
  /** Trading days with daily values. */
  readonly dailyDays: number;
  /** Last trading days with minute bars. */
  readonly minuteDays: number;
  /** Last trading days with ticks. */
  readonly tickDays: number;
  /** Last trading days with quote bars of the flagship. */
  readonly quoteBarDays: number;
  /** Factor on the number of events of a day. */
  readonly activity: number;
}

export const FULL_SIZE: DemoSize = {
  dailyDays: 2520,
  minuteDays: 63,
  tickDays: 3,
  quoteBarDays: 63,
  activity: 1,
};

/** The first trading day with ticks. */
export function firstTickDateOf({ days, size }: Pick<Timeline, 'days' | 'size'>): string {
  return days.at(-size.tickDays) as string;
}

export interface Timeline {
  /** All trading days, oldest first. */
  readonly days: readonly string[];
  readonly size: DemoSize;
  /** Index of the day that is `age` trading days before the last one, at least 0. */
  indexOfAge(age: number): number;
  /** Trading days from a day to the last one. */
  ageOf(dayIndex: number): number;
}

/** The trading days that end at `asOf`, which must be one. */
export function buildTimeline(asOf: string, size: DemoSize): Timeline {
  const days = tradingDaysEndingAt(asOf, size.dailyDays);
  if (days.at(-1) !== asOf) throw new Error(`${asOf} is not a trading day`);
  const last = days.length - 1;
  return {
    days,
    size,
    indexOfAge: (age) => Math.max(0, last - age),
    ageOf: (dayIndex) => last - dayIndex,
  };
}
