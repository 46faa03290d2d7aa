/**
 * Counters of several servers over one store. Each admission takes a request that was reserved
 * ahead or asks the store, together with all that come while the last question is under way, so
 * that no mix of servers passes a limit of requests. While the store is away, each server goes by
 * what it knew last.
 */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { RateWindow, WINDOW_MS } from '../base/rate-window.ts';
import { RepeatedWork } from '../base/repeated-work.ts';
import type { QuotaLimits } from '../store/accounts.ts';
import type { ControlStore } from '../store/control-store.ts';
import {
  addUsage,
  noUsage,
  QUANTITY_NAMES,
  type Quantity,
  type QuotaUsage,
  type UsageSums,
  usageOf,
} from '../store/quantities.ts';
import type {
  AccountReservation,
  AdmittedRequest,
  DecidedUsage,
  DecisionTime,
  SharedUsage,
} from '../store/shared.ts';
import { storageProblem } from '../store/store-errors.ts';
import type { MomentUsage, UsageRecord } from '../store/usage.ts';
import { LEASE_INTERVAL_MS, type LeaseQuestion, Leases } from './leases.ts';
import type { LimitedAccount, QuotaCounters, Reservation } from './quota-counters.ts';
import { daysOf, findExcesses, utcMonth } from './quota-excess.ts';
import { type ReservedBytes, releaseOnce, reservedBytes } from './release.ts';

/** More that wait at once are asked for one after the other. */
const TOGETHER_MAX = 256;

/**
 * How long a request waits near a limit until other servers have given back what they have ahead.
 */
const PATIENCE_MS = 1000;
const ASK_AGAIN_MS = 25;

/** With what this server has let in by a lease since the store was told. */
function withTaken({ month, minute }: QuotaUsage, count: number): QuotaUsage {
  return {
    month: { ...month, requests: month.requests + count },
    minute: { ...minute, requests: minute.requests + count },
  };
}

interface SharedCountersOptions {
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
  /** Accounts whose leases are told to the store, whether or not a request waits. */
  readonly #renewed = new Set<number>();
  readonly #leases = new Leases();
  readonly #renewal = new RepeatedWork(() => this.#renew(), LEASE_INTERVAL_MS);
  #isAsking = false;
  #asking: Promise<void> = Promise.resolve();
  #reservedCount = 0;

  constructor(options: SharedCountersOptions) {
    this.#options = options;
  }

  /**
   * Gives back what is reserved ahead; without that it counts until the store takes the server for
   * dead.
   */
  async close(): Promise<void> {
    await this.#renewal.close();
    this.#renewAll(this.#leases.end());
    await this.#asking;
  }

  get reservedCount(): number {
    return this.#reservedCount;
  }

