/**
 * Writing of versions: a writer's rows become parts at locations that no version knows yet, and are
 * staged. The commit of their publication makes them visible later, so a reader, and a process that
 * starts after a crash, sees the old version whole or the new one.
 */

import { RAISE_DISK_BUDGET } from '../base/budgets.ts';
import type { Clock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { ExistingPart, PartStorage, PartWriter, RemovedRows } from '../engine/engine.ts';
import type { WrittenPart } from '../engine/part.ts';
import { storedColumnsOf } from '../engine/stored-columns.ts';
import type { KeptTotals } from '../store/kept-parts.ts';
import type { IndexedPart, LakeIndex, NewPart, StagedPart } from '../store/lake-index.ts';
import type { PublicationSource } from '../store/publications.ts';
import {
  type CheckFinding,
  findBrokenChecks,
  type KeysOfRows,
  type PlacesOfRows,
} from './check-findings.ts';
import { type CurrentParts, currentParts, vendorsByRows } from './current-parts.ts';
import {
  changedKeys,
  comparePartitions,
  droppedPartitions,
  type Repeats,
  requireFewLosses,
} from './losses.ts';
import { type Placing, type PublishMode, removedOf } from './publication-options.ts';
import type { OpenPublicationLimits } from './settings.ts';

export type { PublishMode };

/** How the rows of a writer become a dataset's next version. */
export interface StageOptions extends Placing {
  /** Who the data comes from; absent: as before. */
  readonly vendor?: string | undefined;
  /**
   * A publication is refused that leaves a date with fewer rows by more than so many percent,
   * without an identifier that it had, or without rows; absent: it may lose anything.
   */
  readonly lossPercentMax?: number | undefined;
  /** Partitions that would have the same rows stay as they are; absent: all are written. */
  readonly repeats?: Repeats | undefined;
  /** Findings beside those of the checks of the dataset. */
  readonly unmet?: readonly CheckFinding[] | undefined;
  /** Finds the file and line of rows that break a check. */
  readonly places?: PlacesOfRows | undefined;
  /** Finds the keys of rows that come from no file. */
  readonly rowKeys?: KeysOfRows | undefined;
  /** Called before the first and after each partition that is written. */
  readonly onProgress?: ((writtenCount: number, partitionCount: number) => void) | undefined;
}

export interface PublicationReport {
  /**
   * The version that the dataset will have once the publication is committed: the present one, or
   * 0, where there was nothing to publish.
   */
  readonly version: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows in the partitions written. */
  readonly rowCount: number;
  /** Rows that stood in the dataset before and stand there no more. */
  readonly replacedRowCount: number;
  /** True if nothing was written: all rows are there already, or there are none. */
  readonly isUnchanged: boolean;
  /** The checks of the dataset that rows break. */
  readonly findings: readonly CheckFinding[];
  /** Why nothing of the publication will be published, because of these checks; null: it goes on */
  readonly refusal: string | null;
}

type WrittenReport = Omit<PublicationReport, 'findings' | 'refusal' | 'isUnchanged'>;

/** The storage and index of a publication, whose publishing lock is held. */
export interface PublicationTarget {
  readonly storage: PartStorage;
  readonly index: LakeIndex;
  readonly publicationId: number;
  readonly clock: Clock;
}

type CheckOptions = Pick<StageOptions, 'dataset' | 'mode' | 'removed' | 'places' | 'rowKeys'>;

/** Rows of a writer, and the partitions that they go to. */
interface StagedRows<Options = StageOptions> {
  readonly options: Options;
  readonly writer: PartWriter;
  readonly keys: readonly string[];
  readonly current: CurrentParts;
}

interface StagingTarget extends PublicationTarget {
  /** Room for staged parts; null: unlimited. */
  readonly room: StagingRoom | null;
  /** Sources of the rows that the ledger does not know yet. */
  readonly sources: readonly PublicationSource[];
}

/** A partition that is written anew. */
interface Replacement {
  readonly key: string;
  readonly location: string;
  /** The part that there is of the partition now; null: none. */
  readonly current: IndexedPart | null;
  /** Which rows of `current` do not stay, in front of equal keys; null: none stays. */
  readonly removed: RemovedRows | null;
  /** The part that is published of the partition; null: none. */
  readonly baseId: number | null;
}

/**
 * Who the rows of a partition come from. A publication that names nobody corrects what is there:
 * the partition's vendors stay, and a new partition has the one that most rows of the dataset come
 * from.
 */
function vendorsOf(
  vendor: string | undefined,
  { current, removed }: Replacement,
  datasetVendors: readonly string[],
): readonly string[] {
  if (vendor === undefined) return current?.vendors ?? datasetVendors;
  return removed ? [...new Set([...(current?.vendors ?? []), vendor])] : [vendor];
}

/** The rows of a partition that is written, and their origin. */
export interface RewrittenRows {
  readonly dataset: Dataset;
  readonly writer: PartWriter;
  readonly origin: Pick<IndexedPart, 'vendors' | 'publicationIds'>;
}

/** The part as the index keeps it. */
function indexPart(
  dataset: Dataset,
  { key, location }: Pick<Replacement, 'key' | 'location'>,
  origin: Pick<IndexedPart, 'vendors' | 'publicationIds'>,
  written: WrittenPart,
): NewPart {
  const dates = written.rowGroups
    .map((group) => group.bounds[dataset.dateColumn ?? ''])
    .flatMap((bounds) => [bounds?.min ?? null, bounds?.max ?? null])
    .filter((date) => typeof date === 'string')
    .sort();
  const [firstDate = null] = dates;
  const storedColumns = storedColumnsOf(dataset);
  return {
    ...{ key, location, firstDate, lastDate: dates.at(-1) ?? null },
    ...{ vendors: origin.vendors, publicationIds: origin.publicationIds, storedColumns },
    ...written,
  };
}

/**
 * Writes a partition out of the rows of the writer and those that stay of the current part.
 * Resolves with what it will be: nothing where there are no such rows.
 */
export async function writeReplacement(
  { storage }: Pick<PublicationTarget, 'storage'>,
  { dataset, writer, origin }: RewrittenRows,
  replacement: Replacement,
): Promise<StagedPart & { readonly part: NewPart | null }> {
  const { key, location, current, removed, baseId } = replacement;
  const existing = current && removed ? { ...current, removed } : null;
  const written = await writer.write(key, location, existing);
  if (written.rowCount > 0) {
    return { key, part: indexPart(dataset, replacement, origin, written), baseId };
  }
  await storage.remove([location]);
  return { key, part: null, baseId };
}

async function writeParts(
  target: StagingTarget,
  { options: { dataset, vendor, onProgress }, writer, current }: StagedRows,
  replacements: readonly Replacement[],
) {
  const datasetVendors = vendorsByRows(current.parts).slice(0, 1);
  const parts: Awaited<ReturnType<typeof writeReplacement>>[] = [];
  onProgress?.(0, replacements.length);
  for (const replacement of replacements) {
    const earlier = replacement.removed ? (replacement.current?.publicationIds ?? []) : [];
    const origin = {
      vendors: vendorsOf(vendor, replacement, datasetVendors),
      publicationIds: [...new Set([...earlier, target.publicationId])],
    };
    const written = await writeReplacement(target, { dataset, writer, origin }, replacement);
    const storedByteCount = written.part?.storedByteCount ?? 0;
    target.room?.add({ partCount: 0, storedByteCount });
    parts.push(written);
    onProgress?.(parts.length, replacements.length);
  }
  await writer.flush();
  return parts;
}

/** Totals that staging the keys adds, without their bytes, less what it replaces. */
function addedTotals(keys: readonly string[], { staged }: CurrentParts): KeptTotals {
  const again = keys.filter((key) => staged.has(key));
  const bytes = again.map((key) => staged.get(key)?.storedByteCount ?? 0);
  const partCount = keys.length - again.length;
  return { partCount, storedByteCount: -bytes.reduce((sum, each) => sum + each, 0) };
}

function rowsOf(parts: readonly (Pick<IndexedPart, 'rowCount'> | null)[]): number {
  return parts.reduce((sum, part) => sum + (part?.rowCount ?? 0), 0);
}

/**
 * Which partitions have to be written, and how many rows of theirs go. Throws an `AllowanceMissing`
 * where more would be lost than may be, or rows repeated. Published parts are only read where that
 * has to be known, so that one that cannot be read can be replaced.
 */
async function planWriting(
  storage: PartStorage,
  rows: StagedRows,
): Promise<{ readonly keys: readonly string[]; readonly replaced: number }> {
  const { options, keys, current } = rows;
  const { dataset, mode, lossPercentMax, repeats } = options;
  if (mode === 'append' && !repeats) return { keys, replaced: 0 };
  const mayBeStale = repeats !== undefined && repeats.staleText !== null;
  if (lossPercentMax === undefined && removedOf(options) === null && !mayBeStale) {
    return { keys, replaced: rowsOf(keys.map((key) => current.partOf(key))) };
  }
  const compared = await comparePartitions(storage, rows);
  const changed = repeats ? changedKeys(options, repeats, compared) : keys;
  const gone = mode === 'replace-all' ? droppedPartitions(keys, current) : [];
  requireFewLosses(dataset, [...compared, ...gone], lossPercentMax);
  const written = compared.filter(({ key }) => changed.includes(key));
  const replaced = written.reduce((sum, { replacedRowCount }) => sum + replacedRowCount, 0);
  return { keys: changed, replaced };
}

/**
 * Writes the partitions `all` of the writer and stages them. Null where there is nothing to
 * publish: all rows are there already, or there are none, which only has an effect on
 * `replace-all`.
 */
export async function stageVersion(
  target: StagingTarget,
  options: StageOptions,
  writer: PartWriter,
  all: readonly string[],
): Promise<WrittenReport | null> {
  const { storage, index, publicationId } = target;
  const { dataset, mode } = options;
  const { datasetId } = dataset;
  if (all.length === 0 && mode !== 'replace-all') return null;
  const current = await currentParts(index, publicationId, datasetId);
  const { keys, replaced } = await planWriting(storage, { options, writer, keys: all, current });
  const dropped =
    mode === 'replace-all' ? current.parts.filter(({ key }) => !all.includes(key)) : [];
  if (keys.length < all.length && keys.length + dropped.length === 0) return null;
  target.room?.add(addedTotals(keys, current));
  const replacements = keys.map((key) => ({
    key,
    location: storage.newLocation(options.dataset, key),
    current: current.partOf(key),
    removed: removedOf(options),
    baseId: current.baseOf(key),
  }));
  await index.space.addPending(
    replacements.map(({ location }) => location),
    target.clock.now(),
  );
  const written = await writeParts(target, { options, writer, keys, current }, replacements);
  const removed = dropped.map(({ key }) => ({ key, part: null, baseId: current.baseOf(key) }));
  const baseVersion = mode === 'replace-all' ? current.version : null;
  const parts = [...written, ...removed];
  await index.stage(publicationId, { datasetId, baseVersion, parts, sources: target.sources });
  const replacedRowCount = rowsOf(dropped) + replaced;
  const rowCount = rowsOf(written.map(({ part }) => part));
  return { version: current.version + 1, partitions: keys, rowCount, replacedRowCount };
}

type StagingLimits = Pick<
  OpenPublicationLimits,
  'openPublicationPartitionsMax' | 'openPublicationBytesMax'
>;

/** `what` as in: more than 100,000 partitions. */
function tooMuch(limit: number, what: string, remedy = ''): UsageError {
  return new UsageError(
    `open publications would hold more than ${limit.toLocaleString('en-US')} ${what} that are not ` +
      `committed; commit or abandon one${remedy}`,
  );
}

/** Counts what is added to it. The publishing lock is held, so that nobody else adds anything. */
export class StagingRoom {
  readonly #limits: StagingLimits;
  #partCount: number;
  #byteCount: number;

  /** `held`: what open publications hold already. */
  constructor(limits: StagingLimits, held: KeptTotals) {
    this.#limits = limits;
    this.#partCount = held.partCount;
    this.#byteCount = held.storedByteCount;
  }

  /**
   * Less than nothing gives some back. Throws a `UsageError` where open publications would hold too
   * much.
   */
  add({ partCount, storedByteCount }: KeptTotals): void {
    const { openPublicationPartitionsMax, openPublicationBytesMax } = this.#limits;
    this.#partCount += partCount;
    this.#byteCount += storedByteCount;
    if (this.#partCount > openPublicationPartitionsMax) {
      throw tooMuch(openPublicationPartitionsMax, 'partitions');
    }
    if (this.#byteCount > openPublicationBytesMax) {
      throw tooMuch(openPublicationBytesMax, 'bytes', `, or ${RAISE_DISK_BUDGET}`);
    }
  }
}

/** `nowMs`: UTC milliseconds of the load. */
export async function checkStagedRows(
  { options, writer, keys, current }: StagedRows<CheckOptions>,
  nowMs: number,
): Promise<CheckFinding[]> {
  const existing = new Map<string, ExistingPart>();
  const { dataset, places, rowKeys } = options;
  const removed = removedOf(options);
  for (const key of removed ? keys : []) {
    const part = current.partOf(key);
    if (part && removed) existing.set(key, { ...part, removed });
  }
  return await findBrokenChecks({ dataset, writer, places, rowKeys, existing, nowMs });
}
