/** Months of quotas: from 00:00 UTC on the first to the same of the next. */
import { type DayRange, utcDay } from '../store/usage.ts';

const DAY_MS = 86_400_000;

export interface UtcMonth {
  readonly startMs: number;
  /** Start of the next month. */
  readonly endMs: number;
}

export function utcMonth(epochMs: number): UtcMonth {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return { startMs: Date.UTC(year, month, 1), endMs: Date.UTC(year, month + 1, 1) };
}

export function daysOf({ startMs, endMs }: UtcMonth): DayRange {
  return { firstDay: utcDay(startMs), lastDay: utcDay(endMs - DAY_MS) };
}
