/**
 * Guesses at what a request without rows may have meant. Each alternative is a plan within the same
 * grants, so a hint can only mention rows that the account may read.
 */
import type { Column } from '../catalog/dataset.ts';
import type { BoundValue } from '../engine/partition.ts';
import type { Predicate, QueryPlan } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshot.ts';
import { columnOf, pathColumnsOf } from './dataset-columns.ts';
import { isNaming, valuesOf } from './predicate.ts';
import { prune } from './prune.ts';

/** A plan that differs in one respect, and what to say of the request if it has rows. */
export interface Alternative {
  readonly plan: QueryPlan;
  /** `found` is what the first row holds in the plan's column: one text, or those of an array. */
  readonly hintOf: (found: readonly string[]) => string;
}

/** Letters, digits and signs of ASCII: what identifiers are made of and headers may hold. */
const PLAIN = /^[!-~]{1,64}$/;

/** Whether the column names what rows are about, by texts. */
function holdsNames({ dataset }: QueryPlan, { name, dataType }: Column): boolean {
  const { identifierColumns, universeColumns, requiredFilters } = dataset;
  const isNamed = [identifierColumns, universeColumns, requiredFilters].some((names) =>
    names.includes(name),
  );
  return isNamed && dataType !== 'integer';
}

/** The texts that the predicate asks for one by one, if its column holds names. */
function namesOf(plan: QueryPlan, predicate: Predicate): readonly string[] {
  if (!holdsNames(plan, predicate.column)) return [];
  return isNaming(predicate) ? valuesOf(predicate).map(String) : [];
}

/** The plan with other predicates, for the first value of a column. */
function planOf(
  plan: QueryPlan,
  snapshot: DatasetSnapshot,
  column: Column,
  predicates: readonly Predicate[],
): QueryPlan {
  const pruned = prune(plan.dataset, snapshot, { predicates, grants: plan.grants });
  return { ...plan, ...pruned, predicates, columns: [column], sort: [], offset: 0, limit: 1 };
}

function upperCased(plan: QueryPlan, predicate: Predicate): Predicate {
  if (namesOf(plan, predicate).length === 0) return predicate;
  const upper = (value: BoundValue) => String(value).toUpperCase();
  if ('values' in predicate) return { ...predicate, values: predicate.values.map(upper) };
  return 'value' in predicate ? { ...predicate, value: upper(predicate.value) } : predicate;
}

function inUpperCase(plan: QueryPlan, snapshot: DatasetSnapshot): Alternative[] {
  const isChanged = (predicate: Predicate) =>
    namesOf(plan, predicate).some((name) => PLAIN.test(name) && name !== name.toUpperCase());
  const changed = plan.predicates.find(isChanged);
  if (!changed) return [];
  const names = namesOf(plan, upperCased(plan, changed));
  const predicates = plan.predicates.map((predicate) => upperCased(plan, predicate));
  const hintOf = (found: readonly string[]) => {
    const name = names.find((each) => found.includes(each)) ?? names[0];
    return `Identifiers are case-sensitive; there are rows for '${name}'`;
  };
  return [{ plan: planOf(plan, snapshot, changed.column, predicates), hintOf }];
}

/** Contracts of the root that the request names as if it were a contract. */
function contractsOfRoot(plan: QueryPlan, snapshot: DatasetSnapshot): Alternative[] {
  const { dataset, predicates } = plan;
  const root = dataset.columnByName.get(dataset.rootColumn ?? '');
  if (!root) return [];
  return predicates.flatMap((predicate) => {
    const { column, operator } = predicate;
    const [name = ''] = namesOf(plan, predicate);
    const isContract = dataset.identifierColumns.includes(column.name);
    if (operator !== 'eq' || !isContract || column === root || !PLAIN.test(name)) return [];
    const rooted = predicates.map((each) =>
      each === predicate ? { column: root, operator, value: name } : each,
    );
    const hintOf = ([contract]: readonly string[]) =>
      `'${name}' is a base symbol; ask for one of its contracts, such as '${contract}'`;
    return [{ plan: planOf(plan, snapshot, column, rooted), hintOf }];
  });
}

/** Other readings of a plan's identifiers within its dataset, best guess first. */
export function otherIdentifiers(plan: QueryPlan, snapshot: DatasetSnapshot): Alternative[] {
  return [...inUpperCase(plan, snapshot), ...contractsOfRoot(plan, snapshot)];
}

/** Another variant's plan for the same request; `parameters` choose it. */
export function otherVariant(
  plan: QueryPlan,
  parameters: Readonly<Record<string, string>>,
): Alternative {
  const { dataset } = plan;
  const column = columnOf(dataset, dataset.naturalOrder[0] ?? dataset.columns[0]?.name ?? '');
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return {
    plan: { ...plan, columns: [column], sort: [], offset: 0, limit: 1 },
    hintOf: () => `This variant has no such rows, but the one with ${text} does`,
  };
}

/** Null, or how to ask for several identifiers where a list is taken for one of them. */
export function listHint(plan: QueryPlan): string | null {
  const list = plan.predicates.find(
    (predicate) =>
      predicate.operator === 'eq' && namesOf(plan, predicate).some((name) => name.includes(',')),
  );
  if (!list) return null;
  return pathColumnsOf(plan.dataset).includes(list.column)
    ? 'The path takes one identifier, not a list; send one request for each'
    : `An equality takes one value, not a list; use ${list.column.name}.in`;
}
