/** A worker thread that finds pages and writes them as text: see `page-workers.ts`. */
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { LentBytes } from '../../../base/stored-bytes.ts';
import { shareBlocks } from '../../../formats/byte-sink.ts';
import { CSV_FORMAT, gzipInBlocks } from '../../../formats/csv.ts';
import type { PageFrame, WrittenPage } from '../../../formats/format.ts';
import { EXACT_JSON_FORMAT, JSON_FORMAT } from '../../../formats/json.ts';
import { warmUpWriters } from '../../../formats/warm-up.ts';
import type { ColumnBatch } from '../../columns.ts';
import { openLockedInstance } from '../locked-instance.ts';
import { NaturalPages } from './natural-pages.ts';
import { OpenScans } from './open-scans.ts';
import { PageAhead, type Wanted } from './page-ahead.ts';
import { QueryConnections } from './query-connections.ts';

export interface WorkerOptions {
  readonly directory: string;
  readonly queriesMax: number;
  /** Part of the heap's limit past which the worker dies, before the runtime ends the process. */
  readonly heapPartMax: number;
}

export interface AskedPage extends Wanted {
  readonly is: 'page';
  readonly id: number;
  /** Nothing else is being made, so that the page after this one may be begun. */
  readonly isAlone: boolean;
}

export type Asked =
  | AskedPage
  | { readonly is: 'abort' | 'release'; readonly id: number }
  | { readonly is: 'close' };

/** A block of this worker by its number, with its memory the first time; or bytes of their own. */
export type Piece =
  | { readonly block: number; readonly byteCount: number; readonly memory?: SharedArrayBuffer }
  | { readonly bytes: Uint8Array };

/** How a page ends. */
export type Outcome =
  | {
      readonly is: 'page';
      readonly id: number;
      readonly pieces: readonly Piece[];
      readonly rowCount: number;
      readonly nextOffset: number | null;
    }
  /** The memory of the worker's engine does not do. */
  | { readonly is: 'unable'; readonly id: number }
  | {
      readonly is: 'failure';
      readonly id: number;
      readonly name: string;
      readonly message: string;
    };

export type Told =
  | Outcome
  | { readonly is: 'ready' }
  /** No other page can be made, those that run end with the worker. */
  | { readonly is: 'dying' };

/** Pages in natural order need little beside what they read. */
const MEMORY_MEGABYTES = 128;

/** A page that took longer is not followed by one that nobody has asked for. */
const QUICK_MS = 250;

const WRITERS = {
  json: JSON_FORMAT.write,
  json_exact: EXACT_JSON_FORMAT.write,
  csv: CSV_FORMAT.write,
  csv_gzip: gzipInBlocks,
};

const tell = (told: Told) => parentPort?.postMessage(told);

/** Blocks that the main thread knows, by their memory. */
const numbers = new WeakMap<ArrayBufferLike, number>();
let blockCount = 0;

interface RunningPage {
  readonly leaving: AbortController;
  readonly written: Promise<void>;
}
const running = new Map<number, RunningPage>();
let isDying = false;
const lent = new Map<number, LentBytes>();

function pieceOf(bytes: Buffer): Piece {
  if (!(bytes.buffer instanceof SharedArrayBuffer)) return { bytes };
  const known = numbers.get(bytes.buffer);
  if (known !== undefined) return { block: known, byteCount: bytes.length };
  const block = blockCount++;
  numbers.set(bytes.buffer, block);
  return { block, byteCount: bytes.length, memory: bytes.buffer };
}

function lend(id: number, { body, rowCount, nextOffset }: WrittenPage): void {
  if (body instanceof LentBytes) lent.set(id, body);
  const bytes = body instanceof LentBytes ? body.pieces : [body as Buffer];
  tell({ is: 'page', id, pieces: bytes.map(pieceOf), rowCount, nextOffset });
}

function takeBack(id: number): void {
  lent.get(id)?.release();
  lent.delete(id);
}

function failureOf(id: number, { name, message }: Error): Outcome {
  if (message.includes('Out of Memory Error')) return { is: 'unable', id };
  return { is: 'failure', id, name, message };
}

/** Resolves when all queries have ended. */
let leaveAll = async (): Promise<void> => undefined;

/** Ends the queries first: the engine takes the process down if its thread ends within one. */
async function die(error: unknown): Promise<void> {
  if (isDying) return;
  isDying = true;
  tell({ is: 'dying' });
  parentPort?.removeAllListeners('message');
  await leaveAll();
  process.off('uncaughtException', die);
  throw error;
}
process.on('uncaughtException', die);

const { directory, queriesMax, heapPartMax } = workerData as WorkerOptions;

async function* watchingHeap(
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal,
): AsyncGenerator<ColumnBatch> {
  for await (const batch of batches) {
    const { used_heap_size: usedBytes, heap_size_limit: bytesMax } = getHeapStatistics();
    if (usedBytes > bytesMax * heapPartMax) void die(new Error('its heap is nearly full'));
    signal.throwIfAborted();
    yield batch;
  }
}

async function run(): Promise<void> {
  shareBlocks();
  const instance = await openLockedInstance({
    // Engines that spill into one folder would overwrite each other's files.
    ...{ directory, spillDirectory: '', memoryLimitMegabytes: MEMORY_MEGABYTES },
    ...{ threadCount: 1, readsPages: true },
  });
  const connections = new QueryConnections(instance, queriesMax);
  const scans = new OpenScans();
  const pages = new NaturalPages(connections, scans);
  await warmUpWriters(new AbortController().signal);

  function make({ plan, format }: Wanted, signal: AbortSignal): Promise<WrittenPage> {
    const rows = () => watchingHeap(pages.run(plan, signal), signal);
    const { columns, offset, limit, dataset } = plan;
    const frame = { columns, offset, limit, timeZone: dataset.timeZone } as PageFrame;
    return WRITERS[format]({ rows, parquet: () => Promise.reject() }, frame);
  }
  const ahead = new PageAhead(make);

  /** Begins the page that would come next, if nothing else is to be done and it takes no time. */
  function goAhead(asked: AskedPage, nextOffset: number | null, beganMs: number): void {
    const { plan, format, isAlone } = asked;
    if (isDying || !isAlone || running.size > 0 || nextOffset === null) return;
    if (performance.now() - beganMs > QUICK_MS) return;
    const next = { ...plan, offset: nextOffset };
    if (scans.has(next)) ahead.begin({ plan: next, format });
  }

  async function write(asked: AskedPage, made: Promise<WrittenPage>): Promise<void> {
    const { id } = asked;
    let nextOffset: number | null = null;
    const beganMs = performance.now();
    try {
      const page = await made;
      lend(id, page);
      nextOffset = page.nextOffset;
    } catch (error) {
      if (!isDying) tell(failureOf(id, error as Error));
    } finally {
      running.delete(id);
    }
    goAhead(asked, nextOffset, beganMs);
  }

  leaveAll = async () => {
    ahead.drop();
    for (const { leaving } of running.values()) leaving.abort();
    const written = [...running.values()].map((page) => page.written);
    await Promise.allSettled([...written, ahead.ended, scans.close()]);
  };

  parentPort?.on('message', (asked: Asked) => {
    if (asked.is === 'page') {
      const { leaving, page } = ahead.take(asked);
      running.set(asked.id, { leaving, written: write(asked, page) });
    } else if (asked.is === 'abort') running.get(asked.id)?.leaving.abort();
    else if (asked.is === 'release') takeBack(asked.id);
    else {
      void leaveAll();
      connections.close();
      parentPort?.close();
    }
  });
  tell({ is: 'ready' });
}

await run();
