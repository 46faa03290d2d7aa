/** Publications that any process may write into, until they are committed or abandoned. */
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { type LakeIndex, PublicationConflict } from '../store/lake-index.ts';
import type { OpenPublication } from './publication.ts';
import type { ChangeReport, PublicationOptions, PublicationWait } from './publication-options.ts';
import type { PublicationRuns } from './publication-run.ts';
import { OPEN_PUBLICATION_SETTINGS, type OpenPublicationLimits } from './settings.ts';

export interface OpenPublicationsOptions {
  readonly index: LakeIndex;
  readonly clock: Clock;
  readonly limits: OpenPublicationLimits;
}

const DAY_MS = 86_400_000;

export class OpenPublications {
  readonly #options: OpenPublicationsOptions;
  readonly #runs: PublicationRuns;

  constructor(options: OpenPublicationsOptions, runs: PublicationRuns) {
    this.#options = options;
    this.#runs = runs;
  }

  /** Resolves with the id of a new one. Throws a `UsageError` where as many are open as may be. */
  async begin(options: PublicationOptions): Promise<number> {
    const { index, limits } = this.#options;
    const { openPublicationsMax: openMax } = limits;
    await this.abandonOld();
    const record = this.#runs.recordOf(options);
    const publicationId = await index.ledger.beginOpen(record, openMax);
    if (publicationId !== null) return publicationId;
    const { environment } = OPEN_PUBLICATION_SETTINGS.openPublicationsMax;
    throw new UsageError(
      `no more than ${openMax} publications may be open: commit or abandon one, or raise ${environment}`,
    );
  }

  /** Runs `work` as a part of one. Throws a `UsageError` where it is not open. */
  async into<T>(
    publicationId: number,
    options: PublicationWait,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    await this.#require(publicationId);
    const life = { lifeMark: null, isKeptOpen: true, limits: this.#options.limits };
    const publication = this.#runs.enter(publicationId, options, life);
    return await this.#runs.run(publication, options, work);
  }

  /** Publishes what was written into one, all of it at once. Throws a `UsageError` where it is not open. */
  async commit(publicationId: number, options: PublicationWait = {}): Promise<ChangeReport> {
    await this.#require(publicationId);
    const life = { lifeMark: null, isKeptOpen: false };
    const publication = this.#runs.enter(publicationId, options, life);
    try {
      await this.#runs.run(publication, options, async () => {});
    } catch (error) {
      throw error instanceof PublicationConflict ? new UsageError(error.message) : error;
    }
    return { publicationId, versions: publication.committed };
  }

  /** Gives one up and all that was written into it. */
  async abandon(publicationId: number, message: string): Promise<void> {
    await this.#require(publicationId);
    const { index, clock } = this.#options;
    await index.ledger.finish(publicationId, 'refused', message, isoSeconds(clock.now()));
  }

  /** Gives up those that nobody has committed for too long. */
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

  async #require(publicationId: number): Promise<void> {
    const record = await this.#options.index.ledger.publication(publicationId);
    if (record?.isOpen) return;
    throw new UsageError(
      record
        ? `publication ${publicationId} is not open`
        : `there is no publication ${publicationId}`,
    );
  }
}
