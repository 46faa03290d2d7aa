/** Keys of partitions: `2026-11-18`, `2026-11`, `2026` or `all`, by the partition unit. */
import { PARTITION_UNITS, type PartitionUnit } from '../catalog/dataset.ts';
import type { DateSpan } from './query-plan.ts';

/** The key of the one partition of a dataset that is not cut by dates. */
export const WHOLE_KEY = 'all';
const ALL_DATES: DateSpan = { start: '0001-01-01', end: '9999-12-31' };

const KEY_LENGTHS: Readonly<Record<PartitionUnit, number>> = {
  day: 'YYYY-MM-DD'.length,
  month: 'YYYY-MM'.length,
  year: 'YYYY'.length,
  whole: WHOLE_KEY.length,
};

/** The key of the partition that a date is in. */
export function keyOfDate(unit: PartitionUnit, date: string): string {
  return unit === 'whole' ? WHOLE_KEY : date.slice(0, KEY_LENGTHS[unit]);
}

export function unitOfKey(key: string): PartitionUnit | undefined {
  return PARTITION_UNITS.find((unit) => KEY_LENGTHS[unit] === key.length);
}

/** The dates that a partition may hold, both inclusive. */
export function spanOfKey(key: string): DateSpan {
  const unit = unitOfKey(key);
  if (unit === 'whole') return ALL_DATES;
  if (unit === 'year') return { start: `${key}-01-01`, end: `${key}-12-31` };
  if (unit !== 'month') return { start: key, end: key };
  const { daysInMonth } = Temporal.PlainYearMonth.from(key);
  return { start: `${key}-01`, end: `${key}-${daysInMonth}` };
}
