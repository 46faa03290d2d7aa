/** Keeps the pages that were asked for last, as they were sent, within a number of bytes. */
import { LRUCache } from 'lru-cache';
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

export class PageCache {
  /** By tag. */
  readonly #pages: LRUCache<string, Page> | null;
  #hitCount = 0;
  #missCount = 0;

  constructor({ pageCacheBytes }: PageCacheOptions) {
    const sizeCalculation = ({ body }: Page) => body.length + PAGE_BYTES;
    this.#pages =
      pageCacheBytes > 0 ? new LRUCache({ maxSize: pageCacheBytes, sizeCalculation }) : null;
  }

  get byteCount(): number {
    return this.#pages?.calculatedSize ?? 0;
  }

  /** Lookups since the start that found their page. */
  get hitCount(): number {
    return this.#hitCount;
  }

  /** Lookups since the start that did not. */
  get missCount(): number {
    return this.#missCount;
  }

  get(tag: string): Page | undefined {
    const page = this.#pages?.get(tag);
    if (page) this.#hitCount++;
    else this.#missCount++;
    return page;
  }

  /** Keeps the page unless it is larger than the cache; pages not asked for the longest make room. */
  put(tag: string, page: Page): void {
    this.#pages?.set(tag, withOwnBody(page));
  }
}
