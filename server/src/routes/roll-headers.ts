/** What an answer tells of the contracts that a continuous one stood for. */
import type { QueryPlan } from '../engine/query-plan.ts';
import { dateColumnOf } from '../plan/dataset-columns.ts';
import { findDays } from '../plan/date-range.ts';

/** A header stays short; `symbology/rolls` tells of all. */
const TOLD_MAX = 30;

/** `X-Rolls` has the spans that meet the dates of the plan, as they are; then how many more there are. */
export function rollHeaders({ dataset, predicates, rolls }: QueryPlan): Record<string, string> {
  if (!rolls) return {};
  const { first, last } = findDays(dateColumnOf(dataset), predicates);
  const spans = rolls.spans.filter(
    ({ start, end }) => (last === null || start <= last) && (first === null || end >= first),
  );
  const told = spans
    .slice(0, TOLD_MAX)
    .map(({ ticker, start, end }) => `${encodeURIComponent(ticker)} ${start}/${end}`);
  const rest = spans.length - told.length;
  const texts = [...told, ...(rest > 0 ? [`${rest} more`] : [])];
  return {
    'X-Rolls-Version': `${rolls.version}`,
    ...(texts.length > 0 && { 'X-Rolls': texts.join(', ') }),
  };
}
