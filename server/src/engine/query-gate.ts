/**
 * Lets a bounded number of queries run at once and a bounded number wait for their turn. Turns are
 * dealt out by account, not by query, so that an account that asks for much waits for itself: alone
 * it may have every turn, beside others an equal share of them.
 */
import { ApiError } from '../base/errors.ts';

export interface QueryGateOptions {
  readonly queriesMax: number;
  readonly queueMax: number;
  /** Most waiting queries of one account, so that the rest of the queue is left to others. */
  readonly queuePerIdentityMax: number;
}

/** So long after a query a turn is kept free for the account's next one. */
const KEPT_FREE_MS = 1000;

interface Waiter {
  readonly admit: () => void;
}

/** Queries of one account; kept as long as there are any, and a while longer. */
interface Account {
  runningCount: number;
  activeAtMs: number;
  /** In the order of their arrival. */
  readonly waiters: Set<Waiter>;
}

export class QueryGate {
  readonly #options: QueryGateOptions;
  /** By account; the account that was served last is the last one. */
  readonly #accounts = new Map<number, Account>();
  #runningCount = 0;
  #waitingCount = 0;
  #refusedCount = 0;

  constructor(options: QueryGateOptions) {
    this.#options = options;
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  get waitingCount(): number {
    return this.#waitingCount;
  }

  /** Since the start. */
  get refusedCount(): number {
    return this.#refusedCount;
  }

  /**
   * Runs `work` when its turn comes; 'unavailable' when too many wait already. Aborting the signal gives the
   * place in the queue up; a turn ends when `work` does, so it has to heed the signal itself.
   */
  async run<T>(identityId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    await this.#enter(identityId, signal);
    try {
      return await work();
    } finally {
      this.#leave(identityId);
    }
  }

  async #enter(identityId: number, signal: AbortSignal): Promise<void> {
    const account = this.#accountOf(identityId);
    if (account.waiters.size === 0 && this.#hasTurnFor(account, this.#turnsOfEach())) {
      this.#serve(identityId, account);
      return;
    }
    const { queueMax, queuePerIdentityMax } = this.#options;
    if (this.#waitingCount >= queueMax || account.waiters.size >= queuePerIdentityMax) {
      this.#refusedCount++;
      throw new ApiError('unavailable', 'Service unavailable');
    }
    await this.#wait(identityId, account, signal);
  }

  #accountOf(identityId: number): Account {
    const account = this.#accounts.get(identityId) ?? {
      runningCount: 0,
      activeAtMs: 0,
      waiters: new Set(),
    };
    account.activeAtMs = performance.now();
    this.#accounts.set(identityId, account);
    return account;
  }

  /** How many turns each account may have at the same time, by how many there are. */
  #turnsOfEach(): number {
    const idleSinceMs = performance.now() - KEPT_FREE_MS;
    for (const [identityId, { runningCount, waiters, activeAtMs }] of this.#accounts) {
      const isIdle = runningCount === 0 && waiters.size === 0;
      if (isIdle && activeAtMs < idleSinceMs) this.#accounts.delete(identityId);
    }
    return Math.max(1, Math.floor(this.#options.queriesMax / this.#accounts.size));
  }

  #hasTurnFor({ runningCount }: Account, turnsOfEach: number): boolean {
    return this.#runningCount < this.#options.queriesMax && runningCount < turnsOfEach;
  }

  /** Behind all others in the order of turns. */
  #serve(identityId: number, account: Account): void {
    this.#accounts.delete(identityId);
    this.#accounts.set(identityId, account);
    account.runningCount++;
    this.#runningCount++;
  }

  #wait(identityId: number, account: Account, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const leaveQueue = () => {
        account.waiters.delete(waiter);
        this.#waitingCount--;
      };
      const abandon = () => {
        leaveQueue();
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener('abort', abandon);
          leaveQueue();
          this.#serve(identityId, account);
          resolve();
        },
      };
      signal.addEventListener('abort', abandon, { once: true });
      account.waiters.add(waiter);
      this.#waitingCount++;
    });
  }

  /** Several turns may be free at once: those that were kept for an account that did not come. */
  #leave(identityId: number): void {
    this.#accountOf(identityId).runningCount--;
    this.#runningCount--;
    const turnsOfEach = this.#turnsOfEach();
    for (let next = this.#next(turnsOfEach); next; next = this.#next(turnsOfEach)) next.admit();
  }

  /** Whose turn it is: the account with the fewest; of equals, the one served longest ago. */
  #next(turnsOfEach: number): Waiter | undefined {
    let chosen: Account | undefined;
    for (const account of this.#accounts.values()) {
      if (account.waiters.size === 0 || !this.#hasTurnFor(account, turnsOfEach)) continue;
      if (!chosen || account.runningCount < chosen.runningCount) chosen = account;
    }
    const [first] = chosen?.waiters ?? [];
    return first;
  }
}
