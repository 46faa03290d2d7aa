/** Moves of the lake to places where parts are stored in another form. */
import { type LakeMoves, type MovedPart, PublicationConflict } from '../lake-index.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import type { LakeDatabase } from './lake-database.ts';
import { isThere } from './queries.ts';

export const MOVED_PARTS_SCHEMA = `
  -- Parts as they are stored in a place that the lake is being moved to.
  CREATE TABLE ticklake.lake_moved_part (
    place text COLLATE "C" NOT NULL,
    part_id bigint NOT NULL,
    location text COLLATE "C" NOT NULL,
    digest text NOT NULL,
    byte_count bigint NOT NULL,
    stored_byte_count bigint NOT NULL,
    row_groups text NOT NULL,
    PRIMARY KEY (place, part_id)
  );
`;

const SQL = {
  moved: `SELECT location, stored_byte_count AS "storedByteCount"
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
    WHERE moved.place = $1 AND moved.part_id = part.part_id)`,
  removeRetired: 'DELETE FROM ticklake.lake_part WHERE retired_at IS NOT NULL',
  clearPending: 'DELETE FROM ticklake.lake_pending_part',
  move: `UPDATE ticklake.lake_part AS part SET location = moved.location, digest = moved.digest,
      byte_count = moved.byte_count, stored_byte_count = moved.stored_byte_count,
      row_groups = moved.row_groups
    FROM ticklake.lake_moved_part AS moved
    WHERE moved.place = $1 AND moved.part_id = part.part_id`,
  forget: 'DELETE FROM ticklake.lake_moved_part',
};

export class PostgresLakeMoves implements LakeMoves {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  async movedPart(place: string, partId: number) {
    type Moved = Pick<MovedPart, 'location' | 'storedByteCount'>;
    return (await this.#database.get<Moved>(SQL.moved, place, partId)) ?? null;
  }

  async noteMoved(place: string, part: MovedPart): Promise<void> {
    const { partId, location, digest, byteCount, storedByteCount } = part;
    const groups = encodeRowGroups(part.rowGroups, part.identifierOrder);
    const values = [place, partId, location, digest, byteCount, storedByteCount, groups];
    await this.#database.change((queries) => queries.run(SQL.note, ...values));
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
    });
  }
}
