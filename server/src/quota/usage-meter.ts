/** Counts requests: in memory as they are admitted and answered, and soon after in the store. */
import type { Clock } from '../base/clock.ts';
import { RepeatedWork } from '../base/repeated-work.ts';
import { ArrivalQueue, Semaphore } from '../base/semaphore.ts';
import type { ControlStore } from '../store/control-store.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { UsageRecord } from '../store/usage.ts';
import type { QuotaCounters, Reservation } from './quota-counters.ts';
import { SharedCounters } from './shared-counters.ts';
import { UsageCounters } from './usage-counters.ts';

interface UsageMeterOptions {
  readonly store: ControlStore;
  readonly clock: Clock;
  /** Days that the ledger keeps its rows. */
  readonly ledgerDays: number;
}

/** Who is told of failures, which may become known before anybody listens. */
interface FailureListener {
  tell: (error: unknown) => void;
}

function openCounters(
  { store, clock }: UsageMeterOptions,
  writer: UsageWriter,
  listener: FailureListener,
): Promise<QuotaCounters> | QuotaCounters {
  const { sharedUsage: shared } = store;
  if (shared) {
    const onFailure = (error: unknown) => listener.tell(error);
    return new SharedCounters({ store, shared, clock, onFailure });
  }
  return UsageCounters.open({
    ...{ table: store.usage, clock },
    pending: () => writer.pending,
    whileNothingIsStored: (work) => writer.betweenFlushes(work),
  });
}

export class UsageMeter {
  readonly #clock: Clock;
  readonly #writer: UsageWriter;
  /** The rows and bytes that accounts have used and reserved. */
  readonly counters: QuotaCounters;
  readonly #retention: RepeatedWork;
  readonly #listener: FailureListener;

  private constructor(
    { store, clock, ledgerDays }: UsageMeterOptions,
    writer: UsageWriter,
    counters: QuotaCounters,
    listener: FailureListener,
  ) {
    this.#clock = clock;
    this.#writer = writer;
    this.counters = counters;
    this.#listener = listener;
    this.#retention = keepLedgerDays({
      deleteLedger: (beforeMs, limit) =>
        store.transaction(({ usage }) => usage.deleteLedger(beforeMs, limit)),
      clock,
      ledgerDays,
    });
  }

  /** Reads what the last minute has used. */
  static async open(options: UsageMeterOptions): Promise<UsageMeter> {
    const { store } = options;
    const listener: FailureListener = { tell: () => undefined };
    const writer = new UsageWriter({
      store: (records) => store.transaction(({ usage }) => usage.add(records), 'usage'),
      onFailure: (error) => listener.tell(error),
    });
    const counters = await openCounters(options, writer, listener);
    return new UsageMeter(options, writer, counters, listener);
  }

  /** Called when the store refuses what was counted; storing it is tried again automatically. */
  set onFailure(listener: (error: unknown) => void) {
    this.#listener.tell = listener;
    this.#retention.onFailure = listener;
  }

  /** The store has failed for so long that no more requests can be counted. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Counted requests that are not in the store yet. */
  get pendingCount(): number {
    return this.#writer.pending.length;
  }

  /** Age of the oldest of them; 0 when there are none. */
  get pendingAgeMs(): number {
    const [oldest] = this.#writer.pending;
    return oldest ? Math.max(0, this.#clock.now() - oldest.answeredAtMs) : 0;
  }

  /** Counts a request, which ends its reservation. */
  count(record: UsageRecord, reservation: Reservation): void {
    this.counters.count(record, reservation);
    this.#writer.add({ ...record, isReserved: reservation.isStored });
  }

  /** Counts what was sent of an answer since its step before; its request stays reserved. */
  countStep(record: UsageRecord): void {
    this.counters.countStep(record);
    this.#writer.add(record);
  }

  /** Stores what was counted. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Rejects where the store does not take what was counted, which is then lost. */
  async close(): Promise<void> {
    await this.#retention.close();
    await this.counters.close();
    try {
      await this.#writer.flush();
    } catch (error) {
      const reason = storageProblem(error);
      if (reason === null) throw error;
      throw new Error(`${this.pendingCount} counted requests could not be stored: ${reason}`);
    }
  }
}

/** Well under the second that a crash may cost, so that a busy moment can delay a flush. */
const FLUSH_INTERVAL_MS = 400;
/** This many waiting records are flushed at once; no transaction stores more. */
const FLUSH_RECORDS = 2000;
/** While the store fails, up to this many records wait; past that, requests are refused. */
const PENDING_RECORDS_MAX = 20_000;

interface UsageWriterOptions {
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
      try {
        await this.#options.store(records);
      } catch (error) {
        // A working store would refuse the same records for ever, and all that comes later with
        // them: they are stored without identifiers, paths and reasons, the only texts of clients.
        if (storageProblem(error) !== null) throw error;
        const plain = records.map(({ symbols: _, path: _path, reason: _reason, ...rest }) => rest);
        await this.#options.store(plain);
        this.#options.onFailure(error);
      }
      this.#pending = this.#pending.slice(records.length);
      return records.length;
    });
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

const DAY_MS = 86_400_000;
const SWEEP_INTERVAL_MS = 3_600_000;
const BATCH_ROWS = 500;
const BATCH_PAUSE_MS = 20;

interface LedgerRetentionOptions {
  /** Drops up to `limit` rows from before a moment; says how many. */
  readonly deleteLedger: (beforeMs: number, limit: number) => Promise<number>;
  readonly clock: Clock;
  readonly ledgerDays: number;
}

/** Sweeps soon, and then every hour until it is stopped. */
export function keepLedgerDays({
  deleteLedger,
  clock,
  ledgerDays,
}: LedgerRetentionOptions): RepeatedWork {
  let pauseMs = BATCH_PAUSE_MS;
  const sweep = async () => {
    pauseMs = SWEEP_INTERVAL_MS;
    const beforeMs = clock.now() - ledgerDays * DAY_MS;
    if ((await deleteLedger(beforeMs, BATCH_ROWS)) === BATCH_ROWS) pauseMs = BATCH_PAUSE_MS;
  };
  return new RepeatedWork(sweep, () => pauseMs);
}
