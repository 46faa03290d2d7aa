/**
 * Lets requests begin a few at a time, in turns by whom they are from: a client that asks for much
 * waits behind itself, and nobody else does.
 */
import { Lane } from '../access/fair-turns.ts';

/** The time for which requests begin in one turn of the event loop. */
const BEGIN_MS = 1;

export class PacedStarts {
  readonly #waiting = new Lane<() => void>();
  #isBeginning = false;
  /** Clients have connected since requests began last. */
  #hasArrivals = false;
  #arrivalsUntilMs = 0;
  #turnSinceMs = 0;

  /** Calls `begin` in the source's turn. */
  add(source: string, begin: () => void): void {
    this.#waiting.add(source, begin);
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    this.#beginLater();
  }

  /**
   * A turn of the event loop accepts only one connection. Those that wait behind this one get turns
   * in which nothing begins, for as long as what began last has taken.
   */
  noteArrival(): void {
    this.#hasArrivals = true;
  }

  #beginLater(): void {
    setImmediate(() => {
      const nowMs = performance.now();
      const isForArrivals = this.#hasArrivals && nowMs < this.#arrivalsUntilMs;
      this.#hasArrivals = false;
      this.#turnSinceMs = nowMs;
      if (isForArrivals) this.#beginLater();
      else this.#beginNext();
    });
  }

  #beginNext(): void {
    try {
      this.#waiting.next()?.();
    } finally {
      // Runs after all that the request does before it waits for something.
      queueMicrotask(() => process.nextTick(() => this.#goOn()));
    }
  }

  #goOn(): void {
    const nowMs = performance.now();
    const tookMs = nowMs - this.#turnSinceMs;
    this.#arrivalsUntilMs = nowMs + tookMs;
    this.#isBeginning = this.#waiting.count > 0;
    if (!this.#isBeginning) return;
    if (tookMs < BEGIN_MS) this.#beginNext();
    else this.#beginLater();
  }
}
