/** The database that the parts of the lake's index share: reads, and changes that each leave another mark. */
import type { PostgresDatabase } from './database.ts';
import type { PostgresPublisherLocks } from './publisher-locks.ts';
import type { Queries } from './queries.ts';
import type { TransactionQueries } from './transaction-queries.ts';

type Work<T> = (queries: TransactionQueries) => Promise<T>;

const SQL = {
  // A random one also differs from those that a server has lost when another one took over.
  change: 'UPDATE ticklake.lake_change SET mark = gen_random_uuid()',
};

export class LakeDatabase implements Pick<Queries, 'all' | 'get'> {
  readonly all: Queries['all'];
  readonly get: Queries['get'];
  readonly #database: PostgresDatabase;
  readonly #publishers: PostgresPublisherLocks;

  constructor(database: PostgresDatabase, publishers: PostgresPublisherLocks) {
    this.all = database.all;
    this.get = database.get;
    this.#database = database;
    this.#publishers = publishers;
  }

  /** Runs `work` in one write transaction; nobody else changes the index before its end. */
  change<T>(work: Work<T>): Promise<T> {
    return this.#database.transaction('lake', async (queries) => {
      await queries.run(SQL.change);
      return await work(queries);
    });
  }

  /** Likewise, for whoever has the publishing lock; rejects where it was lost. */
  publish<T>(work: Work<T>): Promise<T> {
    return this.change(async (queries) => {
      await this.#publishers.requireHeld(queries);
      return await work(queries);
    });
  }

  /** Runs `work` as of one moment. */
  read<T>(work: Work<T>): Promise<T> {
    return this.#database.reading(work);
  }
}
