/**
 * What the rows of a dataset's days are counted by: for each part a plan of its own, so that its counts
 * can be kept for as long as the part is the same.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { Part } from '../engine/part.ts';
import type { DateSpan, Predicate, QueryPlan } from '../engine/query-plan.ts';
import { addDays, earlierOf, laterOf } from '../request/literals.ts';
import { columnOf } from './conditions.ts';
import { confine, type Entitlement } from './entitlement.ts';

/** The days of the partition with a key; null: they may be any. */
export function daysOfPartition(
  { partitioning, dateColumn }: Dataset,
  key: string,
): DateSpan | null {
  if (partitioning.column !== dateColumn) return null;
  const afterMonth = (month: string) => `${addDays(`${month}-28`, 4).slice(0, 7)}-01`;
  const spans = {
    day: () => ({ start: key, end: key }),
    month: () => ({ start: `${key}-01`, end: addDays(afterMonth(key), -1) }),
    year: () => ({ start: `${key}-01-01`, end: `${key}-12-31` }),
    whole: () => null,
  };
  return spans[partitioning.unit]();
}

/** The key of the partition that has a day; null: any may have it. */
export function partitionOfDay({ partitioning, dateColumn }: Dataset, date: string): string | null {
  if (partitioning.column !== dateColumn) return null;
  const lengths = { day: 10, month: 7, year: 4, whole: 0 };
  return partitioning.unit === 'whole' ? 'all' : date.slice(0, lengths[partitioning.unit]);
}

/** Null where the part has none of the days, or the account may read none of them. */
export function dayCountPlan(
  dataset: Dataset,
  version: number,
  part: Part,
  span: DateSpan,
  entitlements: readonly Entitlement[],
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
