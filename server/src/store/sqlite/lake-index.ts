/** The lake's index in one SQLite file, which any number of processes may have open. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import { KeptParts, type LakeIndexCopy } from '../kept-parts.ts';
import { LakeIndex } from '../lake-index.ts';
import { Connection, ConnectionQueries } from './connection.ts';
import { SqliteDatabase, schemaVersion } from './database.ts';
import { openingError } from './failures.ts';
import { FilePublisherLocks } from './publisher-locks.ts';
import { LAKE_SCRIPTS } from './schema.ts';
import { openSnapshot } from './store-snapshot.ts';

/** Publishers keep their locks in the folder `lake` beside the file. */
export function openLakeIndex(path: string): LakeIndex {
  const directory = join(dirname(path), 'lake');
  makeFolder(directory, 0o700);
  const database = new SqliteDatabase(path, LAKE_SCRIPTS);
  // Another one after each commit of any other connection; this one commits nothing.
  const mark = database.reader.prepareNumber('PRAGMA data_version');
  const { all, get } = database;
  return new LakeIndex({
    database: {
      ...{ all, get },
      change: (work) => database.transaction(work),
      publish: (work) => database.transaction(work),
      read: (work) => database.reading(work),
    },
    publishers: new FilePublisherLocks(directory),
    changeMark: async () => `${mark()}`,
    // The number of the file: it stays when the home is moved, and a copy has another one.
    storeName: async () => `${statSync(path, { bigint: true }).ino}`,
    openSnapshot: async () => openSnapshot(path),
    close: () => database.close(),
  });
}

/** Opens a copy of an index as `StoreSnapshot.copyTo` has written it; nothing is made beside it. */
export function openIndexCopy(path: string): LakeIndexCopy {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const version = schemaVersion(database, path);
    // Earlier ones are brought up to date when they are a home's, and have what is read here.
    if (version > LAKE_SCRIPTS.length || version === 0) {
      throw new UsageError(
        `${path} was written by another release (schema ${version}, this one knows ${LAKE_SCRIPTS.length})`,
      );
    }
    const connection = new Connection(database);
    const parts = new KeptParts(new ConnectionQueries(connection));
    return Object.assign(parts, { close: async () => connection.close() });
  } catch (error) {
    database?.close();
    throw openingError(path, error);
  }
}
