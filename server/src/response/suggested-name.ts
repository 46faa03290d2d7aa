/** Under which name a download is to be kept: it says dataset, identifiers and dates. */
import type { QueryPlan } from '../engine/query-plan.ts';
import { findDays } from '../plan/date-range.ts';
import { isNaming, valuesOf } from '../plan/predicate.ts';

const CHARACTERS_MAX = 120;
/** More identifiers than these are counted. */
const IDENTIFIERS_MAX = 3;

/** Those that the request names beside the path, in ascending order. */
function identifierWords({ dataset, predicates }: QueryPlan): string[] {
  if (dataset.pathShape !== 'query') return [];
  const { identifierColumns, universeColumns, requiredFilters } = dataset;
  const columns = new Set([...identifierColumns, ...universeColumns, ...requiredFilters]);
  const named = predicates.filter((each) => isNaming(each) && columns.has(each.column.name));
  const values = [...new Set(named.flatMap(valuesOf).map(String))].sort();
  const more = values.length - IDENTIFIERS_MAX;
  return more > 0 ? [...values.slice(0, IDENTIFIERS_MAX), `and_${more}_more`] : values;
}

/** The first and last date that are read, whoever has limited them, unless the path has the date. */
function dateWords({ dataset, predicates }: QueryPlan): string[] {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column || dataset.pathShape === 'tick') return [];
  const { first, last } = findDays(column, predicates);
  if (first === last) return first === null ? [] : [first];
  if (first === null) return [`to_${last}`];
  return last === null ? [`from_${first}`] : [first, last];
}

/** As part of a name, of characters that no system minds. */
function joined(words: readonly (string | number)[]): string {
  return words.map((word) => `${word}`.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('_');
}

/** The words of a name that say which rows of which dataset a plan finds or makes. */
export function rowsWords({ dataset, bars, restatement }: QueryPlan): string[] {
  return [
    restatement?.adjusted.textId ?? dataset.textId,
    ...(restatement?.asOf ? ['as_of', restatement.asOf] : []),
    ...(restatement?.adjustments === 'splits' ? ['splits'] : []),
    ...(bars ? [bars.interval] : []),
  ];
}

/** The name without its suffix; it is the same for requests that come to the same plan. */
export function suggestedName(plan: QueryPlan, pathParameters: readonly string[]): string {
  const { offset } = plan;
  const head = joined([...rowsWords(plan), ...pathParameters, ...identifierWords(plan)]);
  const tail = joined([...dateWords(plan), ...(offset ? [offset] : [])]);
  if (tail === '') return head.slice(0, CHARACTERS_MAX);
  return `${head.slice(0, CHARACTERS_MAX - tail.length - 1)}_${tail}`;
}
