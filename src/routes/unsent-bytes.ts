/** Bounds the memory that pages take up until their clients have fetched them. */
import type { ServerResponse } from 'node:http';
import { ApiError } from '../errors.ts';

export interface UnsentBytesOptions {
  readonly unsentBytesMax: number;
  readonly unsentBytesPerIdentityMax: number;
}

export class UnsentBytes {
  readonly #options: UnsentBytesOptions;
  readonly #ofIdentity = new Map<number, number>();
  #byteCount = 0;

  constructor(options: UnsentBytesOptions) {
    this.#options = options;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** An ApiError 503 while clients leave as much unfetched as may be held for them. */
  requireRoom(identityId: number): void {
    const { unsentBytesMax, unsentBytesPerIdentityMax } = this.#options;
    const own = this.#ofIdentity.get(identityId) ?? 0;
    if (this.#byteCount < unsentBytesMax && own < unsentBytesPerIdentityMax) return;
    throw new ApiError(503, 'Service unavailable');
  }

  /** Counts the bytes until the response is sent to its end or its client is gone. */
  hold(identityId: number, byteCount: number, response: ServerResponse): void {
    if (response.destroyed) return;
    this.#add(identityId, byteCount);
    const release = () => {
      response.off('finish', release).off('close', release);
      this.#add(identityId, -byteCount);
    };
    response.on('finish', release).on('close', release);
  }

  #add(identityId: number, byteCount: number): void {
    this.#byteCount += byteCount;
    const own = (this.#ofIdentity.get(identityId) ?? 0) + byteCount;
    if (own === 0) this.#ofIdentity.delete(identityId);
    else this.#ofIdentity.set(identityId, own);
  }
}
