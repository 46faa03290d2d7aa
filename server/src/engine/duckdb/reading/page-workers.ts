/**
 * Pages of text, plain or gzip, from worker threads, so that the main thread finds and renders none
 * of them. Each worker has an engine of its own over the same files, because one cannot be shared
 * between threads. They write into blocks of shared memory that are used again: new memory for each
 * page would make the runtime collect all garbage. The pages of a walk go to the worker that
 * remembers where they begin. A worker that dies, or whose heap is nearly full, is replaced; the
 * main thread makes its pages, and those for which the memory of a worker does not do.
 */
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { PAGE_WORKERS_MAX } from '../../../base/budgets.ts';
import { LentBytes } from '../../../base/stored-bytes.ts';
import type { TextFormat, TextPage } from '../../engine.ts';
import { rowsFingerprint } from '../../plan-fingerprint.ts';
import type { QueryPlan } from '../../query-plan.ts';
import type { FolderPlan } from './folder-plan.ts';
import type { Asked, AskedPage, Outcome, Piece, Told, WorkerOptions } from './page-worker.ts';

/** A plan with more parts takes too long to be handed over. */
const PARTS_MAX = 64;
const WALKS_MAX = 1024;
/** After so many deaths, the main thread makes all pages that the dead would have made. */
const DEATHS_MAX = 16;
/** How much more than another worker one may have to do before a walk changes over. */
const LEAD_MAX = 1;
/** Live objects and garbage of usual pages stay far below. */
const HEAP_PART_MAX = 0.5;
/** A worker that has not ended by then is left to the end of the process. */
const CLOSE_MS = 5000;

/** In the program as it is built, the worker stands beside it. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? './page-worker.ts' : './page-worker.js',
  import.meta.url,
);

const NO_BYTES = Buffer.alloc(0);

interface WorkerEnd {
  /** False if it ended before it was ready. */
  readonly hasServed: boolean;
  readonly reason: unknown;
}

/** For short-lived objects, most of which one page makes and drops. */
const YOUNG_MEGABYTES = 12;

class PageWorker {
  state: 'starting' | 'ready' | 'dying' | 'gone' = 'starting';
  readonly ended: Promise<WorkerEnd>;
  readonly #worker: Worker;
  /** Pages that have not ended, even if nobody wants them any more. */
  readonly #running = new Map<number, (outcome: Outcome | null) => void>();
  readonly #blocks = new Map<number, Buffer>();
  #pageCount = 0;
  #hasServed = false;

  constructor(program: URL, options: WorkerOptions) {
    this.#worker = new Worker(program, {
      workerData: options,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES },
    });
    this.#worker.unref();
    this.#worker.on('message', (told: Told) => this.#take(told));
    this.ended = new Promise((resolve) => {
      let reason: unknown = null;
      this.#worker.once('error', (error) => {
        reason = error;
      });
      this.#worker.once('exit', (code) => {
        resolve({ hasServed: this.#hasServed, reason: reason ?? `it ended with ${code}` });
        this.state = 'gone';
        for (const end of this.#running.values()) end(null);
        this.#running.clear();
      });
    });
  }

  get runningCount(): number {
    return this.#running.size;
  }

  /**
   * Null if the worker dies meanwhile. Rejects with the signal's reason if that is aborted, once
   * the worker's query has ended.
   */
  async text(wanted: Omit<AskedPage, 'is' | 'id'>, signal: AbortSignal): Promise<TextPage | null> {
    signal.throwIfAborted();
    const id = this.#pageCount++;
    const { promise, resolve } = Promise.withResolvers<Outcome | null>();
    this.#ask({ is: 'page', id, ...wanted });
    this.#running.set(id, resolve);
    const abort = () => this.#ask({ is: 'abort', id });
    signal.addEventListener('abort', abort, { once: true });
    const outcome = await promise;
    signal.removeEventListener('abort', abort);
    if (signal.aborted && outcome?.is === 'page') this.#ask({ is: 'release', id });
    signal.throwIfAborted();
    if (outcome?.is === 'failure') {
      throw Object.assign(new Error(outcome.message), { name: outcome.name });
    }
    return outcome?.is === 'page' ? this.#pageOf(outcome) : null;
  }

  async close(): Promise<void> {
    this.#worker.ref();
    this.#ask({ is: 'close' });
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLOSE_MS);
    await Promise.race([this.ended, late.promise]);
    clearTimeout(timer);
    this.#worker.unref();
  }

  #ask(asked: Asked): void {
    this.#worker.postMessage(asked);
  }

  #take(told: Told): void {
    if (told.is === 'ready' || told.is === 'dying') {
      this.state = told.is;
      this.#hasServed ||= told.is === 'ready';
    } else {
      if (told.is === 'page') this.#know(told.pieces);
      this.#running.get(told.id)?.(told);
      this.#running.delete(told.id);
    }
  }

  /** Remembers new blocks, even of a page that nobody waits for: they are named only once. */
  #know(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if ('block' in piece && piece.memory) {
        this.#blocks.set(piece.block, Buffer.from(piece.memory));
      }
    }
  }

  #pageOf({ id, pieces, rowCount, nextOffset }: Extract<Outcome, { is: 'page' }>): TextPage {
    const [first = NO_BYTES, ...others] = pieces.map((piece) => this.#bytesOf(piece));
    const isLent = pieces.some((piece) => 'block' in piece);
    if (!isLent && others.length === 0) return { body: first, rowCount, nextOffset };
    const giveBack = () => this.#ask({ is: 'release', id });
    const body = new LentBytes([first, ...others], giveBack);
    return { body, rowCount, nextOffset };
  }

  #bytesOf(piece: Piece): Buffer {
    if ('bytes' in piece) {
      const { buffer, byteOffset, length } = piece.bytes;
      return Buffer.from(buffer, byteOffset, length);
    }
    const { block, byteCount } = piece;
    return (this.#blocks.get(block) as Buffer).subarray(0, byteCount);
  }
}

