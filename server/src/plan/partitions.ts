/** The partitions of a dataset that an account may know of, by its rules. Pure. */
import { isTradingDayOf } from '@ticklake/market/calendars.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { FIRST_DATE, LAST_DATE } from '../engine/accepted-values.ts';
import type { Part, RowGroup } from '../engine/part.ts';
import { keyOfDate, spanOfKey } from '../engine/partition-key.ts';
import type { DateSpan, Predicate, QueryPlan } from '../engine/query-plan.ts';
import { DAY_STATES, dayState } from '../lake/dataset-status.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { addDays, earlierOf, laterOf } from '../request/literals.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { hidesColumns } from './column-rights.ts';
import { columnOf } from './conditions.ts';
import { findDays } from './date-range.ts';
import { confine, type Entitlement } from './entitlement.ts';

export interface ReadablePartitions {
  /** True if the account may read any day of the partition, and so know that it exists. */
  isVisible(key: string): boolean;
  /** True if the account may read the whole partition, and so know its size and digest. */
  isWhole(key: string): boolean;
  /** True if the account may read all of the rows dated between the two; null: date not known. */
  holdsAll(start: string | null, end: string | null): boolean;
}

/**
 * Days that a rule has to hold if it shall hold any rows: rows without a date count as of today.
 */
function everyDate({ dateColumn }: Dataset, today: string): DateSpan {
  if (dateColumn === null) return { start: today, end: today };
  return { start: FIRST_DATE, end: LAST_DATE };
}

/**
 * The days of a partition's key; every day where keys are not those of the date that windows limit.
 */
function datesOf(dataset: Dataset, key: string, today: string): DateSpan {
  const { partitioning, dateColumn } = dataset;
  if (partitioning.column === null || partitioning.column !== dateColumn) {
    return everyDate(dataset, today);
  }
  return spanOfKey(key);
}

/**
 * `lastBegun` is today, or the dataset's last date where that is later: rules that start after it
 * permit nothing.
 */
export function readablePartitions(
  dataset: Dataset,
  rules: readonly RuleTerms[],
  lastBegun: string,
): ReadablePartitions {
  const begun = rules.filter(({ startDate }) => startDate <= lastBegun);
  const whole = begun.filter((rule) => rule.universe.length === 0 && !hidesColumns(rule));
  const holds = ({ start, end }: DateSpan) =>
    whole.some(({ startDate, endDate }) => startDate <= start && (endDate ?? LAST_DATE) >= end);
  return {
    isVisible: (key) => {
      const { start, end } = datesOf(dataset, key, lastBegun);
      return begun.some(
        ({ startDate, endDate }) => startDate <= end && (endDate ?? LAST_DATE) >= start,
      );
    },
    isWhole: (key) => holds(datesOf(dataset, key, lastBegun)),
    holdsAll: (start, end) =>
      holds(start === null || end === null ? everyDate(dataset, lastBegun) : { start, end }),
  };
}

/**
 * True if the account may read all of the partitions whose dates the predicates ask for. Bounds
 * may leave some of them out, but that says what is in them.
 */
export function mayKnowScan(
  dataset: Dataset,
  predicates: readonly Predicate[],
  { firstDate, lastDate }: Pick<DatasetSnapshot, 'firstDate' | 'lastDate'>,
  { holdsAll }: ReadablePartitions,
): boolean {
  const { partitioning, dateColumn } = dataset;
  if (dateColumn === null || partitioning.column !== dateColumn) {
    return holdsAll(firstDate, lastDate);
  }
  const { first, last } = findDays(columnOf(dataset, dateColumn), predicates);
  const [start, end] = [first ?? firstDate, last ?? lastDate].map((date) =>
    date === null ? null : datesOf(dataset, keyOfDate(partitioning.unit, date), date),
  );
  return holdsAll(start?.start ?? null, end?.end ?? null);
}

