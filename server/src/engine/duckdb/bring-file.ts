/** Brings a file into the folder of an engine that may touch nothing else. */
import { constants, copyFile, link } from 'node:fs/promises';

/** File systems, and owners, that do not let a file have a second name. */
const UNLINKABLE = new Set(['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'ENOSYS']);

/**
 * Gives the file a second name, `target`, which must not exist; where that cannot be, copies it.
 * A symbolic link would not do, because the engine looks where it leads.
 */
export async function bringFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!UNLINKABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  }
}
