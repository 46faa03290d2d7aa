/** Batches on their way from one producer to the one publication that reads them. */
import type { ColumnBatch } from 'ticklake/engine/columns.ts';

export class BatchChannel implements AsyncIterable<ColumnBatch> {
  readonly #waiting: ColumnBatch[] = [];
  readonly #onTaken: () => void;
  #wake: (() => void) | null = null;
  #isClosed = false;
  #failure: unknown = null;

  /** `onTaken` is called for each batch when the reader takes it. */
  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
  }

  push(batch: ColumnBatch): void {
    this.#waiting.push(batch);
    this.#wake?.();
  }

  /** No more batches follow. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  /** The reader gets the failure in place of further batches. */
  fail(failure: unknown): void {
    this.#failure = failure;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ColumnBatch> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const batch = this.#waiting.shift();
      if (batch) {
        this.#onTaken();
        yield batch;
      } else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
