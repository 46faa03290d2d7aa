/**
 * How a request that names a continuous contract is planned: as one for its root, held to the
 * contracts of each date.
 */
import { tradingDayBefore } from '@ticklake/market/calendars.ts';
import { ApiError } from '../base/errors.ts';
import { contractColumn } from '../catalog/contract-column.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { goesOverMidnight, type Interval } from '../catalog/interval.ts';
import type { ContractSpan, Grant, Predicate, QueryPlan, Rolls } from '../engine/query-plan.ts';
import { earlierOf, laterOf } from '../request/literals.ts';
import { type ProblemPlace, problemAt } from '../request/request-problem.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import type { ContinuousContract } from '../symbology/continuous-contract.ts';
import type { BoundConditions, Condition } from './conditions.ts';
import { columnOf, dateColumnOf, isNaming, valuesOf } from './conditions.ts';
import { type Days, findDays } from './date-range.ts';

/** Each is a condition of its own. More than 30 years of monthly contracts have. */
const SPANS_MAX = 400;

/** One that a request names, and where it says so. */
export type AskedContract = ContinuousContract & { readonly place: ProblemPlace };

/**
 * Throws an ApiError 'forbidden' where the rules leave contracts of the root out: ranks would be of
 * the others.
 */
export function requireWholeRoot(
  { name }: Dataset,
  rules: readonly RuleTerms[],
  root: string,
): void {
  if (rules.every(({ universe }) => universe.length === 0 || universe.includes(root))) return;
  const msg = `The account may not read all contracts of '${root}' in ${name}, by which they are ranked`;
  throw new ApiError('forbidden', msg);
}

/** The conditions, with the one for the symbol become one for its root, which is `byRoot`. */
export function conditionsByRoot(
  bound: BoundConditions,
  dataset: Dataset,
  { symbol, root }: Rolls,
): BoundConditions & { readonly byRoot: Predicate } {
  const contract = contractColumn(dataset);
  const column = columnOf(dataset, dataset.rootColumn ?? '');
  const byRoot: Predicate = { column, operator: 'eq', value: root };
  const namesSymbol = ({ predicate }: Condition) =>
    predicate.column === contract && isNaming(predicate) && valuesOf(predicate).includes(symbol);
  const conditions = bound.conditions.map((condition) =>
    namesSymbol(condition) ? { ...condition, predicate: byRoot } : condition,
  );
  return { ...bound, conditions, byRoot };
}

/** True if an account that may read these identifiers may read this contract of the root. */
function passesUniverse(
  universe: Grant['universe'],
  { root }: Rolls,
  { rootColumn }: Dataset,
  ticker: string,
): boolean {
  if (universe === null) return true;
  return universe.some(({ column, values }) =>
    values.includes(column.name === rootColumn ? root : ticker),
  );
}

/** The contract of each session; the last evening is of one whose date is not ranked yet. */
export function contractsOfSessions({ spans, next }: Rolls): readonly ContractSpan[] {
  return next ? [...spans, next] : spans;
}

/** On which dates rows of each span may be: whole sessions may begin on evenings before. */
function datesOf(rolls: Rolls, dataset: Dataset, interval: Interval | null) {
  if (!interval || !goesOverMidnight(dataset, interval)) return rolls.spans;
  return contractsOfSessions(rolls).map((span) => ({
    ...span,
    start: tradingDayBefore(dataset.calendar, span.start),
  }));
}

function spansOn({ spans, symbol }: Pick<Rolls, 'spans' | 'symbol'>, days: Days, column: Column) {
  const { first, last } = days;
  const met = spans.filter(
    ({ start, end }) => (last === null || start <= last) && (first === null || end >= first),
  );
  if (met.length <= SPANS_MAX) return met;
  const msg = `'${symbol}' covers more than ${SPANS_MAX} contracts in turn on these dates; ask for fewer dates`;
  const ctx = { spans: met.length, spans_max: SPANS_MAX };
  const place = ['query', column.name] as const;
  throw new ApiError('invalid', [problemAt(place, 'too_many_rolls', msg, symbol, ctx)]);
}

/** A continuous contract, with what its plan needs. */
interface PlannedContract {
  readonly rolls: Rolls;
  /** Asks for the root, as the plan does already. */
  readonly byRoot: Predicate;
  /** That of the bars; null: none. */
  readonly interval: Interval | null;
}

/**
 * Confines a plan to a continuous contract: each span, cut to the dates of each grant, of that
 * contract alone. Throws an ApiError 'invalid' for too many spans.
 */
export function confineToRolls<T extends Pick<QueryPlan, 'predicates' | 'grants'>>(
  dataset: Dataset,
  confined: T,
  { rolls, byRoot, interval }: PlannedContract,
): T & Pick<QueryPlan, 'rolls'> {
  const [contract, date] = [contractColumn(dataset) as Column, dateColumnOf(dataset)];
  const dates = { ...rolls, spans: datesOf(rolls, dataset, interval) };
  const spans = spansOn(dates, findDays(date, confined.predicates), contract);
  const grants = confined.grants.flatMap(({ window, universe }) =>
    spans.flatMap((span): Grant[] => {
      // The dates that the span and the window have in common.
      const start = window ? laterOf(window.start, span.start) : span.start;
      const end = window ? earlierOf(window.end, span.end) : span.end;
      const common = start > end ? null : { column: date, start, end, passesUndated: false };
      if (!common || !passesUniverse(universe, rolls, dataset, span.ticker)) return [];
      const ofContract = { column: contract, operator: 'in', values: [span.ticker] } as const;
      return [{ window: common, universe: [ofContract] }];
    }),
  );
  const values = [...new Set(spans.map(({ ticker }) => ticker))].sort();
  // Without any, no grant is left either.
  const named: Predicate[] =
    values.length > 0 ? [{ column: contract, operator: 'in', values }] : [];
  return {
    ...confined,
    predicates: [...confined.predicates, ...named],
    grants,
    rolls: { ...rolls, standIns: [byRoot, ...named] },
  };
}

/**
 * A plan's conditions as they were asked for: with one on the symbol in place of those that stand
 * for it.
 */
export function askedPredicates({ dataset, predicates, rolls }: QueryPlan): readonly Predicate[] {
  if (!rolls) return predicates;
  const column = contractColumn(dataset) as Column;
  const others = predicates.filter((each) => !rolls.standIns.includes(each));
  return [...others, { column, operator: 'eq', value: rolls.symbol }];
}
