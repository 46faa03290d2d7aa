/** The mark that says whose the parts in a folder are. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWholeFile } from '../../base/write-whole-file.ts';
import type { PlaceMark } from '../engine.ts';

/** No dataset's folder begins with a dot. */
export const MARK = '.owner';

/** `directory` is there, or a link to where it is. */
export function folderMark(directory: string): PlaceMark {
  const file = join(directory, MARK);
  return {
    // A copy is another file of the system, or was born later. Where that changes by itself, the mark protects nothing.
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