interface PageWorkersOptions extends Omit<WorkerOptions, 'heapPartMax'> {
  readonly workersMax: number;
  /** Smaller pages are left to the caller. */
  readonly cellsMin: number;
  /** Told of each worker that dies. */
  readonly onDeath: (error: Error) => void;
}

export class PageWorkers {
  readonly #options: PageWorkersOptions;
  readonly #program: URL;
  #countMax: number;
  readonly #workers = new Set<PageWorker>();
  /** Who makes the pages of a walk. */
  readonly #ofWalk = new LRUCache<string, PageWorker>({ max: WALKS_MAX });
  #deathCount = 0;
  #isClosing = false;

  constructor(options: PageWorkersOptions, program = PROGRAM) {
    this.#options = options;
    this.#program = program;
    this.#countMax = Math.min(options.workersMax, PAGE_WORKERS_MAX);
  }

  /** Workers that run, or are starting. */
  get count(): number {
    return this.#workers.size;
  }

  /** True if the page is worth handing over. */
  isLarge({ columns, limit, scannedRows }: QueryPlan): boolean {
    return Math.min(limit, scannedRows) * columns.length >= this.#options.cellsMin;
  }

  /** Null: the page is small, its plan large, or no worker can make it now. */
  async text(plan: FolderPlan, format: TextFormat, signal: AbortSignal): Promise<TextPage | null> {
    if (!this.isLarge(plan) || plan.parts.length > PARTS_MAX) return null;
    const isAlone = [...this.#workers].every(({ runningCount }) => runningCount === 0);
    const worker = this.#workerFor(rowsFingerprint(plan));
    return (await worker?.text({ plan, format, isAlone }, signal)) ?? null;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([...this.#workers].map((worker) => worker.close()));
  }

  #workerFor(walk: string): PageWorker | null {
    while (this.#workers.size < this.#countMax && !this.#isClosing) this.#begin();
    const [idlest] = [...this.#workers]
      .filter(({ state }) => state === 'ready')
      .sort((one, other) => one.runningCount - other.runningCount);
    if (!idlest) return null;
    const own = this.#ofWalk.get(walk);
    const stays = own?.state === 'ready' && own.runningCount <= idlest.runningCount + LEAD_MAX;
    const chosen = stays ? own : idlest;
    this.#ofWalk.set(walk, chosen);
    // Equals take turns, so that walks do not end each other's pages ahead.
    if (chosen !== own && this.#workers.delete(chosen)) this.#workers.add(chosen);
    return chosen;
  }

  /** Begins a worker. One that cannot even start, or dies after many others, is not replaced. */
  #begin(): void {
    const { directory, queriesMax } = this.#options;
    const options = { directory, queriesMax, heapPartMax: HEAP_PART_MAX };
    const worker = new PageWorker(this.#program, options);
    this.#workers.add(worker);
    void worker.ended.then((end) => {
      this.#workers.delete(worker);
      for (const [walk, each] of [...this.#ofWalk.entries()]) {
        if (each === worker) this.#ofWalk.delete(walk);
      }
      if (!this.#isClosing) this.#countDeath(end);
    });
  }

  #countDeath({ hasServed, reason }: WorkerEnd): void {
    if (!hasServed || ++this.#deathCount > DEATHS_MAX) this.#countMax--;
    const message = `a worker that writes pages died; ${this.#countMax} may run from now on`;
    this.#options.onDeath(new Error(message, { cause: reason }));
  }
}
