/** Work that is done over and over, each time some while after the last one has ended. */
export class RepeatedWork {
  readonly #work: () => Promise<void>;
  readonly #intervalMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /**
   * Begins when the interval has passed once, which may be another one each time. Keeps no process
   * alive. `work` must not reject.
   */
  constructor(work: () => Promise<void>, intervalMs: number | (() => number)) {
    this.#work = work;
    this.#intervalMs = typeof intervalMs === 'number' ? () => intervalMs : intervalMs;
    this.#wait();
  }

  /** Resolves when it is not being done any more, and will not be. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  #wait(): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#run();
    }, this.#intervalMs()).unref();
  }

  async #run(): Promise<void> {
    await this.#work();
    if (!this.#isStopped) this.#wait();
  }
}
