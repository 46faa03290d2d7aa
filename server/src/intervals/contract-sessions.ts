/** Which sessions the contracts of a continuous one have: each session is of one contract. */

import { contractColumn } from '../catalog/contract-column.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { BarRules } from '../catalog/interval.ts';
import { type CellValue, daysOfDate } from '../engine/columns.ts';
import type { PlannedBars } from '../engine/query-plan.ts';
import { atMoment, type Root, sessionsOfDates } from './bar-clock.ts';

/** Tells if bars may hold a row. `about`: its cells of those columns; `date`: days since 1970. */
export type MayHold = (
  about: () => readonly CellValue[],
  date: number,
  timeNanos: bigint,
  root: Root,
) => boolean;

/** Bars may hold all rows unless they go over midnight and are of a continuous contract. */
export function contractsBySession(
  dataset: Dataset,
  rules: BarRules,
  { contracts }: PlannedBars,
): MayHold {
  if (!contracts) return () => true;
  const sessionsOf = sessionsOfDates(dataset, rules);
  const place = rules.by.indexOf(contractColumn(dataset)?.name ?? '');
  const spans = contracts.map(({ ticker, start, end }) => {
    return { ticker, first: daysOfDate(start), last: daysOfDate(end) };
  });
  return (about, date, timeNanos, root) => {
    const { day } = atMoment(sessionsOf(date)(root), timeNanos);
    const ticker = about()[place];
    return spans.some((span) => span.ticker === ticker && span.first <= day && day <= span.last);
  };
}
