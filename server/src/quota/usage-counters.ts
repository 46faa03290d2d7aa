/**
 * Usage of each account, in memory: its totals of the month, read from the store before it is first
 * let in, and its last 60 seconds, which begin with what the store has of them at the start.
 * A request that was admitted and is not answered yet counts as a request of both. An account that
 * is idle leaves memory.
 */
import type { Clock } from '../base/clock.ts';
import { RateWindow, WINDOW_MS } from '../base/rate-window.ts';
import {
  addUsage,
  QUANTITY_NAMES,
  type Quantity,
  type QuotaSpan,
  type QuotaUsage,
  type UsageSums,
  usageOf,
} from '../store/quantities.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import type { UsageReader } from '../store/usage-table.ts';
import type { LimitedAccount, QuotaCounters, Reservation } from './quota-counters.ts';
import { daysOf, type UtcMonth, utcMonth } from './quota-excess.ts';
import { type Release, type ReservedBytes, releaseOnce, reservedBytes } from './release.ts';

/** Time after which an account that asks for nothing leaves memory. */
const IDLE_MS = 10 * WINDOW_MS;

/** Requests that were admitted and are not counted yet. */
type Reserved = Record<QuotaSpan, number>;

const NONE_RESERVED: Readonly<Reserved> = { month: 0, minute: 0 };

interface AccountCounters {
  /** Null: it has to be read. */
  ofMonth: { readonly month: UtcMonth; readonly sums: UsageSums } | null;
  readonly minute: RateWindow<Quantity>;
  seenAtMs: number;
}

interface UsageCountersOptions {
  readonly table: Pick<UsageReader, 'total' | 'listMoments'>;
  readonly clock: Clock;
  /** Requests that were counted and are not in the store yet. */
  readonly pending: () => Iterable<UsageRecord>;
  /** Runs work while no pending request comes into the store. */
  readonly whileNothingIsStored: <T>(work: () => Promise<T>) => Promise<T>;
}

export class UsageCounters implements QuotaCounters {
  readonly #options: UsageCountersOptions;
  readonly #byAccount = new Map<number, AccountCounters>();
  /** Minutes from before the start, of accounts that have not been seen since. */
  readonly #restored = new Map<number, RateWindow<Quantity>>();
  /** Only accounts that have reservations are in it. */
  readonly #reserved = new Map<number, Reserved>();
  /** Bytes of answers that are being sent; only accounts that are sent some are in it. */
  readonly #sending = new Map<number, number>();
  readonly #reading = new Map<number, Promise<void>>();
  #evictedAtMs: number;

  private constructor(options: UsageCountersOptions) {
    this.#options = options;
    this.#evictedAtMs = options.clock.now();
  }

  /** Reads what the last minute has used. */
  static async open(options: UsageCountersOptions): Promise<UsageCounters> {
    const counters = new UsageCounters(options);
    const { table, clock } = options;
    const nowMs = clock.now();
    for (const { accountId, ...moment } of await table.listMoments(nowMs - WINDOW_MS, nowMs)) {
      counters.#restored
        .getOrInsertComputed(accountId, () => new RateWindow(QUANTITY_NAMES))
        .add(moment);
    }
    return counters;
  }

  read(accountId: number): Promise<QuotaUsage> {
    return this.#decide(accountId, (used) => used);
  }

