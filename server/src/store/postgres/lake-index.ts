/** The lake's index in PostgreSQL, which any number of processes on any machines may have open. */
import { UsageError } from '../../base/errors.ts';
import { LakeIndex } from '../lake-index.ts';
import type { LakeDatabase } from '../lake-records.ts';
import type { Queries } from '../queries.ts';
import { addressText, type PostgresAddress } from './address.ts';
import { LOOK_LIMITS } from './connection.ts';
import type { PostgresStoreOptions } from './control-store.ts';
import type { PostgresDatabase } from './database.ts';
import { Grace } from './grace.ts';
import { openMigrated } from './migrations.ts';
import { isMissingFunction } from './postgres-errors.ts';
import { PostgresSession } from './postgres-session.ts';
import { PostgresPublisherLocks } from './publisher-locks.ts';
import { LAKE_PART } from './schema.ts';
import { NOT_IN_FILES } from './settings.ts';

const SQL = {
  mark: 'SELECT mark::text FROM lake_change',
  // A random one also differs from those that a server has lost when another one took over.
  change: 'UPDATE lake_change SET mark = gen_random_uuid()',
  // A dump is restored into another database; a server that is restored to a moment begins another
  // timeline.
  storeName: `SELECT concat_ws('-', (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8), oid) AS name
    FROM pg_database WHERE datname = current_database()`,
  databaseName: 'SELECT oid::text AS name FROM pg_database WHERE datname = current_database()',
};

function lakeDatabase(
  database: PostgresDatabase,
  publishers: PostgresPublisherLocks,
): LakeDatabase {
  const change: LakeDatabase['change'] = (work) =>
    database.transaction('lake', async (queries) => {
      await queries.run(SQL.change);
      return await work(queries);
    });
  return {
    ...{ all: database.all, get: database.get, change },
    publish: (work) =>
      change(async (queries) => {
        await publishers.requireHeld(queries);
        return await work(queries);
      }),
    read: (work) => database.reading(work),
  };
}

/**
 * Looks whether the index has changed, before each request for data. While the database is away,
 * what was known last counts for as long as it does of accounts: versions that were read before can
 * be read.
 */
function openMarks(address: PostgresAddress, graceMs: number) {
  const session = new PostgresSession(address, LOOK_LIMITS);
  let mark = '';
  const look = async () => {
    mark = String((await session.get<{ mark: string }>(SQL.mark))?.mark);
  };
  const grace = new Grace({ look, graceMs, database: addressText(address) });
  return {
    /** Another text after any change. */
    now: async () => {
      await grace.now();
      return mark;
    },
    close: () => session.close(),
  };
}

async function storeName(queries: Pick<Queries, 'get'>): Promise<string> {
  type Named = { readonly name: string };
  const named = await queries.get<Named>(SQL.storeName).catch((error: unknown) => {
    if (!isMissingFunction(error)) throw error;
    return queries.get<Named>(SQL.databaseName);
  });
  return named?.name ?? '';
}

/**
 * Brings the tables up to date, if the user may do so. Rejects with a `UsageError` that says what
 * to change, or with a `StoreUnavailableError` where the database is away.
 */
export async function openLakeIndex(
  address: PostgresAddress,
  { graceMs = 0 }: PostgresStoreOptions = {},
): Promise<LakeIndex> {
  const database = await openMigrated(address, [LAKE_PART]);
  const marks = openMarks(address, graceMs);
  const publishers = new PostgresPublisherLocks(database);
  return new LakeIndex({
    database: lakeDatabase(database, publishers),
    publishers,
    changeMark: marks.now,
    storeName: () => storeName(database),
    // PostgreSQL has its own backups.
    openSnapshot: async () => {
      throw new UsageError(NOT_IN_FILES);
    },
    close: async () => {
      await publishers.close();
      await marks.close();
      await database.close();
    },
  });
}
