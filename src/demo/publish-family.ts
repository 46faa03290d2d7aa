/** Publishes the datasets of a family at the same time, while their rows are being generated. */
import { setImmediate } from 'node:timers/promises';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { ColumnBatch } from '../engine/columns.ts';
import type { DemoFamily } from './family.ts';
import { RowBuffers } from './row-buffer.ts';

/** What the demo market needs of the lake. */
export interface PublishTarget {
  publish(publication: {
    readonly dataset: Dataset;
    readonly mode: 'replace';
    readonly vendor: string;
    readonly batches: AsyncIterable<ColumnBatch>;
  }): Promise<unknown>;
}

/** Batches on their way from the one producer to the one publication that reads them. */
class BatchChannel implements AsyncIterable<ColumnBatch> {
  readonly #waiting: ColumnBatch[] = [];
  #wake: (() => void) | null = null;
  #isClosed = false;
  #failure: unknown = null;

  push(batches: readonly ColumnBatch[]): void {
    if (batches.length === 0) return;
    this.#waiting.push(...batches);
    this.#wake?.();
  }

  /** No more batches follow; a failure makes the reader throw it. */
  close(failure: unknown = null): void {
    this.#isClosed = true;
    this.#failure = failure;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<ColumnBatch> {
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch) yield batch;
      else if (this.#failure) throw this.#failure;
      else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

async function produce(
  family: DemoFamily,
  buffers: RowBuffers,
  channels: ReadonlyMap<string, BatchChannel>,
): Promise<void> {
  const pass = (isEnd: boolean) => {
    for (const buffer of buffers.all())
      channels.get(buffer.dataset.textId)?.push(buffer.take(isEnd));
  };
  try {
    for (const _ of family.produce(buffers)) {
      pass(false);
      await setImmediate();
    }
    pass(true);
    for (const channel of channels.values()) channel.close();
  } catch (error) {
    for (const channel of channels.values()) channel.close(error);
    throw error;
  }
}

/** The datasets of a family, in its order. Throws where the catalogue lacks one. */
export function datasetsOf(family: DemoFamily, catalog: Catalog): Dataset[] {
  return family.textIds.map((textId) => {
    const dataset = catalog.byTextId(textId);
    if (!dataset) throw new Error(`the catalogue has no dataset ${textId}`);
    return dataset;
  });
}

export async function publishFamily(
  target: PublishTarget,
  family: DemoFamily,
  catalog: Catalog,
  vendor: string,
): Promise<void> {
  const datasets = datasetsOf(family, catalog);
  const channels = new Map(datasets.map(({ textId }) => [textId, new BatchChannel()]));
  const publications = datasets.map((dataset) =>
    target.publish({
      dataset,
      mode: 'replace',
      vendor,
      batches: channels.get(dataset.textId) as BatchChannel,
    }),
  );
  await Promise.all([produce(family, new RowBuffers(datasets), channels), ...publications]);
}
