/** The dates that partitions hold, by their keys. */
import type { PartitionUnit } from '../catalog/dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';

const KEY_LENGTHS: Readonly<Record<Exclude<PartitionUnit, 'whole'>, number>> = {
  day: 10,
  month: 7,
  year: 4,
};

function lastDayOfMonth(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** The key of the one partition of a dataset that is not cut by dates. */
const WHOLE_KEY = 'all';
const ALL_DATES: DateSpan = { start: '0001-01-01', end: '9999-12-31' };

/** The dates that a partition may hold. */
export function spanOfKey(key: string): DateSpan {
  if (key === WHOLE_KEY) return ALL_DATES;
  if (key.length === KEY_LENGTHS.day) return { start: key, end: key };
  if (key.length === KEY_LENGTHS.month) return { start: `${key}-01`, end: lastDayOfMonth(key) };
  return { start: `${key}-01-01`, end: `${key}-12-31` };
}

/** The key of the partition that a date is in. */
export function keyOfDate(unit: PartitionUnit, date: string): string {
  return unit === 'whole' ? WHOLE_KEY : date.slice(0, KEY_LENGTHS[unit]);
}
