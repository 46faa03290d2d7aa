/** Brings the tables of a store up to date, by whichever of several nodes comes first. */
import { UsageError } from '../../base/errors.ts';
import { addressText } from './address.ts';
import type { PostgresDatabase } from './database.ts';
import { isForbidden, openingError } from './postgres-errors.ts';
import type { Queries } from './queries.ts';
import type { TransactionQueries } from './transaction-queries.ts';

/** A part of the store that has tables and a version of its own. */
export interface StorePart {
  readonly name: 'control' | 'lake';
  /** Scripts that each make a schema of the one before it; never changed, only added to. */
  readonly migrations: readonly string[];
  /**
   * How many of the scripts a release has to know to work with the tables that all of them make: servers of
   * an earlier release go on beside those of this one while they are replaced. A script that takes away or
   * changes what the scripts before it made raises it to its own number.
   */
  readonly usableFrom: number;
}

interface PartState {
  readonly version: number;
  readonly usableFrom: number;
}

const BEGINNING = `
  CREATE SCHEMA IF NOT EXISTS ticklake;
  CREATE TABLE IF NOT EXISTS ticklake.store_part (
    name text PRIMARY KEY,
    -- The number of scripts that the part has seen.
    version integer NOT NULL,
    -- How many of them a release has to know at least.
    usable_from integer NOT NULL
  );
  -- Tells one deployment's store from another's.
  CREATE TABLE IF NOT EXISTS ticklake.deployment (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    deployment_id uuid NOT NULL DEFAULT gen_random_uuid()
  );
  INSERT INTO ticklake.deployment DEFAULT VALUES ON CONFLICT DO NOTHING;
`;

const NOTHING: PartState = { version: 0, usableFrom: 0 };

async function stateOf(queries: Queries, { name }: StorePart): Promise<PartState> {
  // Not to_regclass: a connection may still remember from before it had the lock that there is no such table.
  const table = await queries.get(
    "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'ticklake' AND tablename = 'store_part') AS exists",
  );
  if (table?.exists !== true) return NOTHING;
  const row = await queries.get(
    'SELECT version, usable_from FROM ticklake.store_part WHERE name = $1',
    name,
  );
  if (!row) return NOTHING;
  return { version: Number(row.version), usableFrom: Number(row.usable_from) };
}

function requireUsable(database: PostgresDatabase, part: StorePart, state: PartState): void {
  const known = part.migrations.length;
  if (state.version <= known || state.usableFrom <= known) return;
  throw new UsageError(
    `${addressText(database.address)} was written by a newer release (schema ${state.version} of its ${part.name} tables, this one knows ${known})`,
  );
}

async function bringUp(queries: TransactionQueries, part: StorePart, from: number) {
  if (from === 0) await queries.script(BEGINNING);
  for (const migration of part.migrations.slice(from)) await queries.script(migration);
  await queries.run(
    `INSERT INTO ticklake.store_part (name, version, usable_from) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE
       SET version = excluded.version, usable_from = excluded.usable_from`,
    part.name,
    part.migrations.length,
    part.usableFrom,
  );
}

/**
 * Rejects with a `UsageError` where the tables are those of a release that is too much newer, or older and the
 * user may not change them; with a `StoreUnavailableError` where the database is away.
 */
export async function migrate(database: PostgresDatabase, part: StorePart): Promise<void> {
  let state = NOTHING;
  try {
    state = await stateOf(database, part);
    requireUsable(database, part, state);
    if (state.version >= part.migrations.length) return;
    await database.transaction('schema', async (queries) => {
      // Read again under the lock: another node may have come first.
      const now = await stateOf(queries, part);
      requireUsable(database, part, now);
      if (now.version < part.migrations.length) await bringUp(queries, part, now.version);
    });
  } catch (error) {
    if (!isForbidden(error)) throw openingError(error);
    throw new UsageError(
      `${addressText(database.address)} has schema ${state.version} of its ${part.name} tables, this release needs ${part.migrations.length}; run ticklake store migrate as the owner of the tables`,
    );
  }
}

/** The id of the deployment whose store it is. */
export async function deploymentOf(queries: Queries): Promise<string> {
  const row = await queries.get('SELECT deployment_id::text AS id FROM ticklake.deployment');
  if (!row) throw new UsageError('the store does not say whose it is; restore it from a backup');
  return String(row.id);
}
