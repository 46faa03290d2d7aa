/** Runs work while few enough others run. A queue of those who wait says whose turn is next. */

/** Who waits. One of the two is called, once, after it was taken out of the queue. */
export interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: unknown) => void;
}

export interface WaitingQueue<Claim> {
  /** True if work may begin as soon as a turn is free. */
  mayBegin?(claim: Claim): boolean;
  /** Throws where too many wait. */
  add(claim: Claim, waiter: Waiter): void;
  /** Takes out the one whose turn it is; undefined where nobody may have a turn now. */
  next(): Waiter | undefined;
  /** The turn has come. */
  begun?(claim: Claim): void;
  /** The turn is over. */
  ended?(claim: Claim): void;
}

/** Turns in the order of arrival, however many wait. */
export class ArrivalQueue implements WaitingQueue<unknown> {
  readonly #waiters: Waiter[] = [];

  add(_: unknown, waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  next(): Waiter | undefined {
    return this.#waiters.shift();
  }
}

export class Semaphore<Claim> {
  readonly #runningMax: number;
  readonly #queue: WaitingQueue<Claim>;
  #runningCount = 0;

  constructor(runningMax: number, queue: WaitingQueue<Claim>) {
    this.#runningMax = runningMax;
    this.#queue = queue;
  }

  get runningCount(): number {
    return this.#runningCount;
  }

  /** Runs the work when its turn comes. Rejects with the queue's error where it is refused one. */
  async run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    await this.#turn(claim);
    try {
      return await work();
    } finally {
      this.#runningCount--;
      this.#queue.ended?.(claim);
      this.passOn();
    }
  }

  async #turn(claim: Claim): Promise<void> {
    const isFree = this.#runningCount < this.#runningMax;
    if (isFree && (this.#queue.mayBegin?.(claim) ?? true)) return this.#begin(claim);
    await new Promise<void>((resolve, refuse) => {
      const begin = () => {
        this.#begin(claim);
        resolve();
      };
      this.#queue.add(claim, { begin, refuse });
    });
  }

  #begin(claim: Claim): void {
    this.#runningCount++;
    this.#queue.begun?.(claim);
  }

  /**
   * Gives free turns to those who may have them now. At once, so that nobody comes between. The
   * queue may have kept several turns free.
   */
  passOn(): void {
    while (this.#runningCount < this.#runningMax) {
      const next = this.#queue.next();
      if (!next) return;
      next.begin();
    }
  }
}
