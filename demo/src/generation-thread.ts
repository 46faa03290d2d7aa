/**
 * Generates the demo market in a thread of its own, so that one core computes rows while the other
 * stores them. This module is both sides: it starts itself as the thread.
 */

import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Catalog, Dataset } from 'ticklake/catalog/dataset.ts';
import { type ColumnBatch, daysOfDate, takeRows } from 'ticklake/engine/columns.ts';
import { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import { demoFamilies, firstFamilies } from './demo-families.ts';
import { buildTimeline, type DemoSize, firstTickDateOf } from './timeline.ts';

/** Datasets whose rows tell more than their inputs could. */
const TELLING_MORE: readonly string[] = [
  // The market of the underlying at each trade.
  'opt_trades',
  // Names, identifiers, and a second SecId of one security.
  ...['eq_lookup_files', 'eq_sec_master'],
];

/** From which date on rows are derived, in days since 1970; null: none are. */
function derivedFrom(
  { derivation, textId }: Dataset,
  catalog: Pick<Catalog, 'byTextId'>,
  firstTickDate: string,
) {
  const [input] = derivation?.inputs ?? [];
  if (input === undefined || TELLING_MORE.includes(textId)) return null;
  // Bars and daily values, whether loaded or derived, reach as far back as the market does.
  const isOfTicks = catalog.byTextId(input)?.pathShape === 'tick';
  return isOfTicks ? daysOfDate(firstTickDate) : Number.NEGATIVE_INFINITY;
}

/** The rows of a batch, in natural order, that are loaded; null: none. */
export type LoadedRows = (batch: ColumnBatch) => ColumnBatch | null;

/** `firstTickDate` is the first one with ticks, `YYYY-MM-DD`. */
export function loadedRowsOf(
  dataset: Dataset,
  catalog: Pick<Catalog, 'byTextId'>,
  firstTickDate: string,
): LoadedRows {
  const from = derivedFrom(dataset, catalog, firstTickDate);
  if (from === null) return (batch) => batch;
  if (from === Number.NEGATIVE_INFINITY) return () => null;
  const at = dataset.columns.findIndex(({ name }) => name === dataset.dateColumn);
  return (batch) => {
    const days = batch.columns[at]?.values as Int32Array;
    if ((days[0] ?? from) >= from) return null;
    if ((days[batch.rowCount - 1] as number) < from) return batch;
    const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
    return takeRows(
      batch,
      rows.filter((row) => (days[row] as number) < from),
    );
  };
}

export interface GenerationOptions {
  readonly datasets: readonly Dataset[];
  readonly seed: number;
  readonly asOf: string;
  readonly size: DemoSize;
  /** How much of the market: little for a first query, or all. */
  readonly extent: keyof typeof FAMILIES;
}

const FAMILIES = { first: firstFamilies, all: demoFamilies };

/** Messages of the thread: start, batches and end of each family, then the end of all. */
export type GenerationMessage =
  | { readonly kind: 'family'; readonly name: string; readonly textIds: readonly string[] }
  | { readonly kind: 'batch'; readonly textId: string; readonly batch: ColumnBatch }
  | { readonly kind: 'end'; readonly textIds: readonly string[] }
  | { readonly kind: 'done' };

/** Batches that may wait for the other side before the thread pauses. */
const WAITING_BATCHES_MAX = 32;
const THREAD_MARK = 'generate demo market';

interface ThreadData extends GenerationOptions {
  readonly mark: typeof THREAD_MARK;
  /** One 32-bit number: the batches that wait. */
  readonly waiting: SharedArrayBuffer;
}

export interface Generation {
  /** Says that a batch has been taken over. */
  taken(): void;
  stop(): Promise<unknown>;
}

/** Starts the thread. After an error no more messages come. */
export function startGeneration(
  options: GenerationOptions,
  onMessage: (message: GenerationMessage) => void,
  onError: (error: unknown) => void,
): Generation {
  const waiting = new SharedArrayBuffer(4);
  const counter = new Int32Array(waiting);
  const data: ThreadData = { ...options, mark: THREAD_MARK, waiting };
  const worker = new Worker(new URL(import.meta.url), { workerData: data });
  worker.on('message', onMessage);
  worker.on('error', onError);
  return {
    taken: () => {
      Atomics.sub(counter, 0, 1);
      Atomics.notify(counter, 0);
    },
    stop: () => worker.terminate(),
  };
}

function buffersOf(batch: ColumnBatch): ArrayBuffer[] {
  return batch.columns.flatMap((column) => {
    if (!('nulls' in column)) return [];
    const views = column.nulls ? [column.values, column.nulls] : [column.values];
    return views.map(({ buffer }) => buffer as ArrayBuffer);
  });
}

function loadedRowsByDataset({ datasets, asOf, size }: GenerationOptions) {
  const known = new Map(datasets.map((dataset) => [dataset.textId, dataset]));
  const firstTickDate = firstTickDateOf(buildTimeline(asOf, size));
  const catalog = { byTextId: (textId: string) => known.get(textId) };
  return new Map(datasets.map((each) => [each.textId, loadedRowsOf(each, catalog, firstTickDate)]));
}

function generate(options: ThreadData): void {
  const { datasets, seed, asOf, size, extent, waiting } = options;
  const loadedRows = loadedRowsByDataset(options);
  const counter = new Int32Array(waiting);
  const post = (message: GenerationMessage, transfer: ArrayBuffer[] = []) =>
    parentPort?.postMessage(message, transfer);
  const postBatches = (buffers: RowBuffers, isEnd: boolean) => {
    for (const buffer of buffers.all())
      for (const generated of buffer.take(isEnd)) {
        const { textId } = buffer.dataset;
        const batch = (loadedRows.get(textId) as LoadedRows)(generated);
        if (!batch) continue;
        for (;;) {
          const count = Atomics.load(counter, 0);
          if (count < WAITING_BATCHES_MAX) break;
          Atomics.wait(counter, 0, count);
        }
        Atomics.add(counter, 0, 1);
        // Without what gives its memory back: that goes to the other thread.
        const { rowCount, columns } = batch;
        post({ kind: 'batch', textId, batch: { rowCount, columns } }, buffersOf(batch));
      }
  };
  const families = FAMILIES[extent](seed, asOf, size);
  for (const [at, family] of families.entries()) {
    const { textIds } = family;
    const name =
      extent === 'first' ? family.name : `${family.name} (${at + 1} of ${families.length})`;
    post({ kind: 'family', name, textIds });
    const buffers = new RowBuffers(datasets.filter(({ textId }) => textIds.includes(textId)));
    for (const _ of family.produce(buffers)) postBatches(buffers, false);
    postBatches(buffers, true);
    post({ kind: 'end', textIds });
  }
  post({ kind: 'done' });
}

if (workerData?.mark === THREAD_MARK) generate(workerData);
