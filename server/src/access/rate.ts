/**
 * How often something may happen within a minute: counted in memory, or by all servers of a store
 * together.
 */
import { RateLimit, type RateLimitOptions } from '../base/rate-window.ts';
import type { SharedRates } from '../store/shared.ts';

type TakeBack = () => Promise<void>;

/**
 * Counts one time for each of `counted`, unless any of `judged` has been counted as often as it
 * may: then null. Where it is counted in memory, that is done before anything is awaited.
 */
export type Rate = (
  judged: readonly string[],
  counted: readonly string[],
) => Promise<TakeBack | null>;

function rateInMemory(options: RateLimitOptions): Rate {
  const limit = new RateLimit<string>(options);
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

/** Subjects of all rates of a store have to differ. */
export function openRate(shared: SharedRates | null, options: RateLimitOptions): Rate {
  return shared ? rateTogether(shared, options.timesMax) : rateInMemory(options);
}
