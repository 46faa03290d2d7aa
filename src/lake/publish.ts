/**
 * Publishing: a stage's rows become the next version of their dataset. Files are written under
 * names that no version knows and become visible in one transaction of the index, so a reader, and
 * a process that starts after a crash, sees the old version whole or the new one.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Dataset } from '../catalog/dataset.ts';
import { type Clock, isoSeconds } from '../clock.ts';
import type { PartitionFile, Stage } from '../engine/engine.ts';
import type { IndexedVersion, LakeIndex, NewPartition } from './lake-index.ts';

export const PUBLISH_MODES = ['replace', 'append', 'replace-all'] as const;
/**
 * `replace`: partitions that the rows fall into are replaced, others stay. `append`: the rows are
 * merged into them, behind the rows of equal keys. `replace-all`: other partitions are dropped.
 */
export type PublishMode = (typeof PUBLISH_MODES)[number];

export interface PublicationOptions {
  readonly dataset: Dataset;
  readonly mode: PublishMode;
  /** Who the data comes from; absent: as before. */
  readonly vendor?: string;
  /** How long to wait for another publication to end; 10 minutes by default. */
  readonly waitMs?: number;
  /** Aborting it ends the wait; what stops the writing is the stage's own signal. */
  readonly signal?: AbortSignal;
  /** Called once if another publication is under way and has to be waited for. */
  readonly onWait?: () => void;
  /** Called before the first and after each partition that is written. */
  readonly onProgress?: (writtenCount: number, partitionCount: number) => void;
}

export interface PublicationReport {
  /** The dataset's version now: the former one, or 0, where there was nothing to publish. */
  readonly version: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows in the partitions written. */
  readonly rowCount: number;
}

/** Where a publication happens. Its publishing lock is held. */
export interface PublicationTarget {
  /** Absolute path of the lake's folder. */
  readonly directory: string;
  readonly index: LakeIndex;
  readonly clock: Clock;
}

const SAFE_NAME = /^[A-Za-z0-9_-]+$/;

interface Replacement {
  readonly key: string;
  /** Relative to the lake's folder. */
  readonly file: string;
  /** The file whose rows are kept, in front of equal keys; null: none. */
  readonly existingFile: string | null;
}

function synchronizeFolder(path: string): void {
  // Windows can not open folders.
  if (process.platform === 'win32') return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function planReplacements(
  { dataset, mode }: PublicationOptions,
  keys: readonly string[],
  current: IndexedVersion | null,
  version: number,
): Replacement[] {
  if (!SAFE_NAME.test(dataset.textId)) throw new Error(`${dataset.textId} names no folder`);
  const kept = mode === 'append' ? (current?.partitions ?? []) : [];
  const fileByKey = new Map(kept.map(({ key, file }) => [key, file]));
  return keys.map((key) => ({
    key,
    file: `${dataset.textId}/${key}-v${version}-${randomBytes(6).toString('hex')}.parquet`,
    existingFile: fileByKey.get(key) ?? null,
  }));
}

function indexPartition(
  dataset: Dataset,
  { key, file }: Replacement,
  written: PartitionFile,
): NewPartition {
  const dates = written.rowGroups
    .map((group) => group.bounds[dataset.dateColumn ?? ''])
    .flatMap((bounds) => [bounds?.min ?? null, bounds?.max ?? null])
    .filter((date) => typeof date === 'string')
    .sort();
  return { key, file, firstDate: dates[0] ?? null, lastDate: dates.at(-1) ?? null, ...written };
}

async function writePartitions(
  { directory }: PublicationTarget,
  { dataset, onProgress }: PublicationOptions,
  stage: Stage,
  replacements: readonly Replacement[],
): Promise<NewPartition[]> {
  const folder = join(directory, dataset.textId);
  mkdirSync(folder, { recursive: true });
  const partitions: NewPartition[] = [];
  onProgress?.(0, replacements.length);
  for (const replacement of replacements) {
    const { key, file, existingFile } = replacement;
    const existing = existingFile && join(directory, existingFile);
    const written = await stage.writePartition(key, join(directory, file), existing);
    partitions.push(indexPartition(dataset, replacement, written));
    onProgress?.(partitions.length, replacements.length);
  }
  synchronizeFolder(folder);
  synchronizeFolder(directory);
  return partitions;
}

/** Takes back what a failed publication wrote; what this can not do, the next sweep does. */
function abandon(
  { directory, index, clock }: PublicationTarget,
  datasetId: string,
  replacements: readonly Replacement[],
  error: unknown,
): void {
  try {
    for (const { file } of replacements) rmSync(join(directory, file), { force: true });
    const message = error instanceof Error ? error.message : String(error);
    index.fail(datasetId, message, isoSeconds(clock.now()));
  } catch {
    // The first error is the one to report.
  }
}

/** Publishes the partitions `keys` of the stage. Without rows only `replace-all` has an effect. */
export async function publishStage(
  target: PublicationTarget,
  options: PublicationOptions,
  stage: Stage,
  keys: readonly string[],
): Promise<PublicationReport> {
  const { index, clock } = target;
  const { datasetId } = options.dataset;
  const current = index.version(datasetId);
  if (keys.length === 0 && options.mode !== 'replace-all') {
    return { version: current?.version ?? 0, partitions: [], rowCount: 0 };
  }
  const version = (current?.version ?? 0) + 1;
  const replacements = planReplacements(options, keys, current, version);
  const files = replacements.map(({ file }) => file);
  index.begin(datasetId, files, isoSeconds(clock.now()));
  try {
    const partitions = await writePartitions(target, options, stage, replacements);
    const now = clock.now();
    index.commit({
      datasetId,
      version,
      publishedAt: isoSeconds(now),
      vendor: options.vendor ?? current?.vendor ?? '',
      partitions,
      dropsOthers: options.mode === 'replace-all',
      now,
    });
    const rowCount = partitions.reduce((sum, partition) => sum + partition.rowCount, 0);
    return { version, partitions: keys, rowCount };
  } catch (error) {
    abandon(target, datasetId, replacements, error);
    throw error;
  }
}
