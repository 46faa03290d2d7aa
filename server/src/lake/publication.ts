/**
 * One publication, from the beginning of the command that makes it to its end: it is noted in the
 * index as running, so that the status of its datasets is `updating` from then on, and ends with all
 * of its versions published in one transaction, or with the reason why none is.
 */
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { printableLine } from '../base/printable.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import type { EndState, LakeIndex } from '../store/lake-index.ts';
import type { LifeMark, Lock } from '../store/publisher-locks.ts';
import {
  type PublicationReport,
  type StageOptions,
  type WrittenVersion,
  writeVersion,
} from './publish.ts';

export interface PublicationContext {
  readonly storage: PartStorage;
  readonly index: LakeIndex;
  readonly clock: Clock;
  readonly lifeMark: LifeMark;
  /** Waits until nobody else publishes. */
  readonly lock: () => Promise<Lock>;
}

interface Ending {
  readonly state: EndState;
  readonly message: string;
}

function endingOf(error: unknown, signal: AbortSignal | undefined): Ending {
  if (signal?.aborted) return { state: 'failed', message: 'interrupted' };
  const state = error instanceof UsageError ? 'refused' : 'failed';
  return { state, message: failureText(error) };
}

export class OpenPublication {
  readonly publicationId: number;
  readonly #context: PublicationContext;
  readonly #versions: WrittenVersion[] = [];
  #lock: Lock | null = null;
  #ending: Ending | null = null;

  constructor(publicationId: number, context: PublicationContext) {
    this.publicationId = publicationId;
    this.#context = context;
  }

  /**
   * Writes the writer's rows as the next version of their dataset, which is published together with
   * the others when the publication ends. From the first one on nobody else publishes. A dataset is
   * written once.
   */
  async write(options: StageOptions, writer: PartWriter): Promise<PublicationReport> {
    const { storage, index, lock } = this.#context;
    const { datasetId } = options.dataset;
    // This sorts the rows, which need not keep others from publishing.
    const keys = await writer.partitionKeys();
    this.#lock ??= await lock();
    const written = await writeVersion({ storage, index }, options, writer, keys);
    if (written) this.#versions.push(written);
    const version = (await index.dataset(datasetId))?.version ?? 0;
    return written?.report ?? { version, partitions: [], rowCount: 0, replacedRowCount: 0 };
  }

  /** Ends the publication without a change, because the data is at fault. */
  refuse(message: string): void {
    this.#ending = { state: 'refused', message: printableLine(message) };
  }

  /** Ends the publication without a change: there was nothing to publish, and that is no fault. */
  publishNothing(message: string): void {
    this.#ending = { state: 'succeeded', message: printableLine(message) };
  }

  /** Publishes what was written, unless the publication was refused. Called once, at the end. */
  async commit(): Promise<void> {
    const { index, clock } = this.#context;
    if (this.#ending) await this.#abandon(this.#ending);
    else {
      const versions = this.#versions.map(({ next }) => next);
      await index.commit(this.publicationId, versions, clock.now());
    }
    await this.#close();
  }

  /** Removes what was written; what cannot be removed now, the next sweep removes. */
  async fail(error: unknown, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.#abandon(endingOf(error, signal));
    } catch {
      // The first error is the one to report.
    } finally {
      await this.#close();
    }
  }

  async #abandon({ state, message }: Ending): Promise<void> {
    const { storage, index, clock } = this.#context;
    const finishedAt = isoSeconds(clock.now());
    if (this.#lock) {
      const { pending } = await index.leftovers(Number.NEGATIVE_INFINITY);
      await storage.remove(pending);
      await index.clearPending();
    }
    await index.finish(this.publicationId, state, message, finishedAt);
  }

  async #close(): Promise<void> {
    const lock = this.#lock;
    this.#lock = null;
    try {
      await this.#context.lifeMark.release();
    } finally {
      await lock?.release();
    }
  }
}
