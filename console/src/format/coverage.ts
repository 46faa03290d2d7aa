/** Which trade dates there are, for people. */

/** `2021-11-22 to 2026-11-20`; what is said where nothing is known. */
export function coverageText(first: string | null, last: string | null, unknown = '–'): string {
  if (first === null || last === null) return unknown;
  return first === last ? first : `${first} to ${last}`;
}

/** The first date of rules that were made without one. */
export const RULE_FIRST_DATE = '1900-01-01';

/** The first trade date that a rule lets through. */
export function ruleStartText(start: string): string {
  return start <= RULE_FIRST_DATE ? 'No start date' : start;
}

/** The last one. */
export function ruleEndText(end: string | null): string {
  return end ?? 'No end date';
}

/** Both: `from 2024-01-01 on`, `all dates`. */
export function ruleDatesText(start: string, end: string | null): string {
  const isOpen = start <= RULE_FIRST_DATE;
  if (end !== null) return isOpen ? `up to ${end}` : `${start} to ${end}`;
  return isOpen ? 'all dates' : `from ${start} on`;
}

/** Whether the rows of a dataset reach into the future, as holidays and offerings do. */
export function isScheduled(last: string | null, nowMs: number): boolean {
  return last !== null && last > new Date(nowMs).toISOString().slice(0, 10);
}

/** The first day of all of them; null where none has dates. */
export function firstDateOf(
  datasets: readonly { first_trade_date: string | null }[],
): string | null {
  return datasets.flatMap(({ first_trade_date: date }) => date ?? []).sort()[0] ?? null;
}
