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

type TakeBack = () => Promise<void>;

/**
 * Counts one time for each of `counted`, unless any of `judged` has been counted as often as it
 * may: then null. Where it is counted in memory, that is done before anything is awaited.
 */
export type Rate = (
  judged: readonly string[],
  counted: readonly string[],
) => Promise<TakeBack | null>;

function rateInMemory(clock: Clock, timesMax: number): Rate {
  const limit = new RateLimit<string>({ clock, timesMax, keysMax: SUBJECTS_MAX });
  return async (judged, counted) => {
    if (judged.some((subject) => limit.isReached(subject))) return null;
    const takeBacks = counted.map((subject) => limit.count(subject));
    return async () => {
      for (const takeBack of takeBacks) takeBack();
    };
  };
}

function rateTogether(shared: SharedRates, timesMax: number): Rate {
  return async (judged, counted) => {
    const moment = await shared.count(judged, counted, timesMax);
    return moment === null ? null : () => shared.takeBack(counted, moment);
  };
}

/**
 * `shared`: of the store, where servers count together. Subjects of all rates of a store have to
 * differ.
 */
export function openRate(clock: Clock, shared: SharedRates | null, timesMax: number): Rate {
  return shared ? rateTogether(shared, timesMax) : rateInMemory(clock, timesMax);
}

async function requireRoom(rate: Rate, subject: string, what: string): Promise<void> {
  if (await rate([subject], [subject])) return;
  throw new ApiError('too many requests', `Too many ${what}; try again in a minute`);
}

/**
 * Keeps people from filling the audit log: each of their changes adds a row, and rows are never
 * removed.
 */
export class ChangeRate {
  readonly #rate: Rate;

  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#rate = openRate(clock, shared, CHANGES_MAX);
  }

  /**
   * Rejects with an ApiError 'too many requests' after too many changes in a minute. Owners have no
   * such limit.
   */
  async count({ personId, role }: Pick<Person, 'personId' | 'role'>): Promise<void> {
    if (role !== 'owner') await requireRoom(this.#rate, `changes by person ${personId}`, 'changes');
  }
}

/** Limits the calls of tools by one key, besides its account's quotas. */
export class ToolRate {
  readonly #rate: Rate;

  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#rate = openRate(clock, shared, TOOL_CALLS_MAX);
  }

  /** Rejects with an ApiError 'too many requests' after too many calls in a minute. */
  count(caller: Caller): Promise<void> {
    const { key } = caller;
    const calls = `tool calls by ${key ? `key ${key.keyId}` : `person ${caller.person.personId}`}`;
    return requireRoom(this.#rate, calls, calls);
  }
}

/** Limits how often links can be guessed and e-mail requested. */
export class LinkRate {
  readonly #rate: Rate;

  constructor(clock: Clock, shared: SharedRates | null = null) {
    this.#rate = openRate(clock, shared, LINK_TRIES_MAX);
  }

  /**
   * Rejects with an ApiError 'too many requests' after too many tries from a network in a minute.
   */
  count(network: string | null): Promise<void> {
    return requireRoom(this.#rate, `links from ${network ?? 'nowhere'}`, 'attempts');
  }
}
