/**
 * Makes a home of a snapshot, or checks a snapshot. It is a home only when all of it is there: a
 * mark keeps every command from it until then, and whoever restores the same snapshot again goes on
 * where another one has died.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { copyWithDigest, digestOfFile } from '../base/file-digest.ts';
import { HOME_LOCK_FILE, LAKE_INDEX_FILE, RESTORE_MARK_FILE } from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import type { ProcessLock } from '../base/process-lock.ts';
import { synchronizeFolder, writeWholeFile } from '../base/write-whole-file.ts';
import { IN_HOME } from '../lake/lake-owner.ts';
import { alteration } from '../lake/verify.ts';
import { eachKeptPart } from '../store/kept-parts.ts';
import {
  type BackupFolder,
  type BackupTools,
  type CopiedFile,
  openedIndex,
  requireApart,
} from './backup-folder.ts';
import { type CopyReport, copiedParts, copyParts } from './copy-parts.ts';

interface RestoreOptions {
  readonly snapshot: string;
  readonly home: string;
  readonly signal: AbortSignal;
  readonly onProgress: (step: string, share: number) => void;
}

interface RestoreReport extends CopyReport {
  readonly snapshot: string;
  readonly takenAt: string;
}

/** Left by a process that died before there was a mark. */
const isBeforeMark = (name: string) =>
  name === HOME_LOCK_FILE || name.startsWith(`${RESTORE_MARK_FILE}.`);

interface Mark {
  readonly backup: string;
  readonly snapshot: string;
}

/**
 * Throws a `UsageError` where the folder holds anything but what this restoration left there
 * before.
 */
function requireFree(home: string, mark: Mark): void {
  const path = join(home, RESTORE_MARK_FILE);
  if (!existsSync(path)) {
    const others = readdirSync(home).filter((name) => !isBeforeMark(name));
    if (others.length === 0) return;
    throw new UsageError(`${home} is not empty; name a new or empty folder with --home`);
  }
  const { backup, snapshot } = JSON.parse(readFileSync(path, 'utf8')) as Mark;
  if (backup === mark.backup && snapshot === mark.snapshot) return;
  throw new UsageError(
    `${home} holds a part of the snapshot ${snapshot} of ${backup}; ` +
      'restore that one, or remove the folder first',
  );
}

function lockHome(home: string, { tryLock }: BackupTools): ProcessLock {
  const lock = tryLock(join(home, HOME_LOCK_FILE));
  if (lock) return lock;
  throw new UsageError(`another process is using ${home}; try again when it has ended`);
}

/**
 * Notes the place of the parts, which may have been in object storage at the time of the snapshot.
 */
async function notePlace(home: string, { openIndex }: BackupTools): Promise<void> {
  const index = openIndex(home);
  await using _index = atEnd(() => index.close());
  const lock = await index.publishers.tryLock();
  await index.moves.changePlace(IN_HOME);
  await lock?.release();
}

async function fill(
  folder: BackupFolder,
  tools: BackupTools,
  { snapshot, home, signal, onProgress }: RestoreOptions,
): Promise<CopyReport> {
  const { storage: from } = folder;
  const report = await openedIndex(folder.openIndex(snapshot), (index) =>
    copyParts({
      ...{ index, diskFolder: home, signal },
      ...copiedParts(from, tools.openStorage(home), home, signal),
      onProgress: (share) => onProgress('copying parts', share),
    }),
  );
  const source = folder.filesOf(snapshot);
  const { files } = folder.manifestOf(snapshot);
  // The index comes last, so that no rows are published before.
  const ordered = [...files].sort(
    (a, b) => Number(a.path === LAKE_INDEX_FILE) - Number(b.path === LAKE_INDEX_FILE),
  );
  for (const { path, sha256 } of ordered) {
    const target = join(home, path);
    makeFolder(dirname(target), 0o700);
    if (await copyWithDigest(join(source, path), target, sha256)) continue;
    throw new UsageError(`${join(source, path)} is altered; restore another snapshot with --at`);
  }
  await notePlace(home, tools);
  return report;
}

/**
 * Restores a snapshot to a home that is new or empty. Rejects with a `UsageError` where the home
 * holds anything, or the snapshot is damaged.
 */
export async function restore(
  folder: BackupFolder,
  tools: BackupTools,
  options: RestoreOptions,
): Promise<RestoreReport> {
  const { snapshot, home } = options;
  requireApart(folder.path, home);
  for (const file of folder.manifestOf(snapshot).files) {
    const problem = await fileProblem(folder.filesOf(snapshot), file);
    if (problem === null) continue;
    throw new UsageError(`the snapshot ${snapshot} is damaged: ${problem}`);
  }
  const mark: Mark = { backup: folder.path, snapshot };
  makeFolder(home, 0o700);
  requireFree(home, mark);
  const lock = lockHome(home, tools);
  using _lock = atEnd(() => lock.release());
  const markFile = join(home, RESTORE_MARK_FILE);
  writeWholeFile(markFile, `${JSON.stringify(mark)}\n`, 0o600);
  const report = await fill(folder, tools, options);
  synchronizeFolder(home);
  rmSync(markFile);
  synchronizeFolder(home);
  return { snapshot, takenAt: folder.manifestOf(snapshot).taken_at, ...report };
}

interface CheckOptions {
  readonly signal: AbortSignal;
  /** Called with the share of the parts' bytes that was read. */
  readonly onProgress: (share: number) => void;
}

interface BackupCheck {
  readonly snapshot: string;
  readonly partCount: number;
  /** Everything that is missing, cut off or altered; empty if the snapshot is whole. */
  readonly problems: readonly string[];
}

/** The problem with a file other than a part; null if there is none. */
async function fileProblem(
  folder: string,
  { path, bytes, sha256 }: CopiedFile,
): Promise<string | null> {
  const file = join(folder, path);
  try {
    const { size } = statSync(file);
    if (size < bytes) return `${file} is cut off`;
    return (await digestOfFile(file)) === sha256 ? null : `${file} is altered`;
  } catch (error) {
    return failureText(error);
  }
}

/** Throws a `UsageError` where not even the manifest can be read. */
export async function checkSnapshot(
  folder: BackupFolder,
  snapshot: string,
  { signal, onProgress }: CheckOptions,
): Promise<BackupCheck> {
  const { files, parts } = folder.manifestOf(snapshot);
  const problems: string[] = [];
  for (const file of files) {
    const problem = await fileProblem(folder.filesOf(snapshot), file);
    if (problem !== null) problems.push(problem);
  }
  // Without its index nobody knows which parts it needs.
  if (problems.length > 0) return { snapshot, partCount: parts.count, problems };
  const { storage } = folder;
  let readBytes = 0;
  await openedIndex(folder.openIndex(snapshot), async (index) => {
    for await (const part of eachKeptPart(index)) {
      const problem = (await storage.findDamage(part)) ?? (await alteration(part, storage, signal));
      if (problem !== null) problems.push(problem);
      readBytes += part.storedByteCount;
      onProgress(readBytes / Math.max(1, parts.stored_bytes));
    }
  });
  return { snapshot, partCount: parts.count, problems };
}
