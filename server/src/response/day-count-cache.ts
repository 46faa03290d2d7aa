/** The counts by day that were asked for last: parts never change, so they stay right. */
import { LRUCache } from 'lru-cache';
import type { DayCount } from '../engine/engine.ts';
import { rowsFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';

/** Days of all counts that are kept: some 20 MB. */
const DAYS_MAX = 200_000;

export class DayCountCache {
  readonly #counts = new LRUCache<string, readonly DayCount[]>({
    maxSize: DAYS_MAX,
    sizeCalculation: (counts) => counts.length + 1,
  });

  /** The counts of a plan, which `count` makes where they are not known. */
  async get(
    plan: QueryPlan,
    count: () => Promise<readonly DayCount[]>,
  ): Promise<readonly DayCount[]> {
    const key = rowsFingerprint(plan);
    const known = this.#counts.get(key);
    if (known) return known;
    const counts = await count();
    this.#counts.set(key, counts);
    return counts;
  }
}
