/** Removes snapshots that should not stay, and the parts that no snapshot names. */
import { failureText } from '../base/failure-text.ts';
import type { LakeIndexCopy } from '../store/kept-parts.ts';
import type { BackupFolder } from './backup-folder.ts';

const LOCATIONS_AT_ONCE = 100;

export interface PruneReport {
  readonly removedSnapshots: readonly string[];
  readonly removedPartCount: number;
}

async function isKnown(location: string, indexes: readonly LakeIndexCopy[]): Promise<boolean> {
  for (const index of indexes) {
    if (await index.keepsLocation(location)) return true;
  }
  return false;
}

/** What only a snapshot names that cannot be read may still be wanted. */
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
 * snapshot names. The folder's lock is held. One that died on the way leaves parts that nobody needs.
 */
export async function pruneBackups(
  folder: BackupFolder,
  keepCount: number | null,
): Promise<PruneReport> {
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