/** The days of the partition with a key; null: they may be any. */
export function daysOfPartition(
  { partitioning, dateColumn }: Dataset,
  key: string,
): DateSpan | null {
  if (partitioning.column !== dateColumn || partitioning.unit === 'whole') return null;
  return spanOfKey(key);
}

/** The key of the partition that has a day; null: any may have it. */
export function partitionOfDay({ partitioning, dateColumn }: Dataset, date: string): string | null {
  return partitioning.column === dateColumn ? keyOfDate(partitioning.unit, date) : null;
}

/** The last day of a part within a rule that the index or the calendar tells of; none: []. */
function lastDayWithin(
  dataset: Dataset,
  { key, lastDate }: Part,
  published: string,
  { start, end, universe }: Entitlement,
): string[] {
  const days = daysOfPartition(dataset, key) ?? { start, end };
  // The last row may be of an identifier that is not the account's.
  const lastRow = (universe === null && lastDate) || published;
  const first = laterOf(days.start, start);
  let date = [days.end, end, lastRow].reduce(earlierOf);
  for (; date >= first; date = addDays(date, -1)) {
    if (date === key || date === lastRow || isTradingDayOf(dataset.calendar, date)) return [date];
  }
  return [];
}

/**
 * The last published date that a rule permits, null without one: of a part that goes on after the
 * end of the rule, or whose last row the account may not know, the last trading day.
 */
export function lastPublishedDate(
  dataset: Dataset,
  snapshot: Pick<DatasetSnapshot, 'lastDate' | 'parts'> | null,
  entitlements: readonly Entitlement[],
): string | null {
  const { lastDate = null, parts = [] } = snapshot ?? {};
  if (lastDate === null) return null;
  const dates = parts.flatMap((part) =>
    entitlements.flatMap((rule) => lastDayWithin(dataset, part, lastDate, rule)),
  );
  return dates.toSorted().at(-1) ?? null;
}

/** Days of a version whose rows an account asks to have counted. */
export interface CountedDays {
  readonly dataset: Dataset;
  readonly version: number;
  readonly span: DateSpan;
  readonly entitlements: readonly Entitlement[];
}

/** Null where the part has none of the days, or the account may read none of them. */
export function dayCountPlan(
  part: Part,
  { dataset, version, span, entitlements }: CountedDays,
): QueryPlan | null {
  const days = daysOfPartition(dataset, part.key) ?? span;
  const start = laterOf(days.start, span.start);
  const end = earlierOf(days.end, span.end);
  if (start > end) return null;
  const column = columnOf(dataset, dataset.dateColumn ?? '');
  const asked: Predicate[] = [
    { column, operator: 'ge', value: start },
    { column, operator: 'le', value: end },
  ];
  const { predicates, grants } = confine(dataset, asked, entitlements);
  if (grants.length === 0) return null;
  return {
    ...{ dataset, version, parts: [part], predicates, grants, closedDates: null },
    ...{ columns: [], sort: [], offset: 0, limit: 1 },
    ...{ scannedRows: part.rowCount, scannedBytes: part.byteCount },
  };
}

/**
 * `spanned`: rows of earlier and of later days lie together in one row group, so that the day most
 * likely has rows, which only counting them would tell.
 */
export const INDEXED_DAY_STATES = [...DAY_STATES, 'spanned'] as const;
export type IndexedDayState = (typeof INDEXED_DAY_STATES)[number];

/** A query of the index for the days of a dataset. */
export interface IndexedDays {
  readonly dataset: Dataset;
  readonly snapshot: DatasetSnapshot | null;
  /** First and last day of each row group; none of a dataset whose partitions are days. */
  readonly spans: readonly DateSpan[];
  /** Keys of partitions whose last change took rows out. */
  readonly withdrawnKeys: ReadonlySet<string>;
}

/** True if the dataset is a time series by day, for which coverage can be told. */
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

/**
 * The days that row groups reach over; all that the dataset has where its index does not hold its
 * dates.
 */
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

/**
 * By date; null: before the first day or after the last one that there will be, or it cannot be
 * late.
 */
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
