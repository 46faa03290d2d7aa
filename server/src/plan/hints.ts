/**
 * Guesses at what a request without rows may have meant. Each alternative is a question within the
 * same grants, so a hint can only mention rows that the account may read. Pure.
 */
import { isTradingDayOf, tradingDayBefore, tradingDayFrom } from '@ticklake/market/calendars.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { BoundValue } from '../engine/part.ts';
import type { Grant, Predicate, QueryPlan, SessionGrant } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { addDays, datesOf } from '../request/literals.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import { holdsEvery } from './common-rules.ts';
import { columnOf, dateColumnOf, isNaming, pathColumnsOf, valuesOf } from './conditions.ts';
import { findDays } from './date-range.ts';
import type { Question } from './plan-query.ts';
import { firstDay, lastDay, rangeVerdict } from './prune.ts';

/** Machine-readable kind of a hint. */
type HintCode =
  | 'case'
  | 'root'
  | 'variant'
  | 'list'
  | 'no_contract'
  | 'date'
  | 'window'
  | 'sessions';

export interface Hint {
  readonly code: HintCode;
  /** The identifier that may have been meant. */
  readonly name?: string;
  /** One line for people. */
  readonly text: string;
}

/** A question that differs in one respect, and what to say of the request if it has rows. */
export interface Alternative {
  readonly question: Question;
  /**
   * `found` is what the first row holds in the one column asked for: a text, or those of an array.
   */
  readonly hintOf: (found: readonly string[]) => Hint;
}

/** Letters, digits and signs of ASCII: what identifiers are made of and headers may hold. */
const PLAIN = /^[!-~]{1,64}$/;

/** True for a text column that names the subject of the rows. */
function holdsNames({ dataset }: Question, { name, dataType }: Column): boolean {
  const { identifierColumns, universeColumns, requiredFilters } = dataset;
  const isNamed = [identifierColumns, universeColumns, requiredFilters].some((names) =>
    names.includes(name),
  );
  return isNamed && dataType !== 'integer';
}

/** The texts that the predicate asks for one by one, if its column holds names. */
function namesOf(question: Question, predicate: Predicate): readonly string[] {
  if (!holdsNames(question, predicate.column)) return [];
  return isNaming(predicate) ? valuesOf(predicate).map(String) : [];
}

/** The first value of a column, as it is stored. */
function firstOf({ bars: _, ...question }: Question, column: Column): Question {
  return { ...question, columns: [column], sort: [], offset: 0, limit: 1 };
}

function upperCased(question: Question, predicate: Predicate): Predicate {
  if (namesOf(question, predicate).length === 0) return predicate;
  const upper = (value: BoundValue) => String(value).toUpperCase();
  if ('values' in predicate) return { ...predicate, values: predicate.values.map(upper) };
  return 'value' in predicate ? { ...predicate, value: upper(predicate.value) } : predicate;
}

function inUpperCase(question: Question): Alternative[] {
  const isChanged = (predicate: Predicate) =>
    namesOf(question, predicate).some((name) => PLAIN.test(name) && name !== name.toUpperCase());
  const changed = question.predicates.find(isChanged);
  if (!changed) return [];
  const names = namesOf(question, upperCased(question, changed));
  const predicates = question.predicates.map((predicate) => upperCased(question, predicate));
  const hintOf = (found: readonly string[]): Hint => {
    const name = names.find((each) => found.includes(each)) ?? (names[0] as string);
    const text = `Identifiers are case-sensitive; there are rows for '${name}'`;
    return { code: 'case', name, text };
  };
  return [{ question: firstOf({ ...question, predicates }, changed.column), hintOf }];
}

/**
 * Contracts of the root that the request names, in this case or in upper case, as if it were a
 * contract.
 */
function contractsOfRoot(question: Question): Alternative[] {
  const { dataset, predicates } = question;
  const root = dataset.columnByName.get(dataset.rootColumn ?? '');
  if (!root) return [];
  return predicates.flatMap((predicate) => {
    const { column, operator } = predicate;
    const [asked = ''] = namesOf(question, predicate);
    if (operator !== 'eq' || column === root || !PLAIN.test(asked)) return [];
    return [...new Set([asked, asked.toUpperCase()])].map((name): Alternative => {
      const rooted = predicates.map((each) =>
        each === predicate ? { column: root, operator, value: name } : each,
      );
      const hintOf = ([contract]: readonly string[]): Hint => {
        const text = `'${name}' is a base symbol; ask for one of its contracts, such as '${contract}'`;
        return { code: 'root', name, text };
      };
      return { question: firstOf({ ...question, predicates: rooted }, column), hintOf };
    });
  });
}

/** Other readings of a question's identifiers within its dataset, best guess first. */
export function otherIdentifiers(question: Question): Alternative[] {
  return [...inUpperCase(question), ...contractsOfRoot(question)];
}

/** The request put to another variant of the dataset, which `parameters` choose. */
export function otherVariant(
  question: Question,
  parameters: Readonly<Record<string, string>>,
): Alternative {
  const { dataset } = question;
  const column = columnOf(dataset, dataset.naturalOrder[0] ?? dataset.columns[0]?.name ?? '');
  const text = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return {
    question: firstOf(question, column),
    hintOf: () => ({
      code: 'variant',
      text: `This variant has no such rows, but the one with ${text} does`,
    }),
  };
}

/** Null, or how to ask for several identifiers where a list is taken for one of them. */
export function listHint(question: Question): Hint | null {
  const list = question.predicates.find(
    (predicate) =>
      predicate.operator === 'eq' &&
      namesOf(question, predicate).some((name) => name.includes(',')),
  );
  if (!list) return null;
  const text = pathColumnsOf(question.dataset).includes(list.column)
    ? 'The path takes one identifier, not a list; send one request for each'
    : `An equality takes one value, not a list; use ${list.column.name}.in`;
  return { code: 'list', text };
}

