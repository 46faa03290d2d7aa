import type { Endpoints } from '@ticklake/client';
import { addDays, dateOf } from '../format/dates';
import {
  dayOf,
  readEach,
  readSearchText,
  readTab,
  type Search,
  textOf,
} from '../layout/known-search';
import { referenceOf } from './audit';

/** `from` and `to` are days in UTC, both inclusive. */
export type AuditFilter = Readonly<
  Partial<Record<'actor' | 'operation' | 'target' | 'from' | 'to', string>>
>;

/** No number: nothing that is filtered by is called by one alone. */
const nameOf = (value: unknown) => (typeof value === 'string' ? textOf(value.trim()) : undefined);

export function readAuditFilter(search: Search): AuditFilter {
  const texts = readEach(['actor', 'operation', 'target'], search, nameOf);
  return { ...texts, ...readEach(['from', 'to'], search, dayOf) };
}

/** The newest first; the interface takes the end of the window as exclusive. */
export function auditParameters(filter: AuditFilter): Readonly<Record<string, string>> {
  const { target, to } = filter;
  return {
    ...{ newest_first: 'true', ...filter },
    ...(target && { target: referenceOf(target) }),
    ...(to && { to: addDays(to, 1) }),
  };
}

type State = NonNullable<Endpoints['listPublicationRecords']['query']['state']>;

export const PUBLICATION_STATES: readonly State[] = [
  ...(['open', 'running', 'published', 'unchanged', 'refused', 'failed', 'rolled_back'] as const),
];

export type HistoryFilter = ReturnType<typeof readHistoryFilter>;

export function readHistoryFilter(search: Search) {
  const state = PUBLICATION_STATES.find((each) => each === search.state);
  return { ...readEach(['dataset'], search, nameOf), ...(state && { state }) };
}

const TABS = ['settings', 'limits', 'rules', 'keys', 'usage', 'people'] as const;
export type AccountTab = (typeof TABS)[number];

/** The tab, and the search of the table in it. */
export const readAccountTab = (search: Search) => ({
  ...readTab(TABS, search),
  ...readSearchText(search),
});

export type MonthRange = Readonly<Partial<Record<'from' | 'to', string>>>;

const MONTH = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/;

function monthOf(value: unknown): string | undefined {
  return typeof value === 'string' && MONTH.test(value) ? value : undefined;
}

export function readMonthRange(search: Search): MonthRange {
  return readEach(['from', 'to'], search, monthOf);
}

/** The months that are meant: the one that is chosen, or else the current one in UTC. */
export function shownMonths({ from, to }: MonthRange, nowMs: number): Required<MonthRange> {
  const last = to ?? dateOf(nowMs).slice(0, 7);
  return { from: from ?? last, to: last };
}

/** A problem with the first month; '' if there is none. */
export function rangeProblem({ from, to }: Required<MonthRange>): string {
  return from <= to ? '' : 'Must not be after the last month';
}

const DIGITS = /^(\d{4})[-/.]?(\d\d)$/;

/** `2026-11` of `202611` and `2026/11`, too; other texts stay as they are. */
export function monthText(typed: string): string {
  return typed.trim().replace(DIGITS, '$1-$2');
}

export function monthProblem(text: string): string {
  return monthOf(text) ? '' : 'Enter a month as YYYY-MM, such as 2026-11';
}