  async read(accountId: number): Promise<QuotaUsage> {
    const { shared, clock } = this.#options;
    const known = () => this.#known.used(accountId, clock.now());
    const ask = async () => {
      const used = await shared.read(accountId, this.#now());
      return withTaken(used, this.#leases.takenCount(accountId));
    };
    return await this.#orKnown(ask, known);
  }

  reserve({ accountId, limits }: LimitedAccount, countsInMinute: boolean): Promise<Reservation> {
    const request = { accountId, limits, countsInMinute };
    this.#leases.note(accountId, limits);
    const used = this.#takenOf(request);
    if (used) return Promise.resolve(this.#admit(request, used, true));
    const decided = Promise.withResolvers<Reservation>();
    this.#wait({ ...request, decided, patientUntilMs: performance.now() + PATIENCE_MS });
    return decided.promise;
  }

  /** Usage before a request that one ahead of it is taken for; null: the store has to be asked. */
  #takenOf({ accountId, limits, countsInMinute }: LimitedRequest): QuotaUsage | null {
    // The others are too few, and reserved for a minute they do not count in.
    if (!countsInMinute || !this.#leases.canTake(accountId, performance.now())) return null;
    const used = this.#known.used(accountId, this.#options.clock.now());
    // Only the store knows it well enough to refuse.
    if (findExcesses(limits, used, false).length > 0) return null;
    this.#leases.take(accountId);
    return used;
  }

  #wait(request: WaitingRequest): void {
    this.#waiting.push(request);
    this.#beginAsking();
  }

  reserveBytes(accountId: number, byteCount: number): ReservedBytes {
    return reservedBytes(byteCount, (by) => {
      this.#leases.send(accountId, by);
      this.#renewAll([accountId]);
    });
  }

  async minuteClearsAtMs(
    accountId: number,
    quantity: Quantity,
    limit: number,
    next: MomentUsage,
  ): Promise<number> {
    const { shared } = this.#options;
    const window = new RateWindow(QUANTITY_NAMES);
    try {
      for (const moment of await shared.minute(accountId, next.atMs)) window.add(moment);
    } catch (error) {
      if (storageProblem(error) === null) throw error;
      return next.atMs + WINDOW_MS;
    }
    const { minute } = await this.read(accountId);
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
    this.#known.add(record.accountId, { month: bytes, minute: bytes }, record.answeredAtMs);
  }

  /** One question after the other: the store knows them by their numbers. */
  #beginAsking(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#asking = this.#askForAll();
  }

  async #askForAll(): Promise<void> {
    // Together with what else has come in at this moment.
    await nextTurn();
    while (this.#waiting.length > 0 || this.#renewed.size > 0) {
      const together = this.#waiting.slice(0, TOGETHER_MAX);
      this.#waiting = this.#waiting.slice(TOGETHER_MAX);
      const renewed = [...this.#renewed].slice(0, TOGETHER_MAX);
      for (const accountId of renewed) this.#renewed.delete(accountId);
      try {
        await this.#orKnown(
          () => this.#admitAll(together, renewed),
          () => this.#admitUnasked(together),
        );
      } catch (error) {
        for (const { decided } of together) decided.reject(error);
        // An outage is reported elsewhere; leases are asked for again.
        if (together.length === 0 && storageProblem(error) === null) this.#options.onFailure(error);
      }
    }
    this.#isAsking = false;
  }

  async #admitAll(together: readonly WaitingRequest[], renewed: readonly number[]): Promise<void> {
    const time = this.#now();
    const beganMs = performance.now();
    const requests = Map.groupBy(together, ({ accountId }) => accountId);
    const accounts = [...new Set([...requests.keys(), ...renewed])].map((accountId) => ({
      accountId,
      lease: this.#leases.ask(accountId),
      waiting: requests.get(accountId) ?? [],
    }));
    const decided = await this.#options.shared.reserve(
      accounts.map((account) => reservationOf(account, beganMs)),
      time,
    );
    for (const [at, { accountId, lease, waiting }] of accounts.entries()) {
      const { used, isPutOff } = decided[at] as DecidedUsage;
      this.#known.tell(accountId, used, time.nowMs);
      this.#leases.grant(accountId, lease, beganMs);
      if (isPutOff) void this.#waitLonger(waiting);
      else for (const request of waiting) this.#decide(request, true);
    }
  }

  /**
   * Until others have had the time to give back what they have ahead: they look at it in each
   * interval.
   */
  async #waitLonger(requests: readonly WaitingRequest[]): Promise<void> {
    await wait(ASK_AGAIN_MS);
    for (const request of requests) this.#wait(request);
  }

  /** By what its account has used with those before it. */
  #decide(request: WaitingRequest, isStored: boolean): void {
    const used = this.#known.used(request.accountId, this.#options.clock.now());
    request.decided.resolve(this.#admit(request, used, isStored));
  }

  #admitUnasked(together: readonly WaitingRequest[]): void {
    for (const request of together) this.#decide(request, false);
  }

  #admit(request: AdmittedRequest, usedBefore: QuotaUsage, isStored: boolean): Reservation {
    const { accountId, countsInMinute } = request;
    const month = { ...noUsage(), requests: 1 };
    const minute = { ...noUsage(), requests: Number(countsInMinute) };
    this.#known.add(accountId, { month, minute }, this.#options.clock.now());
    this.#reservedCount += 1;
    const release = releaseOnce(() => {
      this.#reservedCount -= 1;
      if (!isStored) return;
      this.#leases.drop(accountId, { month: 1, minute: Number(countsInMinute) });
      this.#renewAll([accountId]);
    });
    return { usedBefore, isStored, release };
  }

  async #renew(): Promise<void> {
    const nowMs = this.#options.clock.now();
    const usedBy = (accountId: number) => this.#known.used(accountId, nowMs);
    this.#renewAll(this.#leases.endInterval(usedBy));
  }

  #renewAll(accounts: readonly number[]): void {
    for (const accountId of accounts) this.#renewed.add(accountId);
    if (accounts.length > 0) this.#beginAsking();
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
}

