/** What uploads have made stale: derived in the queue of loads, once for all that were loaded by then. */
import { failureText } from '../../base/failure-text.ts';
import type { DeriveFrom } from './derive-in-process.ts';
import type { LoadQueue } from './load-queue.ts';
import type { LoadEnd, Upload } from './upload.ts';

export interface DueDerivationsOptions {
  readonly queue: Pick<LoadQueue, 'add'>;
  /** Null: nothing is derived after loads. */
  readonly derive: DeriveFrom | null;
  readonly onFailure: (text: string) => void;
}

export class DueDerivations {
  readonly #options: DueDerivationsOptions;
  #datasetIds = new Set<string>();

  constructor(options: DueDerivationsOptions) {
    this.#options = options;
  }

  /** Told of each load that has ended. What was loaded into an open publication does not count yet. */
  loaded({ datasetId, options }: Pick<Upload, 'datasetId' | 'options'>, { state }: LoadEnd): void {
    const { derive, queue } = this.#options;
    if (derive === null || state !== 'published') return;
    if (options.into !== null || options.isDryRun) return;
    const isQueued = this.#datasetIds.size > 0;
    this.#datasetIds.add(datasetId);
    if (!isQueued) queue.add((signal) => this.#run(derive, signal));
  }

  async #run(derive: DeriveFrom, signal: AbortSignal): Promise<void> {
    const datasetIds = this.#datasetIds;
    this.#datasetIds = new Set();
    if (signal.aborted) return;
    try {
      await derive(datasetIds, signal);
    } catch (error) {
      this.#options.onFailure(`uploads: ${failureText(error)}`);
    }
  }
}
