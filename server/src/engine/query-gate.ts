/**
 * Lets a bounded number of queries run at once and a bounded number wait for their turn. Turns are
 * dealt out by account, not by query, so that an account that asks for much waits for itself: alone
 * it may have every turn, beside others an equal share of them. One whose clients leave too many
 * answers unread gets no turn until they read.
 */
import { ApiError } from '../base/errors.ts';
import { Semaphore, type Waiter, type WaitingQueue } from '../base/semaphore.ts';

export interface QueryGateOptions {
  readonly queriesMax: number;
  readonly queueMax: number;
  /** Most waiting queries of one account, so that the rest of the queue is left to others. */
  readonly queuePerAccountMax: number;
}

/** Memory for the answers to queries. */
export interface AnswerRoom {
  hasRoom(accountId: number): boolean;
  /** Calls the listener whenever there may be room again. */
  onFreed(listener: () => void): void;
}

/** After a query, a turn is kept free so long for the account's next one. */
const KEPT_FREE_MS = 1000;

interface QueryClaim {
  readonly accountId: number;
  /** Aborted: the place in the queue is given up. */
  readonly signal: AbortSignal;
}

/** Queries of one account; kept as long as there are any, and a while longer. */
interface Account {
  runningCount: number;
  activeAtMs: number;
  /** In the order of their arrival. */
  readonly waiters: Set<Waiter>;
}

class AccountQueue implements WaitingQueue<QueryClaim> {
  readonly #options: QueryGateOptions;
  readonly #room: AnswerRoom;
  /** By account; the account that was served last is the last one. */
  readonly #accounts = new Map<number, Account>();
  waitingCount = 0;
  /** Since the start. */
  refusedCount = 0;

  constructor(options: QueryGateOptions, room: AnswerRoom) {
    this.#options = options;
    this.#room = room;
  }

  mayBegin({ accountId }: QueryClaim): boolean {
    const { runningCount, waiters } = this.#accountOf(accountId);
    if (waiters.size > 0 || runningCount >= this.#turnsOfEach()) return false;
    return this.#room.hasRoom(accountId);
  }

  add({ accountId, signal }: QueryClaim, { begin, refuse }: Waiter): void {
    const { waiters } = this.#accountOf(accountId);
    const { queueMax, queuePerAccountMax } = this.#options;
    if (this.waitingCount >= queueMax || waiters.size >= queuePerAccountMax) {
      this.refusedCount++;
      throw new ApiError('unavailable', 'Service unavailable');
    }
    const leave = () => {
      signal.removeEventListener('abort', abandon);
      waiters.delete(waiter);
      this.waitingCount--;
    };
    const abandon = () => waiter.refuse(signal.reason);
    const waiter: Waiter = {
      begin: () => {
        leave();
        begin();
      },
      refuse: (error) => {
        leave();
        refuse(error);
      },
    };
    signal.addEventListener('abort', abandon, { once: true });
    waiters.add(waiter);
    this.waitingCount++;
  }

  /** The first of the account with the fewest turns, then served longest ago. */
  next(): Waiter | undefined {
    if (this.waitingCount === 0) return undefined;
    const turnsOfEach = this.#turnsOfEach();
    let chosen: Account | undefined;
    for (const [accountId, account] of this.#accounts) {
      if (account.waiters.size === 0 || account.runningCount >= turnsOfEach) continue;
      if (!this.#room.hasRoom(accountId)) continue;
      if (!chosen || account.runningCount < chosen.runningCount) chosen = account;
    }
    const [first] = chosen?.waiters ?? [];
    return first;
  }

  /** The account comes behind all others in the order of turns. */
  begun({ accountId }: QueryClaim): void {
    const account = this.#accountOf(accountId);
    account.runningCount++;
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  ended({ accountId }: QueryClaim): void {
    this.#accountOf(accountId).runningCount--;
  }

  #accountOf(accountId: number): Account {
    const account = this.#accounts.getOrInsertComputed(accountId, () => ({
      runningCount: 0,
      activeAtMs: 0,
      waiters: new Set(),
    }));
    account.activeAtMs = performance.now();
    return account;
  }

  /** How many turns each account may have at the same time, by how many there are. */
  #turnsOfEach(): number {
    const idleSinceMs = performance.now() - KEPT_FREE_MS;
    for (const [accountId, { runningCount, waiters, activeAtMs }] of this.#accounts) {
      const isIdle = runningCount === 0 && waiters.size === 0;
      if (isIdle && activeAtMs < idleSinceMs) this.#accounts.delete(accountId);
    }
    return Math.max(1, Math.floor(this.#options.queriesMax / this.#accounts.size));
  }
}

export class QueryGate {
  readonly #queue: AccountQueue;
  readonly #semaphore: Semaphore<QueryClaim>;

  constructor(options: QueryGateOptions, room: AnswerRoom) {
    this.#queue = new AccountQueue(options, room);
    this.#semaphore = new Semaphore(options.queriesMax, this.#queue);
    room.onFreed(() => this.#semaphore.passOn());
  }

  get runningCount(): number {
    return this.#semaphore.runningCount;
  }

  get waitingCount(): number {
    return this.#queue.waitingCount;
  }

  /** Since the start. */
  get refusedCount(): number {
    return this.#queue.refusedCount;
  }

  /**
   * Runs `work` when its turn comes; an ApiError 'unavailable' when too many wait already. Aborting
   * the signal gives the place in the queue up; a turn ends when `work` does, so it has to heed the
   * signal itself.
   */
  async run<T>(accountId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    return await this.#semaphore.run({ accountId, signal }, work);
  }
}
