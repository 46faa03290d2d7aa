/**
 * Carries counted requests to the store: many in one transaction, soon after they happened. What a
 * crash can lose is what was counted since the last flush.
 */
import type { UsageRecord } from '../store/usage.ts';

/** Well under the second that a crash may cost, so that a busy moment can delay a flush. */
const FLUSH_INTERVAL_MS = 400;
/** This many waiting records are flushed at once; no transaction stores more. */
const FLUSH_RECORDS = 2000;
/** While the store fails, up to this many records wait; past that, requests are refused. */
const PENDING_RECORDS_MAX = 20_000;

export interface UsageWriterOptions {
  /** Stores all of the records, or none when it throws. */
  readonly store: (records: readonly UsageRecord[]) => void;
  readonly onFailure: (error: unknown) => void;
}

export class UsageWriter {
  readonly #options: UsageWriterOptions;
  #pending: UsageRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isFailing = false;

  constructor(options: UsageWriterOptions) {
    this.#options = options;
  }

  /** Counted requests that are not in the store yet. */
  get pending(): readonly UsageRecord[] {
    return this.#pending;
  }

  /** Whether requests have to be refused because they could not be counted. */
  get isFull(): boolean {
    return this.#pending.length >= PENDING_RECORDS_MAX;
  }

  add(record: UsageRecord): void {
    this.#pending.push(record);
    // More records wait for the timer, after a failure as well as between two transactions.
    if (this.#pending.length === FLUSH_RECORDS && !this.#isFailing) this.#flushSome();
    else this.#timer ??= setTimeout(() => this.#flushSome(), FLUSH_INTERVAL_MS);
  }

  /** Stores what is pending; what is not stored when that fails stays pending. */
  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    while (this.#pending.length > 0) this.#storeSome();
  }

  #storeSome(): void {
    const records = this.#pending.slice(0, FLUSH_RECORDS);
    this.#options.store(records);
    this.#pending = this.#pending.slice(records.length);
  }

  /** One transaction; the rest comes after what else the server has to do. */
  #flushSome(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    try {
      this.#storeSome();
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing = true;
      this.#options.onFailure(error);
    }
    if (this.#pending.length === 0) return;
    const waitMs = this.#isFailing ? FLUSH_INTERVAL_MS : 0;
    this.#timer = setTimeout(() => this.#flushSome(), waitMs);
  }
}
