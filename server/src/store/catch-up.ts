/**
 * Brings a copy in memory up to date before it is read, once for all who wait at that moment.
 * Whoever asks sees every change that was committed before, by whatever process.
 */
export class CatchUp {
  readonly #read: () => Promise<void>;
  readonly #gather: (() => Promise<void>) | null;
  #running: Promise<void> | null = null;
  /** Has not begun to read, so that changes made until now count. */
  #next: Promise<void> | null = null;

  /**
   * `read` takes over what has changed since it was called last; it never runs twice at a time.
   * `gather`: waits for more who ask before it begins.
   */
  constructor(read: () => Promise<void>, gather: (() => Promise<void>) | null = null) {
    this.#read = read;
    this.#gather = gather;
  }

  /** Resolves after a reading that began after this call; rejects where that one fails. */
  now(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null && this.#gather === null) return this.#begin();
    this.#next = this.#afterRunning().then(() => this.#begin());
    return this.#next;
  }

  async #afterRunning(): Promise<void> {
    await this.#running?.catch(() => undefined);
    await this.#gather?.();
  }

  #begin(): Promise<void> {
    this.#next = null;
    const reading = this.#read().finally(() => {
      if (this.#running === reading) this.#running = null;
    });
    this.#running = reading;
    return reading;
  }
}
