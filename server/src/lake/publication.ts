/**
 * One publication, from the beginning of the command that makes it to its end: it is noted in the
 * index as running, so that the status of its datasets is `updating` from then on, and ends with
 * all of its versions published in one transaction, or with the reason why none is.
 */
import { atEnd } from '../base/at-end.ts';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { AllowanceMissing, UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { printableLine } from '../base/printable.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import {
  type CommittedVersion,
  type IndexedPart,
  type LakeIndex,
  PublicationConflict,
  type Undoing,
} from '../store/lake-index.ts';
import type {
  EndState,
  LoadedDates,
  PublicationNotes,
  PublicationSource,
} from '../store/publications.ts';
import type { LifeMark, PublishingLock } from '../store/publisher-locks.ts';
import { notedCheck, refusalOf } from './check-findings.ts';
import { currentParts } from './current-parts.ts';
import { removedOf } from './publication-options.ts';
import {
  checkStagedRows,
  type PublicationReport,
  type StageOptions,
  StagingRoom,
  stageVersion,
} from './publish.ts';
import { planRollback, type RollbackTarget } from './rollback.ts';
import type { OpenPublicationLimits } from './settings.ts';
import { stageWithdrawal, type Withdrawal, type WithdrawalReport } from './withdraw.ts';

export interface PublicationContext {
  readonly storage: PartStorage;
  readonly index: LakeIndex;
  readonly clock: Clock;
  /** Null: the publication is open for other processes, too. */
  readonly lifeMark: LifeMark | null;
  /** True if it stays open after this process is done with it. */
  readonly isKeptOpen: boolean;
  /** Limits for all open publications together; absent: none. */
  readonly limits?: OpenPublicationLimits | undefined;
  /** The only datasets that it may change; absent or none: any. */
  readonly datasetIds?: readonly string[] | undefined;
  /** Waits until nobody else publishes them. */
  readonly lock: () => Promise<PublishingLock>;
  /** If it is aborted, a failure counts as an interruption. */
  readonly signal?: AbortSignal | undefined;
}

interface Ending<State extends EndState = EndState> {
  readonly state: State;
  readonly message: string;
}

/** How a command's work on a publication ends, as its report and the audit log tell it. */
export interface PublicationOutcome {
  readonly publicationId: number;
  /** `staged`: it counts when the open publication is committed. */
  readonly state: 'published' | 'staged' | 'unchanged' | 'refused';
  /** Why nothing was published, as the ledger says it; null: something was, or will be. */
  readonly reason: string | null;
}

/** How a failure ends a publication, or a load that has not begun one. */
export function endingOf(error: unknown, signal: AbortSignal | undefined): Ending {
  if (signal?.aborted) return { state: 'failed', message: 'interrupted' };
  const isRefused = error instanceof UsageError || error instanceof PublicationConflict;
  const state = isRefused ? 'refused' : 'failed';
  return { state, message: failureText(error) };
}

export class OpenPublication {
  readonly publicationId: number;
  readonly #context: PublicationContext;
  #undoing: readonly Undoing[] = [];
  #committed: readonly CommittedVersion[] = [];
  #lock: PublishingLock | null = null;
  /** Several datasets may be written at the same time, and wait for the one lock together. */
  #locking: Promise<PublishingLock> | null = null;
  /** Shared by datasets that are written at the same time; null: nothing was written. */
  #room: Promise<StagingRoom | null> | null = null;
  /** Sources not yet in the ledger. */
  #sources: readonly PublicationSource[] = [];
  #loaded: readonly LoadedDates[] = [];
  #ending: Ending<'unchanged' | 'refused'> | null = null;
  /** True once rows of a dataset have been written. */
  #isWritten = false;

  constructor(publicationId: number, context: PublicationContext) {
    this.publicationId = publicationId;
    this.#context = context;
  }

