/** Files of parts in a local folder, one folder below it for each dataset. */
import { constants, existsSync } from 'node:fs';
import { copyFile, opendir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { synchronizeFolder } from '../../base/synchronize.ts';
import { bringFile } from './bring-file.ts';
import { fileOfIdentifierFolder, filesOfPart, identifierFolder } from './identifier-files.ts';
import { LOCAL_FILES } from './local-files.ts';
import type { PartFiles } from './part-files.ts';

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
  const ordered = identifierFolder(written);
  if (existsSync(ordered)) await rename(ordered, identifierFolder(file));
  await rename(written, file);
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
