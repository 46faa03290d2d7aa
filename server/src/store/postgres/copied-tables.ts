/** The tables of a store in PostgreSQL, as copies of stores read and write them. */
import { UsageError } from '../../base/errors.ts';
import type { TableReader, TableWriter } from '../copy/copy-store.ts';
import type { ColumnKind, StoreRow, StoreTable, StoreValue } from '../copy/store-tables.ts';
import { addressText, type PostgresAddress } from './address.ts';
import { CONTROL_PART } from './control-store.ts';
import { PostgresDatabase } from './database.ts';
import { LAKE_PART } from './lake-index.ts';
import { deploymentOf, migrate } from './migrations.ts';
import type { Queries } from './queries.ts';
import { SERVER_SILENCE_SECONDS } from './shared-usage-schema.ts';
import type { TransactionQueries } from './transaction-queries.ts';

const BATCH_ROWS = 500;

/** How a column is read as a value of a copy. */
const READ: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => column,
  double: (column) => column,
  text: (column) => column,
  flag: (column) => `${column}::integer`,
  json: (column) => `${column}::text`,
  texts: (column) => `array_to_json(${column})::text`,
  bytes: (column) => `encode(${column}, 'hex')`,
};

/** How a value of a copy, which is not null, is written in JSON that PostgreSQL makes rows of. */
const JSON_OF: Readonly<Record<ColumnKind, (value: string | number) => string>> = {
  integer: (value) => String(value),
  double: (value) => String(value),
  text: (value) => JSON.stringify(value),
  flag: (value) => String(value === 1),
  json: (value) => String(value),
  texts: (value) => String(value),
  bytes: (value) => JSON.stringify(`\\x${value}`),
};

/** Columns that follow from others and are in no copy. */
const COMPUTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  stored_columns: { columns_sha256: "encode(sha256(convert_to(columns, 'UTF8')), 'hex')" },
};

function tableName({ part, name }: StoreTable): string {
  return `ticklake.${part === 'lake' ? 'lake_' : ''}${name}`;
}

function rowJson({ columns }: StoreTable, row: StoreRow): string {
  const fields = Object.entries(columns).map(([name, kind], at) => {
    const value: StoreValue = row[at] ?? null;
    return `"${name}":${value === null ? 'null' : JSON_OF[kind](value)}`;
  });
  return `{${fields.join()}}`;
}

class SharedTables implements TableWriter {
  readonly #queries: TransactionQueries;

  constructor(queries: TransactionQueries) {
    this.#queries = queries;
  }

