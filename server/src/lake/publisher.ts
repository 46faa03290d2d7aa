/**
 * The way in: publications of one process, one at a time with those of all others. What they leave when
 * they come to nothing, and what dropped versions leave, is removed on the way.
 */
import { type Clock, isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import { type CommittedVersion, type LakeIndex, PublicationConflict } from '../store/lake-index.ts';
import type { PublicationKind, RunningPublication } from '../store/publications.ts';
import type { Lock } from '../store/publisher-locks.ts';
import type { CheckFinding } from './check-findings.ts';
import { checkStagedRows } from './check-staged-rows.ts';
import { currentParts } from './current-parts.ts';
import { comparePartitions, type PartitionComparison } from './losses.ts';
import { OpenPublication, type PublicationContext } from './publication.ts';
import type { StageOptions } from './publish.ts';
import { type DroppedVersions, planRetention, type RetentionPolicy } from './retention.ts';
import type { RollbackTarget } from './rollback.ts';
import type { Withdrawal, WithdrawalReport } from './withdraw.ts';

/** How a publication waits for another one to end. */
export interface PublicationWait {
  /** 10 minutes by default. */
  readonly waitMs?: number | undefined;
  /** Called once if another publication is under way and has to be waited for. */
  readonly onWait?: (() => void) | undefined;
  /** Aborting it ends the wait; what stops the writing is the writer's own signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Another process publishes, and went on for longer than one wanted to wait. */
export class PublisherBusy extends UsageError {
  constructor(directory: string) {
    super(`another process is still publishing into ${directory}; try later`);
    this.name = 'PublisherBusy';
  }
}

/** What the ledger is told of a publication when it begins. */
export interface PublicationOptions extends PublicationWait {
  /** The datasets that may be changed. */
  readonly datasets: readonly Pick<Dataset, 'datasetId'>[];
  /** The command that publishes, such as `ingest`. */
  readonly command: string;
  /** A load by default. */
  readonly kind?: PublicationKind | undefined;
  readonly actor?: string | undefined;
  readonly reason?: string | null | undefined;
  readonly vendor?: string | null | undefined;
}

/** A publication that changes what is there, without rows of its own. */
export type ChangeOptions = Omit<PublicationOptions, 'datasets' | 'command' | 'kind'>;

/** A rollback or withdrawal that is done. */
export interface ChangeReport {
  readonly publicationId: number;
  /** The versions that it made; none where there was nothing to change. */
  readonly versions: readonly CommittedVersion[];
}

export interface PublisherOptions {
  /** As people are told where it is. */
  readonly directory: string;
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  readonly clock: Clock;
  /** Who publishes, as the audit log names them, unless a publication says who. */
  readonly actor: string;
  /** How long a dropped part stays for the queries that still read it; 15 minutes by default. */
  readonly graceMs?: number;
}

const DEFAULT_GRACE_MS = 15 * 60_000;
const DEFAULT_WAIT_MS = 10 * 60_000;
const INTERRUPTED = 'interrupted';

/** What rows would make of a dataset. */
export interface Preview {
  /** Those that would be written. */
  readonly partitions: readonly PartitionComparison[];
  readonly findings: readonly CheckFinding[];
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #index: LakeIndex;

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.#index = options.index;
  }

  /**
   * Runs `work` as one publication. What it writes becomes visible when it is done, all of it at
   * once; nothing does when it throws, and the index keeps the reason.
   */
  async publication<T>(
    options: PublicationOptions,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    return await this.#run(await this.#begin(options), options, work);
  }

  /** Undoes earlier publications in a new one, at once. Throws a `UsageError` where that cannot be. */
  async rollBack(target: RollbackTarget, options: ChangeOptions = {}): Promise<ChangeReport> {
    const datasets = await this.#datasetsOf(target);
    const change = { ...options, datasets, kind: 'rollback', command: 'rollback' } as const;
    return await this.#change(change, (publication) => publication.rollBack(target));
  }

  /** Takes rows out of a dataset in a publication of its own; a dry run only tells which. */
  async withdraw(
    dataset: Dataset,
    withdrawal: Withdrawal,
    { isDryRun = false, ...options }: ChangeOptions & { readonly isDryRun?: boolean } = {},
  ): Promise<ChangeReport & WithdrawalReport> {
    let report: WithdrawalReport = { partitions: [], removedRowCount: 0 };
    const datasets = [dataset];
    const change = { ...options, datasets, kind: 'withdrawal', command: 'withdraw' } as const;
    const made = await this.#change(change, async (publication) => {
      const writer = await this.#options.storage.openWriter(dataset, options.signal);
      try {
        report = await publication.withdraw(dataset, writer, withdrawal);
      } finally {
        await writer.close();
      }
      if (report.partitions.length === 0) publication.publishNothing('no such rows');
      else if (isDryRun) publication.publishNothing('dry run');
    });
    return { ...made, ...report };
  }

  /** What the published partitions would become if the writer's rows were published; nothing changes. */
  async preview(
    options: Pick<StageOptions, 'dataset' | 'mode' | 'places'>,
    writer: PartWriter,
  ): Promise<Preview> {
    const { storage, clock } = this.#options;
    const keys = await writer.partitionKeys();
    const current = await currentParts(this.#index, null, options.dataset.datasetId);
    const findings = await checkStagedRows(options, writer, keys, current, clock.now());
    const partitions = await comparePartitions(storage, writer, keys, options.mode, current);
    return { partitions, findings };
  }

  /** Opens a publication that any process may write into, until it is committed or abandoned. */
  async beginOpen({ datasets, ...options }: PublicationOptions): Promise<number> {
    return await this.#note({ ...options, datasets }, null);
  }

  /** Runs `work` as a part of an open publication. Throws a `UsageError` where it is not open. */
  async intoOpen<T>(
    publicationId: number,
    options: PublicationWait,
    work: (publication: OpenPublication) => Promise<T>,
  ): Promise<T> {
    await this.#requireOpen(publicationId);
    const publication = this.#open(publicationId, options, { lifeMark: null, isKeptOpen: true });
    return await this.#run(publication, options, work);
  }

  /** Publishes an open publication, all of it at once. Throws a `UsageError` where it is not open. */
  async commitOpen(publicationId: number, options: PublicationWait = {}): Promise<ChangeReport> {
    await this.#requireOpen(publicationId);
    const publication = this.#open(publicationId, options, { lifeMark: null, isKeptOpen: false });
    try {
      await this.#run(publication, options, async () => {});
    } catch (error) {
      throw error instanceof PublicationConflict ? new UsageError(error.message) : error;
    }
    return { publicationId, versions: publication.committed };
  }

  /** Gives up an open publication and all that was written into it. */
  async abandonOpen(publicationId: number, message: string): Promise<void> {
    await this.#requireOpen(publicationId);
    const finishedAt = isoSeconds(this.#options.clock.now());
    await this.#index.ledger.finish(publicationId, 'refused', message, finishedAt);
  }

  /** Drops the versions that the policy does not keep; a dry run only tells which. */
  async prune(
    policy: RetentionPolicy,
    { isDryRun = false, ...wait }: PublicationWait & { readonly isDryRun?: boolean } = {},
  ): Promise<readonly DroppedVersions[]> {
    if (isDryRun) return await this.#planRetention(policy);
    const lock = await this.#lockForPublishing(wait);
    return await this.#prune(policy).finally(() => lock.release());
  }

  /** Does so unless somebody publishes, and removes what dropped versions have left. */
  async tidy(policy: RetentionPolicy): Promise<void> {
    const lock = await this.#index.publishers.tryLock();
    if (!lock) return;
    try {
      await this.#prune(policy);
      await this.#sweep();
    } finally {
      await lock.release();
    }
  }

  /** Removes leftovers unless somebody publishes. */
  async sweepIfIdle(): Promise<void> {
    const lock = await this.#index.publishers.tryLock();
    if (lock) await this.#sweep().finally(() => lock.release());
  }

  /** One that is open for any process is no process's to lose. */
  async isAlive({ lifeMark }: RunningPublication): Promise<boolean> {
    return lifeMark === null || (await this.#index.publishers.isAlive(lifeMark));
  }

  async #planRetention(policy: RetentionPolicy): Promise<DroppedVersions[]> {
    const { clock, graceMs = DEFAULT_GRACE_MS } = this.#options;
    return planRetention(await this.#index.replaced(), policy, clock.now(), graceMs);
  }

  /** The publishing lock is held. */
  async #prune(policy: RetentionPolicy): Promise<DroppedVersions[]> {
    const dropped = await this.#planRetention(policy);
    const nowMs = this.#options.clock.now();
    for (const { datasetId, firstVersion } of dropped) {
      await this.#index.dropVersions(datasetId, firstVersion, nowMs);
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
    return await this.publication(options, async (publication) => {
      await work(publication);
      return publication;
    }).then(({ publicationId, committed }) => ({ publicationId, versions: committed }));
  }

  async #requireOpen(publicationId: number): Promise<void> {
    const record = await this.#index.ledger.publication(publicationId);
    if (record?.isOpen) return;
    throw new UsageError(
      record
        ? `publication ${publicationId} is not open`
        : `there is no publication ${publicationId}`,
    );
  }

  #open(
    publicationId: number,
    wait: PublicationWait,
    life: Pick<PublicationContext, 'lifeMark' | 'isKeptOpen'>,
  ): OpenPublication {
    const { clock, storage } = this.#options;
    const lock = () => this.#lockForPublishing(wait);
    return new OpenPublication(publicationId, {
      storage,
      index: this.#index,
      clock,
      lock,
      ...life,
    });
  }

  async #run<T>(
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

  async #begin(options: PublicationOptions): Promise<OpenPublication> {
    await this.#settleDead();
    const lifeMark = await this.#index.publishers.holdLife();
    try {
      const publicationId = await this.#note(options, lifeMark.name);
      return this.#open(publicationId, options, { lifeMark, isKeptOpen: false });
    } catch (error) {
      await lifeMark.release();
      throw error;
    }
  }

  async #note(options: PublicationOptions, lifeMark: string | null): Promise<number> {
    const { actor, clock } = this.#options;
    return await this.#index.ledger.begin({
      datasetIds: options.datasets.map(({ datasetId }) => datasetId),
      kind: options.kind ?? 'load',
      command: options.command,
      actor: options.actor ?? actor,
      reason: options.reason ?? null,
      vendor: options.vendor ?? null,
      lifeMark,
      startedAt: isoSeconds(clock.now()),
    });
  }

  async #lockForPublishing({ waitMs, onWait, signal }: PublicationWait): Promise<Lock> {
    const lock = await this.#index.publishers.lock({
      timeoutMs: waitMs ?? DEFAULT_WAIT_MS,
      onWait,
      signal,
      timeoutError: () => new PublisherBusy(this.#options.directory),
    });
    try {
      await this.#sweep();
      return lock;
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Notes the end of publications whose process has died. */
  async #settleDead(): Promise<void> {
    const finishedAt = isoSeconds(this.#options.clock.now());
    for (const running of await this.#index.ledger.running()) {
      if (await this.isAlive(running)) continue;
      const { publicationId } = running;
      await this.#index.ledger.finish(publicationId, 'failed', INTERRUPTED, finishedAt);
    }
  }

  /** Removes what crashed publications and replaced versions left. The publishing lock is held. */
  async #sweep(): Promise<void> {
    const { clock, storage, graceMs = DEFAULT_GRACE_MS } = this.#options;
    const found = await this.#index.leftovers(clock.now() - graceMs);
    // Asked afterwards: what was dropped before somebody began to hold parts is none of theirs.
    const areHeld = await this.#index.publishers.arePartsHeld();
    const leftovers = areHeld ? { ...found, retired: [] } : found;
    const locations = [...leftovers.pending, ...leftovers.retired];
    await storage.remove(locations);
    if (locations.length > 0) await this.#index.forget(leftovers);
    await this.#settleDead();
    await this.#index.publishers.sweep();
    await storage.sweep();
  }
}
