/**
 * The locks of publishers as advisory locks of one connection: they end with it, when its process
 * dies and when the network between is broken.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type LockWait, waitFor } from '../../base/process-lock.ts';
import type { LifeMark, Lock, PublisherLocks, PublishingLock } from '../publisher-locks.ts';
import { isThere, type Queries, type Value } from '../queries.ts';
import { StoreUnavailableError, storageProblem } from '../store-errors.ts';
import { addressText } from './address.ts';
import type { PostgresDatabase } from './database.ts';
import { PostgresSession } from './postgres-session.ts';
import { SESSION_LOCKS } from './write-locks.ts';

const { parts, publishing } = SESSION_LOCKS;
/** Keeps datasets apart from other advisory locks. */
const DATASET_LOCK_SPACE = 0x71c41a51;

/**
 * How publishers take their locks. Whoever publishes named datasets shares the publishing lock with
 * others who do, and has the locks of these datasets alone; whoever does more has the publishing
 * lock alone.
 */
export const PUBLISHER_LOCKS_SCHEMA = `
  -- Takes all of them for the connection, or none, and a mark that ends with them; without datasets, the whole lake.
  CREATE FUNCTION ticklake.lake_lock(datasets integer[], mark bigint) RETURNS boolean
  LANGUAGE plpgsql AS $$
  DECLARE
    taken integer := 0;
    dataset integer;
  BEGIN
    IF cardinality(datasets) = 0 THEN
      IF NOT pg_try_advisory_lock(${publishing}) THEN
        RETURN false;
      END IF;
    ELSIF NOT pg_try_advisory_lock_shared(${publishing}) THEN
      RETURN false;
    END IF;
    FOREACH dataset IN ARRAY datasets LOOP
      IF NOT pg_try_advisory_lock(${DATASET_LOCK_SPACE}, dataset) THEN
        PERFORM pg_advisory_unlock(${DATASET_LOCK_SPACE}, each) FROM unnest(datasets[1:taken]) AS each;
        PERFORM pg_advisory_unlock_shared(${publishing});
        RETURN false;
      END IF;
      taken := taken + 1;
    END LOOP;
    PERFORM pg_advisory_lock(mark);
    RETURN true;
  END $$;

  CREATE FUNCTION ticklake.lake_unlock(datasets integer[], mark bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_unlock(mark);
    IF cardinality(datasets) = 0 THEN
      PERFORM pg_advisory_unlock(${publishing});
    ELSE
      PERFORM pg_advisory_unlock(${DATASET_LOCK_SPACE}, each) FROM unnest(datasets) AS each;
      PERFORM pg_advisory_unlock_shared(${publishing});
    END IF;
  END $$;
`;

const MARK_NAME = /^[0-9a-f]{16}$/;

/**
 * The database server finds out within a minute that a machine is gone; idle connections may stay.
 */
