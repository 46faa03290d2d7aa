/** The tables of a store in PostgreSQL, as copies of stores read and write them. */
import { atEnd } from '../../base/at-end.ts';
import { UsageError } from '../../base/errors.ts';
import type { CopiedTable, CopySource, CopyTarget } from '../copy-store.ts';
import type { Queries } from '../queries.ts';
import { counterOf } from '../schema.ts';
import { addressText, type PostgresAddress } from './address.ts';
import type { PostgresDatabase } from './database.ts';
import { deploymentOf, openMigrated } from './migrations.ts';
import { SERVER_SILENCE_SECONDS } from './usage-schema.ts';

class SharedTables implements CopyTarget {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  queriesOf(): Queries {
    return this.#queries;
  }

  async counter(table: CopiedTable): Promise<number> {
    const sequence = await this.#sequenceOf(table);
    const row = await this.#queries.get<{ given: number }>(
      `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS given FROM ${sequence}`,
    );
    return row?.given ?? 0;
  }

  async setCounter(table: CopiedTable, value: number): Promise<void> {
    await this.#queries.get(
      'SELECT setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0) AS given',
      await this.#sequenceOf(table),
      value,
    );
  }

  async finish(nowMs: number): Promise<void> {
    // The sums of the last minute, by which servers count; those of months come when they are asked
    // for.
    await this.#queries.run(
      `INSERT INTO usage_second
         (identity_id, second, last_at, requests, scanned_bytes, returned_bytes)
       SELECT identity_id, answered_at / 1000, max(answered_at), sum(counts_in_minute),
         sum(scanned_bytes), sum(returned_bytes)
       FROM usage_ledger WHERE answered_at > $1
       GROUP BY identity_id, answered_at / 1000`,
      nowMs - 60_000,
    );
    await this.#queries.run(
      `INSERT INTO usage_recent (identity_id, requests, scanned_bytes, returned_bytes)
       SELECT identity_id, sum(requests), sum(scanned_bytes), sum(returned_bytes)
       FROM usage_second GROUP BY identity_id`,
    );
    await this.#queries.run('UPDATE lake_change SET mark = gen_random_uuid()');
  }

  async #sequenceOf(table: CopiedTable): Promise<string> {
    const counter = counterOf(table) ?? '';
    const sql = 'SELECT pg_get_serial_sequence($1, $2) AS sequence';
    const row = await this.#queries.get<{ sequence: string }>(sql, table.name, counter);
    if (!row) throw new Error(`${table.name} counts nothing`);
    return row.sequence;
  }
}

async function requireNoServers(queries: Queries, address: PostgresAddress): Promise<void> {
  const row = await queries.get(
    `SELECT server_id FROM usage_server
     WHERE heard_at > now() - interval '${SERVER_SILENCE_SECONDS} seconds'`,
  );
  if (!row) return;
  throw new UsageError(
    `a server uses ${addressText(address)}, or did within the last minute; stop all servers, wait a minute and try again`,
  );
}

async function using<T>(
  address: PostgresAddress,
  work: (database: PostgresDatabase) => Promise<T>,
): Promise<T> {
  const database = await openMigrated(address);
  await using _database = atEnd(() => database.close());
  await requireNoServers(database, address);
  return await work(database);
}

/** Contents of a shared store besides its tables. */
export interface SharedBelongings {
  readonly deploymentId: string;
  /** Secrets that seal links and sign receipts, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

async function secretsOf(queries: Queries): Promise<Map<string, string>> {
  const rows = await queries.all<{ name: string; secret: string }>(
    'SELECT name, secret FROM shared_secret',
  );
  return new Map(rows.map(({ name, secret }) => [name, secret]));
}

/** Reads a store as of one moment. Rejects with a `UsageError` while servers use it. */
export async function readSharedStore<T>(
  address: PostgresAddress,
  work: (source: CopySource, belongings: SharedBelongings) => Promise<T>,
): Promise<T> {
  return using(address, (database) =>
    database.reading(async (queries) => {
      const deploymentId = await deploymentOf(queries);
      return work(new SharedTables(queries), { deploymentId, secrets: await secretsOf(queries) });
    }),
  );
}

/**
 * Fills a store in one transaction, for the deployment whose id is given. Rejects with a
 * `UsageError` while servers use it.
 */
export async function fillSharedStore<T>(
  address: PostgresAddress,
  { deploymentId, secrets }: SharedBelongings,
  work: (target: CopyTarget) => Promise<T>,
): Promise<T> {
  return using(address, (database) =>
    database.transaction('control', async (queries) => {
      const result = await work(new SharedTables(queries));
      for (const [name, secret] of secrets) {
        await queries.run('INSERT INTO shared_secret (name, secret) VALUES ($1, $2)', name, secret);
      }
      await queries.run('UPDATE deployment SET deployment_id = $1::text::uuid', deploymentId);
      return result;
    }),
  );
}
