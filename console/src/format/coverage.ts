/** Which trade dates there are, for people. */

/** `2021-11-22 to 2026-11-20`; what is said where nothing is known. */
export function coverageText(first: string | null, last: string | null, unknown = '–'): string {
  if (first === null || last === null) return unknown;
  return first === last ? first : `${first} to ${last}`;
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
