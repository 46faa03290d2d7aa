/**
 * Pages by their entity tags: what a page is known by to clients that keep it, and a cache of those
 * that were asked for last, as they were sent, within a number of bytes.
 */

import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { SERVICE_VERSION } from '../base/installation.ts';
import type { Spool } from '../base/spool.ts';
import { LentBytes, StoredBytes } from '../base/stored-bytes.ts';
import type { UnfinishedBytes } from '../base/unfinished-bytes.ts';
import type { Column } from '../catalog/dataset.ts';
import { fingerprintOf, pageFingerprint } from '../engine/plan-fingerprint.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { RowSource } from '../engine/row-source.ts';
import type {
  ContentEncoding,
  Format,
  PageBody,
  PageFrame,
  WrittenPage,
} from '../formats/format.ts';
import { isNaming, valuesOf } from '../plan/conditions.ts';
import { findDays } from '../plan/date-range.ts';
import { type ListedIdentifiers, listedIdentifiers } from '../plan/identifiers.ts';

/** The properties of a column that decide how its values are written. */
function columnKey({ name, dataType, fractionDigits, precision, scale }: Column): unknown[] {
  return [name, dataType, fractionDigits, precision, scale];
}

/**
 * The tag of the page that a plan comes to in a format. Everything that decides its bytes is in it,
 * so an equal tag is an equal page, in this process and in any other: the rows by the fingerprint
 * of the plan, which a new version of the dataset leaves alone where it does not touch them, and
 * how they are written by the release, the format and the columns.
 */
export function pageTag(
  plan: QueryPlan,
  { name: format, numbers, tagStrength, isColumnar, fileSuffix }: Format,
  pathParameters: readonly string[],
  encoding: ContentEncoding | null = null,
): string {
  const { dataset, columns } = plan;
  const digest = fingerprintOf([
    SERVICE_VERSION,
    [format, dataset.timeZone, dataset.textId, pathParameters, ...(numbers ? [numbers] : [])],
    fileSuffix === null ? null : suggestedName(plan, pathParameters),
    columns.map(columnKey),
    isColumnar ? [labelsOf(plan), dataset.isTimeSeries] : null,
    pageFingerprint(plan),
    encoding,
  ]);
  // Compressed bytes are also up to the compressor, and last digits of sums to the engine.
  return tagStrength === 'weak' || encoding || plan.groups ? `W/"${digest}"` : `"${digest}"`;
}

export interface PageCacheOptions {
  /** 0: nothing is kept. */
  readonly pageCacheBytes: number;
}

/** About what a page takes up beside its body. */
const PAGE_BYTES = 1024;

/** A longer body that lies in files is read from there each time. */
const READ_BYTES_MAX = 8 * 1024 * 1024;

/** All bytes of a body, which is released. */
export async function wholeBody(body: PageBody): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body;
  const bytes = await buffer(body.stream());
  body.release();
  return bytes;
}

/** A page to be kept. */
type KeptPage = Page<Buffer | LentBytes>;

/**
 * The page with a body of its own to be kept; null: it is not kept. A body that shares its memory
 * with others would keep all of it; one that lies in files is there until it is sent.
 */
async function withOwnBody(page: Page): Promise<KeptPage | null> {
  const { body } = page;
  if (body instanceof LentBytes) return { ...page, body };
  if (!Buffer.isBuffer(body)) {
    if (body.byteCount > READ_BYTES_MAX) return null;
    try {
      return { ...page, body: await buffer(body.stream()) };
    } catch (error) {
      // Nobody sends it now.
      body.release();
      throw error;
    }
  }
  if (body.length === body.buffer.byteLength) return { ...page, body };
  const own = Buffer.allocUnsafeSlow(body.length);
  body.copy(own);
  return { ...page, body: own };
}

/** The page for one more reader, who releases its body. */
function shared(page: KeptPage): KeptPage {
  return page.body instanceof LentBytes ? { ...page, body: page.body.share() } : page;
}

function release({ body }: KeptPage): void {
  if (body instanceof LentBytes) body.release();
}

function memoryBytes({ body, listed }: KeptPage): number {
  const bodyBytes = Buffer.isBuffer(body) ? body.length : body.lentBytes;
  return bodyBytes + PAGE_BYTES + (listed?.byteCount ?? 0);
}

export class PageCache {
  /** By tag. */
  readonly #pages: LRUCache<string, KeptPage> | null;
  #hitCount = 0;
  #missCount = 0;

