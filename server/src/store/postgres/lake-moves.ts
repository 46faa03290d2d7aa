/** Where the parts of the lake lie, and moves to places where they are stored in another form. */
import {
  type BegunMove,
  type LakeMoves,
  type MovedPart,
  PublicationConflict,
} from '../lake-index.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import type { LakeDatabase } from './lake-database.ts';
import { isMissingFunction } from './postgres-errors.ts';
import { isThere } from './queries.ts';

export const MOVED_PARTS_SCHEMA = `
  -- Parts as they are stored in a place that the lake is being moved to.
  CREATE TABLE ticklake.lake_moved_part (
    place text COLLATE "C" NOT NULL,
    part_id bigint NOT NULL,
    location text COLLATE "C" NOT NULL,
    -- Empty while the part is being written.
    digest text NOT NULL,
    byte_count bigint NOT NULL,
    stored_byte_count bigint NOT NULL,
    row_groups text NOT NULL,
    PRIMARY KEY (place, part_id)
  );
`;

export const LAKE_PLACE_SCHEMA = `
  -- Where all parts lie, in one row; none: nobody has opened the lake since such a place is noted.
  CREATE TABLE ticklake.lake_place (
    place_id bigint PRIMARY KEY CHECK (place_id = 1),
    name text NOT NULL
  );
`;

export const LAKE_OWNER_SCHEMA = `
  -- When something began to be written there, in milliseconds since 1970. An earlier release notes none.
  ALTER TABLE ticklake.lake_pending_part ADD COLUMN noted_at bigint NOT NULL
    DEFAULT (extract(epoch FROM now()) * 1000)::bigint;
  -- That of the last claim of the parts.
  ALTER TABLE ticklake.lake_place ADD COLUMN epoch bigint NOT NULL DEFAULT 0;
`;

const SQL = {
  // A dump is restored into another database; a server that is restored to a moment begins another timeline.
  storeName: `SELECT concat_ws('-', (SELECT system_identifier FROM pg_control_system()),
    left(pg_walfile_name(pg_current_wal_lsn()), 8), oid) AS name
    FROM pg_database WHERE datname = current_database()`,
  databaseName: 'SELECT oid::text AS name FROM pg_database WHERE datname = current_database()',
  epoch: 'SELECT epoch FROM ticklake.lake_place',
  noteEpoch: 'UPDATE ticklake.lake_place SET epoch = greatest(epoch, $1::bigint)',
  place: 'SELECT name FROM ticklake.lake_place',
  settlePlace: `INSERT INTO ticklake.lake_place (place_id, name) VALUES (1, $1)
    ON CONFLICT (place_id) DO NOTHING`,
  setPlace: `INSERT INTO ticklake.lake_place (place_id, name) VALUES (1, $1)
    ON CONFLICT (place_id) DO UPDATE SET name = excluded.name`,
  begun: `SELECT location, stored_byte_count AS "storedByteCount", digest
    FROM ticklake.lake_moved_part WHERE place = $1 AND part_id = $2`,
  note: `INSERT INTO ticklake.lake_moved_part
      (place, part_id, location, digest, byte_count, stored_byte_count, row_groups)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (place, part_id) DO UPDATE SET location = excluded.location,
      digest = excluded.digest, byte_count = excluded.byte_count,
      stored_byte_count = excluded.stored_byte_count, row_groups = excluded.row_groups`,
  running: "SELECT 1 FROM ticklake.lake_publication WHERE state = 'running'",
  missing: `SELECT 1 FROM ticklake.lake_part AS part WHERE retired_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM ticklake.lake_moved_part AS moved
    WHERE moved.place = $1 AND moved.part_id = part.part_id AND moved.digest <> '')`,
  removeRetired: 'DELETE FROM ticklake.lake_part WHERE retired_at IS NOT NULL',
  clearPending: 'DELETE FROM ticklake.lake_pending_part',
  move: `UPDATE ticklake.lake_part AS part SET location = moved.location, digest = moved.digest,
      byte_count = moved.byte_count, stored_byte_count = moved.stored_byte_count,
      row_groups = moved.row_groups
    FROM ticklake.lake_moved_part AS moved
    WHERE moved.place = $1 AND moved.part_id = part.part_id`,
  forget: 'DELETE FROM ticklake.lake_moved_part',
};

type Place = { readonly name: string };

export class PostgresLakeMoves implements LakeMoves {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  async settlePlace(place: string): Promise<string> {
    const noted = await this.#database.get<Place>(SQL.place);
    if (noted) return noted.name;
    return await this.#database.change(async (queries) => {
      await queries.run(SQL.settlePlace, place);
      return (await queries.get<Place>(SQL.place))?.name ?? place;
    });
  }

  async storeName(): Promise<string> {
    const named = await this.#database.get<Place>(SQL.storeName).catch((error: unknown) => {
      if (!isMissingFunction(error)) throw error;
      return this.#database.get<Place>(SQL.databaseName);
    });
    return named?.name ?? '';
  }

  async epoch(): Promise<number> {
    return (await this.#database.get<{ epoch: number }>(SQL.epoch))?.epoch ?? 0;
  }

  async noteEpoch(epoch: number): Promise<void> {
    await this.#database.change((queries) => queries.run(SQL.noteEpoch, epoch));
  }

  changePlace(place: string): Promise<void> {
    return this.#database.publish(async (queries) => {
      await queries.run(SQL.setPlace, place);
    });
  }

  async begunMove(place: string, partId: number): Promise<BegunMove | null> {
    type Row = Pick<MovedPart, 'location' | 'storedByteCount' | 'digest'>;
    const row = await this.#database.get<Row>(SQL.begun, place, partId);
    if (!row) return null;
    const { digest, ...begun } = row;
    return { ...begun, isWhole: digest !== '' };
  }

  async noteMoving(place: string, partId: number, location: string): Promise<void> {
    await this.#note([place, partId, location, '', 0, 0, '']);
  }

  async noteMoved(place: string, part: MovedPart): Promise<void> {
    const { partId, location, digest, byteCount, storedByteCount } = part;
    const groups = encodeRowGroups(part.rowGroups, part.identifierOrder);
    await this.#note([place, partId, location, digest, byteCount, storedByteCount, groups]);
  }

  finishMove(place: string): Promise<void> {
    return this.#database.publish(async (queries) => {
      if (await isThere(queries, SQL.running)) {
        throw new PublicationConflict('a publication is open');
      }
      if (await isThere(queries, SQL.missing, place)) {
        throw new PublicationConflict(`a part is not in ${place} yet`);
      }
      await queries.run(SQL.removeRetired);
      await queries.run(SQL.clearPending);
      await queries.run(SQL.move, place);
      await queries.run(SQL.forget);
      await queries.run(SQL.setPlace, place);
    });
  }

  async #note(values: readonly (string | number)[]): Promise<void> {
    await this.#database.change((queries) => queries.run(SQL.note, ...values));
  }
}
