/** Work that is done over and over, each time some while after the last one has ended. */
export class RepeatedWork {
  /** Told why the work failed, which is done again all the same. */
  onFailure: (error: unknown) => void = () => undefined;
  readonly #work: () => Promise<void>;
  readonly #intervalMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isStopped = false;

  /**
   * Begins when the interval has passed once, which may be another one each time. Keeps no process
   * alive.
   */
  constructor(work: () => Promise<void>, intervalMs: number | (() => number)) {
    this.#work = work;
    this.#intervalMs = typeof intervalMs === 'number' ? () => intervalMs : intervalMs;
    this.#wait();
  }

  /** Resolves when it is not being done any more, and will not be. */
  async close(): Promise<void> {
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
    await this.#work().catch((error) => this.onFailure(error));
    if (!this.#isStopped) this.#wait();
  }
}
