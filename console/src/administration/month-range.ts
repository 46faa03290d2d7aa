/** Which months of usage are shown, as the address says it. */
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

/** What is wrong with the first month; '' if nothing is. */
export function rangeProblem({ from, to }: Required<MonthRange>): string {
  return from <= to ? '' : 'Must not be after the last month';
}

const DIGITS = /^(\d{4})[-/.]?(\d\d)$/;

/** `2026-11` of `202611` and `2026/11`, too; other texts stay as they are. */
export function monthText(typed: string): string {
  return typed.trim().replace(DIGITS, '$1-$2');
}

/** What is wrong with a month as it is typed; '' if nothing is. */
export function monthProblem(text: string): string {
  return monthOf(text) ? '' : 'Enter a month as YYYY-MM, such as 2026-11';
}
