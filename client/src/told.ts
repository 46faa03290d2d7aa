/** What a reader should know of an answer beside its rows. */

import type { Question } from './request.ts';
import type { QueryForm } from './types.ts';

/** Identifiers of a list that have no rows; `names` may be fewer than `count`. */
export interface Missing {
  readonly count: number;
  readonly of: number;
  readonly names: readonly string[];
}

/** What the first answer to a question says. */
export interface Told {
  readonly window: string | null;
  readonly symbols: string | null;
  readonly missing: Missing | null;
}

/** A name that was altered on its way stands as it came. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** What `X-Missing` says; null: nothing. */
export function missingOf(text: string | null): Missing | null {
  const [, count, of, names] = /^(\d+) of (\d+)(?:: (.*))?$/.exec(text ?? '') ?? [];
  if (count === undefined) return null;
  const all = names ? names.split(', ').map(decoded) : [];
  return { count: Number(count), of: Number(of), names: all };
}

const SHOWN_MAX = 5;

export function missingText({ count, of, names }: Missing): string {
  const shown = names.slice(0, SHOWN_MAX).join(', ') + (count > SHOWN_MAX ? ', …' : '');
  return `No rows of ${count} of ${of} identifiers: ${shown}`;
}

const DAYS = { Y: 365, W: 7, D: 1 };
/** Where rules begin that say nothing else. */
const FIRST_DATE = '1900-01-01';

function daysOf(period: string | null | undefined): number {
  const [, count, unit] = /^(\d+)([YWD])$/.exec(period ?? '') ?? [];
  return count ? Number(count) * DAYS[unit as keyof typeof DAYS] : Number.POSITIVE_INFINITY;
}

/** Whether the window is as long as the look-back period that nobody named, leap days included. */
function isOfPeriod(start: string, end: string, { default_period: period }: QueryForm): boolean {
  const days = (Date.parse(end) - Date.parse(start)) / 86_400_000 + 1;
  return days >= daysOf(period) && days <= daysOf(period) * 1.001 + 1;
}

/** That dates which were asked for are not among those that were read. */
function* windowNotes(window: string, form: QueryForm, question: Question, today: string) {
  const [start = '', end = ''] = window.split('/');
  if (!question.period && isOfPeriod(start, end, form)) {
    yield `Only ${window} was read, by the dataset's look-back period; 'period' names a longer one`;
  }
  const isClosed = form.rules.some(
    ({ start_date: first, end_date: last }) =>
      (first === start && first > FIRST_DATE) || (last === end && last < today),
  );
  if (isClosed) yield `Only ${window} was read: the account's rules leave out other dates`;
}

export function* notesOf(
  { window, symbols }: Told,
  form: QueryForm,
  question: Question,
  today = new Date().toISOString().slice(0, 10),
): Generator<string> {
  if (window !== null) yield* windowNotes(window, form, question, today);
  if (symbols !== null && !question.continuous) {
    yield `A ticker meant more than one company on these dates: ${symbols}`;
  }
}
