/**
 * Turns for costly work, few at a time. Sources that wait take turns with each other, however much
 * each of them waits for, and those who are known take every other turn, so that a flood slows
 * itself down. When the queue is full, a source that waits for more than another makes room for it.
 */
import { ApiError } from '../base/errors.ts';
import { Semaphore, type Waiter, type WaitingQueue } from '../base/semaphore.ts';

export interface Turn {
  /** The source of the work. */
  readonly source: string;
  readonly isKnown: boolean;
}

/** Waiting work by source. The source whose turn is next comes first. */
export class Lane<Work> {
  readonly #waiters = new Map<string, Work[]>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(source: string, waiter: Work): void {
    this.#waiters.getOrInsertComputed(source, () => []).push(waiter);
    this.#count++;
  }

  /** Takes the first waiter of the source whose turn it is; that source is then last in line. */
  next(): Work | undefined {
    for (const [source, waiters] of this.#waiters) {
      const waiter = waiters.shift();
      this.#waiters.delete(source);
      if (waiters.length > 0) this.#waiters.set(source, waiters);
      this.#count--;
      return waiter;
    }
    return undefined;
  }

  /** Takes the last waiter of the source with the most waiters; none unless `source` has fewer. */
  makeRoomFor(source: string): Work | undefined {
    let most: Work[] = [];
    for (const waiters of this.#waiters.values()) if (waiters.length > most.length) most = waiters;
    // Counts the one that asks, which is about to wait.
    if (most.length <= (this.#waiters.get(source)?.length ?? 0) + 1) return undefined;
    this.#count--;
    return most.pop();
  }
}

class FairQueue implements WaitingQueue<Turn> {
  readonly #waitingMax: number;
  readonly #known = new Lane<Waiter>();
  readonly #others = new Lane<Waiter>();
  #isTurnOfKnown = true;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  add({ source, isKnown }: Turn, waiter: Waiter): void {
    const lane = isKnown ? this.#known : this.#others;
    if (lane.count >= this.#waitingMax) {
      const refusal = new ApiError('unavailable', 'Service unavailable');
      const displaced = lane.makeRoomFor(source);
      if (!displaced) throw refusal;
      displaced.refuse(refusal);
    }
    lane.add(source, waiter);
  }

  next(): Waiter | undefined {
    const [first, second] = this.#isTurnOfKnown
      ? [this.#known, this.#others]
      : [this.#others, this.#known];
    this.#isTurnOfKnown = !this.#isTurnOfKnown;
    return first.next() ?? second.next();
  }
}

/**
 * `waitingMax` is for those who are known, and again for all others. Past it, work is refused with
 * an ApiError 'unavailable'.
 */
export function fairTurns(runningMax: number, waitingMax: number): Semaphore<Turn> {
  return new Semaphore(runningMax, new FairQueue(waitingMax));
}
