/** Copies files so that nobody ever finds half of one. */
import { constants, copyFile, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { atPath } from './failure-text.ts';
import { digestOfFile } from './file-digest.ts';
import { synchronizeFolder } from './synchronize.ts';

/** What a copy is called until it is whole. One that is found later was left by a process that died. */
const UNFINISHED = '.unfinished';

async function synchronize(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } catch (error) {
    throw atPath(path, error);
  } finally {
    await file.close();
  }
}

/**
 * Copies a file, whose folder is there, in place of one that may be there, and reads the copy again.
 * It has its name only when its bytes have the digest and are on disk. Resolves to whether they have
 * it; if not, nothing is left of the copy.
 */
export async function copyWithDigest(
  source: string,
  target: string,
  digest: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const unfinished = `${target}${UNFINISHED}`;
  try {
    await copyFile(source, unfinished, constants.COPYFILE_FICLONE);
    await synchronize(unfinished);
    if ((await digestOfFile(unfinished, signal)) !== digest) {
      await rm(unfinished, { force: true });
      return false;
    }
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  synchronizeFolder(dirname(target));
  return true;
}
