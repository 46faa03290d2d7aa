/** What an account may know of the partitions of a dataset, by its rules. Pure. */
import type { Dataset, PartitionUnit } from '../catalog/dataset.ts';
import type { Predicate } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { columnOf } from './conditions.ts';
import { findDays } from './date-range.ts';
import type { EntitlementRule } from './entitlement.ts';

/** Earlier than every date of a row. */
const FIRST_DATE = '1900-01-01';
const LAST_DATE = '2199-12-31';

interface Dates {
  readonly first: string;
  readonly last: string;
}

export interface ReadablePartitions {
  /** Whether the account may read any day of a partition, so that it may know of it. */
  isVisible(key: string): boolean;
  /** Whether it may read all of a partition, so that it may know how many rows that has. */
  isWhole(key: string): boolean;
  /** The same of all rows whose dates are known to lie between two; null: it is not known where. */
  holdsAll(first: string | null, last: string | null): boolean;
}

function lastDayOfMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return `${month}-${new Date(Date.UTC(year, number, 0)).getUTCDate()}`;
}

/** Days that a rule has to hold if it shall hold any rows: rows without a date count as of today. */
function everyDate({ dateColumn }: Dataset, today: string): Dates {
  if (dateColumn === null) return { first: today, last: today };
  return { first: FIRST_DATE, last: LAST_DATE };
}

/** The days of a partition's key; every day where keys are not those of the date that windows limit. */
function datesOf(dataset: Dataset, key: string, today: string): Dates {
  const { partitioning, dateColumn } = dataset;
  if (partitioning.column === null || partitioning.column !== dateColumn) {
    return everyDate(dataset, today);
  }
  if (key.length === 'YYYY'.length) return { first: `${key}-01-01`, last: `${key}-12-31` };
  if (key.length === 'YYYY-MM'.length) return { first: `${key}-01`, last: lastDayOfMonth(key) };
  return { first: key, last: key };
}

/** `lastBegun` is today, or the dataset's last date where that is later: rules that start after it permit nothing. */
export function readablePartitions(
  dataset: Dataset,
  rules: readonly EntitlementRule[],
  lastBegun: string,
): ReadablePartitions {
  const begun = rules.filter(({ startDate }) => startDate <= lastBegun);
  const holds = ({ first, last }: Dates) =>
    begun.some(
      ({ startDate, endDate, universe }) =>
        universe.length === 0 && startDate <= first && (endDate ?? LAST_DATE) >= last,
    );
  return {
    isVisible: (key) => {
      const { first, last } = datesOf(dataset, key, lastBegun);
      return begun.some(
        ({ startDate, endDate }) => startDate <= last && (endDate ?? LAST_DATE) >= first,
      );
    },
    isWhole: (key) => holds(datesOf(dataset, key, lastBegun)),
    holdsAll: (first, last) =>
      holds(first === null || last === null ? everyDate(dataset, lastBegun) : { first, last }),
  };
}

const KEY_LENGTHS: Readonly<Record<PartitionUnit, number>> = {
  ...{ day: 'YYYY-MM-DD'.length, month: 'YYYY-MM'.length, year: 'YYYY'.length, whole: 0 },
};

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
    date === null ? null : datesOf(dataset, date.slice(0, KEY_LENGTHS[partitioning.unit]), date),
  );
  return holdsAll(start?.first ?? null, end?.last ?? null);
}
