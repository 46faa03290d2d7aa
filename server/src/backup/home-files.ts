/** The files of a home that a backup copies as they are: an operator's definitions, keys and settings. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  BACKUP_NOTE_FILE,
  DEFINITIONS_FOLDER,
  RECEIPTS_FOLDER,
  RELOAD_ANSWER_FILE,
  RELOAD_REQUEST_FILE,
  RESTORE_MARK_FILE,
  SERVER_NOTE_FILE,
  SIGNING_KEY_FILE,
  VERIFY_NOTE_FILE,
} from '../base/home-layout.ts';

/** Larger ones are none of the program's. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024;

/** What belongs to a process, is copied in its own way, or should be nowhere else. */
const NOT_COPIED = /\.db(-\w+)?$|^lock(-\w+)?$|\.lock(-\w+)?$|\.unfinished$/;
const OTHERS = new Set([
  RELOAD_REQUEST_FILE,
  RELOAD_ANSWER_FILE,

  SERVER_NOTE_FILE,
  RESTORE_MARK_FILE,
  BACKUP_NOTE_FILE,
  SIGNING_KEY_FILE,
  VERIFY_NOTE_FILE,
]);

export interface HomeFile {
  readonly source: string;
  /** From the home. */
  readonly path: string;
}

export interface HomeFiles {
  readonly files: readonly HomeFile[];
  /** Paths of those that are too large. */
  readonly leftOut: readonly string[];
}

/** Links count as what they lead to. Without the folder there are none. */
function filesIn(folder: string, prefix: string): HomeFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(folder).filter((name) => !NOT_COPIED.test(name) && !OTHERS.has(name));
  const files = names.map((name) => ({ source: join(folder, name), path: `${prefix}${name}` }));
  return files.filter(({ source }) => statSync(source, { throwIfNoEntry: false })?.isFile());
}

export function homeFiles(home: string): HomeFiles {
  const receipts = join(home, RECEIPTS_FOLDER);
  const found = [
    ...filesIn(home, ''),
    ...filesIn(join(home, DEFINITIONS_FOLDER), `${DEFINITIONS_FOLDER}/`),
    ...filesIn(receipts, `${RECEIPTS_FOLDER}/`),
  ];
  const isSmall = ({ source }: HomeFile) => statSync(source).size <= FILE_BYTES_MAX;
  return {
    files: found.filter(isSmall),
    leftOut: found.filter((file) => !isSmall(file)).map(({ path }) => path),
  };
}
