/** Turns an account's access rules for a dataset into grants, and restricts plans to them. */

import { ApiError, type Problem } from '../base/errors.ts';
import { firstNames } from '../base/printable.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { OPERATORS } from '../engine/operators.ts';
import type { BoundValue } from '../engine/part.ts';
import type { DateSpan, Grant, IdentifierList, Predicate } from '../engine/query-plan.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import { parseInteger } from '../request/literals.ts';
import { problemAt } from '../request/request-problem.ts';
import type { RuleTerms } from '../store/access-rules.ts';
import {
  type Condition,
  columnOf,
  columnsOf,
  columnsOfIdentifier,
  isNaming,
  valuesOf,
} from './conditions.ts';
import { boundsOf, type DateRange, type Days, daysOf, findDays } from './date-range.ts';

/** By an identifier alone: others of the dataset may be read. */
export class IdentifierRefusal extends ApiError {}

/** More windows or identifiers than these are counted in a hint. */
const NAMES_HINTED_MAX = 10;

/** A rule with its open end resolved and its universe in the terms of the dataset. */
export interface Entitlement {
  /** First and last date, both inclusive. An open-ended rule that has not begun ends before. */
  readonly start: string;
  readonly end: string;
  /**
   * Closes an end that the request leaves open: no row of the version is later. An open-ended rule
   * ends with the version, not today, so that all pages of a walk end alike.
   */
  readonly closingEnd: string;
  /** False as long as the window starts after today and after the last published date. */
  readonly hasBegun: boolean;
  /** True if the window includes today: only then may rows without a date pass. */
  readonly isCurrent: boolean;
  readonly universe: readonly IdentifierList[] | null;
}

/** The earliest of one or more dates. */
function earliest(dates: readonly string[]): string {
  return dates.toSorted()[0] as string;
}

function latest(dates: readonly string[]): string {
  return dates.toSorted().at(-1) as string;
}

function universeOf(dataset: Dataset, identifiers: readonly string[]): IdentifierList[] | null {
  if (identifiers.length === 0) return null;
  const columns = columnsOf(dataset, dataset.universeColumns);
  return columns
    .map((column): IdentifierList => {
      const texts = identifiers.filter((id) => columnsOfIdentifier(columns, id).includes(column));
      const isInteger = column.dataType === 'integer';
      const values = isInteger ? texts.map(parseInteger).filter((id) => id !== null) : texts;
      return { column, operator: 'in', values };
    })
    .filter(({ values }) => values.length > 0);
}

/** The date `YYYY-MM-DD` at one moment. */
export interface Today {
  readonly market: string;
  /**
   * A day after the market's on evenings west of Greenwich, a day before it on mornings east of it.
   */
  readonly utc: string;
}

/**
 * An open-ended rule ends at the last published date, or today where that is later. Today is then
 * the later of the market's date and UTC's, so that clients elsewhere may name their own date; what
 * a rule with an end permits today goes by the market's date alone.
 */
export function resolveEntitlements(
  dataset: Dataset,
  rules: readonly RuleTerms[],
  snapshot: Pick<DatasetSnapshot, 'lastDate'> | null,
  { market: today, utc }: Today,
): Entitlement[] {
  const lastBegun = latest([snapshot?.lastDate ?? today, today]);
  const openEnd = latest([lastBegun, utc]);
  const versionEnd = snapshot?.lastDate ?? openEnd;
  return rules.map(({ startDate, endDate, universe }) => ({
    start: startDate,
    end: endDate ?? openEnd,
    closingEnd: endDate ?? latest([versionEnd, startDate]),
    hasBegun: startDate <= lastBegun,
    isCurrent: startDate <= lastBegun && (endDate === null || endDate >= today),
    universe: universeOf(dataset, universe),
  }));
}

/** The last date up to `lastDate` that lies in a window; `lastDate` itself where none does. */
export function lastReadableDate(entitlements: readonly Entitlement[], lastDate: string): string {
  const ends = entitlements
    .filter(({ start }) => start <= lastDate)
    .map(({ end }) => earliest([end, lastDate]));
  return ends.length > 0 ? latest(ends) : lastDate;
}

/**
 * A range whose end only the period has set: it ends with the version where that is earlier, so
 * that it does not grow from day to day.
 */