interface LimitedRequest extends AdmittedRequest {
  readonly limits: QuotaLimits;
}

export interface WaitingRequest extends LimitedRequest {
  readonly decided: PromiseWithResolvers<Reservation>;
  readonly patientUntilMs: number;
}

interface AskedAccount {
  readonly accountId: number;
  readonly lease: LeaseQuestion;
  readonly waiting: readonly WaitingRequest[];
}

/** `nowMs` is of the clock of `patientUntilMs`. */
export function reservationOf(
  { accountId, lease, waiting }: AskedAccount,
  nowMs: number,
): AccountReservation {
  const { number, takenCount, ...asked } = lease;
  const minute = waiting.filter(({ countsInMinute }) => countsInMinute).length;
  const requestCounts = { month: waiting.length, minute };
  const limits = limitsOf(waiting, nowMs);
  return {
    accountId,
    requestCounts,
    limits,
    held: { number, takenCount },
    ...asked,
  };
}

const NO_LIMITS = { month: null, minute: null };

/**
 * The limits that requests of an account may be put off for; none once one of them has waited long
 * enough.
 */
function limitsOf(waiting: readonly WaitingRequest[], nowMs: number): AccountReservation['limits'] {
  const last = waiting.at(-1);
  const isOver = waiting.some(({ patientUntilMs }) => nowMs >= patientUntilMs);
  if (!last || isOver) return NO_LIMITS;
  return { month: last.limits.month.requests, minute: last.limits.minute.requests };
}

/** More accounts than this are forgotten together. */
const ACCOUNTS_MAX = 10_000;

interface KnownUsage {
  readonly told: QuotaUsage;
  readonly toldAtMs: number;
  /** Since it was told. */
  readonly monthSince: UsageSums;
  readonly minuteSince: RateWindow<Quantity>;
}

function summed(one: Readonly<UsageSums>, other: Readonly<UsageSums>): UsageSums {
  const sums = { ...one };
  addUsage(sums, other);
  return sums;
}

class LastKnownUsage {
  readonly #accounts = new Map<number, KnownUsage>();

  /** Notes what the store has told. */
  tell(accountId: number, told: QuotaUsage, nowMs: number): void {
    if (this.#accounts.size >= ACCOUNTS_MAX) this.#accounts.clear();
    this.#accounts.set(accountId, {
      told,
      toldAtMs: nowMs,
      monthSince: noUsage(),
      minuteSince: new RateWindow(QUANTITY_NAMES),
    });
  }

  /** Adds to an account what this server lets in or counts while nobody can be asked. */
  add(accountId: number, amounts: QuotaUsage, nowMs: number): void {
    if (!this.#accounts.has(accountId)) this.tell(accountId, NOTHING, nowMs);
    const known = this.#accounts.get(accountId) as KnownUsage;
    addUsage(known.monthSince, amounts.month);
    known.minuteSince.add({ ...amounts.minute, atMs: nowMs } satisfies MomentUsage);
  }

  /** Nothing for an account that was not told of. */
  used(accountId: number, nowMs: number): QuotaUsage {
    const known = this.#accounts.get(accountId);
    if (!known) return NOTHING;
    const { told, toldAtMs, monthSince, minuteSince } = known;
    const isRecent = nowMs - toldAtMs < WINDOW_MS;
    return {
      month: summed(told.month, monthSince),
      minute: summed(isRecent ? told.minute : noUsage(), minuteSince.used(nowMs)),
    };
  }
}

const NOTHING: QuotaUsage = { month: noUsage(), minute: noUsage() };
