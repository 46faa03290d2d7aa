/** Counters of the one server that counts in its store: all that it needs is in memory. */
import type { Clock } from '../base/clock.ts';
import type { Quantity, QuotaUsage } from '../store/quantities.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import type { LimitedAccount, QuotaCounters, Reservation } from './quota-counters.ts';
import type { ReservedBytes } from './release.ts';
import { UsageCounters, type UsageCountersOptions } from './usage-counters.ts';

export class ServerCounters implements QuotaCounters {
  readonly #counters: UsageCounters;
  readonly #clock: Clock;

  private constructor(counters: UsageCounters, clock: Clock) {
    this.#counters = counters;
    this.#clock = clock;
  }

  /** Reads what the last minute has used. */
  static async open(
    options: Omit<UsageCountersOptions, 'nowMs'>,
    clock: Clock,
  ): Promise<ServerCounters> {
    const counters = await UsageCounters.open({ ...options, nowMs: clock.now() });
    return new ServerCounters(counters, clock);
  }

  read(accountId: number): Promise<QuotaUsage> {
    return this.#decide(accountId, (used) => used);
  }

  reserve({ accountId }: LimitedAccount, countsInMinute: boolean): Promise<Reservation> {
    return this.#decide(accountId, (usedBefore) => ({
      usedBefore,
      isStored: false,
      release: this.#counters.reserve(accountId, countsInMinute),
    }));
  }

  reserveBytes(accountId: number, byteCount: number): ReservedBytes {
    return this.#counters.reserveBytes(accountId, byteCount);
  }

  get reservedCount(): number {
    return this.#counters.reservedCount;
  }

  async minuteClearsAtMs(
    accountId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number> {
    return this.#counters.clearsAtMs(accountId, quantity, limit, next);
  }

  count(record: UsageRecord, reservation: Reservation): void {
    reservation.release();
    this.countStep(record);
  }

  countStep(record: UsageRecord): void {
    this.#counters.count(record);
  }

  async close(): Promise<void> {}

  /** Decides by the usage of an account, at once when it is known. */
  async #decide<T>(accountId: number, by: (used: QuotaUsage) => T): Promise<T> {
    for (;;) {
      const used = this.#counters.used(accountId, this.#clock.now());
      if (used) return by(used);
      await this.#counters.read(accountId, this.#clock.now());
    }
  }
}
