/** Dates as the interface writes them, `YYYY-MM-DD`, and moments in milliseconds since 1970. */

const DAY_MS = 86_400_000;

/** The date of a moment in UTC. */
export function dateOf(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}

export function addDays(date: string, days: number): string {
  return dateOf(Date.parse(date) + days * DAY_MS);
}

/** Calendar days from the first to the last, both included. */
export function daysBetween(first: string, last: string): number {
  return Math.round((Date.parse(last) - Date.parse(first)) / DAY_MS) + 1;
}
