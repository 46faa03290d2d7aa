/** What is there of each day of a dataset, as far as the index alone tells: nothing is opened. Pure. */
import type { Dataset } from '../catalog/dataset.ts';
import type { Part, RowGroup } from '../engine/part.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import { DAY_STATES, dayState } from '../lake/dataset-status.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { daysOfPartition, partitionOfDay } from './day-count-plan.ts';

/**
 * `spanned`: rows of earlier and of later days lie together in one row group, so that the day most likely has
 * rows, which only counting them would tell.
 */
export const INDEXED_DAY_STATES = [...DAY_STATES, 'spanned'] as const;
export type IndexedDayState = (typeof INDEXED_DAY_STATES)[number];

/** What is asked of the index for the days of a dataset. */
export interface IndexedDays {
  readonly dataset: Dataset;
  readonly snapshot: DatasetSnapshot | null;
  /** First and last day of each row group; none of a dataset whose partitions are days. */
  readonly spans: readonly DateSpan[];
  /** Keys of partitions whose last change took rows out. */
  readonly withdrawnKeys: ReadonlySet<string>;
}

/** Whether it is a series of days that coverage can be told of. */
export function hasDays({ dateColumn, isTimeSeries }: Dataset): boolean {
  return dateColumn !== null && isTimeSeries;
}

export function isKeptByDay({ partitioning, dateColumn }: Dataset): boolean {
  return partitioning.unit === 'day' && partitioning.column === dateColumn;
}

/** The parts that may have rows of some days. */
export function partsOfDays(
  dataset: Dataset,
  parts: readonly Part[],
  { start, end }: DateSpan,
): Part[] {
  return parts.filter(({ key }) => {
    const days = daysOfPartition(dataset, key);
    return days === null || (days.start <= end && days.end >= start);
  });
}

/** The days that row groups reach over; all that the dataset has where its index does not hold its dates. */
export function spansOf(
  { dateColumn }: Dataset,
  { firstDate, lastDate }: Pick<DatasetSnapshot, 'firstDate' | 'lastDate'>,
  groups: readonly RowGroup[],
): DateSpan[] {
  const spans = groups.map(({ bounds }) => {
    const { min, max } = bounds[dateColumn ?? ''] ?? {};
    const isKnown = typeof min === 'string' && typeof max === 'string';
    return isKnown ? { start: min, end: max } : { start: firstDate ?? '', end: lastDate ?? '' };
  });
  return [...new Map(spans.map((span) => [`${span.start} ${span.end}`, span])).values()];
}

function hasRows({ dataset, spans }: IndexedDays, keys: ReadonlySet<string>, date: string) {
  if (isKeptByDay(dataset)) return keys.has(date);
  const holding = spans.filter(({ start, end }) => date >= start && date <= end);
  if (holding.some(({ start, end }) => date === start || date === end)) return true;
  return holding.length > 0 ? null : false;
}

/** By date; null: before the first day or after the last one that there will be, or it cannot be late. */
export function indexedDayStates(
  indexed: IndexedDays,
  dates: readonly string[],
  nowMs: number,
): (IndexedDayState | null)[] {
  const { dataset, snapshot, withdrawnKeys } = indexed;
  const { firstDate = null, lastDate = null, parts = [] } = snapshot ?? {};
  const keys = new Set(parts.map(({ key }) => key));
  const { endDate } = dataset;
  return dates.map((date) => {
    if (firstDate === null || date < firstDate) return null;
    if (endDate !== null && date > endDate) return null;
    const found = hasRows(indexed, keys, date);
    const key = partitionOfDay(dataset, date);
    const isWithdrawn = found === false && key !== null && withdrawnKeys.has(key);
    const day = { date, hasRows: found, isWithdrawn };
    return dayState(dataset, lastDate, day, nowMs) ?? (found === null ? 'spanned' : null);
  });
}
