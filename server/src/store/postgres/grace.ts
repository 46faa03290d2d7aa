/**
 * Looks for changes before each request. While the store cannot be reached, requests go on by what was known
 * of it, until the last look that succeeded is too long ago.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { soon } from '../../base/soon.ts';
import { CatchUp } from '../catch-up.ts';
import type { Outage } from '../control-store.ts';
import { StoreUnavailableError, storageProblem } from '../store-errors.ts';

/**
 * In an outage a request does not wait longer for a look: the next one may begin with what this one finds. Where the
 * last one took longer, as on a database that stands still, nobody waits for the next one.
 */
const OUTAGE_WAIT_MS = 250;

export interface GraceOptions {
  /** Takes over what has changed; never runs twice at a time. */
  readonly look: () => Promise<void>;
  readonly graceMs: number;
  /** A clock that is never set. */
  readonly nowMs?: () => number;
}

export class Grace {
  readonly #catchUp: CatchUp;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  /** When the last look began that succeeded. */
  #knownAtMs = Number.NEGATIVE_INFINITY;
  #failure: StoreUnavailableError | null = null;
  /** How long the last look took that failed. */
  #failedAfterMs = 0;

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
      if (this.outage === null) await looking;
      else if (this.#failedAfterMs < OUTAGE_WAIT_MS) await soon(looking, OUTAGE_WAIT_MS, null);
      else looking.catch(() => undefined);
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
      this.#failedAfterMs = this.#nowMs() - beganAtMs;
      throw error;
    }
  }
}
