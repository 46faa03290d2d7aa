/** What an answer tells of the contracts that a continuous one stood for. */
import type { DateSpan, QueryPlan } from '../engine/query-plan.ts';
import { dateColumnOf } from '../plan/dataset-columns.ts';
import { findDays } from '../plan/date-range.ts';
import { GAP_TEXTS } from '../symbology/roll-gaps.ts';

/** A header stays short; `symbology/rolls` tells of all. */
const TOLD_MAX = 30;

/** Those that meet the dates of the plan. */
function onDates<T extends DateSpan>(
  { dataset, predicates }: QueryPlan,
  spans: readonly T[],
): readonly T[] {
  const { first, last } = findDays(dateColumnOf(dataset), predicates);
  return spans.filter(
    ({ start, end }) => (last === null || start <= last) && (first === null || end >= first),
  );
}

/** Why a continuous contract stands for none on dates of the plan; null: it always does. */
export function gapHint(plan: QueryPlan): string | null {
  const [gap] = plan.rolls ? onDates(plan, plan.rolls.gaps) : [];
  if (!plan.rolls || !gap) return null;
  const { symbol } = plan.rolls;
  return `'${symbol}' has no contract from ${gap.start} to ${gap.end}. ${GAP_TEXTS[gap.reason]}`;
}

/** `X-Rolls` has the spans that meet the dates of the plan, as they are; then how many more there are. */
export function rollHeaders(plan: QueryPlan): Record<string, string> {
  const { rolls } = plan;
  if (!rolls) return {};
  const spans = onDates(plan, rolls.spans);
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
