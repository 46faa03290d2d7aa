/**
 * Looks for changes before each request. While the store cannot be reached, requests go on by what was known
 * of it, until the last look that succeeded is too long ago.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatchUp } from '../catch-up.ts';
import type { Outage } from '../control-store.ts';
import { StoreUnavailableError, storageProblem } from '../store-errors.ts';

/** In an outage a request does not wait longer for a look: the next one may begin with what this one finds. */
const OUTAGE_WAIT_MS = 250;

export interface GraceOptions {
  /** Takes over what has changed; never runs twice at a time. */
  readonly look: () => Promise<void>;
  readonly graceMs: number;
  /** A clock that is never set. */
  readonly nowMs?: () => number;
}

/** Rejects with `failure` where the work takes longer. */
async function within(limitMs: number, work: Promise<void>, failure: Error): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(failure), limitMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

export class Grace {
  readonly #catchUp: CatchUp;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  /** When the last look began that succeeded. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #failure: StoreUnavailableError | null = null;

  constructor({ look, graceMs, nowMs = () => performance.now() }: GraceOptions) {
    this.#graceMs = graceMs;
    this.#nowMs = nowMs;
    this.#catchUp = new CatchUp(() => this.#look(look), nextTurn);
  }

  /** Why the last look failed, as a clause for the operator; null if it did not. */
  get problem(): string | null {
    return this.#failure?.reason ?? null;
  }

  get outage(): Outage | null {
    const graceMs = this.#knownAtMs + this.#graceMs - this.#nowMs();
    return this.#failure && graceMs > 0 ? { reason: this.#failure.reason, graceMs } : null;
  }

  /** Resolves after a look that began after this call, or in an outage; rejects when its time is over. */
  async now(): Promise<void> {
    try {
      const looking = this.#catchUp.now();
      if (this.outage === null || this.#failure === null) await looking;
      else await within(OUTAGE_WAIT_MS, looking, this.#failure);
    } catch (error) {
      if (storageProblem(error) === null || this.outage === null) throw error;
    }
  }

  /** Rejects where it fails, also in an outage. */
  look(): Promise<void> {
    return this.#catchUp.now();
  }

  async #look(look: () => Promise<void>): Promise<void> {
    const beganAtMs = this.#nowMs();
    try {
      await look();
      this.#knownAtMs = beganAtMs;
      this.#failure = null;
    } catch (error) {
      if (error instanceof StoreUnavailableError) this.#failure = error;
      throw error;
    }
  }
}
