import { addDays, dateOf } from '../format/dates';
import { dayOf, readEach, type Search } from '../layout/known-search';

export const RANGE_DAYS = ['30', '90', '366'] as const;
type RangeDays = (typeof RANGE_DAYS)[number];

export const RANGE_LABELS: Readonly<Record<RangeDays, string>> = {
  '30': '30 days',
  '90': '90 days',
  '366': 'A year',
};

interface CoverageRange {
  readonly days?: RangeDays;
  /** The last day; absent: today. */
  readonly end?: string;
}

/** The router reads numbers of an address as such. */
export function readCoverageRange(search: Search): CoverageRange {
  const days = RANGE_DAYS.find((each) => each === String(search.days));
  return { ...(days && { days }), ...readEach(['end'], search, dayOf) };
}

/** The days that are meant, both inclusive, in UTC. */
export function shownDays(
  { days = '30', end }: CoverageRange,
  nowMs: number,
): { readonly start: string; readonly end: string } {
  const last = end ?? dateOf(nowMs);
  return { start: addDays(last, 1 - Number(days)), end: last };
}
