/**
 * Looks for changes before each request. While the store cannot be reached, requests go on by what
 * was known of it, until the last look that succeeded is too long ago.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { soon } from '../../base/last-known.ts';
import { CatchUp } from '../catch-up.ts';
import type { Outage } from '../control-store.ts';
import { storageProblem } from '../store-errors.ts';

/**
 * In an outage a request does not wait longer for a look: the next one may begin with what this one
 * finds. Where the last one took longer, as on a database that stands still, nobody waits for the
 * next one.
 */
const OUTAGE_WAIT_MS = 250;

export interface GraceOptions {
  /** Takes over what has changed; never runs twice at a time. */
  readonly look: () => Promise<void>;
  readonly graceMs: number;
  /** The database: what looks for it in one place of this process, counts in the others. */
  readonly database: string;
  /** A clock that is never set. */
  readonly nowMs?: () => number;
}

/** Failures of the last look at each database, with how long it took. */
const failures = new Map<string, { readonly reason: string; readonly afterMs: number }>();

export class Grace {
  readonly #database: string;
  readonly #catchUp: CatchUp;
  readonly #graceMs: number;
  readonly #nowMs: () => number;
  /** When the last look began that succeeded. */
  #knownAtMs = Number.NEGATIVE_INFINITY;

  constructor({ look, graceMs, database, nowMs = () => performance.now() }: GraceOptions) {
    this.#graceMs = graceMs;
    this.#database = database;
    this.#nowMs = nowMs;
    this.#catchUp = new CatchUp(() => this.#look(look), nextTurn);
  }

  /** Why the last look failed, as a clause for the operator; null if it did not. */
  get problem(): string | null {
    return failures.get(this.#database)?.reason ?? null;
  }

  get outage(): Outage | null {
    const graceMs = this.#knownAtMs + this.#graceMs - this.#nowMs();
    const reason = this.problem;
    return reason !== null && graceMs > 0 ? { reason, graceMs } : null;
  }

  /**
   * Resolves after a look that began after this call, or in an outage; rejects when its time is
   * over.
   */
  async now(): Promise<void> {
    try {
      const looking = this.#catchUp.now();
      const { afterMs = 0 } = failures.get(this.#database) ?? {};
      if (this.outage === null) await looking;
      else if (afterMs < OUTAGE_WAIT_MS) await soon(looking, OUTAGE_WAIT_MS, null);
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
      failures.delete(this.#database);
    } catch (error) {
      const reason = storageProblem(error);
      const afterMs = this.#nowMs() - beganAtMs;
      if (reason !== null) failures.set(this.#database, { reason, afterMs });
      throw error;
    }
  }
}
