/** What is stored of parts: the files in the folders of datasets. */
import { opendir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { copyWithDigest } from '../../base/copy-file.ts';
import { digestOfFile } from '../../base/file-digest.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { synchronizeFolder } from '../../base/synchronize.ts';
import { UnreadablePartError } from '../engine.ts';
import type { DigestedPart, StoredParts } from '../stored-parts.ts';

/** Folders of writers and of processes begin with a dot. */
async function* locations(directory: string): AsyncIterable<string> {
  for await (const folder of await opendir(directory)) {
    if (!folder.isDirectory() || folder.name.startsWith('.')) continue;
    for await (const file of await opendir(join(directory, folder.name))) {
      yield `${folder.name}/${file.name}`;
    }
  }
}

async function copyTo(
  directory: string,
  { location, digest }: DigestedPart,
  copies: string,
  signal?: AbortSignal,
): Promise<void> {
  const source = join(directory, location);
  const target = join(copies, location);
  makeFolder(dirname(target), 0o700);
  synchronizeFolder(copies);
  if (await copyWithDigest(source, target, digest, signal)) return;
  const name = `the file ${basename(directory)}/${location}`;
  if ((await digestOfFile(source, signal)) !== digest) {
    throw new UnreadablePartError(`${name} is altered`, null);
  }
  throw new Error(`the copy of ${name} cannot be read back as it was written: check the disk`);
}

/** `directory`: absolute path of the folder in which parts lie; it has the same name in every home. */
export function storedFiles(directory: string): StoredParts {
  return {
    locations: () => locations(directory),
    digestOf: (location, signal) => digestOfFile(join(directory, location), signal),
    copyTo: (part, home, signal) =>
      copyTo(directory, part, join(home, basename(directory)), signal),
  };
}
