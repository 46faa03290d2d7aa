/**
 * Times for people, in one form everywhere: `2026-11-21 09:30 UTC`, and days as `2026-11-21`. UTC, as the service
 * counts; a clock of a market is named where one is meant.
 */

/** `2026-11-21 09:30:00 UTC` of an ISO time in UTC; a dash where there is none. */
export function utcText(time: string | null): string {
  if (time === null) return '–';
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2026-11-21 09:30 UTC`. */
export function utcMinuteText(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `2026-11-21`. */
export function utcDateText(time: string): string {
  return new Date(time).toISOString().slice(0, 10);
}

const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, milliseconds: number])[] = [
  ['year', 365.25 * 86_400_000],
  ['month', 30.44 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];
const STEP_LAST = ['second', 1000] as const;
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** Rounds up almost whole units: 90 days are 3 months, although they are 2.96 mean months. */
const ALMOST = 0.95;

/** `in 3 days`, `2 hours ago`, to the nearest of the largest unit. */
export function relativeText(time: string, nowMs: number): string {
  const distanceMs = new Date(time).getTime() - nowMs;
  const [unit, unitMs] = STEPS.find(([, ms]) => Math.abs(distanceMs) >= ms * ALMOST) ?? STEP_LAST;
  return RELATIVE.format(Math.round(distanceMs / unitMs), unit);
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026` of a day in it. */
export function monthText(day: string): string {
  return MONTH.format(new Date(day));
}

const MARKET_CLOCKS: Readonly<Record<string, string>> = {
  'America/New_York': 'New York (ET)',
  'America/Chicago': 'Chicago (CT)',
};

/** The clock of a market: `New York (ET)`. */
export function marketClockText(timeZone: string): string {
  return MARKET_CLOCKS[timeZone] ?? timeZone;
}
