/**
 * Makes a backup of a home while it is used: the stores as they are at one moment, then the parts
 * that the index names at that moment, which nobody may remove meanwhile. A process that dies on
 * the way leaves the earlier snapshots as they are.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { atEnd } from '../base/at-end.ts';
import { type Clock, isoSeconds } from '../base/clock.ts';
import { failureText } from '../base/failure-text.ts';
import { copyWithDigest, digestOfFile } from '../base/file-digest.ts';
import {
  BACKUP_NOTE_FILE,
  CONTROL_STORE_FILE,
  DEFINITIONS_FOLDER,
  LAKE_INDEX_FILE,
  RECEIPTS_FOLDER,
  RELOAD_ANSWER_FILE,
  RELOAD_REQUEST_FILE,
  RESTORE_MARK_FILE,
  SERVER_NOTE_FILE,
  SIGNING_KEY_FILE,
  VERIFY_NOTE_FILE,
} from '../base/home-layout.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { makeFolder } from '../base/make-folder.ts';
import { writeWholeFile } from '../base/write-whole-file.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { LakeIndexCopy } from '../store/kept-parts.ts';
import type { LakeIndex } from '../store/lake-index.ts';
import {
  BACKUP_FORMAT,
  type BackupFolder,
  type BackupTools,
  type CopiedFile,
  HOME_FILES,
  openedIndex,
  writeManifest,
} from './backup-folder.ts';
import { type CopyReport, copiedParts, copyParts } from './copy-parts.ts';

interface LastBackup {
  /** UTC, whole seconds, `Z`. */
  readonly takenAt: string;
  /** Absolute path of the folder of backups. */
  readonly folder: string;
  readonly snapshot: string;
}

export function noteBackup(home: string, { takenAt, folder, snapshot }: LastBackup): void {
  const note = { taken_at: takenAt, folder, snapshot };
  writeWholeFile(join(home, BACKUP_NOTE_FILE), `${JSON.stringify(note)}\n`, 0o600);
}

function lastBackupOfHome(home: string): number | null {
  try {
    const { taken_at } = JSON.parse(readFileSync(join(home, BACKUP_NOTE_FILE), 'utf8'));
    const takenMs = Date.parse(taken_at);
    return Number.isNaN(takenMs) ? null : takenMs;
  } catch {
    return null;
  }
}

/** When the last backup was taken, in milliseconds since 1970; null: nobody has noted one. */
export async function lastBackupMs(
  home: string,
  { sharedSecrets, audit }: Pick<ControlStore, 'sharedSecrets' | 'audit'>,
): Promise<number | null> {
  // One that servers share is backed up by its own tools, after which somebody notes it for all of
  // them.
  if (sharedSecrets === null) return lastBackupOfHome(home);
  const [entry] = await audit.list({ operation: 'backup' }, 'newest first', 0, 1);
  return entry?.happenedAtMs ?? null;
}

/** Larger ones are none of the program's. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** Files that belong to a process, are copied in another way, or must be nowhere else. */
const NOT_COPIED = /\.db(-\w+)?$|^lock(-\w+)?$|\.lock(-\w+)?$|\.unfinished$/;
const OTHERS = new Set([
  RELOAD_REQUEST_FILE,
  RELOAD_ANSWER_FILE,

  SERVER_NOTE_FILE,
  RESTORE_MARK_FILE,
  BACKUP_NOTE_FILE,
  SIGNING_KEY_FILE,
  VERIFY_NOTE_FILE,
]);

interface HomeFile {
  readonly source: string;
  /** From the home. */
  readonly path: string;
}

interface HomeFiles {
  readonly files: readonly HomeFile[];
  /** Paths of those that are too large. */
  readonly leftOut: readonly string[];
}

/** Links count as what they lead to. Without the folder there are none. */
function filesIn(folder: string, prefix: string): HomeFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(folder).filter((name) => !NOT_COPIED.test(name) && !OTHERS.has(name));
  const files = names.map((name) => ({ source: join(folder, name), path: `${prefix}${name}` }));
  return files.filter(({ source }) => statSync(source, { throwIfNoEntry: false })?.isFile());
}

