/** The publication status of a dataset: whether it is up to date, and when more is expected. */
import { tradingDayAfter, tradingDayFrom } from '@ticklake/market/calendars.ts';
import { isoSeconds } from '../base/clock.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import { marketDate, utcOfMarketTime } from '../time/market-time.ts';
import type { TimeZone } from '../time/time-zone.ts';
import type { PublicationStatus } from './lake.ts';
import type { DatasetSnapshot } from './snapshots.ts';

export const STATUS_CODES = ['current', 'updating', 'late', 'failed', 'closed', 'empty'] as const;
type StatusCode = (typeof STATUS_CODES)[number];

export interface DatasetStatus {
  readonly code: StatusCode;
  /** UTC, whole seconds, `Z`; null when nothing is published. */
  readonly lastUpdate: string | null;
  /** The first scheduled update after the last one, also when it is overdue; null: none is. */
  readonly nextExpectedUpdate: string | null;
}

/** How long after its time an update may come before the dataset is late. */
const GRACE_MS = 3_600_000;

function instantMs(zone: TimeZone, date: string, time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  const nanos = utcOfMarketTime(zone, date, (hours * 60 + minutes) * 60_000_000_000);
  return Number(nanos / 1_000_000n);
}

/** The first instant of the schedule after a moment, both in epoch milliseconds. */
function nextUpdateMs({ timeZone, calendar, schedule }: Dataset, afterMs: number): number {
  const first = tradingDayFrom(calendar, marketDate(timeZone, afterMs));
  const firstMs = instantMs(timeZone, first, schedule.time);
  if (firstMs > afterMs) return firstMs;
  return instantMs(timeZone, tradingDayAfter(calendar, first), schedule.time);
}

/** True if the rows of a trading day are overdue. */
function isLate({ timeZone, schedule }: Dataset, date: string, nowMs: number): boolean {
  const { time, lateAt } = schedule;
  if (!lateAt) return nowMs > instantMs(timeZone, date, time) + GRACE_MS;
  const day = dateOfDays(daysOfDate(date) + (lateAt.isNextDay ? 1 : 0));
  return nowMs > instantMs(timeZone, day, lateAt.time);
}

export function datasetStatus(
  dataset: Dataset,
  snapshot: DatasetSnapshot | null,
  publication: Pick<PublicationStatus, 'state'>,
  nowMs: number,
): DatasetStatus {
  const { schedule, endDate } = dataset;
  const lastUpdate = snapshot?.publishedAt ?? null;
  const isScheduled = schedule.days !== 'none' && endDate === null;
  const expectedMs = isScheduled
    ? nextUpdateMs(dataset, lastUpdate === null ? nowMs : Date.parse(lastUpdate))
    : null;
  const lastDate = schedule.lateAt ? (snapshot?.lastDate ?? null) : null;
  const isOverdue =
    lastDate === null
      ? expectedMs !== null && nowMs > expectedMs + GRACE_MS
      : isLate(dataset, tradingDayAfter(dataset.calendar, lastDate), nowMs);
  const states: readonly [boolean, StatusCode][] = [
    [publication.state === 'running', 'updating'],
    [publication.state === 'failed' || publication.state === 'refused', 'failed'],
    [snapshot === null, 'empty'],
    [endDate !== null, 'closed'],
    [isScheduled && isOverdue, 'late'],
  ];
  return {
    code: states.find(([holds]) => holds)?.[1] ?? 'current',
    lastUpdate,
    nextExpectedUpdate: expectedMs === null ? null : isoSeconds(expectedMs),
  };
}

/**
 * `expected`: it is not due yet, or was due less than an hour ago. `late`: it is overdue,
 * and nothing of a later day is there. `missing`: later days are there. `withdrawn`: its rows were
 * taken out, by the last change of its partition.
 */
export const DAY_STATES = [
  'complete',
  'expected',
  'late',
  'missing',
  'withdrawn',
  'no_trading_day',
] as const;
type DayState = (typeof DAY_STATES)[number];

/** A day of a dataset. */
interface CoveredDay {
  readonly date: string;
  /** Whatever the caller may read: true if the day has rows; null if unknown. */
  readonly hasRows: boolean | null;
  /** True if the last change of its partition took rows of it out. */
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
