/**
 * Counters of several servers over one store. Each admission asks the store, together with all that
 * come while the last question is under way, so that no mix of servers passes a limit of requests. While
 * the store is away, each server goes by what it knew last.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { RateWindow, WINDOW_MS } from '../base/rate-window.ts';
import type { ControlStore } from '../store/control-store.ts';
import {
  noUsage,
  QUANTITY_NAMES,
  type Quantity,
  type QuotaUsage,
  usageOf,
} from '../store/quantities.ts';
import type { AdmittedRequest, DecisionTime, SharedUsage } from '../store/shared-usage.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import { LastKnownUsage } from './last-known-usage.ts';
import type { QuotaCounters, Reservation } from './quota-counters.ts';
import { type ReservedBytes, releaseOnce, reservedBytes } from './release.ts';
import { daysOf, utcMonth } from './utc-month.ts';

/** More that wait at once are asked for one after the other. */
const TOGETHER_MAX = 256;

interface WaitingRequest extends AdmittedRequest {
  readonly decided: PromiseWithResolvers<Reservation>;
}

export interface SharedCountersOptions {
  readonly store: Pick<ControlStore, 'outage' | 'catchUp'>;
  readonly shared: SharedUsage;
  readonly clock: Clock;
  /** Is told of what fails where nobody waits for it. */
  readonly onFailure: (error: unknown) => void;
}

export class SharedCounters implements QuotaCounters {
  readonly #options: SharedCountersOptions;
  readonly #known = new LastKnownUsage();
  #waiting: WaitingRequest[] = [];
  #isAsking = false;
  #reservedCount = 0;

  constructor(options: SharedCountersOptions) {
    this.#options = options;
  }

  get reservedCount(): number {
    return this.#reservedCount;
  }

  async read(identityId: number): Promise<QuotaUsage> {
    const { shared, clock } = this.#options;
    const known = () => this.#known.used(identityId, clock.now());
    return await this.#orKnown(() => shared.read(identityId, this.#now()), known);
  }

  reserve(identityId: number, countsInMinute: boolean): Promise<Reservation> {
    const decided = Promise.withResolvers<Reservation>();
    this.#waiting.push({ identityId, countsInMinute, decided });
    if (!this.#isAsking) void this.#askForAll();
    return decided.promise;
  }

  reserveBytes(identityId: number, byteCount: number): ReservedBytes {
    const { shared } = this.#options;
    return reservedBytes(byteCount, (by) =>
      this.#inBackground(shared.reserveBytes(identityId, by)),
    );
  }

  async minuteClearsAtMs(
    identityId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number> {
    const { shared } = this.#options;
    const window = new RateWindow(QUANTITY_NAMES);
    try {
      for (const moment of await shared.minute(identityId, next.atMs)) window.add(moment);
    } catch (error) {
      if (storageProblem(error) === null) throw error;
      return next.atMs + WINDOW_MS;
    }
    const { minute } = await this.read(identityId);
    const reserved = Math.max(0, minute.requests - window.used(next.atMs).requests);
    return window.clearsAtMs(quantity, limit, { ...next, requests: next.requests + reserved });
  }

  count(record: UsageRecord, _reservation: Reservation): void {
    this.#reservedCount -= 1;
    this.countStep(record);
  }

  countStep(record: UsageRecord): void {
    // As a request it counts since it was let in.
    const bytes = { ...usageOf(record, 'month'), requests: 0 };
    this.#known.add(record.identityId, { month: bytes, minute: bytes }, record.answeredAtMs);
  }

  async #askForAll(): Promise<void> {
    this.#isAsking = true;
    // Together with what else has come in at this moment.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const together = this.#waiting.slice(0, TOGETHER_MAX);
      this.#waiting = this.#waiting.slice(TOGETHER_MAX);
      await this.#ask(together);
    }
    this.#isAsking = false;
  }

  /** Decides them all, or rejects them. */
  async #ask(together: readonly WaitingRequest[]): Promise<void> {
    try {
      await this.#orKnown(
        () => this.#admitAll(together),
        () => this.#admitUnasked(together),
      );
    } catch (error) {
      for (const { decided } of together) decided.reject(error);
    }
  }

  async #admitAll(together: readonly WaitingRequest[]): Promise<void> {
    const time = this.#now();
    const used = await this.#options.shared.reserve(together, time);
    for (const [at, request] of together.entries()) {
      const usedBefore = used[at] as QuotaUsage;
      this.#known.tell(request.identityId, usedBefore, time.nowMs);
      this.#admit(request, usedBefore, true);
    }
  }

  #admitUnasked(together: readonly WaitingRequest[]): void {
    const { nowMs } = this.#now();
    for (const request of together) {
      this.#admit(request, this.#known.used(request.identityId, nowMs), false);
    }
  }

  #admit(request: WaitingRequest, usedBefore: QuotaUsage, isStored: boolean): void {
    const { identityId, countsInMinute, decided } = request;
    const month = { ...noUsage(), requests: 1 };
    const minute = { ...noUsage(), requests: Number(countsInMinute) };
    this.#known.add(identityId, { month, minute }, this.#now().nowMs);
    this.#reservedCount += 1;
    const release = releaseOnce(() => {
      this.#reservedCount -= 1;
      if (isStored)
        this.#inBackground(this.#options.shared.release({ identityId, countsInMinute }));
    });
    decided.resolve({ usedBefore, isStored, release });
  }

  /** Goes by what is known while the store is away, as long as requests may go on without it. */
  async #orKnown<T>(ask: () => Promise<T>, known: () => T): Promise<T> {
    const { store } = this.#options;
    if (store.outage) return known();
    try {
      return await ask();
    } catch (error) {
      if (storageProblem(error) === null) throw error;
      await store.catchUp();
      if (store.outage) return known();
      throw error;
    }
  }

  #now(): DecisionTime {
    const nowMs = this.#options.clock.now();
    return { nowMs, month: daysOf(utcMonth(nowMs)) };
  }

  /** What is not given back here ends when the store takes the server for dead. */
  #inBackground(work: Promise<void>): void {
    work.catch((error) => this.#options.onFailure(error));
  }
}
