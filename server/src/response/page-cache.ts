/** Keeps the pages that were asked for last, as they were sent, within a number of bytes. */
import type { Page } from './render-page.ts';

export interface PageCacheOptions {
  /** 0: nothing is kept. */
  readonly pageCacheBytes: number;
}

/** About what a page takes up beside its body. */
const PAGE_BYTES = 1024;

/** A body that shares its memory with others would keep all of it, so it gets its own. */
function withOwnBody(page: Page): Page {
  const { body } = page;
  if (body.length === body.buffer.byteLength) return page;
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return { ...page, body: own };
}

function byteCountOf({ body }: Page): number {
  return body.length + PAGE_BYTES;
}

export class PageCache {
  readonly #bytesMax: number;
  /** By tag; the page that was asked for last is the last one. */
  readonly #pages = new Map<string, Page>();
  #byteCount = 0;
  #hitCount = 0;
  #missCount = 0;

  constructor({ pageCacheBytes }: PageCacheOptions) {
    this.#bytesMax = pageCacheBytes;
  }

  get byteCount(): number {
    return this.#byteCount;
  }

  /** The last two since the start. */
  get hitCount(): number {
    return this.#hitCount;
  }

  get missCount(): number {
    return this.#missCount;
  }

  has(tag: string): boolean {
    return this.#pages.has(tag);
  }

  get(tag: string): Page | undefined {
    const page = this.#pages.get(tag);
    if (!page) {
      this.#missCount++;
      return undefined;
    }
    this.#hitCount++;
    this.#pages.delete(tag);
    this.#pages.set(tag, page);
    return page;
  }

  /** Keeps the page; those that were not asked for the longest make room for it. */
  put(tag: string, page: Page): void {
    const byteCount = byteCountOf(page);
    if (byteCount > this.#bytesMax) return;
    this.#drop(tag);
    for (const oldest of this.#pages.keys()) {
      if (this.#byteCount + byteCount <= this.#bytesMax) break;
      this.#drop(oldest);
    }
    this.#pages.set(tag, withOwnBody(page));
    this.#byteCount += byteCount;
  }

  #drop(tag: string): void {
    const page = this.#pages.get(tag);
    if (!page) return;
    this.#pages.delete(tag);
    this.#byteCount -= byteCountOf(page);
  }
}
