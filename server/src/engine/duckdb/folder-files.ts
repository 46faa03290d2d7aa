/** Files of parts in a local folder, one folder below it for each dataset. */
import { constants, existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile, type FileHandle, link, open, opendir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { openLocalFile } from '../../base/stored-bytes.ts';
import { synchronizeFolder, writeWholeFile } from '../../base/write-whole-file.ts';
import type { PlaceMark } from '../engine.ts';
import { cutOff } from './parquet/footer.ts';
import {
  type FileReading,
  fileOfIdentifierFolder,
  filesOfPart,
  identifierFolder,
  movePart,
  type PartFiles,
} from './part-files.ts';

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

async function readStretch(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  if (bytesRead < buffer.length) throw cutOff();
  return buffer;
}

async function withHandle<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

export const LOCAL_FILES: FileReading = {
  size: async (path) => (await stat(path)).size,
  tail: (path, byteCount) =>
    withHandle(path, async (handle) => {
      const { size } = await handle.stat();
      const bytes = await readStretch(handle, Math.max(0, size - byteCount), size);
      return { byteCount: size, bytes };
    }),
  read: (path, start, end) => withHandle(path, (handle) => readStretch(handle, start, end)),
  open: openLocalFile,
};

/** Folders of writers and of processes begin with a dot. */
async function* locations(directory: string): AsyncIterable<string> {
  for await (const folder of await opendir(directory)) {
    if (!folder.isDirectory() || folder.name.startsWith('.')) continue;
    for await (const file of await opendir(join(directory, folder.name))) {
      const name = fileOfIdentifierFolder(file.name) ?? file.name;
      // With its file a part is found; a folder alone is what is left of one.
      const isFound = name !== file.name && existsSync(join(directory, folder.name, name));
      if (!isFound) yield `${folder.name}/${name}`;
    }
  }
}

async function put(written: string, file: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} exists`);
  makeFolder(dirname(file));
  await movePart(written, file);
}

async function remove(file: string): Promise<void> {
  await rm(file, { force: true });
  await rm(identifierFolder(file), { recursive: true, force: true });
}

/** `directory` is an absolute path. */
export function folderFiles(directory: string): PartFiles {
  return {
    ...LOCAL_FILES,
    root: directory,
    filesOf: filesOfPart,
    locations: () => locations(directory),
    put,
    flush: async (files) => {
      if (files.length === 0) return;
      for (const folder of new Set(files.map(dirname))) synchronizeFolder(folder);
      synchronizeFolder(directory);
    },
    copy: (file, path) => copyFile(file, path, constants.COPYFILE_FICLONE),
    bring: bringFile,
    remove,
  };
}

/** No dataset's folder begins with a dot. */
export const MARK = '.owner';

/** `directory` is there, or a link to where it is. */
export function folderMark(directory: string): PlaceMark {
  const file = join(directory, MARK);
  return {
    // A copy is another file of the system, or was born later. Where that changes by itself, the
    // mark protects nothing.
    place: async () => {
      const { ino, birthtimeNs } = statSync(directory, { bigint: true });
      return `${ino}-${birthtimeNs}`;
    },
    read: async () => (existsSync(file) ? readFileSync(file, 'utf8') : null),
    write: async (text, isFirst) => {
      if (isFirst && existsSync(file)) return;
      writeWholeFile(file, text, 0o600);
    },
  };
}
