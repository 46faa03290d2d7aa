/** Locates the installed engine's part files, for tests that inspect or damage them. */
import { join } from 'node:path';
import type { Part } from '../src/engine/part.ts';
import type { Lake } from '../src/lake/lake.ts';

/** Absolute path of a part's file. */
export function partFile(lake: Lake, { location }: Pick<Part, 'location'>): string {
  return join(lake.directory, location);
}

/** The files of what is published of a dataset, in natural order. */
export async function partFiles(lake: Lake, datasetId: string): Promise<string[]> {
  return ((await lake.snapshot(datasetId))?.parts ?? []).map((part) => partFile(lake, part));
}
