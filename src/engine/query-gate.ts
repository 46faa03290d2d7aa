/**
 * Lets a bounded number of queries run at once and a bounded number wait for their turn. Turns are
 * dealt out by account, not by query, so that an account that asks for much waits for itself.
 */
import { ApiError } from '../errors.ts';

export interface QueryGateOptions {
  readonly queriesMax: number;
  /** Of one account at the same time: what is left is free for the others. */
  readonly queriesPerIdentityMax: number;
  readonly queueMax: number;
  readonly queuePerIdentityMax: number;
}

interface Waiter {
  readonly admit: () => void;
}

/** Queries of one account; kept only as long as there are any. */
interface Account {
  runningCount: number;
  /** In the order of their arrival. */
  readonly waiters: Set<Waiter>;
}

export class QueryGate {
  readonly #options: QueryGateOptions;
  /** By identity; the account that was served last is the last one. */
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
   * Runs `work` when its turn comes; 503 when too many wait already. Aborting the signal gives the
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
    const account = this.#accounts.get(identityId) ?? { runningCount: 0, waiters: new Set() };
    if (this.#hasTurnFor(account)) {
      this.#serve(identityId, account);
      return;
    }
    const { queueMax, queuePerIdentityMax } = this.#options;
    if (this.#waitingCount >= queueMax || account.waiters.size >= queuePerIdentityMax) {
      this.#refusedCount++;
      throw new ApiError(503, 'Service unavailable');
    }
    this.#accounts.set(identityId, account);
    await this.#wait(identityId, account, signal);
  }

  /** Whoever waits could not be given a turn, so a newcomer who can be overtakes nobody. */
  #hasTurnFor({ runningCount }: Account): boolean {
    const { queriesMax, queriesPerIdentityMax } = this.#options;
    return this.#runningCount < queriesMax && runningCount < queriesPerIdentityMax;
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
        this.#forgetIdle(identityId, account);
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

  #leave(identityId: number): void {
    const account = this.#accounts.get(identityId) as Account;
    account.runningCount--;
    this.#runningCount--;
    this.#forgetIdle(identityId, account);
    const [next] = this.#nextAccount()?.waiters ?? [];
    next?.admit();
  }

  #forgetIdle(identityId: number, { runningCount, waiters }: Account): void {
    if (runningCount === 0 && waiters.size === 0) this.#accounts.delete(identityId);
  }

  /** Of those that wait and may run, the one that runs least; of equals, the one served longest ago. */
  #nextAccount(): Account | undefined {
    let next: Account | undefined;
    for (const account of this.#accounts.values()) {
      if (account.waiters.size === 0 || !this.#hasTurnFor(account)) continue;
      if (!next || account.runningCount < next.runningCount) next = account;
    }
    return next;
  }
}
