/** The lake's index in SQLite, as tests and the processes that they start open it. */

import type { LakeIndex } from '../../src/store/lake-index.ts';
import { openLakeIndex } from '../../src/store/sqlite/lake-index.ts';

/** `location`: path of the file. */
export async function openIndex(location: string): Promise<LakeIndex> {
  return openLakeIndex(location);
}
