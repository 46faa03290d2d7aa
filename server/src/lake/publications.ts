/**
 * Begins and ends publications: those of this process, and open ones that any process may write
 * into.
 */
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import type { PartStorage } from '../engine/engine.ts';
import { type LakeIndex, PublicationConflict } from '../store/lake-index.ts';
import type { NewPublication } from '../store/publications.ts';
import { OpenPublication, type PublicationContext } from './publication.ts';
import type { ChangeReport, PublicationOptions, PublicationWait } from './publication-options.ts';
import type { PublishingTurn } from './publishing-turn.ts';
import type { OpenPublicationLimits } from './settings.ts';

export interface PublicationsOptions {
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  readonly clock: Clock;
  /** Who publishes, as the audit log names them, unless a publication says who. */
  readonly actor: string;
  readonly limits: OpenPublicationLimits;
  readonly turn: PublishingTurn;
}

const DAY_MS = 86_400_000;

export class Publications {
  readonly #options: PublicationsOptions;

  constructor(options: PublicationsOptions) {
    this.#options = options;
  }

  /**
   * Begins a publication of this process, which counts as dead once the process is, or goes on with
   * the open one `into`. Throws a `UsageError` if that is not open.
   */
  async begin(options: PublicationOptions): Promise<OpenPublication> {
    const { index, limits, turn } = this.#options;
    const { into } = options;
    if (into) {
      await this.#requireOpen(into);
      return this.#enter(into, options, { lifeMark: null, isKeptOpen: true, limits });
    }
    await turn.requireOwn();
    await turn.settleDead();
    const lifeMark = await index.publishers.holdLife();
    try {
      const record = { ...this.#recordOf(options), lifeMark: lifeMark.name };
      const { datasetIds } = record;
      const publicationId = await index.ledger.begin(record);
      return this.#enter(publicationId, options, { lifeMark, isKeptOpen: false, datasetIds });
    } catch (error) {
      await lifeMark.release();
      throw error;
    }
  }

  /**
   * Opens one for several commands; resolves to its id. Throws a `UsageError` if too many are open.
   */
  async open(options: PublicationOptions): Promise<number> {
    const { index, limits } = this.#options;
    const { openPublicationsMax: openMax } = limits;
    await this.abandonOld();
    const publicationId = await index.ledger.beginOpen(this.#recordOf(options), openMax);
    if (publicationId !== null) return publicationId;
    throw new UsageError(`no more than ${openMax} publications may be open: commit or abandon one`);
  }

  /**
   * Publishes all that was written into an open one, at once. Throws a `UsageError` if it is not
   * open.
   */
  async commit(publicationId: number, wait: PublicationWait = {}): Promise<ChangeReport> {
    await this.#requireOpen(publicationId);
    const life = { lifeMark: null, isKeptOpen: false };
    const publication = this.#enter(publicationId, wait, life);
    try {
      await publication.run(async () => undefined);
    } catch (error) {
      throw error instanceof PublicationConflict ? new UsageError(error.message) : error;
    }
    return { publicationId, versions: publication.committed };
  }

  /**
   * Gives up an open one and all that was written into it. Throws a `UsageError` if it is not open.
   */
  async abandon(publicationId: number, message: string): Promise<void> {
    await this.#requireOpen(publicationId);
    const { index, clock } = this.#options;
    await index.ledger.finish(publicationId, 'refused', message, isoSeconds(clock.now()));
  }

  /** Gives up those that have been open for too long. */
  async abandonOld(): Promise<void> {
    const { index, clock, limits } = this.#options;
    const days = limits.openPublicationDays;
    const startedAtMax = isoSeconds(clock.now() - days * DAY_MS);
    const message = `abandoned, because it was open for ${days} ${days === 1 ? 'day' : 'days'}`;
    for (const { publicationId, lifeMark, startedAt } of await index.ledger.running()) {
      if (lifeMark !== null || startedAt > startedAtMax) continue;
      await index.ledger.finish(publicationId, 'failed', message, isoSeconds(clock.now()));
    }
  }

  #recordOf({ datasets, kind, command, ...options }: PublicationOptions) {
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

  #enter(
    publicationId: number,
    wait: PublicationWait,
    life: Pick<PublicationContext, 'lifeMark' | 'isKeptOpen' | 'limits' | 'datasetIds'>,
  ): OpenPublication {
    const { index, storage, clock, turn } = this.#options;
    const lock = () => turn.take(wait, life.datasetIds);
    const { signal } = wait;
    return new OpenPublication(publicationId, { storage, index, clock, lock, signal, ...life });
  }

  async #requireOpen(publicationId: number): Promise<void> {
    const record = await this.#options.index.ledger.publication(publicationId);
    if (record?.isOpen) return;
    throw new UsageError(
      record
        ? `publication ${publicationId} is not open`
        : `there is no publication ${publicationId}`,
    );
  }
}
