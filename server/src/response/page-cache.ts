/**
 * Pages by their entity tags: what a page is known by to clients that keep it, and a cache of those
 * that were asked for last, as they were sent, within a number of bytes.
 */

import { buffer } from 'node:stream/consumers';
import { LRUCache } from 'lru-cache';
import { SERVICE_VERSION } from '../base/installation.ts';
import type { Column } from '../catalog/dataset.ts';
import { fingerprintOf, pageFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { ContentEncoding, Format } from '../formats/format.ts';
import { labelsOf } from '../plan/row-labels.ts';
import { bodyBytes, type Page } from './render-page.ts';
import { suggestedName } from './suggested-name.ts';

/** The properties of a column that decide how its values are written. */
function columnKey({ name, dataType, fractionDigits, precision, scale }: Column): unknown[] {
  return [name, dataType, fractionDigits, precision, scale];
}

/**
 * The tag of the page that a plan comes to in a format. Everything that decides its bytes is in it,
 * so an equal tag is an equal page, in this process and in any other: the rows by the fingerprint of
 * the plan, which a new version of the dataset leaves alone where it does not touch them, and how they
 * are written by the release, the format and the columns.
 */
export function pageTag(
  plan: QueryPlan,
  { name: format, tagStrength, isLabelled, fileSuffix }: Format,
  pathParameters: readonly string[],
  encoding: ContentEncoding | null = null,
): string {
  const { dataset, columns } = plan;
  const digest = fingerprintOf([
    SERVICE_VERSION,
    [format, dataset.timeZone, dataset.textId, pathParameters],
    fileSuffix === null ? null : suggestedName(plan, pathParameters),
    columns.map(columnKey),
    isLabelled ? [labelsOf(plan), dataset.isTimeSeries] : null,
    pageFingerprint(plan),
    encoding,
  ]);
  // Compressed bytes are also up to the compressor.
  return tagStrength === 'weak' || encoding ? `W/"${digest}"` : `"${digest}"`;
}

export interface PageCacheOptions {
  /** 0: nothing is kept. */
  readonly pageCacheBytes: number;
}

/** About what a page takes up beside its body. */
const PAGE_BYTES = 1024;

/** A longer body that lies in files is read from there each time. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The page with a body of its own to be kept; null: it is not kept. A body that shares its memory with others
 * would keep all of it; one that lies in files is there until it is sent.
 */
async function withOwnBody(page: Page): Promise<(Page & { readonly body: Buffer }) | null> {
  const { body } = page;
  if (!Buffer.isBuffer(body)) {
    return body.byteCount > READ_BYTES_MAX ? null : { ...page, body: await buffer(body.stream()) };
  }
  if (body.length === body.buffer.byteLength) return { ...page, body };
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
    const sizeCalculation = ({ body, listed }: Page) =>
      bodyBytes(body) + PAGE_BYTES + (listed?.byteCount ?? 0);
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
  async put(tag: string, page: Page): Promise<Page> {
    if (!this.#pages) return page;
    const kept = await withOwnBody(page);
    if (!kept) return page;
    this.#pages.set(tag, kept);
    return kept;
  }
}
