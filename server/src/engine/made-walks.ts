/**
 * Beginnings of pages of computed rows: of walks seen lately, which row of those that they are
 * made of some of their rows begin with. The page that follows another goes on from there instead
 * of making all rows before it again.
 */
import { LRUCache } from 'lru-cache';
import { walkFingerprint } from './plan-fingerprint.ts';
import type { QueryPlan } from './query-plan.ts';

export interface MadePoint {
  /** How many rows of the walk come before. */
  readonly ordinal: number;
  /** Number of source rows before it, which later rows of the walk do not need. */
  readonly source: number;
}

const BEGINNING: MadePoint = { ordinal: 0, source: 0 };

/** Together at most about 10 MB. */
const WALKS_MAX = 1024;
const POINTS_PER_WALK_MAX = 64;

/** The points of one walk that were added last. */
export class MadeWalk {
  readonly #sources = new LRUCache<number, number>({ max: POINTS_PER_WALK_MAX });

  add({ ordinal, source }: MadePoint): void {
    this.#sources.set(ordinal, source);
  }

  /** The last point that is known not to be behind the ordinal. */
  before(ordinal: number): MadePoint {
    const known = [...this.#sources.keys()].filter((each) => each <= ordinal);
    const last = Math.max(0, ...known);
    const source = this.#sources.peek(last);
    return source === undefined ? BEGINNING : { ordinal: last, source };
  }
}

export class MadeWalks {
  readonly #walks = new LRUCache<string, MadeWalk>({ max: WALKS_MAX });

  of(plan: QueryPlan): MadeWalk {
    const key = walkFingerprint(plan);
    const walk = this.#walks.get(key) ?? new MadeWalk();
    this.#walks.set(key, walk);
    return walk;
  }
}
