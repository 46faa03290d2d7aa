/** The tickers that a plan asks for by name, and on which dates. */
import type { Dataset } from '../catalog/dataset.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import { type Days, findDays } from './date-range.ts';
import { isNaming, valuesOf } from './predicate.ts';

/** The columns in which datasets of equities have a symbol and the permanent number of the company. */
export const TICKER = 'Ticker';
export const PERMANENT_NUMBER = 'ASID';

export interface AskedTickers {
  /** Those that some condition names and none excludes. */
  readonly tickers: readonly string[];
  /** Whether any condition names tickers, were it that they exclude each other. */
  readonly areNamed: boolean;
  /** Null: of any company. */
  readonly ids: ReadonlySet<string> | null;
  readonly days: Days;
}

/** The texts that all conditions on a column that name some agree on; null: there is no such condition. */
function namedIn({ dataset, predicates }: Pick<QueryPlan, 'dataset' | 'predicates'>, name: string) {
  const column = dataset.columnByName.get(name);
  const named = predicates
    .filter((each) => each.column === column && isNaming(each))
    .map((each) => new Set(valuesOf(each).map(String)));
  const [first, ...others] = named;
  return first ? others.reduce((kept, each) => kept.intersection(each), first) : null;
}

/** Whether rows are dated and say which company their ticker means. */
function tellsCompanies({ dateColumn, columnByName }: Dataset): boolean {
  const isOf = (name: string, type: string) => columnByName.get(name)?.dataType === type;
  return dateColumn !== null && isOf(TICKER, 'string') && isOf(PERMANENT_NUMBER, 'integer');
}

/** Null where the rows of the dataset are no companies' on any dates. */
export function askedTickers(plan: Pick<QueryPlan, 'dataset' | 'predicates'>): AskedTickers | null {
  const { dataset, predicates } = plan;
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column || !tellsCompanies(dataset)) return null;
  const tickers = namedIn(plan, TICKER);
  return {
    tickers: [...(tickers ?? [])],
    areNamed: tickers !== null,
    ids: namedIn(plan, PERMANENT_NUMBER),
    days: findDays(column, predicates),
  };
}
