/** The table of secrets that servers have in common. */
import type { Queries } from '../queries.ts';
import type { SharedSecrets } from '../shared.ts';
import type { PostgresDatabase } from './database.ts';

const SQL = {
  read: 'SELECT secret FROM shared_secret WHERE name = $1',
  keep: `INSERT INTO shared_secret (name, secret) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET secret = excluded.secret`,
};

async function read(queries: Queries, name: string): Promise<string | null> {
  const row = await queries.get<{ secret: string }>(SQL.read, name);
  return row?.secret ?? null;
}

export class PostgresSharedSecrets implements SharedSecrets {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  read(name: string): Promise<string | null> {
    return read(this.#database, name);
  }

  change<T extends string | null>(name: string, make: (current: string | null) => T): Promise<T> {
    return this.#database.transaction('control', async (queries) => {
      const current = await read(queries, name);
      const changed = make(current);
      if (changed !== null && changed !== current) await queries.run(SQL.keep, name, changed);
      return changed;
    });
  }
}
