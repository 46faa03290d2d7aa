/**
 * Lets a bounded number of queries run at once and a bounded number wait for their turn. Turns are
 * dealt out by account, not by query, so that an account that asks for much waits for itself: alone
 * it may have every turn, beside others an equal share of them. One whose clients leave too many
 * answers unread gets no turn until they read.
 */
import { ApiError } from '../base/errors.ts';
import { Semaphore, type Waiter, type WaitingQueue } from '../base/semaphore.ts';
import type { QueryPlan } from './query-plan.ts';

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
  /** Few of them run at the same time: they take up much memory. */
  readonly isLarge: boolean;
}

/** Queries of one account; kept as long as there are any, and a while longer. */
interface Account {
  runningCount: number;
  activeAtMs: number;
  /** In the order of their arrival; true for large ones. */
  readonly waiters: Map<Waiter, boolean>;
}

const hasLarge = (waiters: Account['waiters']) => waiters.values().some((isLarge) => isLarge);

/** About as many rows as two threads of an engine have in memory of a page that it streams. */
const ROWS_AT_ONCE = 2 * 61_440;
const SMALL_CELLS_MAX = 2_000_000;
/** One of so many queries that may run may be large. */
const QUERIES_OF_LARGE = 3;

/**
 * True for a page by columns that has much in memory at once: three of 62 columns took up 130 MB
 * more than one.
 */
export function isLargePage({ columns, limit, scannedRows }: QueryPlan): boolean {
  return columns.length * Math.min(limit, scannedRows, ROWS_AT_ONCE) > SMALL_CELLS_MAX;
}

class AccountQueue implements WaitingQueue<QueryClaim> {
  readonly #options: QueryGateOptions;
  readonly #room: AnswerRoom;
  /** By account; the account that was served last is the last one. */
  readonly #accounts = new Map<number, Account>();
  waitingCount = 0;
  #largeCount = 0;
  /** Accounts that wait for a large query, in the order in which they may have one. */
  readonly #waitingForLarge = new Set<number>();
  /** Since the start. */
  refusedCount = 0;

  constructor(options: QueryGateOptions, room: AnswerRoom) {
    this.#options = options;
    this.#room = room;
  }

  mayBegin({ accountId, isLarge }: QueryClaim): boolean {
    const account = this.#accountOf(accountId);
    if (isLarge && !this.#mayBeginLarge(accountId)) return false;
    if (this.#firstOf(accountId, account)) return false;
    return account.runningCount < this.#turnsOfEach() && this.#room.hasRoom(accountId);
  }

  add({ accountId, signal, isLarge }: QueryClaim, { begin, refuse }: Waiter): void {
    const { waiters } = this.#accountOf(accountId);
    const { queueMax, queuePerAccountMax } = this.#options;
    if (this.waitingCount >= queueMax || waiters.size >= queuePerAccountMax) {
      this.refusedCount++;
      throw new ApiError('unavailable', 'Service unavailable');
    }
    const leave = () => {
      signal.removeEventListener('abort', abandon);
      waiters.delete(waiter);
      if (!hasLarge(waiters)) this.#waitingForLarge.delete(accountId);
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
    waiters.set(waiter, isLarge);
    if (isLarge) this.#waitingForLarge.add(accountId);
    this.waitingCount++;
  }

  /** The first of the account with the fewest turns, then served longest ago. */
  next(): Waiter | undefined {
    if (this.waitingCount === 0) return undefined;
    const turnsOfEach = this.#turnsOfEach();
    let chosen: { readonly first: Waiter; readonly runningCount: number } | undefined;
    for (const [accountId, account] of this.#accounts) {
      const first = this.#firstOf(accountId, account);
      const { runningCount } = account;
      if (!first || runningCount >= turnsOfEach || !this.#room.hasRoom(accountId)) continue;
      if (!chosen || runningCount < chosen.runningCount) chosen = { first, runningCount };
    }
    return chosen?.first;
  }

  /** The first of an account that need not wait for a large one. */
  #firstOf(accountId: number, { waiters }: Account): Waiter | undefined {
    const mayBeLarge = this.#mayBeginLarge(accountId);
    for (const [waiter, isLarge] of waiters) if (!isLarge || mayBeLarge) return waiter;
    return undefined;
  }

  /**
   * True if a turn for large queries is left after the accounts that come first. These may have to
   * wait for others of their queries to end; one that always has some would never get its turn.
   */
  #mayBeginLarge(accountId: number): boolean {
    let takenCount = this.#largeCount;
    for (const before of this.#waitingForLarge) {
      if (before === accountId) break;
      if (this.#room.hasRoom(before)) takenCount++;
    }
    return takenCount < Math.max(1, Math.floor(this.#options.queriesMax / QUERIES_OF_LARGE));
  }

  /** The account comes behind all others in the order of turns. */
  begun({ accountId, isLarge }: QueryClaim): void {
    const account = this.#accountOf(accountId);
    account.runningCount++;
    if (isLarge) this.#passLargeOn(accountId, account, 1);
    this.#accounts.delete(accountId);
    this.#accounts.set(accountId, account);
  }

  ended({ accountId, isLarge }: QueryClaim): void {
    const account = this.#accountOf(accountId);
    account.runningCount--;
    if (isLarge) this.#passLargeOn(accountId, account, -1);
  }

  /** Others that wait for a large query have theirs before the next one of this account. */
  #passLargeOn(accountId: number, { waiters }: Account, more: 1 | -1): void {
    this.#largeCount += more;
    this.#waitingForLarge.delete(accountId);
    if (hasLarge(waiters)) this.#waitingForLarge.add(accountId);
  }

  #accountOf(accountId: number): Account {
    const account = this.#accounts.getOrInsertComputed(accountId, () => ({
      runningCount: 0,
      activeAtMs: 0,
      waiters: new Map(),
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
  async run<T>(
    accountId: number,
    signal: AbortSignal,
    work: () => Promise<T>,
    isLarge = false,
  ): Promise<T> {
    signal.throwIfAborted();
    try {
      return await this.#semaphore.run({ accountId, signal, isLarge }, work);
    } finally {
      // Who has left the queue may have kept a turn free.
      if (signal.aborted) this.#semaphore.passOn();
    }
  }
}
