/** Counts requests: in memory as they are admitted and answered, and soon after in the store. */
import type { Clock } from '../base/clock.ts';
import type { RepeatedWork } from '../base/repeated-work.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { Quantity, QuotaUsage } from '../store/quantities.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import { keepLedgerDays } from './ledger-retention.ts';
import type { LimitedAccount, QuotaCounters, Reservation } from './quota-counters.ts';
import type { ReservedBytes } from './release.ts';
import { ServerCounters } from './server-counters.ts';
import { SharedCounters } from './shared-counters.ts';
import { UsageWriter } from './usage-writer.ts';

export interface UsageMeterOptions {
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
  const counting = {
    table: store.usage,
    pending: () => writer.pending,
    whileNothingIsStored: <T>(work: () => Promise<T>) => writer.betweenFlushes(work),
  };
  return ServerCounters.open(counting, clock);
}

export class UsageMeter {
  readonly #clock: Clock;
  readonly #writer: UsageWriter;
  readonly #counters: QuotaCounters;
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
    this.#counters = counters;
    this.#listener = listener;
    this.#retention = keepLedgerDays({
      deleteLedger: (beforeMs, limit) =>
        store.transaction(({ usage }) => usage.deleteLedger(beforeMs, limit)),
      clock,
      ledgerDays,
      onFailure: (error) => listener.tell(error),
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

  /** Usage of an account in this month and in the last 60 seconds. */
  read(accountId: number): Promise<QuotaUsage> {
    return this.#counters.read(accountId);
  }

  /**
   * Reserves a request at its admission, and tells what its account had used before: one decision,
   * so that no burst of them gets past a limit.
   */
  reserve(account: LimitedAccount, countsInMinute: boolean): Promise<Reservation> {
    return this.#counters.reserve(account, countsInMinute);
  }

  /** Reserves bytes that are being sent. Give them back as they are counted. */
  reserveBytes(accountId: number, byteCount: number): ReservedBytes {
    return this.#counters.reserveBytes(accountId, byteCount);
  }

  /** Requests that were admitted and are not counted yet. */
  get reservedCount(): number {
    return this.#counters.reservedCount;
  }

  /**
   * The moment at which the minute will hold less than `limit` of a quantity, if `next` is the last
   * to be counted and every reservation ends with it.
   */
  minuteClearsAtMs(
    accountId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number> {
    return this.#counters.minuteClearsAtMs(accountId, quantity, limit, next);
  }

  /** Counts a request, which ends its reservation. */
  count(record: UsageRecord, reservation: Reservation): void {
    this.#counters.count(record, reservation);
    this.#writer.add({ ...record, isReserved: reservation.isStored });
  }

  /** Counts what was sent of an answer since its step before; its request stays reserved. */
  countStep(record: UsageRecord): void {
    this.#counters.countStep(record);
    this.#writer.add(record);
  }

  /** Stores what was counted. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  /** Rejects where the store does not take what was counted, which is then lost. */
  async close(): Promise<void> {
    await this.#retention.stop();
    await this.#counters.close();
    try {
      await this.#writer.flush();
    } catch (error) {
      const reason = storageProblem(error);
      if (reason === null) throw error;
      throw new Error(`${this.pendingCount} counted requests could not be stored: ${reason}`);
    }
  }
}
