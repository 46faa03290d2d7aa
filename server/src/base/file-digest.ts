/** Digests of files. */
import { createHash } from 'node:crypto';
import { constants, copyFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { atEnd } from './at-end.ts';
import { type OpenFile, openLocalFile } from './stored-bytes.ts';
import { synchronize, synchronizeFolder } from './write-whole-file.ts';

/** Suffix of an unfinished copy; one found later was left by a process that died. */
const UNFINISHED = '.unfinished';

/**
 * Copies a file, whose folder is there, in place of one that may be there, and reads the copy
 * again. It has its name only when its bytes have the digest and are on disk. Resolves to whether
 * they have it; if not, nothing is left of the copy.
 */
export function copyWithDigest(source: string, target: string, digest: string): Promise<boolean> {
  const copy = (path: string) => copyFile(source, path, constants.COPYFILE_FICLONE);
  return copyAllWithDigest([{ copy, target }], digest);
}

export interface FileCopy {
  /** Writes the copy to a path. */
  readonly copy: (path: string) => Promise<void>;
  readonly target: string;
}

/**
 * Copies files that have a digest together, one after the other. The first of them has its name
 * only when all others have theirs.
 */
export async function copyAllWithDigest(
  copies: readonly FileCopy[],
  digest: string,
  signal?: AbortSignal,
): Promise<boolean> {
  const unfinished = copies.map(({ target }) => `${target}${UNFINISHED}`);
  const discard = () => Promise.all(unfinished.map((path) => rm(path, { force: true })));
  try {
    for (const [number, { copy }] of copies.entries()) {
      const path = unfinished[number] as string;
      await copy(path);
      await synchronize(path);
    }
    if ((await digestOfFiles(unfinished, signal)) !== digest) {
      await discard();
      return false;
    }
    for (const [number, { target }] of [...copies.entries()].reverse()) {
      await rename(unfinished[number] as string, target);
      if (number === 1) synchronizeFolder(dirname(target));
    }
  } catch (error) {
    await discard().catch(() => undefined);
    throw error;
  }
  synchronizeFolder(dirname((copies[0] as FileCopy).target));
  return true;
}

/** Reads files by their names. */
export interface NamedFiles {
  /** Bytes of the file. */
  size(file: string): Promise<number>;
  readonly open: OpenFile;
}

const LOCAL: NamedFiles = {
  size: async (path) => (await stat(path)).size,
  open: openLocalFile,
};

async function* bytesOf(files: NamedFiles, names: readonly string[]): AsyncGenerator<Buffer> {
  for (const name of names) {
    const opened = await files.open(name);
    await using _opened = atEnd(() => opened.close());
    yield* opened.chunks(0, await files.size(name));
  }
}

/** SHA-256 of all bytes of a file, in hexadecimal. */
export function digestOfFile(path: string): Promise<string> {
  return digestOfFiles([path]);
}

/** Digest of the bytes of several files, in order. Aborting the signal rejects with its reason. */
export async function digestOfFiles(
  names: readonly string[],
  signal?: AbortSignal,
  files = LOCAL,
): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(bytesOf(files, names), hash, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
  return hash.digest('hex');
}
