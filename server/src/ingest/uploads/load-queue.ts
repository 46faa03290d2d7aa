/** Runs one load at a time: a second one would slow down both, and the requests. */

export class LoadQueue {
  readonly #waitingMax: number;
  readonly #stopping = new AbortController();
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  get isFull(): boolean {
    return this.#waiting >= this.#waitingMax;
  }

  /** Runs `work` when its turn comes; it must not reject. */
  add(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#waiting += 1;
    const { signal } = this.#stopping;
    this.#last = this.#last
      .then(() => work(signal))
      .finally(() => {
        this.#waiting -= 1;
      });
    return this.#last;
  }

  /** Stops what runs; resolves when nothing does any more. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'));
    await this.#last;
  }
}
