import type { Endpoints } from '@ticklake/client';

const NAMES = ['actor', 'operation', 'target', 'from', 'to'] as const;
export type AuditFilterName = (typeof NAMES)[number];

/** `from` and `to` are days in UTC, both inclusive. */
export type AuditFilter = Readonly<Partial<Record<AuditFilterName, string>>>;

const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

function isUsable(name: AuditFilterName, value: unknown): value is string {
  if (typeof value !== 'string' || value === '') return false;
  return (
    (name !== 'from' && name !== 'to') || (DAY.test(value) && !Number.isNaN(Date.parse(value)))
  );
}

export function readAuditFilter(search: Readonly<Record<string, unknown>>): AuditFilter {
  const given = NAMES.filter((name) => isUsable(name, search[name]));
  return Object.fromEntries(given.map((name) => [name, search[name]]));
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** The newest first; the interface takes the end of the window as exclusive. */
export function auditParameters(filter: AuditFilter): Readonly<Record<string, string>> {
  return { newest_first: 'true', ...filter, ...(filter.to && { to: dayAfter(filter.to) }) };
}

type State = NonNullable<Endpoints['listPublicationRecords']['query']['state']>;

export const STATE_LABELS: Readonly<Record<State, string>> = {
  open: 'Open',
  running: 'Running',
  published: 'Published',
  unchanged: 'Unchanged',
  refused: 'Refused',
  failed: 'Failed',
  rolled_back: 'Rolled back',
};

export interface HistoryFilter {
  readonly dataset?: string;
  readonly state?: State;
}

function isState(value: unknown): value is State {
  return typeof value === 'string' && Object.hasOwn(STATE_LABELS, value);
}

export function readHistoryFilter({
  dataset,
  state,
}: Readonly<Record<string, unknown>>): HistoryFilter {
  return {
    ...(typeof dataset === 'string' && dataset !== '' ? { dataset } : {}),
    ...(isState(state) ? { state } : {}),
  };
}

const TABS = ['settings', 'limits', 'rules', 'keys', 'usage', 'people'] as const;
export type IdentityTab = (typeof TABS)[number];

export function readIdentityTab(search: Readonly<Record<string, unknown>>): { tab?: IdentityTab } {
  const tab = TABS.find((name) => name === search.tab);
  return tab === undefined ? {} : { tab };
}

export interface MonthRange {
  readonly from?: string;
  readonly to?: string;
}

const MONTH = /^(19|20|21)\d\d-(0[1-9]|1[0-2])$/;

function monthOf(value: unknown): string | undefined {
  return typeof value === 'string' && MONTH.test(value) ? value : undefined;
}

export function readMonthRange(search: Readonly<Record<string, unknown>>): MonthRange {
  const from = monthOf(search.from);
  const to = monthOf(search.to);
  return { ...(from && { from }), ...(to && { to }) };
}

/** The months that are meant: the one that is chosen, or else the current one in UTC. */
export function shownMonths({ from, to }: MonthRange, nowMs: number): Required<MonthRange> {
  const last = to ?? new Date(nowMs).toISOString().slice(0, 7);
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

export function readSearchText(search: Readonly<Record<string, unknown>>): { q?: string } {
  const { q } = search;
  // The address may hold a text that reads as a number.
  const text = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  return text === '' ? {} : { q: text };
}