function homeFiles(home: string): HomeFiles {
  const receipts = join(home, RECEIPTS_FOLDER);
  const found = [
    ...filesIn(home, ''),
    ...filesIn(join(home, DEFINITIONS_FOLDER), `${DEFINITIONS_FOLDER}/`),
    ...filesIn(receipts, `${RECEIPTS_FOLDER}/`),
  ];
  const isSmall = ({ source }: HomeFile) => statSync(source).size <= FILE_BYTES_MAX;
  return {
    files: found.filter(isSmall),
    leftOut: found.filter((file) => !isSmall(file)).map(({ path }) => path),
  };
}

const LOCATIONS_AT_ONCE = 100;

interface PruneReport {
  readonly removedSnapshots: readonly string[];
  readonly removedPartCount: number;
}

async function isKnown(location: string, indexes: readonly LakeIndexCopy[]): Promise<boolean> {
  for (const index of indexes) {
    if (await index.keepsLocation(location)) return true;
  }
  return false;
}

/** Parts that only an unreadable snapshot names may still be wanted. */
function openAll(folder: BackupFolder, indexes: LakeIndexCopy[]): void {
  try {
    for (const snapshot of folder.snapshots()) indexes.push(folder.openIndex(snapshot));
  } catch (error) {
    throw new Error(
      `the backup was made, but parts that no snapshot needs were not removed, because an earlier snapshot cannot be read: ${failureText(error)}`,
    );
  }
}

async function removeUnknown(
  folder: BackupFolder,
  indexes: readonly LakeIndexCopy[],
): Promise<number> {
  const { storage } = folder;
  let removedCount = 0;
  let unknown: string[] = [];
  const remove = async () => {
    await storage.remove(unknown);
    removedCount += unknown.length;
    unknown = [];
  };
  for await (const location of storage.locations()) {
    if (!(await isKnown(location, indexes))) unknown.push(location);
    if (unknown.length === LOCATIONS_AT_ONCE) await remove();
  }
  await remove();
  return removedCount;
}

/**
 * Removes all but the last `keepCount` snapshots (null: none of them) and then the parts that no
 * snapshot names. The folder's lock is held. One that died on the way leaves parts that nobody
 * needs.
 */
async function pruneBackups(folder: BackupFolder, keepCount: number | null): Promise<PruneReport> {
  const snapshots = folder.snapshots();
  const removedSnapshots = snapshots.slice(
    0,
    Math.max(0, snapshots.length - (keepCount ?? Infinity)),
  );
  for (const snapshot of removedSnapshots) folder.remove(snapshot);
  const indexes: LakeIndexCopy[] = [];
  try {
    openAll(folder, indexes);
    return { removedSnapshots, removedPartCount: await removeUnknown(folder, indexes) };
  } finally {
    for (const index of indexes) await index.close();
  }
}

/** The home, its stores and its parts. */
interface BackupSources {
  readonly home: string;
  readonly store: Pick<ControlStore, 'openSnapshot'>;
  readonly index: LakeIndex;
  readonly storage: PartStorage;
}

interface BackupOptions {
  readonly clock: Clock;
  /** How many snapshots stay, the new one among them; null: all. */
  readonly keepCount: number | null;
  readonly signal: AbortSignal;
  /** A step and the share of it that is done, from 0 to 1. */
  readonly onProgress: (step: string, share: number) => void;
}

export interface BackupReport extends CopyReport {
  /** Name of the snapshot. */
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
  await using _lake = atEnd(() => lake.close());
  await using _control = atEnd(() => control.close());
  await control.copyTo(join(folder, CONTROL_STORE_FILE));
  await lake.copyTo(join(folder, LAKE_INDEX_FILE));
}

async function describe(folder: string, path: string): Promise<CopiedFile> {
  const file = join(folder, path);
  return { path, bytes: statSync(file).size, sha256: await digestOfFile(file) };
}

/**
 * Copies the other files of the home; resolves to all files of the snapshot, and what was left out.
 */
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
  const draftFolder = folder.folderOf(draft);
  const files = join(draftFolder, HOME_FILES);
  onProgress('copying the stores', 0);
  await copyStores(sources, files);
  const { copied, leftOut } = await copyFiles(sources, files);
  const report = await openedIndex(tools.openIndexCopy(join(files, LAKE_INDEX_FILE)), (index) =>
    copyParts({
      ...{ index, diskFolder: folder.path, signal },
      ...copiedParts(sources.storage, folder.storage, folder.path, signal),
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

/**
 * Adds a snapshot to a folder of backups, whose lock is held, and removes those that should not
 * stay.
 */
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