  constructor({ pageCacheBytes }: PageCacheOptions) {
    const options = { sizeCalculation: memoryBytes, dispose: release };
    this.#pages = pageCacheBytes > 0 ? new LRUCache({ maxSize: pageCacheBytes, ...options }) : null;
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

  /** A page whose body the caller releases. */
  get(tag: string): Page | undefined {
    const page = this.#pages?.get(tag);
    if (page) this.#hitCount++;
    else this.#missCount++;
    return page && shared(page);
  }

  /**
   * Keeps the page unless it is larger than the cache; pages not asked for the longest make room.
   * Returns the page to send, so that what is computed of its body is kept with it.
   */
  async put(tag: string, page: Page): Promise<Page> {
    if (!this.#pages) return page;
    const own = await withOwnBody(page);
    if (!own || memoryBytes(own) > this.#pages.maxSize) return page;
    this.#pages.set(tag, shared(own));
    return own;
  }
}

/** Bytes of a body. */
export function bodyBytes(body: PageBody): number {
  return Buffer.isBuffer(body) ? body.length : body.byteCount;
}

export interface Page<Body = PageBody> extends WrittenPage<Body> {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The identifiers that the request lists, as far as the rows have them; absent: it lists none.
   */
  readonly listed?: ListedIdentifiers | undefined;
}

function paginationHeaders(plan: QueryPlan, nextOffset: number | null): Record<string, string> {
  return {
    'X-Pagination-Limit': `${plan.limit}`,
    'X-Pagination-Next-Offset': nextOffset === null ? '' : `${nextOffset}`,
    'X-Pagination-Offset': plan.offset === 0 ? '' : `${plan.offset}`,
  };
}

function downloadHeaders(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}

function frameOf(plan: QueryPlan, spool: Spool): PageFrame {
  const { columns, dataset, offset, limit } = plan;
  return {
    ...{ columns, offset, limit, spool },
    timeZone: dataset.timeZone,
    // Rows of other datasets are lists, each row about something else.
    textRepeats: dataset.isTimeSeries,
    labels: labelsOf(plan),
  };
}

function withHeaders<Body>(
  written: WrittenPage<Body>,
  plan: QueryPlan,
  { contentType, fileSuffix, pagination }: Format,
  pathParameters: readonly string[],
): Page<Body> {
  const headers = {
    ...(pagination === 'in headers' ? paginationHeaders(plan, written.nextOffset) : {}),
    ...(fileSuffix === null
      ? {}
      : downloadHeaders(suggestedName(plan, pathParameters) + fileSuffix)),
  };
  return { ...written, contentType, headers };
}

/** A page to render. */
export interface AskedPage {
  readonly plan: QueryPlan;
  readonly source: RowSource;
  readonly format: Format;
  /** For the name that is suggested for a download. */
  readonly pathParameters: readonly string[];
  readonly spool: Spool;
}

/** Renders the rows of a plan. */
export async function renderPage({
  plan,
  source,
  format,
  pathParameters,
  spool,
}: AskedPage): Promise<Page> {
  const listed = listedIdentifiers(plan);
  const rows = listed?.watched(plan.columns, source) ?? source;
  const written = await format.write(rows, frameOf(plan, spool));
  return { ...withHeaders(written, plan, format, pathParameters), ...(listed && { listed }) };
}

/**
 * Renders a page and, where that pays and no header tells what the rows lack, returns while the
 * body is still being written.
 */
export async function renderEarly(page: AskedPage): Promise<Page<PageBody | UnfinishedBytes>> {
  const { plan, source, format, pathParameters, spool } = page;
  if (listedIdentifiers(plan)) return renderPage(page);
  const { write, writeEarly = write } = format;
  const written = await writeEarly(source, frameOf(plan, spool));
  return withHeaders<PageBody | UnfinishedBytes>(written, plan, format, pathParameters);
}

const CHARACTERS_MAX = 120;
/** More identifiers than these are counted. */
const IDENTIFIERS_MAX = 3;

/** Identifiers that the request names beside the path, in ascending order. */
function identifierWords({ dataset, predicates }: QueryPlan): string[] {
  if (dataset.pathShape !== 'query') return [];
  const { identifierColumns, universeColumns, requiredFilters } = dataset;
  const columns = new Set([...identifierColumns, ...universeColumns, ...requiredFilters]);
  const named = predicates.filter((each) => isNaming(each) && columns.has(each.column.name));
  const values = [...new Set(named.flatMap(valuesOf).map(String))].sort();
  const more = values.length - IDENTIFIERS_MAX;
  return more > 0 ? [...values.slice(0, IDENTIFIERS_MAX), `and_${more}_more`] : values;
}

/**
 * The first and last date that are read, whoever has limited them, unless the path has the date.
 */
function dateWords({ dataset, predicates }: QueryPlan): string[] {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column || dataset.pathShape === 'tick') return [];
  const { first, last } = findDays(column, predicates);
  if (first === last) return first === null ? [] : [first];
  if (first === null) return [`to_${last}`];
  return last === null ? [`from_${first}`] : [first, last];
}

/** As part of a name, of characters that no system minds. */
function joined(words: readonly (string | number)[]): string {
  return words.map((word) => `${word}`.replaceAll(/[^A-Za-z0-9.-]/g, '_')).join('_');
}

/** The words of a name that say which rows of which dataset a plan finds or makes. */
export function rowsWords({ dataset, bars, session, restatement, groups }: QueryPlan): string[] {
  return [
    restatement?.adjusted.textId ?? dataset.textId,
    ...(restatement?.asOf ? ['as_of', restatement.asOf] : []),
    ...(restatement?.adjustments === 'splits' ? ['splits'] : []),
    ...(bars ? [bars.interval] : []),
    ...(session ? [session] : []),
    ...(groups ? ['aggregate'] : []),
  ];
}

/** The name without its suffix; it is the same for requests that come to the same plan. */
export function suggestedName(plan: QueryPlan, pathParameters: readonly string[]): string {
  const { offset } = plan;
  const head = joined([...rowsWords(plan), ...pathParameters, ...identifierWords(plan)]);
  const tail = joined([...dateWords(plan), ...(offset ? [offset] : [])]);
  if (tail === '') return head.slice(0, CHARACTERS_MAX);
  return `${head.slice(0, CHARACTERS_MAX - tail.length - 1)}_${tail}`;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * Both at their fastest: 36 MB of ticks become 5 MB in 100 ms, or 6 MB in 150 ms; higher levels
 * gain little.
 */
const COMPRESSORS: Readonly<Record<ContentEncoding, () => Transform>> = {
  zstd: () =>
    createZstdCompress({
      chunkSize: CHUNK_BYTES,
      params: { [constants.ZSTD_c_compressionLevel]: 1 },
    }),
  gzip: () => createGzip({ chunkSize: CHUNK_BYTES, level: 1 }),
};

async function encodedBody(
  body: PageBody,
  encoding: ContentEncoding,
  spool: Spool,
): Promise<PageBody> {
  const source = body instanceof StoredBytes ? body.stream() : Readable.from([body]);
  const target = spool.begin();
  try {
    await pipeline(source, COMPRESSORS[encoding](), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        target.add([chunk]);
        await target.room();
      }
    });
    return await target.finish();
  } catch (error) {
    await target.discard();
    throw error;
  } finally {
    if (body instanceof StoredBytes) body.release();
  }
}

/** The page as it is sent under the encoding; null: as it is. Large bodies go to the spool. */
export async function encodedPage(
  page: Page,
  encoding: ContentEncoding | null,
  spool: Spool,
): Promise<Page> {
  if (encoding === null) return page;
  const body = await encodedBody(page.body, encoding, spool);
  return { ...page, body, headers: { ...page.headers, 'Content-Encoding': encoding } };
}

/** The dates that are read, both inclusive, whoever has limited them; null where an end is open. */
function windowOf({ dataset, predicates }: QueryPlan): string | null {
  const column = dataset.columnByName.get(dataset.dateColumn ?? '');
  if (!column) return null;
  const { first, last } = findDays(column, predicates);
  return first && last && `${first}/${last}`;
}

/** How rows that are made come of those that are stored. */
function makingOf({ bars, session, restatement }: QueryPlan): Record<string, string> {
  return {
    ...(bars && { 'ticklake.interval': bars.interval }),
    ...(session && { 'ticklake.session': session }),
    ...(restatement && {
      'ticklake.adjustments': restatement.adjustments,
      ...(restatement.asOf && { 'ticklake.adjusted_as_of': restatement.asOf }),
    }),
  };
}

/**
 * Texts by their names, the same for every request that comes to the same rows of a version. A plan
 * without a version is for a file that stays the same in later ones, so that versions and its
 * window go unsaid, too.
 */
export function labelsOf(plan: QueryPlan): Record<string, string> {
  const { dataset, version, restatement } = plan;
  const rows = { 'ticklake.dataset_id': dataset.datasetId, ...makingOf(plan) };
  if (version === null) return rows;
  const window = windowOf(plan);
  return {
    ...rows,
    'ticklake.dataset_version': `${version}`,
    ...(restatement && { 'ticklake.factors_version': `${restatement.factors.version}` }),
    ...(window && { 'ticklake.window': window }),
  };
}
