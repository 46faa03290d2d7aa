/** Answers beside their rows: what was left out, or read instead. */

import { chosenDates, listedIdentifiers, type Question } from './request.ts';
import type { Manifest, QueryForm } from './types.ts';

/**
 * Identifiers of a list without rows: `count` of the `of` that were asked for. There are fewer
 * `names` than `count` if the service named only the first ones.
 */
export interface Missing {
  readonly count: number;
  readonly of: number;
  readonly names: readonly string[];
}

/** Facts about an answer, beside its rows. */
export interface Told {
  /** The dates that were read, `START/END`, where a window closed them. */
  readonly window: string | null;
  /** Companies of a ticker that meant more than one, by dates; see `symbols`. */
  readonly symbols: string | null;
  /** Identifiers of a list that have no rows, on the first page of a request for some. */
  readonly missing: Missing | null;
  /** Securities of an adjusted page that are not adjusted; null for files. */
  readonly unadjusted: string | null;
  /** A hint at what was meant, on some answers without rows, or at what the rows lack. */
  readonly hint: string | null;
}

/** A name that was altered on its way stands as it came. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Reads `X-Missing`; null if it is absent or unreadable. */
export function missingOf(text: string | null): Missing | null {
  const [, count, of, names] = /^(\d+) of (\d+)(?:: (.*))?$/.exec(text ?? '') ?? [];
  if (count === undefined) return null;
  const all = names ? names.split(', ').map(decoded) : [];
  return { count: Number(count), of: Number(of), names: all };
}

export function missingIn({ missing }: Manifest): Missing | null {
  return missing && { count: missing.count, of: missing.of, names: missing.identifiers };
}

/** Reads the headers of a page. */
export function toldBy(headers: Headers): Told {
  const [window = null, symbols = null, unadjusted = null, hint = null] = [
    ...(['x-window', 'x-symbols', 'x-unadjusted', 'x-hint'] as const),
  ].map((name) => headers.get(name));
  return { window, symbols, missing: missingOf(headers.get('x-missing')), unadjusted, hint };
}

const SHOWN_MAX = 5;

function shortened(names: readonly string[], count: number): string {
  const shown = names.slice(0, SHOWN_MAX);
  return [...shown, ...(count > shown.length ? ['…'] : [])].join(', ');
}

export function missingText({ count, of, names }: Missing): string {
  return `No rows of ${count} of ${of} identifiers: ${shortened(names, count)}`;
}

export function unadjustedText(entries: readonly string[]): string {
  return `Rows of some securities are not adjusted: ${shortened(entries, entries.length)}`;
}

type Rule = QueryForm['rules'][number];
type Span = [first: string, last: string];
/** The default start of rules, and an open end. */
const [FIRST, LAST] = ['1900-01-01', '9999-12-31'];

function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
}

/** The spans of rules, with those that meet put together. */
function joined(rules: readonly Rule[]): Span[] {
  const spans: Span[] = [];
  const own = rules.map(({ start_date, end_date }): Span => [start_date, end_date ?? LAST]);
  for (const [first, last] of own.sort()) {
    const before = spans.at(-1);
    if (!before || before[1] < dayBefore(first)) spans.push([first, last]);
    else if (last > before[1]) before[1] = last;
  }
  return spans;
}

/** The rules for each identifier that some of them name, or else for each universe. */
function applying(rules: readonly Rule[], ids: readonly string[]): Rule[][] {
  const universes = rules.map(({ universe_identifiers: universe }) => universe);
  const named = ids.filter((id) => universes.some((universe) => universe.includes(id)));
  return (named.length > 0 ? named.map((id) => [id]) : universes).map((names) =>
    rules.filter(
      ({ universe_identifiers: universe }) =>
        universe.length === 0 ||
        (names.length > 0 && names.every((name) => universe.includes(name))),
    ),
  );
}

/** The readable dates of each universe that lacks some, each text once. */
function readable(rules: readonly Rule[], ids: readonly string[], first: string, last: string) {
  const found = applying(rules, ids).flatMap((own) => {
    const spans = joined(own).filter((span) => span[0] <= last && span[1] >= first);
    if (spans.length === 0 || spans.some((span) => span[0] <= first && span[1] >= last)) return [];
    return [spans.map((span) => `${span[0]}/${span[1] === LAST ? '..' : span[1]}`).join(', ')];
  });
  return [...new Set(found)];
}

/** True if a window is as long as a look-back period, leap days included. */
function isOfPeriod(window: string, period: string | null): boolean {
  const [start = '', end = ''] = window.split('/');
  const [, count = 0, unit = 'D'] = /^(\d+)([YWD])$/.exec(period ?? '') ?? [];
  const days = Number(count) * { Y: 365, W: 7, D: 1 }[unit as 'Y' | 'W' | 'D'];
  const length = (Date.parse(end) - Date.parse(start)) / 86_400_000 + 1;
  return days <= length && length <= days * 1.001 + 1;
}

/** That the account's rules or a look-back period leave out days, or that nobody named any. */
function* windowNotes(window: string | null, form: QueryForm, question: Question, today: string) {
  const dates = chosenDates(form, question);
  // Files have no look-back period: without dates they begin with the first one there is.
  const isLimited = window !== null && !window.startsWith(FIRST);
  if (isLimited && dates === null && !question.period) {
    yield `No dates were named: the rows are those of ${window}; a 'period' or other dates name others`;
  }
  if (!dates?.isRange) return;
  const [first, last] = [dates.first ?? FIRST, dates.last ?? today];
  const isOpen = dates.first === null || dates.last === null;
  if (window !== null && isOpen && !question.period && isOfPeriod(window, form.default_period)) {
    yield `Only ${window} was read, by the dataset's look-back period; 'period' names a longer one`;
  }
  const told = readable(form.rules, listedIdentifiers(form, question), first, last);
  if (told.length > 0) {
    const text = told.join('; of others, ');
    yield `The account's rules leave out some of these dates; it may read ${text}`;
  }
}

export function* notesOf(
  { window, symbols }: Told,
  form: QueryForm,
  question: Question,
  today = new Date().toISOString().slice(0, 10),
): Generator<string> {
  yield* windowNotes(window, form, question, today);
  if (symbols !== null && !question.continuous) {
    yield `A ticker meant more than one company on these dates: ${symbols}`;
  }
}
