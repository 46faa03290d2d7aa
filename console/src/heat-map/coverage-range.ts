import { addDays, dateOf } from '../format/dates';
import { dayOf, readEach, type Search } from '../layout/known-search';

export const RANGES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '366', label: 'A year' },
] as const;

/** The router reads numbers of an address as such. Without an end: until today. */
export function readCoverageRange(search: Search) {
  const days = RANGES.find(({ value }) => value === String(search.days))?.value;
  return { ...(days && { days }), ...readEach(['end'], search, dayOf) };
}

/** The days that are meant, both inclusive, in UTC. */
export function shownDays(
  { days = '30', end }: ReturnType<typeof readCoverageRange>,
  nowMs: number,
): { readonly start: string; readonly end: string } {
  const last = end ?? dateOf(nowMs);
  return { start: addDays(last, 1 - Number(days)), end: last };
}
