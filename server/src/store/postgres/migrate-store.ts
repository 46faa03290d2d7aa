/** Brings all tables of a store up to date, as their owner. */
import type { PostgresAddress } from './address.ts';
import { CONTROL_PART } from './control-store.ts';
import { PostgresDatabase } from './database.ts';
import { LAKE_PART } from './lake-index.ts';
import { migrate, type StorePart } from './migrations.ts';

const PARTS: readonly StorePart[] = [CONTROL_PART, LAKE_PART];

/** The schema that each part has afterwards, by its name. Rejects as `migrate` does. */
export async function migrateStore(address: PostgresAddress): Promise<Record<string, number>> {
  const database = new PostgresDatabase(address);
  try {
    for (const part of PARTS) await migrate(database, part);
  } finally {
    await database.close();
  }
  return Object.fromEntries(PARTS.map(({ name, migrations }) => [name, migrations.length]));
}
