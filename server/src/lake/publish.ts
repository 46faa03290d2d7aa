/**
 * Writing of versions: a stage's rows become the files of the next version of their dataset, under
 * names that no version knows yet. A transaction of the index makes them visible later, so a reader,
 * and a process that starts after a crash, sees the old version whole or the new one.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { makeFolder } from '../base/make-folder.ts';
import { synchronizeFolder } from '../base/synchronize.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Stage } from '../engine/engine.ts';
import type { PartitionFile } from '../engine/partition.ts';
import type {
  IndexedPartition,
  IndexedVersion,
  LakeIndex,
  NewPartition,
  NewVersion,
} from '../store/sqlite/lake-index.ts';
import { vendorsByRows } from './vendors.ts';

export const PUBLISH_MODES = ['replace', 'append', 'replace-all'] as const;
/**
 * `replace`: partitions that the rows fall into are replaced, others stay. `append`: the rows are
 * merged into them, behind the rows of equal keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];

/** How the rows of a stage become a dataset's next version. */
export interface StageOptions {
  readonly dataset: Dataset;
  readonly mode: PublishMode;
  /** Who the data comes from; absent: as before. */
  readonly vendor?: string | undefined;
  /** Called before the first and after each partition that is written. */
  readonly onProgress?: ((writtenCount: number, partitionCount: number) => void) | undefined;
}

export interface PublicationReport {
  /** The dataset's version now: the former one, or 0, where there was nothing to publish. */
  readonly version: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows in the partitions written. */
  readonly rowCount: number;
  /** Rows that stood in the dataset before and stand there no more. */
  readonly replacedRowCount: number;
}

/** Where a publication happens. Its publishing lock is held. */
export interface PublicationTarget {
  /** Absolute path of the lake's folder. */
  readonly directory: string;
  readonly index: LakeIndex;
}

/** A version whose files are on disk and which nobody sees yet. */
export interface WrittenVersion {
  readonly next: NewVersion;
  readonly report: PublicationReport;
}

const SAFE_NAME = /^[A-Za-z0-9_-]+$/;

interface Replacement {
  readonly key: string;
  /** Relative to the lake's folder. */
  readonly file: string;
  /** What is published of the partition now. */
  readonly current: IndexedPartition | null;
  /** Whether the rows of `current` stay, in front of equal keys. */
  readonly keepsRows: boolean;
}

function planReplacements(
  { dataset, mode }: StageOptions,
  keys: readonly string[],
  current: IndexedVersion | null,
  version: number,
): Replacement[] {
  if (!SAFE_NAME.test(dataset.textId)) throw new Error(`${dataset.textId} names no folder`);
  const byKey = new Map(current?.partitions.map((partition) => [partition.key, partition]));
  return keys.map((key) => ({
    key,
    file: `${dataset.textId}/${key}-v${version}-${randomBytes(6).toString('hex')}.parquet`,
    current: byKey.get(key) ?? null,
    keepsRows: mode === 'append',
  }));
}

/**
 * Who the rows of a partition come from. A publication that names nobody corrects what is there: the
 * partition's vendors stay, and a new partition has the one that most rows of the dataset come from.
 */
function vendorsOf(
  vendor: string | undefined,
  { current, keepsRows }: Replacement,
  datasetVendors: readonly string[],
): readonly string[] {
  if (vendor === undefined) return current?.vendors ?? datasetVendors;
  return keepsRows ? [...new Set([...(current?.vendors ?? []), vendor])] : [vendor];
}

function indexPartition(
  dataset: Dataset,
  { key, file }: Replacement,
  vendors: readonly string[],
  written: PartitionFile,
): NewPartition {
  const dates = written.rowGroups
    .map((group) => group.bounds[dataset.dateColumn ?? ''])
    .flatMap((bounds) => [bounds?.min ?? null, bounds?.max ?? null])
    .filter((date) => typeof date === 'string')
    .sort();
  const [firstDate = null] = dates;
  return { key, file, firstDate, lastDate: dates.at(-1) ?? null, vendors, ...written };
}

async function writePartitions(
  { directory }: PublicationTarget,
  { dataset, vendor, onProgress }: StageOptions,
  stage: Stage,
  replacements: readonly Replacement[],
  datasetVendors: readonly string[],
): Promise<NewPartition[]> {
  const folder = join(directory, dataset.textId);
  makeFolder(folder);
  const partitions: NewPartition[] = [];
  onProgress?.(0, replacements.length);
  for (const replacement of replacements) {
    const { key, file, current, keepsRows } = replacement;
    const existing = keepsRows && current ? join(directory, current.file) : null;
    const written = await stage.writePartition(key, join(directory, file), existing);
    const vendors = vendorsOf(vendor, replacement, datasetVendors);
    partitions.push(indexPartition(dataset, replacement, vendors, written));
    onProgress?.(partitions.length, replacements.length);
  }
  synchronizeFolder(folder);
  synchronizeFolder(directory);
  return partitions;
}

function rowsOf(partitions: readonly (IndexedPartition | null)[]): number {
  return partitions.reduce((sum, partition) => sum + (partition?.rowCount ?? 0), 0);
}

/**
 * Writes the partitions `keys` of the stage as files that belong to no version yet. Null where there
 * is nothing to publish: without rows only `replace-all` has an effect.
 */
export async function writeVersion(
  target: PublicationTarget,
  options: StageOptions,
  stage: Stage,
  keys: readonly string[],
): Promise<WrittenVersion | null> {
  const { index } = target;
  const { dataset, mode } = options;
  const { datasetId } = dataset;
  if (keys.length === 0 && mode !== 'replace-all') return null;
  const current = index.version(datasetId);
  const version = (current?.version ?? 0) + 1;
  const replacements = planReplacements(options, keys, current, version);
  index.addPending(replacements.map(({ file }) => file));
  const known = current?.partitions ?? [];
  const vendors = vendorsByRows(known).slice(0, 1);
  const partitions = await writePartitions(target, options, stage, replacements, vendors);
  const replaced: Readonly<Record<PublishMode, readonly (IndexedPartition | null)[]>> = {
    replace: replacements.map((replacement) => replacement.current),
    append: [],
    'replace-all': known,
  };
  return {
    next: { datasetId, version, partitions, dropsOthers: mode === 'replace-all' },
    report: {
      version,
      partitions: keys,
      rowCount: rowsOf(partitions),
      replacedRowCount: rowsOf(replaced[mode]),
    },
  };
}
