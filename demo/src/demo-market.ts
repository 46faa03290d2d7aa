/**
 * A small market that does not exist: every dataset of the catalogue filled from one seed, all of
 * them telling the same story.
 */

import { UsageError } from 'ticklake/base/errors.ts';
import type { Catalog, Dataset } from 'ticklake/catalog/dataset.ts';
import { derive } from 'ticklake/derive/derive.ts';
import type { ColumnBatch } from 'ticklake/engine/columns.ts';
import type { EngineReader } from 'ticklake/engine/engine.ts';
import type { Lake } from 'ticklake/lake/lake.ts';
import type { OpenPublication } from 'ticklake/lake/publication.ts';
import { FLAGSHIP_TICKER } from './companies.ts';
import {
  type GenerationMessage,
  type GenerationOptions,
  startGeneration,
} from './generation-thread.ts';
import { type DemoSize, FULL_SIZE } from './timeline.ts';

export class BatchChannel implements AsyncIterable<ColumnBatch> {
  readonly #waiting: ColumnBatch[] = [];
  readonly #onTaken: () => void;
  #wake: (() => void) | null = null;
  #isClosed = false;
  #failure: unknown = null;

  /** `onTaken` is called for each batch when the reader takes it. */
  constructor(onTaken: () => void) {
    this.#onTaken = onTaken;
  }

  push(batch: ColumnBatch): void {
    this.#waiting.push(batch);
    this.#wake?.();
  }

  /** No more batches follow. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  /** The reader gets the failure in place of further batches. */
  fail(failure: unknown): void {
    this.#failure = failure;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ColumnBatch> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const batch = this.#waiting.shift();
      if (batch) {
        this.#onTaken();
        yield batch;
      } else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

export const DEMO_VENDOR = 'Synthetic';
const DEMO_COMMAND = 'demo';

export interface DemoMarketOptions {
  readonly lake: Lake;
  readonly catalog: Catalog;
  readonly seed: number;
  /** The last trade date, `YYYY-MM-DD`; has to be a trading day. */
  readonly asOf: string;
  /** Takes one line for each step. */
  readonly report: (line: string) => void;
  /** Ends the generation, which then throws; nothing of it is published. */
  readonly signal?: AbortSignal | undefined;
  readonly size?: DemoSize | undefined;
  /** All of it unless given. */
  readonly extent?: GenerationOptions['extent'];
}

/**
 * Throws a `UsageError` where a dataset has rows that neither the demo nor a derivation made.
 * Nobody else publishes from then on. Vendors don't tell: rows that name none have the demo's.
 */
async function requireNoOthersRows(
  { ledger }: Lake,
  publication: OpenPublication,
  dataset: Dataset,
): Promise<void> {
  const parts = await publication.partsOf(dataset);
  for (const id of new Set(parts.flatMap(({ publicationIds }) => publicationIds))) {
    const record = await ledger.publication(id);
    if (record?.command === DEMO_COMMAND || record?.kind === 'derivation') continue;
    throw new UsageError(
      `${dataset.textId} has rows of your own, which the demo's would replace; ` +
        'name another folder with --home, or use ticklake serve',
    );
  }
}

async function writeDataset(
  lake: Lake,
  publication: OpenPublication,
  dataset: Dataset,
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal | undefined,
): Promise<void> {
  await requireNoOthersRows(lake, publication, dataset);
  const writer = await lake.openWriter(dataset, signal);
  try {
    let rowCount = 0;
    for await (const batch of batches) {
      await writer.append(batch);
      rowCount += batch.rowCount;
    }
    // All of it is derived.
    if (rowCount === 0) return;
    await publication.write({ dataset, mode: 'replace-all', vendor: DEMO_VENDOR }, writer);
  } finally {
    await writer.close();
  }
}

/**
 * Generates the market up to `asOf` and replaces what the lake holds of it, all at once. What can
 * be derived from other rows of it is left out. Rejects with a `UsageError` where somebody's own
 * rows would be lost.
 */
export async function generateDemoMarket(options: DemoMarketOptions): Promise<void> {
  const { signal } = options;
  const demo = { datasets: [], command: DEMO_COMMAND, vendor: DEMO_VENDOR, signal };
  await options.lake.publication(demo, (publication) => writeMarket(options, publication));
}

/** Writes the datasets of a family at the same time, while their rows are being generated. */
async function writeMarket(
  options: DemoMarketOptions,
  publication: OpenPublication,
): Promise<void> {
  const { lake, catalog, seed, asOf, report, signal, size = FULL_SIZE, extent = 'all' } = options;
  const channels = new Map<string, BatchChannel>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const writings: Promise<unknown>[] = [];
  const begin = (textId: string) => {
    const dataset = catalog.byTextId(textId);
    if (!dataset) throw new Error(`the catalogue has no dataset ${textId}`);
    const batches = new BatchChannel(generation.taken);
    channels.set(textId, batches);
    writings.push(writeDataset(lake, publication, dataset, batches, signal).catch(reject));
  };
  const take: {
    [K in GenerationMessage['kind']]: (message: GenerationMessage & { kind: K }) => void;
  } = {
    family: ({ name, textIds }) => {
      report(`Generating ${name}`);
      textIds.forEach(begin);
    },
    batch: ({ textId, batch }) => channels.get(textId)?.push(batch),
    end: ({ textIds }) => {
      for (const textId of textIds) channels.get(textId)?.close();
    },
    done: () => Promise.all(writings).then(() => resolve(), reject),
  };
  const generation = startGeneration(
    { datasets: catalog.datasets, seed, asOf, size, extent },
    (message) => take[message.kind](message as never),
    reject,
  );
  const interrupt = () => reject(new Error('the generation was interrupted'));
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    signal?.throwIfAborted();
    await promise;
  } catch (error) {
    for (const channel of channels.values()) channel.fail(error);
    await Promise.allSettled(writings);
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    await generation.stop();
  }
}

export type DemoDerivationOptions = Pick<DemoMarketOptions, 'lake' | 'catalog' | 'report'> & {
  readonly engine: EngineReader;
  readonly signal?: AbortSignal | undefined;
};

/** Derives the rest of the market, as `ticklake derive --all --stale` does. */
export async function deriveDemoMarket(options: DemoDerivationOptions): Promise<void> {
  const { lake, catalog, engine, report, signal = new AbortController().signal } = options;
  report('Deriving bars, daily values and adjusted rows');
  const { state, reason } = await derive({
    ...{ lake, catalog, engine, signal, datasets: catalog.datasets },
    ...{ dates: null, isStaleOnly: true, replacesLoaded: false, reason: null, onSlice: () => {} },
  });
  if (state === 'refused') throw new Error(`the derivation was refused: ${reason}`);
}

/** A query of the flagship's daily prices; null if they are not the demo's. */
export async function demoQueryPath(catalog: Catalog, lake: Lake): Promise<string | null> {
  const daily = catalog.byTextId('eq_daily_ohlc');
  const snapshot = daily && (await lake.snapshot(daily.datasetId));
  if (!daily || snapshot?.vendor !== DEMO_VENDOR) return null;
  return `/data/${daily.group}/${daily.segment}?Ticker=${FLAGSHIP_TICKER}&limit=3`;
}
