/**
 * Bounds the memory that answers take up until their clients have fetched them. A small answer is
 * always given: a connection has at most one.
 */
import type { ServerResponse } from 'node:http';
import { ApiError } from './errors.ts';

export interface UnsentBytesOptions {
  readonly unsentBytesMax: number;
  readonly unsentBytesPerAccountMax: number;
}

/** For whom answers are held; all for whom nobody is counted share what one account may have. */
export type Holder = number | null;

const SMALL_ANSWER_BYTES = 16 * 1024;

export class UnsentBytes {
  readonly #options: UnsentBytesOptions;
  readonly #ofHolder = new Map<Holder, number>();
  #byteCount = 0;

  constructor(options: UnsentBytesOptions) {
    this.#options = options;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** An ApiError 'unavailable' while clients leave as much unfetched as may be held for them. */
  requireRoom(holder: Holder): void {
    const { unsentBytesMax, unsentBytesPerAccountMax } = this.#options;
    const own = this.#ofHolder.get(holder) ?? 0;
    if (this.#byteCount < unsentBytesMax && own < unsentBytesPerAccountMax) return;
    throw new ApiError('unavailable', 'Service unavailable');
  }

  /** As above for an answer of so many bytes; small ones always pass. */
  requireRoomFor(holder: Holder, byteCount: number): void {
    if (byteCount > SMALL_ANSWER_BYTES) this.requireRoom(holder);
  }

  /** Counts the bytes until the response is sent to its end or its client is gone. */
  hold(holder: Holder, byteCount: number, response: ServerResponse): void {
    if (byteCount === 0 || response.destroyed) return;
    this.#add(holder, byteCount);
    const release = () => {
      response.off('finish', release).off('close', release);
      this.#add(holder, -byteCount);
    };
    response.on('finish', release).on('close', release);
  }

  #add(holder: Holder, byteCount: number): void {
    this.#byteCount += byteCount;
    const own = (this.#ofHolder.get(holder) ?? 0) + byteCount;
    if (own === 0) this.#ofHolder.delete(holder);
    else this.#ofHolder.set(holder, own);
  }
}
