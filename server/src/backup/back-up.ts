/**
 * Makes a backup of a home while it is used: the stores as they are at one moment, then the parts that
 * the index names at that moment, which nobody may remove meanwhile. A process that dies on the way
 * leaves the earlier snapshots as they are.
 */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { copyWithDigest, digestOfFile } from '../base/file-digest.ts';
import { CONTROL_STORE_FILE, LAKE_INDEX_FILE } from '../base/home-layout.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { LakeIndex } from '../store/lake-index.ts';
import { type BackupFolder, type BackupTools, openedIndex } from './backup-folder.ts';
import { type CopyReport, copyParts, sameParts } from './copy-parts.ts';
import { homeFiles } from './home-files.ts';
import { noteBackup } from './last-backup.ts';
import { BACKUP_FORMAT, type CopiedFile, HOME_FILES, writeManifest } from './manifest.ts';
import { pruneBackups } from './prune-backups.ts';

/** What is backed up. */
export interface BackupSources {
  readonly home: string;
  readonly store: Pick<ControlStore, 'openSnapshot'>;
  readonly index: LakeIndex;
  readonly storage: PartStorage;
}

export interface BackupOptions {
  readonly clock: Clock;
  /** How many snapshots stay, the new one among them; null: all. */
  readonly keepCount: number | null;
  readonly signal: AbortSignal;
  /** A step and the share of it that is done, from 0 to 1. */
  readonly onProgress: (step: string, share: number) => void;
}

export interface BackupReport extends CopyReport {
  /** Its name. */
  readonly snapshot: string;
  /** UTC, whole seconds, `Z`. */
  readonly takenAt: string;
  /** Files of the home that are too large to be one of its own. */
  readonly leftOut: readonly string[];
  readonly removedSnapshots: readonly string[];
  readonly removedPartCount: number;
}

/** Copies both stores as of one moment. */
async function copyStores({ store, index }: BackupSources, folder: string): Promise<void> {
  const [control, lake] = await store.openSnapshot(() => index.openSnapshot());
  try {
    await control.copyTo(join(folder, CONTROL_STORE_FILE));
    await lake.copyTo(join(folder, LAKE_INDEX_FILE));
  } finally {
    await control.close();
    await lake.close();
  }
}

async function describe(folder: string, path: string): Promise<CopiedFile> {
  const file = join(folder, path);
  return { path, bytes: statSync(file).size, sha256: await digestOfFile(file) };
}

/** Copies the other files of the home; resolves to all files of the snapshot, and what was left out. */
async function copyFiles({ home }: BackupSources, folder: string) {
  const { files, leftOut } = homeFiles(home);
  for (const { source, path } of files) {
    const target = join(folder, path);
    makeFolder(dirname(target), 0o700);
    const digest = await digestOfFile(source);
    if (await copyWithDigest(source, target, digest)) continue;
    throw new Error(`${source} has changed while it was copied; try again`);
  }
  const paths = [CONTROL_STORE_FILE, LAKE_INDEX_FILE, ...files.map(({ path }) => path)];
  const copied: CopiedFile[] = [];
  for (const path of paths) copied.push(await describe(folder, path));
  return { copied, leftOut };
}

/** Makes a snapshot. The folder's lock is held. */
async function takeSnapshot(
  sources: BackupSources,
  folder: BackupFolder,
  tools: BackupTools,
  { clock, signal, onProgress }: BackupOptions,
) {
  const takenAt = isoSeconds(clock.now());
  const { snapshot, draft } = folder.begin(takenAt);
  const draftFolder = folder.draftFolder(draft);
  const files = join(draftFolder, HOME_FILES);
  onProgress('copying the stores', 0);
  await copyStores(sources, files);
  const { copied, leftOut } = await copyFiles(sources, files);
  const report = await openedIndex(tools.openIndexCopy(join(files, LAKE_INDEX_FILE)), (index) =>
    copyParts({
      ...{ index, diskFolder: folder.path, signal },
      ...sameParts(sources.storage, folder.storage, (part) =>
        sources.storage.copyTo(part, folder.path, signal),
      ),
      onProgress: (share) => onProgress('copying parts', share),
    }),
  );
  writeManifest(draftFolder, {
    ...{ format: BACKUP_FORMAT, snapshot, taken_at: takenAt, release: SERVICE_VERSION },
    home: sources.home,
    parts: { count: report.partCount, stored_bytes: report.storedByteCount },
    files: copied,
  });
  signal.throwIfAborted();
  folder.finish(draft, snapshot);
  return { snapshot, takenAt, leftOut, ...report };
}

/** Adds a snapshot to a folder of backups, whose lock is held, and removes those that should not stay. */
export async function backUp(
  sources: BackupSources,
  folder: BackupFolder,
  tools: BackupTools,
  options: BackupOptions,
): Promise<BackupReport> {
  const parts = await sources.index.publishers.holdParts();
  let taken: Awaited<ReturnType<typeof takeSnapshot>>;
  try {
    taken = await takeSnapshot(sources, folder, tools, options);
  } finally {
    await parts.release();
  }
  noteBackup(sources.home, { ...taken, folder: folder.path });
  const removed = await pruneBackups(folder, options.keepCount);
  return { ...taken, ...removed };
}
