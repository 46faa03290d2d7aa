/** Looks whether a snapshot is whole: reads again all that belongs to it. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { failureText } from '../base/failure-text.ts';
import { digestOfFile } from '../base/file-digest.ts';
import { alteration } from '../lake/verify.ts';
import { eachKeptPart } from '../store/kept-parts.ts';
import { type BackupFolder, type CopiedFile, openedIndex } from './backup-folder.ts';

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Called with the share of the parts' bytes that was read. */
  readonly onProgress: (share: number) => void;
}

export interface BackupCheck {
  readonly snapshot: string;
  readonly partCount: number;
  /** Everything that is missing, cut off or altered; empty if the snapshot is whole. */
  readonly problems: readonly string[];
}

/** The problem with a file other than a part; null if there is none. */
export async function fileProblem(
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