export function endWithVersion(range: DateRange, entitlements: readonly Entitlement[]): DateRange {
  const { first, last } = daysOf(range);
  // A rule with an end is the same every day.
  if (entitlements.every(({ end, closingEnd }) => end === closingEnd)) return range;
  const ends = entitlements.map(({ closingEnd }) => closingEnd);
  const date = latest([...ends, first ?? '']);
  return last !== null && last > date ? { ...range, upper: { date, isIncluded: true } } : range;
}

function meets({ first, last }: Days, { start, end }: Entitlement): boolean {
  return (first === null || first <= end) && (last === null || last >= start);
}

function holdsAll({ start, end }: Entitlement, { first, last }: Days): boolean {
  return first !== null && first >= start && last !== null && last <= end;
}

/** The entitlements whose window holds one of the days that the predicates ask for. */
export function entitlementsMeeting(
  dataset: Dataset,
  predicates: readonly Predicate[],
  entitlements: readonly Entitlement[],
): readonly Entitlement[] {
  if (dataset.dateColumn === null) return entitlements;
  const days = findDays(columnOf(dataset, dataset.dateColumn), predicates);
  return entitlements.filter((entitlement) => meets(days, entitlement));
}

/** Limits the requested days to those from the first window's start to the last one's end. */
function closeDays(
  column: Column,
  { first, last }: Days,
  entitlements: readonly Entitlement[],
): Predicate[] {
  const isAsked = first !== null || last !== null;
  if (!isAsked || entitlements.length === 0) return [];
  const start = earliest(entitlements.map((entitlement) => entitlement.start));
  const end = latest(entitlements.map((entitlement) => entitlement.end));
  const closingEnd = latest(entitlements.map((entitlement) => entitlement.closingEnd));
  const closing: Predicate[] = [];
  if (first === null || first < start) closing.push({ column, operator: 'ge', value: start });
  if (last === null) closing.push({ column, operator: 'le', value: closingEnd });
  else if (last > end) closing.push({ column, operator: 'le', value: end });
  return closing;
}

/**
 * The dates that predicates and grants come to, where the period or the windows closed those of the
 * predicates `asked`; null where they did not. Of several windows, from the first to the last.
 */
export function findClosedDates(
  { dateColumn, columnByName }: Dataset,
  asked: readonly Predicate[],
  { predicates, grants }: Confined,
): DateSpan | null {
  const column = columnByName.get(dateColumn ?? '');
  if (!column) return null;
  const before = findDays(column, asked);
  const after = findDays(column, predicates);
  const windows = grants.flatMap(({ window }) => window ?? []);
  const start = after.first ?? windows.map((window) => window.start).toSorted()[0];
  const end =
    after.last ??
    windows
      .map((window) => window.end)
      .toSorted()
      .at(-1);
  const isClosed = start !== before.first || end !== before.last;
  return isClosed && start !== undefined && end !== undefined ? { start, end } : null;
}

interface Confined {
  readonly predicates: readonly Predicate[];
  readonly grants: readonly Grant[];
}

/**
 * Adds what keeps the rows to the account's dates and identifiers. Predicates on the date ask for
 * rows that have one, so comparisons close them, and a window that holds all days that are left has
 * nothing more to say. Without any, rows without a date pass the windows that hold today.
 */
export function confine(
  dataset: Dataset,
  predicates: readonly Predicate[],
  entitlements: readonly Entitlement[],
): Confined {
  const begun = entitlements.filter(({ hasBegun }) => hasBegun);
  const met = entitlementsMeeting(dataset, predicates, begun);
  if (dataset.dateColumn === null) {
    const current = met.filter(({ isCurrent }) => isCurrent);
    return { predicates, grants: current.map(({ universe }) => ({ window: null, universe })) };
  }
  const column = columnOf(dataset, dataset.dateColumn);
  const closed = [...predicates, ...closeDays(column, findDays(column, predicates), met)];
  const days = findDays(column, closed);
  const grants = met.map((entitlement) => {
    const { start, closingEnd, isCurrent, universe } = entitlement;
    const window = { column, start, end: closingEnd, passesUndated: isCurrent };
    return { window: holdsAll(entitlement, days) ? null : window, universe };
  });
  return { predicates: closed, grants };
}

/** The dates that a predicate names or is bounded by. */
function datesOf(predicate: Predicate): string[] {
  const { bounds } = OPERATORS[predicate.operator];
  return bounds === null ? [] : valuesOf(predicate).map(String);
}

