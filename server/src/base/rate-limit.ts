/** Counts what each of many keys does in a minute or another window, and says whether it may go on. In memory, so a restart begins anew. */
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';
import { RateWindow, WINDOW_MS } from './rate-window.ts';

const ONCE = { times: 1 } as const;

export interface RateLimitOptions {
  readonly clock: Clock;
  /** Times in the window. */
  readonly timesMax: number;
  /** Default: a minute. */
  readonly windowMs?: number;
  /** Keys that are remembered; the one that was counted longest ago makes room. */
  readonly keysMax: number;
}

export class RateLimit<Key extends string | number> {
  readonly #options: RateLimitOptions;
  readonly #windowMs: number;
  readonly #windows: LRUCache<Key, RateWindow<'times'>>;

  constructor(options: RateLimitOptions) {
    this.#options = options;
    this.#windowMs = options.windowMs ?? WINDOW_MS;
    // By size, since a number of entries is made room for at once.
    this.#windows = new LRUCache({ maxSize: options.keysMax, sizeCalculation: () => 1 });
  }

  isReached(key: Key): boolean {
    const { clock, timesMax } = this.#options;
    const nowMs = clock.now();
    return (this.#windowOf(key, nowMs)?.used(nowMs).times ?? 0) >= timesMax;
  }

  /** Counts one time; the function that is returned takes it back. */
  count(key: Key): () => void {
    const nowMs = this.#options.clock.now();
    const window = this.#windowOf(key, nowMs) ?? new RateWindow(['times'], this.#windowMs);
    this.#windows.set(key, window);
    const entry = window.add({ atMs: nowMs, ...ONCE });
    return () => window.takeBack(entry, ONCE);
  }

  get keyCount(): number {
    return this.#windows.size;
  }

  /** None where a clock that was set back far would keep it for long. */
  #windowOf(key: Key, nowMs: number): RateWindow<'times'> | undefined {
    const window = this.#windows.peek(key);
    return (window?.lastMs ?? nowMs) - nowMs < this.#windowMs ? window : undefined;
  }
}
