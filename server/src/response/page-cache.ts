/**
 * Pages by their entity tags: what a page is known by to clients that keep it, and a cache of those
 * that were asked for last, as they were sent, within a number of bytes.
 */

import { LRUCache } from 'lru-cache';
import { SERVICE_VERSION } from '../base/version.ts';
import type { Column } from '../catalog/dataset.ts';
import { fingerprintOf, pageFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { Format } from '../formats/format.ts';
import type { Page } from './render-page.ts';

/** The properties of a column that decide how its values are written. */
function columnKey({ name, dataType, fractionDigits, scale }: Column): unknown[] {
  return [name, dataType, fractionDigits, scale];
}

/**
 * The tag of the page that a plan comes to in a format. Everything that decides its bytes is in it,
 * so an equal tag is an equal page, in this process and in any other: the rows by the fingerprint of
 * the plan, which a new version of the dataset leaves alone where it does not touch them, and how they
 * are written by the release, the format and the columns.
 */
export function pageTag(
  plan: QueryPlan,
  { name: format, tagStrength }: Format,
  pathParameters: readonly string[],
): string {
  const { dataset, columns } = plan;
  const digest = fingerprintOf([
    SERVICE_VERSION,
    // The last two are in the name that is suggested for a download.
    [format, dataset.timeZone, dataset.textId, pathParameters],
    columns.map(columnKey),
    pageFingerprint(plan),
  ]);
  return tagStrength === 'weak' ? `W/"${digest}"` : `"${digest}"`;
}

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

  /**
   * Keeps the page unless it is larger than the cache; pages not asked for the longest make room.
   * Returns the page to send, so that what is computed of its body is kept with it.
   */
  put(tag: string, page: Page): Page {
    if (!this.#pages) return page;
    const kept = withOwnBody(page);
    this.#pages.set(tag, kept);
    return kept;
  }
}
