/** What is stored of parts: the files in the folders of datasets. */
import { existsSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { copyAllWithDigest } from '../../base/copy-file.ts';
import { digestOfFiles } from '../../base/file-digest.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { synchronizeFolder } from '../../base/synchronize.ts';
import { UnreadablePartError } from '../engine.ts';
import type { DigestedPart, StoredParts } from '../stored-parts.ts';
import { fileOfIdentifierFolder, filesOfPart, identifierFolder } from './identifier-files.ts';

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
  const files = await filesOfPart(source);
  if (files.length > 1) makeFolder(identifierFolder(target), 0o700);
  const toTarget = (file: string) => ({
    source: file,
    target: join(dirname(target), relative(dirname(source), file)),
  });
  if (await copyAllWithDigest(files.map(toTarget), digest, signal)) return;
  const name = `the file ${basename(directory)}/${location}`;
  if ((await digestOfFiles(files, signal)) !== digest) {
    throw new UnreadablePartError(`${name} is altered`, null);
  }
  throw new Error(`the copy of ${name} cannot be read back as it was written: check the disk`);
}

/** `directory`: absolute path of the folder in which parts lie; it has the same name in every home. */
export function storedFiles(directory: string): StoredParts {
  return {
    locations: () => locations(directory),
    digestOf: async (location, signal) =>
      await digestOfFiles(await filesOfPart(join(directory, location)), signal),
    copyTo: (part, home, signal) =>
      copyTo(directory, part, join(home, basename(directory)), signal),
  };
}
