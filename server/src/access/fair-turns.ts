/**
 * Turns for costly work, few at a time. Sources that wait take turns with each other, however much
 * each of them waits for, and those who are known take every other turn, so that a flood slows
 * itself down. When the queue is full, a source that waits for more than another makes room for it.
 */
import { ApiError } from '../base/errors.ts';

export interface Turn {
  /** Who asks. */
  readonly source: string;
  readonly isKnown: boolean;
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: ApiError) => void;
}

/** Those who wait, by source: the source whose turn is next comes first. */
class Lane {
  readonly #waiters = new Map<string, Waiter[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(source: string, waiter: Waiter): void {
    const own = this.#waiters.get(source);
    if (own) own.push(waiter);
    else this.#waiters.set(source, [waiter]);
    this.#count++;
  }

  /** The first of the source whose turn it is, which then comes after all others. */
  next(): Waiter | undefined {
    for (const [source, waiters] of this.#waiters) {
      const waiter = waiters.shift();
      this.#waiters.delete(source);
      if (waiters.length > 0) this.#waiters.set(source, waiters);
      this.#count--;
      return waiter;
    }
    return undefined;
  }

  /** Takes out the last of the source that waits for most; none unless `source` waits for less. */
  makeRoomFor(source: string): Waiter | undefined {
    let most: Waiter[] = [];
    for (const waiters of this.#waiters.values()) if (waiters.length > most.length) most = waiters;
    // Counts the one that asks, which is about to wait.
    if (most.length <= (this.#waiters.get(source)?.length ?? 0) + 1) return undefined;
    this.#count--;
    return most.pop();
  }
}

export class FairTurns {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #known = new Lane();
  readonly #others = new Lane();
  #running = 0;
  #isTurnOfKnown = true;

  /** `waitingMax` is for those who are known, and again for all others. */
  constructor(runningMax: number, waitingMax: number) {
    this.#runningMax = runningMax;
    this.#waitingMax = waitingMax;
  }

  /** Runs the work when its turn comes. Rejects with an ApiError 'unavailable' when too many wait. */
  async run<T>({ source, isKnown }: Turn, work: () => Promise<T>): Promise<T> {
    await this.#turn(source, isKnown ? this.#known : this.#others);
    try {
      return await work();
    } finally {
      const next = this.#next();
      // The turn is handed on, so that nobody comes between.
      if (next) next.begin();
      else this.#running--;
    }
  }

  async #turn(source: string, lane: Lane): Promise<void> {
    if (this.#running < this.#runningMax) {
      this.#running++;
      return;
    }
    const refusal = new ApiError('unavailable', 'Service unavailable');
    if (lane.count >= this.#waitingMax) {
      const waiter = lane.makeRoomFor(source);
      if (!waiter) throw refusal;
      waiter.refuse(refusal);
    }
    await new Promise<void>((begin, refuse) => lane.add(source, { begin, refuse }));
  }

  #next(): Waiter | undefined {
    const [first, second] = this.#isTurnOfKnown
      ? [this.#known, this.#others]
      : [this.#others, this.#known];
    this.#isTurnOfKnown = !this.#isTurnOfKnown;
    return first.next() ?? second.next();
  }
}
