/**
 * Scans that stay open where a page ended, for the page after it: with a scan of its own, that one
 * would read the row group in which it begins from the start again.
 */
import { LRUCache } from 'lru-cache';
import { type ColumnBatch, cutRows } from '../../columns.ts';
import { walkFingerprint } from '../../plan-fingerprint.ts';
import type { QueryPlan } from '../../query-plan.ts';
import type { RowPlace } from '../../walk-positions.ts';

/**
 * Each holds some megabytes of the engine's memory, and files that may be removed meanwhile. None
 * makes way for a new one: where many walk, each scan would serve a single page.
 */
export const SCANS_MAX = 4;
/** Time after which a page has to begin a scan of its own. */
export const WALK_IDLE_MS = 5000;

export interface ScannedChunk {
  readonly batch: ColumnBatch;
  placeOf(row: number): RowPlace;
}

/** From a place to the end of the files. A failure may end the rows as if they were all. */
type Scan = (signal: AbortSignal) => AsyncGenerator<ScannedChunk>;
type PageRange = Pick<QueryPlan, 'limit'>;

export class OpenScan {
  readonly #leaving = new AbortController();
  readonly #chunks: AsyncGenerator<ScannedChunk>;
  #chunk: ScannedChunk | null = null;
  /** Index of the next row. */
  #at = 0;

  constructor(scan: Scan) {
    this.#chunks = scan(this.#leaving.signal);
  }

  /** Up to `limit` rows, and one that is also the first of the next page. */
  async *page({ limit }: PageRange, signal: AbortSignal): AsyncGenerator<ColumnBatch> {
    const leave = () => this.#leaving.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      for (let left = limit + 1; left > 0; ) {
        if (this.#at === (this.#chunk?.batch.rowCount ?? 0)) {
          const { value } = await this.#chunks.next();
          if (!value) return;
          [this.#chunk, this.#at] = [value, 0];
        }
        signal.throwIfAborted();
        const { batch } = this.#chunk as ScannedChunk;
        const from = this.#at;
        const end = Math.min(batch.rowCount, from + left);
        left -= end - from;
        this.#at = left === 0 ? end - 1 : end;
        const isWhole = from === 0 && left > 0;
        const rows = isWhole ? batch : cutRows(batch, from, end);
        if (!isWhole && left > 0) batch.release?.();
        yield rows;
      }
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  /** That of the next row, or behind the last one; null before the first. */
  get place(): RowPlace | null {
    if (this.#chunk === null) return null;
    if (this.#at < this.#chunk.batch.rowCount) return this.#chunk.placeOf(this.#at);
    const { file, row } = this.#chunk.placeOf(this.#at - 1);
    return { file, row: row + 1 };
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#chunks.return(undefined).catch(() => undefined);
  }
}

/** Ends of pages, the latest ones. */
const ENDS_MAX = 16;

/** A page asks more than once. */
const walks = new WeakMap<QueryPlan, string>();

function keyOf(plan: QueryPlan, offset = plan.offset): string {
  return `${walks.getOrInsertComputed(plan, walkFingerprint)} ${offset}`;
}

export class OpenScans {
  /** Ends of pages that had no scan: one that begins there goes on with a walk. */
  readonly #ends = new LRUCache<string, true>({ max: ENDS_MAX });
  readonly #open = new Set<OpenScan>();
  /** None is in use. */
  readonly #waiting = new LRUCache<string, OpenScan>({
    ...{ max: SCANS_MAX, ttl: WALK_IDLE_MS, ttlAutopurge: true },
    dispose: (scan, _, reason) => reason !== 'delete' && void this.#close(scan),
  });

  /** For a page that had none, and that another one may follow. */
  expectNext(plan: QueryPlan): void {
    this.#ends.set(keyOf(plan, plan.offset + plan.limit), true);
  }

  /**
   * The scan that stands where the page begins, or a new one if it goes on with a walk; null: it
   * does not, or enough of them are open.
   */
  take(plan: QueryPlan, scan: Scan): OpenScan | null {
    const key = keyOf(plan);
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    const goesOn = this.#ends.delete(key);
    if (waiting || !goesOn || this.#open.size >= SCANS_MAX) return waiting ?? null;
    const begun = new OpenScan(scan);
    this.#open.add(begun);
    return begun;
  }

  /** For the page after this one, if the scan has any of its rows. */
  async giveBack(plan: QueryPlan, scan: OpenScan, hasNext: boolean): Promise<void> {
    if (hasNext) this.#waiting.set(keyOf(plan, plan.offset + plan.limit), scan);
    else await this.#close(scan);
  }

  /** True if one waits for the page. */
  has(plan: QueryPlan): boolean {
    return this.#waiting.has(keyOf(plan));
  }

  async #close(scan: OpenScan): Promise<void> {
    await scan.close();
    // Only now: a worker that dies waits for all of them.
    this.#open.delete(scan);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((scan) => this.#close(scan)));
    this.#waiting.clear();
  }
}
