/** A file with the ids of datasets whose derivation is due. */
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { makeFolder } from '../../base/make-folder.ts';
import { writeWholeFile } from '../../base/write-whole-file.ts';

const CONTENT = v.array(v.string());

/** None where there is no such file, or it cannot be read. */
export function readDueDatasets(path: string): string[] {
  try {
    return v.parse(CONTENT, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [];
  }
}

/** Without any there is no file. */
export function writeDueDatasets(path: string, datasetIds: readonly string[]): void {
  if (datasetIds.length === 0) rmSync(path, { force: true });
  else {
    makeFolder(dirname(path), 0o700);
    writeWholeFile(path, JSON.stringify(datasetIds), 0o600);
  }
}