  /**
   * Does the work and commits the publication: all that was written becomes visible at once. If the
   * work throws, nothing does, and the ledger keeps the reason.
   */
  async run<T>(work: (publication: OpenPublication) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      await this.commit();
      return result;
    } catch (error) {
      await this.#fail(error);
      throw error;
    }
  }

  /** The versions that it has made; none before it has been committed. */
  get committed(): readonly CommittedVersion[] {
    return this.#committed;
  }

  /** True if the data is at fault, so that nothing will be published. */
  get isRefused(): boolean {
    return this.#ending?.state === 'refused';
  }

  /** As far as the work has come: it stands once the publication is committed. */
  get outcome(): PublicationOutcome {
    const { publicationId } = this;
    const ending = this.#endingNow;
    const state = ending?.state ?? (this.#context.isKeptOpen ? 'staged' : 'published');
    return { publicationId, state, reason: ending?.message ?? null };
  }

  /** Adds to what the ledger knows of it. */
  async note(notes: PublicationNotes): Promise<void> {
    await this.#context.index.ledger.note(this.publicationId, notes);
  }

  /**
   * Tells what rows are loaded from. The ledger knows it at once, whatever becomes of the rows; of
   * one that goes on for others, together with the rows and not without them.
   */
  async noteSources(sources: readonly PublicationSource[]): Promise<void> {
    if (this.#context.isKeptOpen) this.#sources = [...this.#sources, ...sources];
    else await this.note({ sources });
  }

  /** Tells what is loaded, for alerts once it has ended. */
  noteLoaded(loaded: readonly LoadedDates[]): void {
    this.#loaded = [...this.#loaded, ...loaded];
  }

  /**
   * Writes the writer's rows for the next version of their dataset, which is published together
   * with the others when the publication ends. From the first one on nobody else publishes them.
   * Rows that break a check of theirs are not written, and refuse the publication.
   */
  async write(options: StageOptions, writer: PartWriter): Promise<PublicationReport> {
    const { index, clock } = this.#context;
    const { dataset } = options;
    this.#requireNamed([dataset]);
    // This sorts the rows, which need not keep others from publishing.
    const keys = await writer.partitionKeys();
    // Rows that stay are looked at, too, so nobody else may publish meanwhile.
    if (removedOf(options)) await this.#requireLock();
    const current = await currentParts(index, this.publicationId, dataset.datasetId);
    const broken = await checkStagedRows({ options, writer, keys, current }, clock.now());
    const findings = [...(options.unmet ?? []), ...broken];
    const checks = findings.map((finding) => notedCheck(dataset, finding));
    if (checks.length > 0) await this.note({ checks });
    const refusal = refusalOf(findings);
    if (refusal !== null) this.refuse(refusal, dataset);
    // One dataset that is refused refuses all; the others are looked at all the same.
    const { isRefused } = this;
    if (!isRefused) await this.#requireLock();
    const written = isRefused ? null : await this.#stage(options, writer, keys);
    if (written) this.#isWritten = true;
    if (written) return { ...written, isUnchanged: false, findings, refusal };
    const version = (await index.versions.dataset(dataset.datasetId))?.version ?? 0;
    const unwritten = { version, partitions: [], rowCount: 0, replacedRowCount: 0 };
    return { ...unwritten, isUnchanged: !isRefused, findings, refusal };
  }

  /**
   * The parts of a dataset in the eyes of the publication: with what it has written, and without
   * what others publish from now on into the datasets that it has named.
   */
  async partsOf({ datasetId }: Pick<Dataset, 'datasetId'>): Promise<readonly IndexedPart[]> {
    await this.#requireLock();
    return (await currentParts(this.#context.index, this.publicationId, datasetId)).parts;
  }

  /**
   * Throws an `AllowanceMissing` where rows that are written for a dataset take back what another
   * publication has replaced or taken out, as does the first delivery of a day behind a correction.
   */
  async requireNew({ datasetId, textId }: Pick<Dataset, 'datasetId' | 'textId'>): Promise<void> {
    const { ledger } = this.#context.index;
    const reversed = await ledger.reversedPartition(this.publicationId, datasetId);
    if (!reversed) return;
    const { key, publicationId } = reversed;
    const text = `partition ${key} of ${textId} would have rows again that publication ${publicationId} has replaced or taken out`;
    throw new AllowanceMissing(text, 'again');
  }

  /** Takes rows out of a dataset; `writer` is one without rows of it. */
  async withdraw(
    dataset: Dataset,
    writer: PartWriter,
    withdrawal: Withdrawal,
  ): Promise<WithdrawalReport> {
    this.#requireNamed([dataset]);
    await this.#requireLock();
    return await stageWithdrawal(this.#target, dataset, writer, withdrawal);
  }

  /** Undoes earlier publications. Throws a `UsageError` where that cannot be. */
  async rollBack(target: RollbackTarget): Promise<void> {
    const { index } = this.#context;
    await this.#requireLock();
    const { changes, undoing } = await planRollback(index, target);
    this.#requireNamed(changes);
    for (const change of changes) await index.stage(this.publicationId, change);
    this.#undoing = undoing;
  }

  /**
   * Ends the publication without a change, because the data is at fault. Each reason is told, with
   * the dataset at fault if the publication has several.
   */
  refuse(message: string, dataset?: Pick<Dataset, 'textId'>): void {
    const { datasetIds = [] } = this.#context;
    const before = this.isRefused ? `${this.#ending?.message}; ` : '';
    const about = dataset && datasetIds.length > 1 ? `${dataset.textId}: ` : '';
    this.#ending = { state: 'refused', message: `${before}${about}${printableLine(message)}` };
  }

  /**
   * Ends the publication without a change, unless rows of another dataset are written: there was
   * nothing to publish, and that is no fault.
   */
  publishNothing(message: string): void {
    if (this.isRefused) return;
    this.#ending = { state: 'unchanged', message: printableLine(message) };
  }

  get #endingNow(): Ending<'unchanged' | 'refused'> | null {
    return this.#isWritten && !this.isRefused ? null : this.#ending;
  }

  /** Publishes what was written, unless the publication was refused. Called once, at the end. */
  async commit(): Promise<void> {
    const { index, clock, isKeptOpen } = this.#context;
    const ending = this.#endingNow;
    if (ending) await this.#abandon(ending);
    else if (!isKeptOpen) {
      await this.#requireLock();
      const noted = [this.#undoing, this.#loaded] as const;
      this.#committed = await index.commit(this.publicationId, clock.now(), ...noted);
    }
    await this.#close();
  }

  /** Removes what was written; what cannot be removed now, the next sweep removes. */
  async #fail(error: unknown): Promise<void> {
    const { lifeMark, signal } = this.#context;
    // One that is open for any process stays as it is, unless it can never be committed.
    const isOver = lifeMark !== null || error instanceof PublicationConflict;
    try {
      if (isOver) await this.#abandon(endingOf(error, signal));
    } catch {
      // The first error is the one to report.
    } finally {
      await this.#close();
    }
  }

  get #target() {
    const { storage, index, clock } = this.#context;
    return { storage, index, clock, publicationId: this.publicationId };
  }

  async #stage(options: StageOptions, writer: PartWriter, keys: readonly string[]) {
    const isOfDataset = ({ datasetId }: PublicationSource) =>
      datasetId === options.dataset.datasetId;
    const sources = this.#sources.filter(isOfDataset);
    const target = { ...this.#target, room: await this.#stagingRoom(), sources };
    const written = await stageVersion(target, options, writer, keys);
    if (written) this.#sources = this.#sources.filter((source) => !isOfDataset(source));
    return written;
  }

  /** The publishing lock is held. */
  #stagingRoom(): Promise<StagingRoom | null> {
    const { index, limits } = this.#context;
    const read = async () => limits && new StagingRoom(limits, await index.space.stagedTotals());
    this.#room ??= read().then((room) => room ?? null);
    return this.#room;
  }

  /** Others may change what it has not named. */
  #requireNamed(datasets: readonly Pick<Dataset, 'datasetId'>[]): void {
    const { datasetIds = [] } = this.#context;
    if (datasetIds.length === 0) return;
    const other = datasets.find(({ datasetId }) => !datasetIds.includes(datasetId));
    if (other)
      throw new Error(`publication ${this.publicationId} has not named ${other.datasetId}`);
  }

  async #requireLock(): Promise<void> {
    this.#locking ??= this.#context.lock();
    this.#lock = await this.#locking;
  }

  async #abandon({ state, message }: Ending): Promise<void> {
    const { storage, index, clock, isKeptOpen } = this.#context;
    const finishedAt = isoSeconds(clock.now());
    // One that is open for others goes on: what they have staged stays.
    const end = [state, message, finishedAt, this.#loaded] as const;
    if (!isKeptOpen) await index.ledger.finish(this.publicationId, ...end);
    // With several publishers, nobody knows whose leftovers these are.
    if (!this.#lock?.isAlone) return;
    const found = await index.space.leftovers(0, clock.now());
    const areHeld = await index.publishers.arePartsHeld();
    const leftovers = areHeld ? { ...found, retired: [] } : found;
    await storage.remove([...leftovers.pending, ...leftovers.retired]);
    await index.space.forget(leftovers);
  }

  async #close(): Promise<void> {
    const lock = this.#lock;
    this.#lock = null;
    await using _lock = atEnd(() => lock?.release());
    await this.#context.lifeMark?.release();
  }
}