/**
 * Null, or which dates there are where nothing is published on those asked for. Only for accounts
 * that may read all of the dataset: the dates of others' rows are not told.
 */
export function dateHint(
  { dataset, predicates }: Question,
  { firstDate, lastDate, parts }: Pick<DatasetSnapshot, 'firstDate' | 'lastDate' | 'parts'>,
  rules: readonly RuleTerms[],
): Hint | null {
  const { dateColumn, partitioning } = dataset;
  if (firstDate === null || lastDate === null || !holdsEvery(rules, firstDate, lastDate)) {
    return null;
  }
  const { first, last } = findDays(dateColumnOf(dataset), predicates);
  const meets = (start: string, end: string) =>
    (last === null || start <= last) && (first === null || end >= first);
  const isCutByDate = partitioning.column === dateColumn;
  const mayHold = isCutByDate && parts.some(({ key }) => meets(firstDay(key), lastDay(key)));
  if (meets(firstDate, lastDate) && (mayHold || !isCutByDate)) return null;
  const days = first === last ? `on ${first}` : `from ${first ?? 'the first'} to ${last ?? 'now'}`;
  return {
    code: 'date',
    text: `${dataset.name} has no rows ${days}; its dates are ${firstDate} to ${lastDate}`,
  };
}

/**
 * Null, or which dates were read where the period has left out others that are published. Only for
 * accounts that may read all of the dataset, likewise.
 */
export function windowHint(
  { closedDates }: Question,
  { firstDate, lastDate }: Pick<DatasetSnapshot, 'firstDate' | 'lastDate'>,
  rules: readonly RuleTerms[],
): Hint | null {
  if (closedDates === null || firstDate === null || lastDate === null) return null;
  const { start, end } = closedDates;
  if (firstDate >= start && lastDate <= end) return null;
  if (!holdsEvery(rules, firstDate, lastDate)) return null;
  const text = `Only ${start} to ${end} were read; name other dates or a longer period`;
  return { code: 'window', text };
}

type Identifier = { readonly column: Column; readonly value: BoundValue } | null;

/** Tells if a grant lets all rows of an identifier, such as a contract, through; null: of any. */
function identifiersHeld({ rootColumn }: Dataset, universe: Grant['universe']) {
  const lists = universe?.map(({ column, values }) => ({ column, values: new Set(values) }));
  return (asked: Identifier): boolean => {
    if (!lists || asked === null) return !lists;
    const { column, value } = asked;
    return lists.some((list) => {
      if (list.column === column) return list.values.has(value);
      const isRoot = list.column.name === rootColumn;
      return isRoot && [...list.values].some((root) => `${value}`.startsWith(`${root}`));
    });
  };
}

/** The contracts or others that the question names, or else all of the grant. */
function identifiersOf({ dataset, predicates }: Question, grant: Grant): readonly Identifier[] {
  const names = dataset.universeColumns.filter((name) => name !== dataset.rootColumn);
  const named = predicates.find(({ column }) => names.includes(column.name));
  const lists = named && isNaming(named) ? [named] : grant.universe;
  const valuesIn = (list: Predicate) =>
    valuesOf(list).map((value) => ({ column: list.column, value }));
  return lists?.flatMap(valuesIn) ?? [null];
}

/**
 * The earlier dates of a session's rows. No market is open on the evening before a Saturday or a
 * Sunday that is no trading day, and daily values of a trading day are of its session as a whole.
 */
function eveningsOf({ calendar, intervals }: Dataset, session: string): string[] {
  const dates = datesOf({ start: tradingDayBefore(calendar, session), end: session }).slice(0, -1);
  const isOpen = (date: string) =>
    [calendar, 'weekdays' as const].some((each) => isTradingDayOf(each, addDays(date, 1)));
  return dates.slice(intervals?.time === null ? 1 : 0).filter(isOpen);
}

/** Null, or that a session asked for may lack the evening before, with which no rule begins. */
export function sessionsHint(plan: QueryPlan): Hint | null {
  const { dataset, bars, parts } = plan;
  const { dates = [], grants } = bars?.sessions ?? {};
  if (!grants) return null;
  const verdicts = dates.flatMap((predicate) => rangeVerdict(predicate) ?? []);
  const held = grants.map(({ window, universe }) => {
    return { window, holds: identifiersHeld(dataset, universe) };
  });
  const isHeld = (date: string, each: Identifier) =>
    held.some(({ window, holds }) => window.start <= date && date <= window.end && holds(each));
  const cutBy = (grant: SessionGrant) => {
    const { start, end } = grant.window;
    const session = tradingDayFrom(dataset.calendar, start);
    const isAsked = verdicts.every((verdict) => verdict(session, session) === 'all');
    const isRead = parts.some(({ key }) => firstDay(key) <= session);
    if (!isAsked || !isRead || session > end) return [];
    const own = identifiersOf(plan, grant).filter(identifiersHeld(dataset, grant.universe));
    const lacks = (date: string) => own.some((each) => !isHeld(date, each));
    return eveningsOf(dataset, session).some(lacks) ? [{ start, session }] : [];
  };
  const [cut] = grants.values().flatMap(cutBy);
  if (!cut) return null;
  const text =
    `A rule begins with ${cut.start}, and rows of an evening have its calendar date: the session ` +
    `of ${cut.session} may lack the evening before`;
  return { code: 'sessions', text };
}
