/** Snapshots of the program's SQLite files, and copies of them. */
import { backup, DatabaseSync } from 'node:sqlite';
import { synchronizeFile } from '../../base/write-whole-file.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { createNew } from './database.ts';
import { openingError, storeError } from './failures.ts';

/** Copied between two turns of other work. */
const PAGES_AT_ONCE = 1000;

/**
 * Ends the copy's use of companion files, so that it is one file, and looks at all of its pages.
 */
function finishCopy(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec('PRAGMA journal_mode = DELETE');
    const result = copy.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (result !== 'ok') throw new Error(`${path} is damaged: ${result}`);
  } finally {
    copy.close();
  }
  synchronizeFile(path);
}

/** Takes a snapshot of the database at a path, which is in write-ahead mode. */
export function openSnapshot(path: string): StoreSnapshot {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec('BEGIN');
    // Only the first reading chooses the moment.
    database.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch (error) {
    database.close();
    throw openingError(path, error);
  }
  return {
    copyTo: async (target) => {
      createNew(target);
      try {
        await backup(database, target, { rate: PAGES_AT_ONCE });
        finishCopy(target);
      } catch (error) {
        throw storeError(target, error);
      }
    },
    close: async () => database.close(),
  };
}
