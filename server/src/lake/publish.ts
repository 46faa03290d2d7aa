/**
 * Writing of versions: a writer's rows become the parts of the next version of their dataset, at
 * locations that no version knows yet. A transaction of the index makes them visible later, so a reader,
 * and a process that starts after a crash, sees the old version whole or the new one.
 */
import type { Dataset } from '../catalog/dataset.ts';
import type { PartStorage, PartWriter } from '../engine/engine.ts';
import type { WrittenPart } from '../engine/part.ts';
import type {
  IndexedPart,
  IndexedVersion,
  LakeIndex,
  NewPart,
  NewVersion,
} from '../store/lake-index.ts';
import { vendorsByRows } from './vendors.ts';

export const PUBLISH_MODES = ['replace', 'append', 'replace-all'] as const;
/**
 * `replace`: partitions that the rows fall into are replaced, others stay. `append`: the rows are
 * merged into them, behind the rows of equal keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];

/** How the rows of a writer become a dataset's next version. */
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
  readonly storage: PartStorage;
  readonly index: LakeIndex;
}

/** A version whose parts are written but not visible yet. */
export interface WrittenVersion {
  readonly next: NewVersion;
  readonly report: PublicationReport;
}

interface Replacement {
  readonly key: string;
  readonly location: string;
  /** The part that is published of the partition now; null: none. */
  readonly current: IndexedPart | null;
  /** Whether the rows of `current` stay, in front of equal keys. */
  readonly keepsRows: boolean;
}

function planReplacements(
  { dataset, mode }: StageOptions,
  keys: readonly string[],
  current: IndexedVersion | null,
  storage: PartStorage,
): Replacement[] {
  const byKey = new Map(current?.parts.map((part) => [part.key, part]));
  return keys.map((key) => ({
    key,
    location: storage.newLocation(dataset, key),
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

function indexPart(
  dataset: Dataset,
  { key, location }: Replacement,
  vendors: readonly string[],
  written: WrittenPart,
): NewPart {
  const dates = written.rowGroups
    .map((group) => group.bounds[dataset.dateColumn ?? ''])
    .flatMap((bounds) => [bounds?.min ?? null, bounds?.max ?? null])
    .filter((date) => typeof date === 'string')
    .sort();
  const [firstDate = null] = dates;
  return { key, location, firstDate, lastDate: dates.at(-1) ?? null, vendors, ...written };
}

async function writeParts(
  { dataset, vendor, onProgress }: StageOptions,
  writer: PartWriter,
  replacements: readonly Replacement[],
  datasetVendors: readonly string[],
): Promise<NewPart[]> {
  const parts: NewPart[] = [];
  onProgress?.(0, replacements.length);
  for (const replacement of replacements) {
    const { key, location, current, keepsRows } = replacement;
    const written = await writer.write(key, location, keepsRows ? current : null);
    const vendors = vendorsOf(vendor, replacement, datasetVendors);
    parts.push(indexPart(dataset, replacement, vendors, written));
    onProgress?.(parts.length, replacements.length);
  }
  await writer.flush();
  return parts;
}

function rowsOf(parts: readonly (Pick<IndexedPart, 'rowCount'> | null)[]): number {
  return parts.reduce((sum, part) => sum + (part?.rowCount ?? 0), 0);
}

/**
 * Writes the partitions `keys` of the writer as parts that belong to no version yet. Null where there
 * is nothing to publish: without rows only `replace-all` has an effect.
 */
export async function writeVersion(
  { storage, index }: PublicationTarget,
  options: StageOptions,
  writer: PartWriter,
  keys: readonly string[],
): Promise<WrittenVersion | null> {
  const { dataset, mode } = options;
  const { datasetId } = dataset;
  if (keys.length === 0 && mode !== 'replace-all') return null;
  const current = await index.version(datasetId);
  const version = (current?.version ?? 0) + 1;
  const replacements = planReplacements(options, keys, current, storage);
  await index.addPending(replacements.map(({ location }) => location));
  const known = current?.parts ?? [];
  const vendors = vendorsByRows(known).slice(0, 1);
  const parts = await writeParts(options, writer, replacements, vendors);
  const replaced: Readonly<Record<PublishMode, readonly (IndexedPart | null)[]>> = {
    replace: replacements.map((replacement) => replacement.current),
    append: [],
    'replace-all': known,
  };
  return {
    next: { datasetId, version, parts, dropsOthers: mode === 'replace-all' },
    report: {
      version,
      partitions: keys,
      rowCount: rowsOf(parts),
      replacedRowCount: rowsOf(replaced[mode]),
    },
  };
}
