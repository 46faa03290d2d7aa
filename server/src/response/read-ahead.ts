/**
 * Reads the next page of a walk while its client is busy with the last one. A page is a walk's when
 * it begins where another one has just ended that was given to the same identity. What is read ahead
 * is never needed: a page that is not there is read when it is asked for.
 */
import type { QueryGate } from '../engine/query-gate.ts';
import type { PageReading } from './page-reading.ts';

export interface ReadAheadOptions {
  /** Bytes of all pages that were read ahead; 0: none is. */
  readonly readAheadBytes: number;
  readonly queryTimeoutMs: number;
}

/** The largest share of one account; the rest is free for the others. */
const IDENTITY_SHARE = 1 / 2;
/** How long a page is kept for its request, and how long the end of a page identifies a walk. */
const KEPT_MS = 5000;
/** Ends of pages that are remembered. */
const ENDS_MAX = 1024;

/** Where a page ended that was given. */
interface PageEnd {
  /** Bytes of the page. */
  readonly byteCount: number;
  readonly atMs: number;
}

interface PageAhead {
  readonly identityId: number;
  readonly reading: PageReading;
  readonly abort: AbortController;
  /** Gives the spare turn back that the page is read in. */
  readonly leave: () => void;
  /** At first as many as the page before it has. */
  byteCount: number;
  isReady: boolean;
  expiry: NodeJS.Timeout;
}

const NOT_WANTED = new Error('the page that was read ahead is not wanted any more');

const keyOf = (identityId: number, tag: string) => `${identityId} ${tag}`;

export class ReadAhead {
  readonly #options: ReadAheadOptions;
  readonly #gate: QueryGate;
  /** Both by identity and tag of the page that follows; the oldest first. */
  readonly #ends = new Map<string, PageEnd>();
  readonly #pages = new Map<string, PageAhead>();
  readonly #pending = new Set<Promise<unknown>>();
  #byteCount = 0;
  #usedCount = 0;
  #unusedCount = 0;

  constructor(options: ReadAheadOptions, gate: QueryGate) {
    this.#options = options;
    this.#gate = gate;
  }

  get isOn(): boolean {
    return this.#options.readAheadBytes > 0;
  }

  /** Bytes of pages that wait to be requested, including those still being read. */
  get byteCount(): number {
    return this.#byteCount;
  }

  /** Pages that are still read, whether or not they have been asked for meanwhile. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Pages that wait to be asked for and are read. */
  get readyCount(): number {
    return [...this.#pages.values()].filter(({ isReady }) => isReady).length;
  }

  /** Pages that were asked for after they were begun, since the start. */
  get usedCount(): number {
    return this.#usedCount;
  }

  /** Pages that were begun in vain. */
  get unusedCount(): number {
    return this.#unusedCount;
  }

  /** Remembers that a page was given; `tag` is that of the page that begins where it ended. */
  noteEnd(identityId: number, tag: string, byteCount: number): void {
    const key = keyOf(identityId, tag);
    this.#ends.delete(key);
    this.#ends.set(key, { byteCount, atMs: performance.now() });
    const [oldest] = this.#ends.keys();
    if (this.#ends.size > ENDS_MAX && oldest !== undefined) this.#ends.delete(oldest);
  }

  /** Bytes of the page before this one, if it was given just now to the same identity. */
  bytesBefore(identityId: number, tag: string): number | null {
    const end = this.#ends.get(keyOf(identityId, tag));
    return end && end.atMs >= performance.now() - KEPT_MS ? end.byteCount : null;
  }

  /**
   * Begins to read a page of about `byteCount` bytes in a spare turn, if there is one and room for
   * the page.
   */
  begin(
    identityId: number,
    tag: string,
    byteCount: number,
    read: (signal: AbortSignal) => PageReading,
  ): void {
    const key = keyOf(identityId, tag);
    if (this.#pages.has(key) || !this.#hasRoom(identityId, byteCount)) return;
    const leave = this.#gate.spareTurn(identityId, () => this.#drop(key));
    if (leave === null) return;
    const abort = new AbortController();
    const reading = read(abort.signal);
    const expiry = setTimeout(() => this.#drop(key), this.#options.queryTimeoutMs).unref();
    const page: PageAhead = {
      identityId,
      reading,
      abort,
      leave,
      byteCount,
      isReady: false,
      expiry,
    };
    this.#pages.set(key, page);
    this.#byteCount += byteCount;
    const settled = this.#settle(key, page).finally(() => this.#pending.delete(settled));
    this.#pending.add(settled);
  }

  /** The page if it was begun; from now on it is the caller's and ends with the signal. */
  take(identityId: number, tag: string, signal: AbortSignal): PageReading | null {
    const page = this.#remove(keyOf(identityId, tag));
    if (!page) return null;
    this.#usedCount++;
    const { abort, reading } = page;
    if (signal.aborted) abort.abort(signal.reason);
    signal.addEventListener('abort', () => abort.abort(signal.reason), { once: true });
    return reading;
  }

  drop(identityId: number, tag: string): void {
    this.#drop(keyOf(identityId, tag));
  }

  /** Resolves when nothing is read any more. */
  async close(): Promise<void> {
    for (const key of this.#pages.keys()) this.#drop(key);
    await Promise.allSettled(this.#pending);
  }

  #hasRoom(identityId: number, byteCount: number): boolean {
    let own = byteCount;
    for (const page of this.#pages.values()) {
      if (page.identityId === identityId) own += page.byteCount;
    }
    const { readAheadBytes } = this.#options;
    const isWithinShare = own <= readAheadBytes * IDENTITY_SHARE;
    return isWithinShare && this.#byteCount + byteCount <= readAheadBytes;
  }

  /** A page that failed is read again when it is asked for. */
  async #settle(key: string, page: PageAhead): Promise<void> {
    const body = await page.reading.page.then(
      (read) => read.body,
      () => null,
    );
    page.leave();
    if (this.#pages.get(key) !== page) return;
    this.#byteCount -= page.byteCount;
    page.byteCount = 0;
    if (body === null || !this.#hasRoom(page.identityId, body.length)) return this.#drop(key);
    page.isReady = true;
    page.byteCount = body.length;
    this.#byteCount += body.length;
    clearTimeout(page.expiry);
    page.expiry = setTimeout(() => this.#drop(key), KEPT_MS).unref();
  }

  #drop(key: string): void {
    const page = this.#remove(key);
    if (!page) return;
    this.#unusedCount++;
    page.abort.abort(NOT_WANTED);
  }

  #remove(key: string): PageAhead | undefined {
    const page = this.#pages.get(key);
    if (!page) return undefined;
    this.#pages.delete(key);
    this.#byteCount -= page.byteCount;
    clearTimeout(page.expiry);
    page.leave();
    return page;
  }
}
