/** Brings the tables of a store up to date, by whichever of several nodes comes first. */
import { UsageError } from '../../base/errors.ts';
import type { Queries } from '../queries.ts';
import { addressText, type PostgresAddress } from './address.ts';
import { PostgresDatabase } from './database.ts';
import { isForbidden, openingError } from './postgres-errors.ts';
import type { PostgresTransaction } from './queries.ts';
import { CONTROL_PART, LAKE_PART, type PartSchema } from './schema.ts';

interface PartState {
  readonly version: number;
  readonly usableFrom: number;
}

const BEGINNING = `
  CREATE SCHEMA IF NOT EXISTS ticklake;
  CREATE TABLE IF NOT EXISTS ticklake.schema_version (
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

async function stateOf(queries: Queries, { name }: PartSchema) {
  // Not to_regclass: a connection may still remember from before it had the lock that there is no
  // such table.
  const tables = await queries.all(
    "SELECT 1 FROM pg_tables WHERE schemaname = 'ticklake' AND tablename = 'schema_version'",
  );
  if (tables.length === 0) return NOTHING;
  const row = await queries.get<PartState>(
    // Named with its schema: to a role without rights on that, the table would seem missing.
    'SELECT version, usable_from AS "usableFrom" FROM ticklake.schema_version WHERE name = $1',
    name,
  );
  return row ?? NOTHING;
}

function requireUsable(database: PostgresDatabase, part: PartSchema, state: PartState): void {
  const known = part.scripts.length;
  if (state.version <= known || state.usableFrom <= known) return;
  throw new UsageError(
    `${addressText(database.address)} was written by a newer release (schema ${state.version} of its ${part.name} tables, this one knows ${known})`,
  );
}

async function bringUp(queries: PostgresTransaction, part: PartSchema, from: number) {
  if (from === 0) await queries.script(BEGINNING);
  for (const script of part.scripts.slice(from)) await queries.script(script);
  await queries.run(
    `INSERT INTO schema_version (name, version, usable_from) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO UPDATE
       SET version = excluded.version, usable_from = excluded.usable_from`,
    part.name,
    part.scripts.length,
    part.usableFrom,
  );
}

/**
 * Rejects with a `UsageError` where the tables are those of a release that is too much newer, or
 * older and the user may not change them; with a `StoreUnavailableError` where the database is
 * away.
 */
export async function migrate(database: PostgresDatabase, part: PartSchema): Promise<void> {
  let state = NOTHING;
  try {
    state = await stateOf(database, part);
    requireUsable(database, part, state);
    if (state.version >= part.scripts.length) return;
    await database.transaction('schema', async (queries) => {
      // Read again under the lock: another node may have come first.
      const now = await stateOf(queries, part);
      requireUsable(database, part, now);
      if (now.version < part.scripts.length) await bringUp(queries, part, now.version);
    });
  } catch (error) {
    if (!isForbidden(error)) throw openingError(error);
    throw new UsageError(
      `${addressText(database.address)} has schema ${state.version} of its ${part.name} tables, this release needs ${part.scripts.length}; run ticklake store migrate as the owner of the tables`,
    );
  }
}

/** The id of the deployment whose store it is. */
export async function deploymentOf(queries: Queries): Promise<string> {
  const row = await queries.get('SELECT deployment_id::text AS id FROM deployment');
  if (!row) throw new UsageError('the store does not say whose it is; restore it from a backup');
  return String(row.id);
}

const PARTS: readonly PartSchema[] = [CONTROL_PART, LAKE_PART];

/** Opens a database whose tables are up to date. Rejects as `migrate` does. */
export async function openMigrated(
  address: PostgresAddress,
  parts: readonly PartSchema[] = PARTS,
): Promise<PostgresDatabase> {
  const database = new PostgresDatabase(address);
  try {
    for (const part of parts) await migrate(database, part);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Brings all tables of a store up to date, as their owner. The schema that each part has
 * afterwards, by its name. Rejects as `migrate` does.
 */
export async function migrateStore(address: PostgresAddress): Promise<Record<string, number>> {
  const database = await openMigrated(address);
  await database.close();
  return Object.fromEntries(PARTS.map(({ name, scripts }) => [name, scripts.length]));
}
