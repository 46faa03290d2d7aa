/** The rules that two datasets have in common, for rows that are made of both. Pure. */
import { earlierOf, laterOf } from '../request/literals.ts';
import type { RuleTerms } from '../store/access-rules.ts';

function earlierEnd(one: string | null, other: string | null): string | null {
  return one !== null && other !== null ? earlierOf(one, other) : (one ?? other);
}

/** The identifiers of both; an empty list is every identifier. Null: there is none. */
function commonUniverse(
  one: readonly string[],
  other: readonly string[],
): readonly string[] | null {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const common = one.filter((id) => other.includes(id));
  return common.length > 0 ? common : null;
}

/** The columns of both. Null: every column. */
function commonColumns({ columns: one }: RuleTerms, { columns: other }: RuleTerms) {
  return one && other ? one.filter((name) => other.includes(name)) : (one ?? other ?? null);
}

function commonRule(one: RuleTerms, other: RuleTerms): RuleTerms[] {
  const startDate = laterOf(one.startDate, other.startDate);
  const endDate = earlierEnd(one.endDate, other.endDate);
  const universe = commonUniverse(one.universe, other.universe);
  const isEmpty = universe === null || (endDate !== null && endDate < startDate);
  return isEmpty ? [] : [{ startDate, endDate, universe, columns: commonColumns(one, other) }];
}

/**
 * Rules that let pass what one of each list lets pass. Identifiers go by their text, so that a
 * ticker in one list and the same security's number in the other have nothing in common.
 */
export function commonRules(some: readonly RuleTerms[], others: readonly RuleTerms[]): RuleTerms[] {
  return some
    .flatMap((one) => others.flatMap((other) => commonRule(one, other)))
    .sort((a, b) => (a.startDate < b.startDate ? -1 : 1));
}

/** True if one rule passes every row dated from `first` to `last`; null: open. */
export function holdsEvery(
  rules: readonly RuleTerms[],
  first: string,
  last: string | null,
): boolean {
  return rules.some(
    ({ startDate, endDate, universe }) =>
      universe.length === 0 &&
      startDate <= first &&
      (endDate === null || (last !== null && endDate >= last)),
  );
}
