/** What the store says of itself to a lake that may be another one's. */
import type { LakeOwnership } from '../lake-index.ts';
import type { LakeDatabase } from './lake-database.ts';
import { isForbidden } from './postgres-errors.ts';

export const LAKE_OWNERSHIP_SCHEMA = `
  -- When something began to be written there, in milliseconds since 1970. An earlier release notes none.
  ALTER TABLE ticklake.lake_pending_part ADD COLUMN noted_at bigint NOT NULL
    DEFAULT (extract(epoch FROM now()) * 1000)::bigint;
  -- That of the last claim of the parts.
  ALTER TABLE ticklake.lake_place ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
`;

const SQL = {
  // A dump is restored into another database; a server that is restored to a moment begins another timeline.
  store: `SELECT concat_ws('-', (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8), oid) AS name
    FROM pg_database WHERE datname = current_database()`,
  database: 'SELECT oid::text AS name FROM pg_database WHERE datname = current_database()',
  epoch: 'SELECT epoch FROM ticklake.lake_place',
  noteEpoch: 'UPDATE ticklake.lake_place SET epoch = $1',
};

type Named = { readonly name: string };

export class PostgresLakeOwnership implements LakeOwnership {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  async store(): Promise<string> {
    const named = await this.#database.get<Named>(SQL.store).catch((error: unknown) => {
      if (!isForbidden(error)) throw error;
      return this.#database.get<Named>(SQL.database);
    });
    return named?.name ?? '';
  }

  async epoch(): Promise<number> {
    return (await this.#database.get<{ epoch: number }>(SQL.epoch))?.epoch ?? 0;
  }

  async noteEpoch(epoch: number): Promise<void> {
    await this.#database.change((queries) => queries.run(SQL.noteEpoch, epoch));
  }
}
