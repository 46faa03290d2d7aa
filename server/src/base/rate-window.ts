import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

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

/**
 * Sums of the last 60 seconds. What happens within about one second shares an entry, which leaves
 * when the last of it is 60 seconds old: nothing is forgotten too early, nothing counts for more
 * than a second too long, and a window never has more than 61 entries, however much happens. A
 * clock that is set back counts as standing still.
 */
export const WINDOW_MS = 60_000;
/** How far what shares an entry may be apart. */
const ENTRY_MS = 1000;

type Amounts<Quantity extends string> = Readonly<Record<Quantity, number>>;
type Moment<Quantity extends string> = Amounts<Quantity> & { readonly atMs: number };

export interface Entry<Quantity extends string> {
  readonly firstMs: number;
  lastMs: number;
  readonly sums: Record<Quantity, number>;
}

export class RateWindow<Quantity extends string> {
  readonly #quantities: readonly Quantity[];
  readonly #windowMs: number;
  /** Oldest first. */
  readonly #entries: Entry<Quantity>[] = [];
  #sums: Record<Quantity, number>;

  /** `windowMs`: another length than 60 seconds; at most one entry a second. */
  constructor(quantities: readonly Quantity[], windowMs = WINDOW_MS) {
    this.#quantities = quantities;
    this.#windowMs = windowMs;
    this.#sums = this.#none();
  }

  /** The entry is what `takeBack` needs. */
  add(moment: Moment<Quantity>): Entry<Quantity> {
    this.#drop(moment.atMs);
    const entry = this.#entryFor(moment.atMs);
    entry.lastMs = Math.max(entry.lastMs, moment.atMs);
    this.#change(this.#sums, moment, 1);
    this.#change(entry.sums, moment, 1);
    return entry;
  }

  /** Undoes an `add`, unless it has left the window already. */
  takeBack(entry: Entry<Quantity>, amounts: Amounts<Quantity>): void {
    if (!this.#entries.includes(entry)) return;
    this.#change(this.#sums, amounts, -1);
    this.#change(entry.sums, amounts, -1);
  }

  used(nowMs: number): Amounts<Quantity> {
    this.#drop(nowMs);
    return { ...this.#sums };
  }

  /** When the latest was added; null where the window is empty. */
  get lastMs(): number | null {
    return this.#entries.at(-1)?.lastMs ?? null;
  }

  get entryCount(): number {
    return this.#entries.length;
  }

  /**
   * When less than `limit` of a quantity is left in the window if only `next` is still added; 60
   * seconds after it where that can never be.
   */
  clearsAtMs(quantity: Quantity, limit: number, next: Moment<Quantity>): number {
    const window = new RateWindow(this.#quantities, this.#windowMs);
    window.#entries.push(...this.#entries.map((entry) => ({ ...entry, sums: { ...entry.sums } })));
    window.#sums = { ...this.#sums };
    window.add(next);
    let left = window.used(next.atMs)[quantity];
    for (const entry of window.#entries) {
      left -= entry.sums[quantity];
      if (left < limit) return entry.lastMs + this.#windowMs;
    }
    return next.atMs + this.#windowMs;
  }

  /** The last one, or a new one after it. */
  #entryFor(atMs: number): Entry<Quantity> {
    const last = this.#entries.at(-1);
    if (last && atMs - last.firstMs < ENTRY_MS) return last;
    const entry = { firstMs: atMs, lastMs: atMs, sums: this.#none() };
    this.#entries.push(entry);
    return entry;
  }

  #none(): Record<Quantity, number> {
    const sums: Partial<Record<Quantity, number>> = {};
    for (const quantity of this.#quantities) sums[quantity] = 0;
    return sums as Record<Quantity, number>;
  }

  #change(sums: Record<Quantity, number>, amounts: Amounts<Quantity>, sign: 1 | -1): void {
    for (const quantity of this.#quantities) sums[quantity] += sign * amounts[quantity];
  }

  #drop(nowMs: number): void {
    let [oldest] = this.#entries;
    while (oldest && nowMs - oldest.lastMs >= this.#windowMs) {
      this.#entries.shift();
      this.#change(this.#sums, oldest.sums, -1);
      [oldest] = this.#entries;
    }
  }
}
