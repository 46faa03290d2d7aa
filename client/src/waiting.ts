/** Waits that an `AbortSignal` ends, and answers that are asked for once. */

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Reads once and keeps the result; after a failure, the next call reads again. */
export function kept<T, Words extends unknown[]>(
  read: (...words: Words) => Promise<T>,
): (...words: Words) => Promise<T> {
  let held: Promise<T> | null = null;
  return async (...words) => {
    held ??= read(...words);
    try {
      return await held;
    } catch (error) {
      held = null;
      throw error;
    }
  };
}

/** Shared by all requests of a client. */
export class Gate {
  #opensAtMs = 0;

  closeUntil(atMs: number): void {
    this.#opensAtMs = Math.max(this.#opensAtMs, atMs);
  }

  async pass(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = this.#opensAtMs - Date.now();
      if (waitMs <= 0) return;
      await sleep(waitMs, signal);
    }
  }
}
