/**
 * Brings a copy in memory up to date before it is read, once for all who wait at that moment. Whoever
 * asks sees every change that was committed before, by whatever process.
 */
export class CatchUp {
  readonly #read: () => Promise<void>;
  #running: Promise<void> | null = null;
  /** Has not begun to read, so that changes made until now count. */
  #next: Promise<void> | null = null;

  /** `read` takes over what has changed since it was called last; it never runs twice at a time. */
  constructor(read: () => Promise<void>) {
    this.#read = read;
  }

  /** Resolves after a reading that began after this call; rejects where that one fails. */
  now(): Promise<void> {
    if (this.#next !== null) return this.#next;
    if (this.#running === null) return this.#begin();
    const begin = () => this.#begin();
    this.#next = this.#running.then(begin, begin);
    return this.#next;
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
