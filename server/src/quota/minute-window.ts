/**
 * Usage in the last 60 seconds. Requests of about one second share an entry, which leaves
 * when its last request is 60 seconds old: nothing is forgotten too early, nothing counts for more
 * than a second too long, and a window never has more than 61 entries, whatever the request rate.
 */
import {
  addUsage,
  noUsage,
  type Quantity,
  subtractUsage,
  type UsageAmounts,
  type UsageSums,
} from '../store/quantities.ts';
import type { MomentUsage } from '../store/usage.ts';

export const WINDOW_MS = 60_000;
/** How far the requests of one entry may be apart. */
const ENTRY_MS = 1000;

interface Entry {
  readonly firstMs: number;
  lastMs: number;
  readonly sums: UsageSums;
}

function entryAt(atMs: number): Entry {
  return { firstMs: atMs, lastMs: atMs, sums: noUsage() };
}

export class MinuteWindow {
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  #sums = noUsage();

  /** Times that go back count as the latest one. */
  add(usage: MomentUsage): void {
    this.#drop(usage.atMs);
    addUsage(this.#sums, usage);
    const entry = this.#entryFor(usage.atMs);
    entry.lastMs = Math.max(entry.lastMs, usage.atMs);
    addUsage(entry.sums, usage);
  }

  /** The last one, or a new one after it. */
  #entryFor(atMs: number): Entry {
    const last = this.#entries.at(-1);
    if (last && atMs - last.firstMs < ENTRY_MS) return last;
    const entry = entryAt(atMs);
    this.#entries.push(entry);
    return entry;
  }

  used(nowMs: number): UsageAmounts {
    this.#drop(nowMs);
    return { ...this.#sums };
  }

  get entryCount(): number {
    return this.#entries.length;
  }

  /**
   * When less than `limit` of a quantity is left in the window if only `next` is still added; 60
   * seconds after it where that can never be.
   */
  clearsAtMs(quantity: Quantity, limit: number, next: MomentUsage): number {
    const window = this.#copy();
    window.add(next);
    let left = window.used(next.atMs)[quantity];
    for (const entry of window.#entries) {
      left -= entry.sums[quantity];
      if (left < limit) return entry.lastMs + WINDOW_MS;
    }
    return next.atMs + WINDOW_MS;
  }

  #copy(): MinuteWindow {
    const copy = new MinuteWindow();
    copy.#entries.push(...this.#entries.map((entry) => ({ ...entry, sums: { ...entry.sums } })));
    copy.#sums = { ...this.#sums };
    return copy;
  }

  #drop(nowMs: number): void {
    let [oldest] = this.#entries;
    while (oldest && nowMs - oldest.lastMs >= WINDOW_MS) {
      this.#entries.shift();
      subtractUsage(this.#sums, oldest.sums);
      [oldest] = this.#entries;
    }
  }
}
