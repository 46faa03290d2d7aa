/** What is stored of parts: the files in the folders of datasets. */
import { basename, dirname, join, posix, relative } from 'node:path';
import { copyAllWithDigest } from '../../base/copy-file.ts';
import { digestOfChunks } from '../../base/file-digest.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { synchronizeFolder } from '../../base/synchronize.ts';
import { UnreadablePartError } from '../engine.ts';
import type { DigestedPart, StoredParts } from '../stored-parts.ts';
import { folderFiles } from './folder-files.ts';
import { identifierFolder } from './identifier-files.ts';
import type { PartFiles } from './part-files.ts';

async function* bytesOf(files: PartFiles, names: readonly string[]): AsyncGenerator<Buffer> {
  for (const name of names) {
    const opened = await files.open(name);
    try {
      yield* opened.chunks(0, await files.size(name));
    } finally {
      await opened.close();
    }
  }
}

async function digestOf(files: PartFiles, file: string, signal?: AbortSignal): Promise<string> {
  return await digestOfChunks(bytesOf(files, await files.filesOf(file)), signal);
}

async function copyTo(
  files: PartFiles,
  { location, digest }: DigestedPart,
  copies: string,
  signal?: AbortSignal,
): Promise<void> {
  const source = `${files.root}/${location}`;
  const target = join(copies, location);
  makeFolder(dirname(target), 0o700);
  synchronizeFolder(copies);
  const names = await files.filesOf(source);
  if (names.length > 1) makeFolder(identifierFolder(target), 0o700);
  const folder = posix.dirname(source);
  const toTarget = (name: string) => ({
    copy: (path: string) => files.copy(name, path),
    target: join(dirname(target), relative(folder, name)),
  });
  if (await copyAllWithDigest(names.map(toTarget), digest, signal)) return;
  const name = `the file ${shownName(files, location)}`;
  if ((await digestOf(files, source, signal)) !== digest) {
    throw new UnreadablePartError(`${name} is altered`, null);
  }
  throw new Error(`the copy of ${name} cannot be read back as it was written: check the disk`);
}

/** Uploads a part whose files lie in a folder. */
async function takeFrom(
  files: PartFiles,
  { location, digest }: DigestedPart,
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  const given = folderFiles(folder);
  if ((await digestOf(given, `${given.root}/${location}`, signal)) !== digest) {
    throw new UnreadablePartError(`the file ${shownName(given, location)} is altered`, null);
  }
  const target = `${files.root}/${location}`;
  await files.remove(target);
  await files.put(`${given.root}/${location}`, target);
  if ((await digestOf(files, target, signal)) === digest) return;
  throw new Error(`${shownName(files, location)} cannot be read back as it was written`);
}

/** A part's file, for the operator: the folder that it lies in has the same name in every home. */
export function shownName({ root }: PartFiles, location: string): string {
  return `${root.includes('://') ? root : basename(root)}/${location}`;
}

/** `folder`: the name of the folder in which parts lie in other homes. `takesParts`: parts can be uploaded from there. */
export function storedFiles(files: PartFiles, folder: string, takesParts: boolean): StoredParts {
  return {
    locations: () => files.locations(),
    digestOf: (location, signal) => digestOf(files, `${files.root}/${location}`, signal),
    copyTo: (part, home, signal) => copyTo(files, part, join(home, folder), signal),
    ...(takesParts && {
      takeFrom: (part, home, signal) => takeFrom(files, part, join(home, folder), signal),
    }),
  };
}
