/** Whether the rows of a day are there, and if not, why. Pure. */
import { tradingDayFrom } from '@ticklake/market/calendars.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { isLate } from './dataset-status.ts';

/**
 * `expected`: it is not due yet, or was due less than an hour ago. `late`: it was due before that, and nothing of a
 * later day is there. `missing`: later days are there. `withdrawn`: its rows were taken out, by the last change of its
 * partition.
 */
export const DAY_STATES = [
  'complete',
  'expected',
  'late',
  'missing',
  'withdrawn',
  'no_trading_day',
] as const;
export type DayState = (typeof DAY_STATES)[number];

/** A day of a dataset. */
export interface CoveredDay {
  readonly date: string;
  /** Whether the dataset has rows of it, whoever may read them; null: it is not known. */
  readonly hasRows: boolean | null;
  /** Whether the last change of its partition was to take rows of it out. */
  readonly isWithdrawn: boolean;
}

/** Null where it is not known, or where the dataset has no schedule to be late by. */
export function dayState(
  dataset: Dataset,
  lastDate: string | null,
  { date, hasRows, isWithdrawn }: CoveredDay,
  nowMs: number,
): DayState | null {
  const { calendar, schedule } = dataset;
  if (tradingDayFrom(calendar, date) !== date) return 'no_trading_day';
  if (hasRows) return 'complete';
  if (isWithdrawn) return 'withdrawn';
  if (hasRows === null) return null;
  if (lastDate !== null && date <= lastDate) return 'missing';
  if (schedule.days === 'none') return null;
  return isLate(dataset, date, nowMs) ? 'late' : 'expected';
}