  reserve({ accountId }: LimitedAccount, countsInMinute: boolean): Promise<Reservation> {
    return this.#decide(accountId, (usedBefore) => ({
      usedBefore,
      isStored: false,
      release: this.hold(accountId, countsInMinute),
    }));
  }

  /** Decides by the usage of an account, at once when it is known. */
  async #decide<T>(accountId: number, by: (used: QuotaUsage) => T): Promise<T> {
    const { clock } = this.#options;
    for (;;) {
      const used = this.used(accountId, clock.now());
      if (used) return by(used);
      await this.fill(accountId, clock.now());
    }
  }

  /** Null: the month has to be read first. Judge and reserve by it before the next await. */
  used(accountId: number, nowMs: number): QuotaUsage | null {
    const { ofMonth, minute } = this.#countersOf(accountId, nowMs);
    if (!ofMonth) return null;
    const reserved = this.#reservedOf(accountId);
    const used = minute.used(nowMs);
    const sending = this.#sending.get(accountId) ?? 0;
    const { requests, returnedBytes } = ofMonth.sums;
    return {
      month: {
        ...ofMonth.sums,
        requests: requests + reserved.month,
        returnedBytes: returnedBytes + sending,
      },
      minute: {
        ...used,
        requests: used.requests + reserved.minute,
        returnedBytes: used.returnedBytes + sending,
      },
    };
  }

  /** Reads what `used` needs; once for all who wait for the same account. */
  fill(accountId: number, nowMs: number): Promise<void> {
    return this.#reading.getOrInsertComputed(accountId, () =>
      this.#readMonth(accountId, nowMs).finally(() => {
        this.#reading.delete(accountId);
      }),
    );
  }

  async #readMonth(accountId: number, nowMs: number): Promise<void> {
    const month = utcMonth(nowMs);
    const { table, pending, whileNothingIsStored } = this.#options;
    await whileNothingIsStored(async () => {
      const sums = { ...(await table.total(accountId, daysOf(month))) };
      for (const record of pending()) {
        const { answeredAtMs } = record;
        const isOfMonth = answeredAtMs >= month.startMs && answeredAtMs < month.endMs;
        if (record.accountId === accountId && isOfMonth) addUsage(sums, usageOf(record, 'month'));
      }
      // Others have gone on meanwhile, so that by now `nowMs` may look like a clock that was set
      // back.
      const counters = this.#byAccount.get(accountId) ?? this.#begin(accountId, nowMs);
      counters.ofMonth = { month, sums };
    });
  }

  /** Reserves a request from now on. Release it when the request is counted by what it used. */
  hold(accountId: number, countsInMinute: boolean): Release {
    this.#changeReserved(accountId, countsInMinute, 1);
    return releaseOnce(() => this.#changeReserved(accountId, countsInMinute, -1));
  }

  /**
   * Reserves bytes of an answer while they are sent, so that no burst of long ones gets past a
   * limit. Give them back as what was sent is counted.
   */
  reserveBytes(accountId: number, byteCount: number): ReservedBytes {
    return reservedBytes(byteCount, (by) => this.#changeSending(accountId, by));
  }

  #changeSending(accountId: number, by: number): void {
    const changed = (this.#sending.get(accountId) ?? 0) + by;
    if (changed === 0) this.#sending.delete(accountId);
    else this.#sending.set(accountId, changed);
  }

  get reservedCount(): number {
    return this.#reserved.values().reduce((sum, { month }) => sum + month, 0);
  }

  count(record: UsageRecord, reservation: Reservation): void {
    reservation.release();
    this.countStep(record);
  }

  countStep(record: UsageRecord): void {
    const { ofMonth, minute } = this.#countersOf(record.accountId, record.answeredAtMs);
    // A month that has to be read will have it from the pending ones, or from the store.
    if (ofMonth) addUsage(ofMonth.sums, usageOf(record, 'month'));
    minute.add({ atMs: record.answeredAtMs, ...usageOf(record, 'minute') });
  }

  async minuteClearsAtMs(
    accountId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number> {
    const requests = next.requests + this.#reservedOf(accountId).minute;
    const { minute } = this.#countersOf(accountId, next.atMs);
    return minute.clearsAtMs(quantity, limit, { ...next, requests });
  }

  async close(): Promise<void> {}

  get accountCount(): number {
    return this.#byAccount.size;
  }

  #reservedOf(accountId: number): Readonly<Reserved> {
    return this.#reserved.get(accountId) ?? NONE_RESERVED;
  }

  #changeReserved(accountId: number, countsInMinute: boolean, by: 1 | -1): void {
    const { month, minute } = this.#reservedOf(accountId);
    const changed = { month: month + by, minute: minute + (countsInMinute ? by : 0) };
    if (changed.month === 0) this.#reserved.delete(accountId);
    else this.#reserved.set(accountId, changed);
  }

  #countersOf(accountId: number, nowMs: number): AccountCounters {
    this.#evictIdle(nowMs);
    const known = this.#byAccount.get(accountId);
    // The clock was set back far, so the minute starts again.
    if (!known || nowMs < known.seenAtMs - WINDOW_MS) return this.#begin(accountId, nowMs);
    known.seenAtMs = Math.max(known.seenAtMs, nowMs);
    if (known.ofMonth && nowMs >= known.ofMonth.month.endMs) known.ofMonth = null;
    return known;
  }

  #begin(accountId: number, nowMs: number): AccountCounters {
    const minute = this.#restored.get(accountId) ?? new RateWindow(QUANTITY_NAMES);
    this.#restored.delete(accountId);
    const counters: AccountCounters = { ofMonth: null, minute, seenAtMs: nowMs };
    this.#byAccount.set(accountId, counters);
    return counters;
  }

  /** Looks at every account, but not more often than once in their idle time. */
  #evictIdle(nowMs: number): void {
    if (Math.abs(nowMs - this.#evictedAtMs) < IDLE_MS) return;
    this.#evictedAtMs = nowMs;
    this.#restored.clear();
    for (const [accountId, { seenAtMs }] of this.#byAccount) {
      if (Math.abs(nowMs - seenAtMs) >= IDLE_MS) this.#byAccount.delete(accountId);
    }
  }
}