const LASTING = Object.entries({
  idle_session_timeout: 0,
  tcp_keepalives_idle: 20,
  tcp_keepalives_interval: 10,
  tcp_keepalives_count: 3,
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ');

/** Locks of this database that somebody has. */
const HELD = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const SQL = {
  lasting: `SELECT ${LASTING}`,
  takeMark: 'SELECT pg_advisory_lock($1::text::bigint)',
  dropMark: 'SELECT pg_advisory_unlock($1::text::bigint)',
  // One number of 64 bits is shown as two of 32.
  isMarkHeld: `${HELD} AND objsubid = 1
    AND classid = (($1::text::bigint >> 32) & 4294967295)::oid
    AND objid = ($1::text::bigint & 4294967295)::oid`,
  take: 'SELECT lake_lock($1, $2::text::bigint) AS "isTaken"',
  drop: 'SELECT lake_unlock($1, $2::text::bigint)',
  takeParts: `SELECT pg_advisory_lock_shared(${parts})`,
  dropParts: `SELECT pg_advisory_unlock_shared(${parts})`,
  arePartsHeld: `${HELD} AND objsubid = 2
    AND (classid, objid) = (${parts
      .split(',')
      .map((key) => `${key.trim()}::oid`)
      .join(', ')})`,
};

/** A mark is a lock on a number that nobody else takes; its name says which. */
function newName(): string {
  return randomBytes(8).toString('hex');
}

function keyOf(name: string): string {
  return `${BigInt.asIntN(64, BigInt(`0x${name}`))}`;
}

/**
 * Each once and in one order; two datasets may have the same number, and are then published in
 * turns.
 */
function numbersOf(datasetIds: readonly string[]): number[] {
  return [...new Set(datasetIds.map((id) => crc32(id) | 0))].sort((a, b) => a - b);
}

export class PostgresPublisherLocks implements PublisherLocks {
  readonly #database: PostgresDatabase;
  readonly #session: PostgresSession;
  #isTaking = false;
  /** The key of a mark that is taken and lost together with the publishing lock. */
  #heldKey: string | null = null;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#session = new PostgresSession(database.address);
  }

  async tryLock(datasetIds: readonly string[] = []): Promise<PublishingLock | null> {
    // A connection is given its own lock a second time.
    if (this.#isTaking || this.#heldKey !== null) return null;
    this.#isTaking = true;
    try {
      return await this.#take(numbersOf(datasetIds), keyOf(newName()));
    } finally {
      this.#isTaking = false;
    }
  }

  lock(wait: LockWait, datasetIds: readonly string[] = []): Promise<PublishingLock> {
    return waitFor(() => this.tryLock(datasetIds), wait);
  }

  async holdLife(): Promise<LifeMark> {
    const name = newName();
    return { name, ...(await this.#hold(SQL.takeMark, SQL.dropMark, keyOf(name))) };
  }

  async isAlive(name: string): Promise<boolean> {
    return MARK_NAME.test(name) && (await isThere(this.#database, SQL.isMarkHeld, keyOf(name)));
  }

  holdParts(): Promise<Lock> {
    return this.#hold(SQL.takeParts, SQL.dropParts);
  }

  arePartsHeld(): Promise<boolean> {
    return isThere(this.#database, SQL.arePartsHeld);
  }

  /** Dead processes leave nothing. */
  async sweep(): Promise<void> {}

  /**
   * Rejects, within a transaction under the lake's lock, where the publishing lock was taken here
   * and lost.
   */
  async requireHeld(queries: Queries): Promise<void> {
    if (this.#heldKey === null || (await isThere(queries, SQL.isMarkHeld, this.#heldKey))) return;
    const reason = 'the connection that held the publishing lock was lost';
    throw new StoreUnavailableError(
      `${addressText(this.#database.address)}: ${reason}; publish again`,
      reason,
    );
  }

  async close(): Promise<void> {
    await this.#session.close();
  }

  async #take(datasets: readonly number[], key: string): Promise<PublishingLock | null> {
    await this.#session.get(SQL.lasting);
    const row = await this.#session.get(SQL.take, datasets, key);
    if (row?.isTaken !== true) return null;
    const { release } = this.#lockBy(SQL.drop, datasets, key);
    try {
      // Who lost the lock may be amid a transaction that has begun before: its end is waited for.
      await this.#database.transaction('lake', async () => undefined);
    } catch (error) {
      await release();
      throw error;
    }
    this.#heldKey = key;
    return {
      isAlone: datasets.length === 0,
      release: async () => {
        if (this.#heldKey !== key) return;
        await release();
        this.#heldKey = null;
      },
    };
  }

  async #hold(take: string, drop: string, ...key: string[]): Promise<Lock> {
    await this.#session.get(SQL.lasting);
    await this.#session.get(take, ...key);
    return this.#lockBy(drop, ...key);
  }

  #lockBy(drop: string, ...key: Value[]): Lock {
    const { connectionCount } = this.#session;
    let isReleased = false;
    const release = async () => {
      // Another connection has nothing to release.
      if (isReleased || this.#session.connectionCount !== connectionCount) return;
      isReleased = true;
      try {
        await this.#session.get(drop, ...key);
      } catch (error) {
        // The lock ends with the connection.
        if (storageProblem(error) === null) throw error;
      }
    };
    return { release };
  }
}
