/** Runs publications from their note in the ledger to their end. */
import { type Clock, isoSeconds } from '../base/clock.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { LakeIndex } from '../store/lake-index.ts';
import type { NewPublication } from '../store/publications.ts';
import { OpenPublication, type PublicationContext } from './publication.ts';
import type { PublicationOptions, PublicationWait } from './publication-options.ts';
import type { PublishingTurn } from './publishing-turn.ts';

export interface PublicationRunOptions {
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  readonly clock: Clock;
  /** Who publishes, as the audit log names them, unless a publication says who. */
  readonly actor: string;
}

export class PublicationRuns {
  readonly #options: PublicationRunOptions;
  readonly #turn: PublishingTurn;

  constructor(options: PublicationRunOptions, turn: PublishingTurn) {
    this.#options = options;
    this.#turn = turn;
  }

  /** Begins one of this process, which counts as dead once the process is. */
  async begin(options: PublicationOptions): Promise<OpenPublication> {
    await this.#turn.requireOwn();
    await this.#turn.settleDead();
    const lifeMark = await this.#options.index.publishers.holdLife();
    try {
      const record = { ...this.recordOf(options), lifeMark: lifeMark.name };
      const publicationId = await this.#options.index.ledger.begin(record);
      const { datasetIds } = record;
      return this.enter(publicationId, options, { lifeMark, isKeptOpen: false, datasetIds });
    } catch (error) {
      await lifeMark.release();
      throw error;
    }
  }

  /** What the ledger is told of one that begins now. */
  recordOf({ datasets, kind, command, ...options }: PublicationOptions) {
    const { actor, clock } = this.#options;
    return {
      datasetIds: datasets.map(({ datasetId }) => datasetId),
      kind: kind ?? 'load',
      command,
      actor: options.actor ?? actor,
      reason: options.reason ?? null,
      vendor: options.vendor ?? null,
      startedAt: isoSeconds(clock.now()),
    } satisfies Omit<NewPublication, 'lifeMark'>;
  }

  /** One that is noted, for this process to write into. */
  enter(
    publicationId: number,
    wait: PublicationWait,
    life: Pick<PublicationContext, 'lifeMark' | 'isKeptOpen' | 'limits' | 'datasetIds'>,
  ): OpenPublication {
    const { index, storage, clock } = this.#options;
    const lock = () => this.#turn.take(wait, life.datasetIds);
    return new OpenPublication(publicationId, { storage, index, clock, lock, ...life });
  }

  /** Does the work and commits the publication, or notes why it has failed. */
  async run<T>(
    publication: OpenPublication,
    { signal }: PublicationWait,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    try {
      const result = await work(publication);
      await publication.commit();
      return result;
    } catch (error) {
      await publication.fail(error, signal);
      throw error;
    }
  }
}
