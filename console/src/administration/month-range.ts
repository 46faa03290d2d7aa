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

/** The months that are meant: the one that is chosen, or else the current one in UTC; never in the wrong order. */
export function shownMonths({ from, to }: MonthRange, nowMs: number): Required<MonthRange> {
  const last = to ?? new Date(nowMs).toISOString().slice(0, 7);
  const first = from ?? last;
  return first <= last ? { from: first, to: last } : { from: last, to: first };
}
