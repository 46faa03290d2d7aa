/**
 * Carries counted requests to the store: many in one transaction, soon after they happened. What a
 * crash can lose is what was counted since the last flush.
 */
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { UsageRecord } from '../store/usage.ts';

/** Well under the second that a crash may cost, so that a busy moment can delay a flush. */
const FLUSH_INTERVAL_MS = 400;
/** This many waiting records are flushed at once; no transaction stores more. */
const FLUSH_RECORDS = 2000;
/** While the store fails, up to this many records wait; past that, requests are refused. */
const PENDING_RECORDS_MAX = 20_000;

export interface UsageWriterOptions {
  /** Stores all of the records, or none when it rejects. */
  readonly store: (records: readonly UsageRecord[]) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

export class UsageWriter {
  readonly #options: UsageWriterOptions;
  readonly #storing = new Semaphore<null>(1, new ArrivalQueue());
  #pending: UsageRecord[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isFlushing = false;
  #isFailing = false;

  constructor(options: UsageWriterOptions) {
    this.#options = options;
  }

  /** Counted requests that are not in the store yet. */
  get pending(): readonly UsageRecord[] {
    return this.#pending;
  }

  /** True if requests have to be refused because they could not be counted. */
  get isFull(): boolean {
    return this.#pending.length >= PENDING_RECORDS_MAX;
  }

  add(record: UsageRecord): void {
    this.#pending.push(record);
    // Records that arrive during a transaction are looked at when it ends.
    if (this.#isFlushing) return;
    // More records wait for the timer, after a failure as well as between two transactions.
    if (this.#pending.length === FLUSH_RECORDS && !this.#isFailing) this.#flushSome();
    else this.#flushAfter(FLUSH_INTERVAL_MS);
  }

  /** Stores what is pending; what is not stored when that fails stays pending. */
  async flush(): Promise<void> {
    this.#stopTimer();
    while (this.#pending.length > 0) await this.#storeSome();
  }

  /** Runs work between two transactions, so that what is pending stays so meanwhile. */
  betweenFlushes<T>(work: () => Promise<T>): Promise<T> {
    return this.#storing.run(null, work);
  }

  /** Resolves to how many were stored. */
  #storeSome(): Promise<number> {
    return this.#storing.run(null, async () => {
      const records = this.#pending.slice(0, FLUSH_RECORDS);
      if (records.length === 0) return 0;
      await this.#storeOrStrip(records);
      this.#pending = this.#pending.slice(records.length);
      return records.length;
    });
  }

  /**
   * A working store would refuse the same records for ever, and all that is counted later with
   * them. Only the identifiers that requests named come from clients: records are stored without.
   */
  async #storeOrStrip(records: readonly UsageRecord[]): Promise<void> {
    try {
      await this.#options.store(records);
    } catch (error) {
      if (storageProblem(error) !== null) throw error;
      await this.#options.store(records.map(({ symbols: _, ...record }) => record));
      this.#options.onFailure(error);
    }
  }

  /** One transaction; the rest comes after what else the server has to do. */
  async #flushSome(): Promise<void> {
    this.#stopTimer();
    this.#isFlushing = true;
    let storedCount = 0;
    try {
      storedCount = await this.#storeSome();
      this.#isFailing = false;
    } catch (error) {
      this.#isFailing = true;
      this.#options.onFailure(error);
    }
    this.#isFlushing = false;
    if (this.#pending.length === 0) return;
    this.#flushAfter(storedCount === FLUSH_RECORDS ? 0 : FLUSH_INTERVAL_MS);
  }

  #flushAfter(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#flushSome(), delayMs);
  }

  #stopTimer(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
