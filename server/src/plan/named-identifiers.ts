/** The identifiers that a request names, as the ledger keeps them. Pure. */
import type { Predicate, QueryPlan } from '../engine/query-plan.ts';
import { isKeptSymbol } from '../store/usage.ts';

/** The ledger keeps no more of one request. */
export const NAMED_IDENTIFIERS_MAX = 1000;

function valuesOf(predicate: Predicate): readonly unknown[] {
  if (predicate.operator === 'eq') return [predicate.value];
  return predicate.operator === 'in' ? predicate.values : [];
}

/**
 * Tickers, permanent ids and roots, each once, in the order of the request; those of patterns and ranges are not
 * known, and texts that no security can have are left out.
 */
export function namedIdentifiers({
  dataset,
  predicates,
}: Pick<QueryPlan, 'dataset' | 'predicates'>): string[] {
  const columns = new Set([...dataset.identifierColumns, ...dataset.universeColumns]);
  const named = predicates.filter(({ column }) => columns.has(column.name)).flatMap(valuesOf);
  return [...new Set(named.map(String).filter(isKeptSymbol))].slice(0, NAMED_IDENTIFIERS_MAX);
}