  async *rows(table: StoreTable): AsyncIterable<StoreRow[]> {
    const { columns, key, name, batchRows = BATCH_ROWS } = table;
    const names = Object.keys(columns);
    const read = Object.entries(columns).map(
      ([column, kind]) => `${READ[kind](column)} AS "${column}"`,
    );
    const cursor = `copied_${name}`;
    await this.#queries.script(
      `DECLARE ${cursor} NO SCROLL CURSOR FOR SELECT ${read.join(', ')}
       FROM ${tableName(table)} ORDER BY ${key.map((column) => `${tableName(table)}.${column}`).join(', ')}`,
    );
    for (;;) {
      const rows = await this.#queries.all<Record<string, StoreValue>>(
        `FETCH ${batchRows} FROM ${cursor}`,
      );
      yield rows.map((row) => names.map((column) => row[column] ?? null));
      if (rows.length < batchRows) break;
    }
    await this.#queries.script(`CLOSE ${cursor}`);
  }

  async insert(table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
    const given = Object.keys(table.columns);
    const computed = COMPUTED[table.name] ?? {};
    const into = [...given, ...Object.keys(computed)].join(', ');
    const values = [...given, ...Object.values(computed)].join(', ');
    await this.#queries.run(
      `INSERT INTO ${tableName(table)} (${into}) OVERRIDING SYSTEM VALUE
       SELECT ${values} FROM json_populate_recordset(NULL::${tableName(table)}, $1::json)`,
      `[${rows.map((row) => rowJson(table, row)).join()}]`,
    );
  }

  async counter(table: StoreTable): Promise<number> {
    const sequence = await this.#sequenceOf(table);
    const row = await this.#queries.get<{ given: number }>(
      `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS given FROM ${sequence}`,
    );
    return row?.given ?? 0;
  }

  async setCounter(table: StoreTable, value: number): Promise<void> {
    await this.#queries.get(
      'SELECT setval($1::regclass, greatest($2::bigint, 1), $2::bigint > 0) AS given',
      await this.#sequenceOf(table),
      value,
    );
  }

  async finish(nowMs: number): Promise<void> {
    // The sums of the last minute, by which servers count; those of months come when they are asked for.
    await this.#queries.run(
      `INSERT INTO ticklake.usage_second
         (identity_id, second, last_at, requests, scanned_bytes, returned_bytes)
       SELECT identity_id, answered_at / 1000, max(answered_at), sum(counts_in_minute),
         sum(scanned_bytes), sum(returned_bytes)
       FROM ticklake.usage_ledger WHERE answered_at > $1
       GROUP BY identity_id, answered_at / 1000`,
      nowMs - 60_000,
    );
    await this.#queries.run(
      `INSERT INTO ticklake.usage_recent (identity_id, requests, scanned_bytes, returned_bytes)
       SELECT identity_id, sum(requests), sum(scanned_bytes), sum(returned_bytes)
       FROM ticklake.usage_second GROUP BY identity_id`,
    );
    await this.#queries.run('UPDATE ticklake.lake_change SET mark = gen_random_uuid()');
  }

  async #sequenceOf(table: StoreTable): Promise<string> {
    const row = await this.#queries.get<{ sequence: string }>(
      'SELECT pg_get_serial_sequence($1, $2) AS sequence',
      tableName(table),
      table.counter ?? '',
    );
    if (!row) throw new Error(`${tableName(table)} counts nothing`);
    return row.sequence;
  }
}

async function requireNoServers(queries: Queries, address: PostgresAddress): Promise<void> {
  const row = await queries.get(
    `SELECT server_id FROM ticklake.usage_server
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
  const database = new PostgresDatabase(address);
  try {
    for (const part of [CONTROL_PART, LAKE_PART]) await migrate(database, part);
    await requireNoServers(database, address);
    return await work(database);
  } finally {
    await database.close();
  }
}

/** What a shared store has besides its tables. */
export interface SharedBelongings {
  readonly deploymentId: string;
  /** What links are sealed and receipts are signed with, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

async function secretsOf(queries: Queries): Promise<Map<string, string>> {
  const rows = await queries.all<{ name: string; secret: string }>(
    'SELECT name, secret FROM ticklake.shared_secret',
  );
  return new Map(rows.map(({ name, secret }) => [name, secret]));
}

/** Reads a store as of one moment. Rejects with a `UsageError` while servers use it. */
export async function readSharedStore<T>(
  address: PostgresAddress,
  work: (tables: TableReader, belongings: SharedBelongings) => Promise<T>,
): Promise<T> {
  return using(address, (database) =>
    database.reading(async (queries) => {
      const deploymentId = await deploymentOf(queries);
      return work(new SharedTables(queries), { deploymentId, secrets: await secretsOf(queries) });
    }),
  );
}

/**
 * Fills a store in one transaction, for the deployment whose id is given. Rejects with a `UsageError` while
 * servers use it.
 */
export async function fillSharedStore<T>(
  address: PostgresAddress,
  { deploymentId, secrets }: SharedBelongings,
  work: (tables: TableWriter) => Promise<T>,
): Promise<T> {
  return using(address, (database) =>
    database.transaction('control', async (queries) => {
      const result = await work(new SharedTables(queries));
      for (const [name, secret] of secrets) {
        await queries.run(
          'INSERT INTO ticklake.shared_secret (name, secret) VALUES ($1, $2)',
          name,
          secret,
        );
      }
      await queries.run(
        'UPDATE ticklake.deployment SET deployment_id = $1::text::uuid',
        deploymentId,
      );
      return result;
    }),
  );
}
