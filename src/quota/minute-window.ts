/**
 * Usage in the last 60 seconds. Requests of about one second share an entry, which leaves
 * when its last request is 60 seconds old: nothing is forgotten too early, nothing counts for more
 * than a second too long, and a window never has more than 61 entries, whatever the request rate.
 */
import type { MomentUsage, UsageAmounts } from '../store/usage.ts';

export const WINDOW_MS = 60_000;
/** How far the requests of one entry may be apart. */
const ENTRY_MS = 1000;

interface Entry {
  readonly firstMs: number;
  lastMs: number;
  requests: number;
  scannedBytes: number;
  returnedBytes: number;
}

function entryOf({ atMs, requests, scannedBytes, returnedBytes }: MomentUsage): Entry {
  return { firstMs: atMs, lastMs: atMs, requests, scannedBytes, returnedBytes };
}

export class MinuteWindow {
  /** Oldest first. */
  readonly #entries: Entry[] = [];
  #requests = 0;
  #scannedBytes = 0;
  #returnedBytes = 0;

  /** Times that go back count as the latest one. */
  add(usage: MomentUsage): void {
    this.#drop(usage.atMs);
    this.#requests += usage.requests;
    this.#scannedBytes += usage.scannedBytes;
    this.#returnedBytes += usage.returnedBytes;
    const last = this.#entries.at(-1);
    if (!last || usage.atMs - last.firstMs >= ENTRY_MS) {
      this.#entries.push(entryOf(usage));
      return;
    }
    last.lastMs = Math.max(last.lastMs, usage.atMs);
    last.requests += usage.requests;
    last.scannedBytes += usage.scannedBytes;
    last.returnedBytes += usage.returnedBytes;
  }

  used(nowMs: number): UsageAmounts {
    this.#drop(nowMs);
    return {
      requests: this.#requests,
      scannedBytes: this.#scannedBytes,
      returnedBytes: this.#returnedBytes,
    };
  }

  get entryCount(): number {
    return this.#entries.length;
  }

  /**
   * When less than `limit` of a quantity is left in the window if only `next` is still added; 60
   * seconds after it where that can never be.
   */
  clearsAtMs(quantity: keyof UsageAmounts, limit: number, next: MomentUsage): number {
    const window = this.#copy();
    window.add(next);
    let left = window.used(next.atMs)[quantity];
    for (const entry of window.#entries) {
      left -= entry[quantity];
      if (left < limit) return entry.lastMs + WINDOW_MS;
    }
    return next.atMs + WINDOW_MS;
  }

  #copy(): MinuteWindow {
    const copy = new MinuteWindow();
    copy.#entries.push(...this.#entries.map((entry) => ({ ...entry })));
    copy.#requests = this.#requests;
    copy.#scannedBytes = this.#scannedBytes;
    copy.#returnedBytes = this.#returnedBytes;
    return copy;
  }

  #drop(nowMs: number): void {
    let [oldest] = this.#entries;
    while (oldest && nowMs - oldest.lastMs >= WINDOW_MS) {
      this.#entries.shift();
      this.#requests -= oldest.requests;
      this.#scannedBytes -= oldest.scannedBytes;
      this.#returnedBytes -= oldest.returnedBytes;
      [oldest] = this.#entries;
    }
  }
}
