import type { BodyOf } from '@ticklake/client';
import { plural, utcDateText, utcMinuteText } from '../format/texts';
import { nameProblem } from '../ui/input-problems';

/** In place of a period: until a date. */
export const UNTIL_DATE = 'date';

const PERIODS = ['30d', '90d', '180d', '365d'];

const USUAL = {
  name: '',
  /** A lifetime such as `90d`, or `UNTIL_DATE`. */
  expires_in: '90d',
  /** `YYYY-MM-DD`; counts only with `UNTIL_DATE`. */
  expires_at: '',
};
export type KeyValues = typeof USUAL;

const UNITS: Readonly<Record<string, readonly [word: string, milliseconds: number]>> = {
  d: ['day', 86_400_000],
  h: ['hour', 3_600_000],
  m: ['minute', 60_000],
  s: ['second', 1000],
};
const LIFETIME_DAYS_MAX = 36_500;

/** Milliseconds of a lifetime such as `90d`. */
export function lifetimeMs(lifetime: string): number {
  return Number(lifetime.slice(0, -1)) * (UNITS[lifetime.slice(-1)]?.[1] ?? 0);
}

/** `90 days`. */
export function lifetimeText(lifetime: string): string {
  return plural(Number(lifetime.slice(0, -1)), UNITS[lifetime.slice(-1)]?.[0] ?? '');
}

/** How long a key was made for, in the largest unit that it lasted at least two of. */
export function lifetimeOf(key: { created_at: string; expires_at: string }): string {
  const ms = Date.parse(key.expires_at) - Date.parse(key.created_at);
  const [unit, [, unitMs]] = Object.entries(UNITS).find(([, [, each]]) => ms >= 2 * each) ?? [
    's',
    ['second', 1000],
  ];
  const count = Math.max(Math.round(ms / unitMs), 1);
  return unit === 'd' ? `${Math.min(count, LIFETIME_DAYS_MAX)}d` : `${count}${unit}`;
}

/** The periods that are offered, with `own` among them, shortest first. */
export function periodOptions(own: string) {
  const periods = [...new Set([...PERIODS, ...(own === UNTIL_DATE ? [] : [own])])];
  const options = periods
    .toSorted((a, b) => lifetimeMs(a) - lifetimeMs(b))
    .map((period) => ({ value: period, label: lifetimeText(period) }));
  return [...options, { value: UNTIL_DATE, label: 'Until a date' }];
}

function dateProblem(date: string, nowMs: number): string {
  if (date === '') return 'Choose a date';
  return Date.parse(date) > nowMs ? '' : 'Choose a day after today';
}

/** When a key of these values expires, in milliseconds since 1970; null while no date is chosen. */
function expiryMs({ expires_in, expires_at }: KeyValues, nowMs: number): number | null {
  if (expires_in !== UNTIL_DATE) return nowMs + lifetimeMs(expires_in);
  return expires_at === '' ? null : Date.parse(expires_at);
}

function contractProblem(values: KeyValues, { nowMs, contractEndsAt }: KeyTimes): string {
  const endMs = expiryMs(values, nowMs);
  if (contractEndsAt === null || endMs === null || endMs <= Date.parse(contractEndsAt)) return '';
  return `The account's contract ends on ${utcMinuteText(contractEndsAt)}. Choose an earlier end`;
}

interface KeyTimes {
  readonly nowMs: number;
  readonly contractEndsAt: string | null;
}

/** The usual period, or up to the end of the contract where that comes before. */
export function newKeyValues(times: KeyTimes): KeyValues {
  if (times.contractEndsAt === null || contractProblem(USUAL, times) === '') return USUAL;
  return { ...USUAL, expires_in: UNTIL_DATE, expires_at: utcDateText(times.contractEndsAt) };
}

export function keyProblems(values: KeyValues, times: KeyTimes) {
  const { name, expires_in, expires_at } = values;
  const tooLate = contractProblem(values, times);
  const isUntilDate = expires_in === UNTIL_DATE;
  return {
    name: nameProblem(name),
    expires_in: isUntilDate ? '' : tooLate,
    expires_at: isUntilDate ? dateProblem(expires_at, times.nowMs) || tooLate : '',
  };
}

export function keyBody({ name, expires_in, expires_at }: KeyValues): BodyOf<'createMyApiKey'> {
  const expiry = expires_in === UNTIL_DATE ? { expires_at } : { expires_in };
  return { name, ...expiry };
}
