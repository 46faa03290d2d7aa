/**
 * Bounds the memory that answers take up until their clients have fetched them: queries wait for
 * room, other answers are refused. A small one is always given: a connection has at most one.
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
  readonly #onFreed: (() => void)[] = [];
  #byteCount = 0;

  constructor(options: UnsentBytesOptions) {
    this.#options = options;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** False while clients leave as much unfetched as may be held for them. */
  hasRoom(holder: Holder): boolean {
    const { unsentBytesMax, unsentBytesPerAccountMax } = this.#options;
    const own = this.#ofHolder.get(holder) ?? 0;
    return this.#byteCount < unsentBytesMax && own < unsentBytesPerAccountMax;
  }

  /** Calls the listener whenever there may be room again. */
  onFreed(listener: () => void): void {
    this.#onFreed.push(listener);
  }

  /** An ApiError 'unavailable' where an answer of so many bytes has no room; small ones pass. */
  requireRoomFor(holder: Holder, byteCount: number): void {
    if (byteCount <= SMALL_ANSWER_BYTES || this.hasRoom(holder)) return;
    throw new ApiError('unavailable', 'Service unavailable');
  }

  /** Counts the bytes until the response is sent to its end or its client is gone. */
  hold(holder: Holder, byteCount: number, response: ServerResponse): void {
    if (byteCount === 0 || response.destroyed) return;
    this.#add(holder, byteCount);
    const release = () => {
      response.off('finish', release).off('close', release);
      this.#add(holder, -byteCount);
      for (const listener of this.#onFreed) listener();
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
