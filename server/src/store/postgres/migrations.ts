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
}

const BEGINNING = `
  CREATE SCHEMA IF NOT EXISTS ticklake;
  CREATE TABLE IF NOT EXISTS ticklake.store_part (
    name text PRIMARY KEY,
    -- The number of scripts that the part has seen.
    version integer NOT NULL
  );
  -- Tells one deployment's store from another's.
  CREATE TABLE IF NOT EXISTS ticklake.deployment (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    deployment_id uuid NOT NULL DEFAULT gen_random_uuid()
  );
  INSERT INTO ticklake.deployment DEFAULT VALUES ON CONFLICT DO NOTHING;
`;

/** 0 where there is nothing yet. */
async function versionOf(queries: Queries, { name }: StorePart): Promise<number> {
  const table = await queries.get(
    "SELECT to_regclass('ticklake.store_part') IS NOT NULL AS exists",
  );
  if (table?.exists !== true) return 0;
  const row = await queries.get('SELECT version FROM ticklake.store_part WHERE name = $1', name);
  return Number(row?.version ?? 0);
}

function requireKnown(database: PostgresDatabase, part: StorePart, version: number): void {
  const known = part.migrations.length;
  if (version <= known) return;
  throw new UsageError(
    `${addressText(database.address)} was written by a newer release (schema ${version} of its ${part.name} tables, this one knows ${known})`,
  );
}

async function bringUp(queries: TransactionQueries, part: StorePart, from: number) {
  if (from === 0) await queries.script(BEGINNING);
  for (const migration of part.migrations.slice(from)) await queries.script(migration);
  await queries.run(
    `INSERT INTO ticklake.store_part (name, version) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
    part.name,
    part.migrations.length,
  );
}

/**
 * Rejects with a `UsageError` where the tables are a newer release's, or older and the user may not change
 * them; with a `StoreUnavailableError` where the database is away.
 */
export async function migrate(database: PostgresDatabase, part: StorePart): Promise<void> {
  let version = 0;
  try {
    version = await versionOf(database, part);
    requireKnown(database, part, version);
    if (version === part.migrations.length) return;
    await database.transaction('schema', async (queries) => {
      // Read again under the lock: another node may have come first.
      const now = await versionOf(queries, part);
      requireKnown(database, part, now);
      if (now < part.migrations.length) await bringUp(queries, part, now);
    });
  } catch (error) {
    if (!isForbidden(error)) throw openingError(error);
    throw new UsageError(
      `${addressText(database.address)} has schema ${version} of its ${part.name} tables, this release needs ${part.migrations.length}; run ticklake store migrate as the owner of the tables`,
    );
  }
}

/** The id of the deployment whose store it is. */
export async function deploymentOf(queries: Queries): Promise<string> {
  const row = await queries.get('SELECT deployment_id::text AS id FROM ticklake.deployment');
  if (!row) throw new UsageError('the store does not say whose it is; restore it from a backup');
  return String(row.id);
}