/** A date, and for an exclusive bound also the nearest day that it admits: `lt` the day before. */
function daysNamed(date: string, predicate: Predicate): readonly string[] {
  if (isNaming(predicate)) return [date];
  const { first, last } = daysOf(boundsOf(predicate));
  return [date, first ?? date, last ?? date];
}

/**
 * Throws an ApiError 'invalid' that lists every date that lies outside all of the account's
 * windows. An exclusive bound is inside if its date or the nearest day that it admits is. Its hint
 * says of `who` which dates they may read.
 */
export function requireDatesInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  entitlements: readonly Entitlement[],
  who: string,
): void {
  const isInside = (date: string) =>
    entitlements.some(({ start, end }) => date >= start && date <= end);
  const windows = entitlements
    .filter(({ start, end }) => start <= end)
    .map(({ start, end }) => ({ start_date: start, end_date: end }));
  const problems: Problem[] = conditions
    .filter(({ predicate }) => predicate.column.name === dataset.dateColumn)
    .flatMap(({ place, predicate }) =>
      datesOf(predicate)
        .filter((date) => !daysNamed(date, predicate).some(isInside))
        .map((date) => {
          const msg = `The date value '${date}' is outside of the allowed range for this account`;
          return problemAt(place, 'date_outside_window', msg, date, { windows });
        }),
    );
  if (problems.length === 0) return;
  const allowed = windows.map(({ start_date: start, end_date: end }) => `${start} to ${end}`);
  const hint = `${who} may read ${dataset.name} from ${firstNames(allowed, NAMES_HINTED_MAX)}`;
  throw new ApiError('invalid', problems, allowed.length > 0 ? hint : null);
}

/** True if a root and a contract's symbol, one requested and one permitted, may go together. */
function isFamily(isRoot: boolean, value: string, universe: readonly IdentifierList[]): boolean {
  const goesWith = (id: string) => (isRoot ? id.startsWith(value) : value.startsWith(id));
  return universe.some(({ values }) => values.map(String).some(goesWith));
}

/**
 * True if the value certainly names something outside the universe. The universe may name the same
 * security by its other identifier, or a contract by its root: then the rows decide.
 */
function isOutside(
  column: Column,
  value: BoundValue,
  dataset: Dataset,
  universe: readonly IdentifierList[],
): boolean {
  const { universeColumns, identifierColumns, rootColumn } = dataset;
  const hasRoot = rootColumn !== null && universeColumns.includes(rootColumn);
  const isIdentifier = hasRoot && identifierColumns.includes(column.name);
  if (!isIdentifier && !universeColumns.includes(column.name)) return false;
  if (universe.some((each) => each.column === column && each.values.includes(value))) return false;
  if (hasRoot && isFamily(column.name === rootColumn, String(value), universe)) return false;
  const isInteger = column.dataType === 'integer';
  return universe.every((each) => (each.column.dataType === 'integer') === isInteger);
}

/** The identifiers of the universes. */
function permitted(entitlements: readonly Entitlement[]): string[] {
  const lists = entitlements.flatMap(({ universe }) => universe ?? []);
  return [...new Set(lists.flatMap(({ values }) => values.map(String)))];
}

/**
 * Throws an ApiError 'forbidden' for an identifier of the path or of an equality that is outside of
 * every universe: of those that hold on the dates asked for or, where none does, of all. Its hint
 * says of `who` which ones they may read.
 */
export function requireIdentifiersInside(
  dataset: Dataset,
  conditions: readonly Condition[],
  entitlements: readonly Entitlement[],
  who: string,
): void {
  const predicates = conditions.map(({ predicate }) => predicate);
  const met = entitlementsMeeting(dataset, predicates, entitlements);
  const asked = met.length > 0 ? met : entitlements;
  for (const { predicate } of conditions) {
    if (predicate.operator !== 'eq') continue;
    const { column, value } = predicate;
    const isRefused = asked.every(
      ({ universe }) => universe && isOutside(column, value, dataset, universe),
    );
    if (!isRefused) continue;
    throw new IdentifierRefusal(
      'forbidden',
      `The account is not authorized to access the identifier ${value} ` +
        `in dataset ${dataset.name}`,
      `${who} may read ${firstNames(permitted(asked), NAMES_HINTED_MAX)} in this dataset`,
    );
  }
}
