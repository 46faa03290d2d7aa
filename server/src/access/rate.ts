/**
 * How often something may happen within a minute: counted in memory, or by all servers of a store
 * together.
 */
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { RateLimit } from '../base/rate-window.ts';
import type { Person } from '../store/people.ts';
import type { SharedRates } from '../store/shared.ts';
import type { Caller } from './authenticate.ts';

/** Far more than there are within a minute; the least recent makes room. */
const SUBJECTS_MAX = 20_000;
/** Far more than anybody does by hand. */
const CHANGES_MAX = 120;
const LINK_TRIES_MAX = 20;
/** Two a second: a program that goes in circles leaves its account's quotas to others. */
const TOOL_CALLS_MAX = 120;

/**
 * Counts one time for each of `counted`, unless any of `judged` has been counted as often as it
 * may: then null. Where it is counted in memory, that is done before anything is awaited.
 */
export type Rate = (
  judged: readonly string[],
  counted: readonly string[],
) => Promise<(() => Promise<void>) | null>;

/**
 * `shared`: of the store, where servers count together. Subjects of all rates of a store have to
 * differ.
 */
export function openRate(clock: Clock, shared: SharedRates | null, timesMax: number): Rate {
  if (shared) {
    return async (judged, counted) => {
      const moment = await shared.count(judged, counted, timesMax);
      return moment === null ? null : () => shared.takeBack(counted, moment);
    };
  }
  const limit = new RateLimit<string>({ clock, timesMax, keysMax: SUBJECTS_MAX });
  return async (judged, counted) => {
    if (judged.some((subject) => limit.isReached(subject))) return null;
    const takeBacks = counted.map((subject) => limit.count(subject));
    return async () => {
      for (const takeBack of takeBacks) takeBack();
    };
  };
}

/** Limits how often something happens in a minute. */
export interface LimitedRate<Subject> {
  /** Rejects with an ApiError 'too many requests' after too many times in a minute. */
  count(subject: Subject): Promise<void>;
}

/** `textsOf`: who is counted, and what there are too many of; null: a subject without a limit. */
function limitedRate<Subject>(
  timesMax: number,
  textsOf: (subject: Subject) => readonly [counted: string, what: string] | null,
) {
  return (clock: Clock, shared: SharedRates | null = null): LimitedRate<Subject> => {
    const rate = openRate(clock, shared, timesMax);
    return {
      count: async (subject) => {
        const [counted, what] = textsOf(subject) ?? [];
        if (counted === undefined || (await rate([counted], [counted]))) return;
        throw new ApiError('too many requests', `Too many ${what}; try again in a minute`);
      },
    };
  };
}

/**
 * Keeps people from filling the audit log: each of their changes adds a row, and rows are never
 * removed. Owners have no such limit.
 */
export const changeRate = limitedRate(
  CHANGES_MAX,
  ({ personId, role }: Pick<Person, 'personId' | 'role'>) =>
    role === 'owner' ? null : [`changes by person ${personId}`, 'changes'],
);

/** Limits the calls of tools by one key, besides its account's quotas. */
export const toolRate = limitedRate(TOOL_CALLS_MAX, (caller: Caller) => {
  const { key } = caller;
  const calls = `tool calls by ${key ? `key ${key.keyId}` : `person ${caller.person.personId}`}`;
  return [calls, calls];
});

/** Limits how often a network can guess links and request e-mail. */
export const linkRate = limitedRate(LINK_TRIES_MAX, (network: string | null) => [
  `links from ${network ?? 'nowhere'}`,
  'attempts',
]);
