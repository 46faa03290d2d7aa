/**
 * Changes what is published without new rows: rolls back, withdraws, drops versions, removes
 * leftovers.
 */
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { LakeIndex, Leftovers } from '../store/lake-index.ts';
import type { CheckFinding } from './check-findings.ts';
import { currentParts } from './current-parts.ts';
import { comparePartitions, droppedPartitions, type PartitionComparison } from './losses.ts';
import type { OpenPublication } from './publication.ts';
import type {
  ChangeOptions,
  ChangeReport,
  PublicationOptions,
  PublicationWait,
} from './publication-options.ts';
import type { Publications, PublicationsOptions } from './publications.ts';
import { checkStagedRows, type StageOptions } from './publish.ts';
import type { PublishingTurn } from './publishing-turn.ts';
import { type DroppedVersions, planRetention, type RetentionPolicy } from './retention.ts';
import type { RollbackTarget } from './rollback.ts';
import type { Withdrawal, WithdrawalReport } from './withdraw.ts';

export interface PublisherOptions
  extends Pick<PublicationsOptions, 'index' | 'storage' | 'clock' | 'turn'> {
  readonly publications: Publications;
}

/** The effect that publishing rows would have. */
export interface Preview {
  /** Partitions that would be written or dropped. */
  readonly partitions: readonly PartitionComparison[];
  readonly findings: readonly CheckFinding[];
}

interface WithdrawalOptions extends ChangeOptions {
  readonly isDryRun?: boolean;
  readonly into?: number | undefined;
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #index: LakeIndex;
  readonly #turn: PublishingTurn;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#index = options.index;
    this.#turn = options.turn;
  }

  /**
   * Undoes earlier publications in a new one, at once. Throws a `UsageError` where that cannot be.
   */
  async rollBack(target: RollbackTarget, options: ChangeOptions = {}): Promise<ChangeReport> {
    const datasets = await this.#datasetsOf(target);
    const change = { ...options, datasets, kind: 'rollback', command: 'rollback' } as const;
    return await this.#change(change, (publication) => publication.rollBack(target));
  }

  /**
   * Takes rows out of a dataset in a publication of its own, or in the open one `into`. A dry run,
   * which has one of its own, only tells which.
   */
  async withdraw(
    dataset: Dataset,
    withdrawal: Withdrawal,
    { isDryRun = false, into, ...options }: WithdrawalOptions = {},
  ): Promise<ChangeReport & WithdrawalReport> {
    let report: WithdrawalReport = { partitions: [], removedRowCount: 0 };
    const datasets = [dataset];
    const work = async (publication: OpenPublication) => {
      const writer = await this.#options.storage.openWriter(dataset, options.signal);
      try {
        report = await publication.withdraw(dataset, writer, withdrawal);
      } finally {
        await writer.close();
      }
      if (report.partitions.length === 0) publication.publishNothing('no such rows');
      else if (isDryRun) publication.publishNothing('dry run');
    };
    const change = { ...options, into, datasets, kind: 'withdrawal', command: 'withdraw' } as const;
    return { ...(await this.#change(change, work)), ...report };
  }

  /** The effect of publishing the writer's rows; nothing changes. */
  async preview(
    options: Pick<StageOptions, 'dataset' | 'mode' | 'vendor' | 'places'>,
    writer: PartWriter,
  ): Promise<Preview> {
    const { storage, clock } = this.#options;
    const keys = await writer.partitionKeys();
    const current = await currentParts(this.#index, null, options.dataset.datasetId);
    const rows = { options, writer, keys, current };
    const findings = await checkStagedRows(rows, clock.now());
    const written = await comparePartitions(storage, rows);
    const gone = options.mode === 'replace-all' ? droppedPartitions(keys, current) : [];
    return { partitions: [...written, ...gone], findings };
  }

  /** Drops the versions that the policy does not keep; a dry run only tells which. */
  async prune(
    policy: RetentionPolicy,
    { isDryRun = false, ...wait }: PublicationWait & { readonly isDryRun?: boolean } = {},
  ): Promise<readonly DroppedVersions[]> {
    if (isDryRun) return await this.#planRetention(policy);
    const lock = await this.#turn.take(wait);
    await using _lock = atEnd(() => lock.release());
    return await this.#prune(policy);
  }

  /**
   * Does so unless somebody publishes, gives up publications that were open for too long, and
   * removes what all of them have left.
   */
  async tidy(policy: RetentionPolicy): Promise<void> {
    await this.#turn.ifIdle(async () => {
      await this.#options.publications.abandonOld();
      await this.#prune(policy);
    });
  }

  /** Removes what no version has and nobody reads any more; a dry run only tells what that is. */
  async sweep(options: PublicationWait & { readonly isDryRun?: boolean } = {}): Promise<Leftovers> {
    const leftovers = await this.#turn.leftovers();
    if (options.isDryRun) return leftovers;
    // Taking it removes them.
    const lock = await this.#turn.take(options);
    await lock.release();
    return leftovers;
  }

  async #planRetention(policy: RetentionPolicy): Promise<DroppedVersions[]> {
    const nowMs = this.#options.clock.now();
    return planRetention(await this.#index.space.replaced(), policy, nowMs, this.#turn.graceMs);
  }

  /** The publishing lock is held. */
  async #prune(policy: RetentionPolicy): Promise<DroppedVersions[]> {
    const dropped = await this.#planRetention(policy);
    const nowMs = this.#options.clock.now();
    for (const { datasetId, firstVersion } of dropped) {
      await this.#index.space.dropVersions(datasetId, firstVersion, nowMs);
    }
    return dropped;
  }

  async #datasetsOf(target: RollbackTarget): Promise<Pick<Dataset, 'datasetId'>[]> {
    if ('datasetId' in target) return [target];
    const record = await this.#index.ledger.publication(target.publicationId);
    if (record) return record.datasets.filter(({ version }) => version !== null);
    throw new UsageError(`there is no publication ${target.publicationId}`);
  }

  async #change(
    options: PublicationOptions,
    work: (publication: OpenPublication) => Promise<void>,
  ): Promise<ChangeReport> {
    const publication = await this.#options.publications.begin(options);
    await publication.run(work);
    return { publicationId: publication.publicationId, versions: publication.committed };
  }
}
