/**
 * The place of the lake's parts, such as the home or a bucket, and moves to places where
 * they are stored in another form, with other locations.
 */
import {
  type BegunMove,
  type LakeDatabase,
  type MovedPart,
  PublicationConflict,
} from './lake-records.ts';
import { isThere } from './queries.ts';
import { encodeRowGroups } from './row-group-text.ts';

const SQL = {
  epoch: 'SELECT epoch FROM place',
  noteEpoch: 'UPDATE place SET epoch = greatest(epoch, $1)',
  place: 'SELECT name FROM place',
  settlePlace: `INSERT INTO place (place_id, name) VALUES (1, $1)
    ON CONFLICT (place_id) DO NOTHING`,
  setPlace: `INSERT INTO place (place_id, name) VALUES (1, $1)
    ON CONFLICT (place_id) DO UPDATE SET name = excluded.name`,
  begun: `SELECT location, stored_byte_count AS "storedByteCount", digest
    FROM moved_part WHERE place = $1 AND part_id = $2`,
  note: `INSERT INTO moved_part
      (place, part_id, location, digest, byte_count, stored_byte_count, row_groups)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (place, part_id) DO UPDATE SET location = excluded.location,
      digest = excluded.digest, byte_count = excluded.byte_count,
      stored_byte_count = excluded.stored_byte_count, row_groups = excluded.row_groups`,
  running: "SELECT 1 FROM publication WHERE state = 'running'",
  missing: `SELECT 1 FROM part AS part WHERE retired_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM moved_part AS moved
    WHERE moved.place = $1 AND moved.part_id = part.part_id AND moved.digest <> '')`,
  removeRetired: 'DELETE FROM part WHERE retired_at IS NOT NULL',
  clearPending: 'DELETE FROM pending_part',
  move: `UPDATE part AS part SET location = moved.location, digest = moved.digest,
      byte_count = moved.byte_count, stored_byte_count = moved.stored_byte_count,
      row_groups = moved.row_groups
    FROM moved_part AS moved
    WHERE moved.place = $1 AND moved.part_id = part.part_id`,
  forget: 'DELETE FROM moved_part',
};

type Place = { readonly name: string };

export class LakeMoves {
  readonly #database: LakeDatabase;
  readonly #storeName: () => Promise<string>;

  constructor(database: LakeDatabase, storeName: () => Promise<string>) {
    this.#database = database;
    this.#storeName = storeName;
  }

  /** Notes where the parts lie, unless that is noted already; the place that is. */
  async settlePlace(place: string): Promise<string> {
    const noted = await this.#database.get<Place>(SQL.place);
    if (noted) return noted.name;
    return await this.#database.change(async (queries) => {
      await queries.run(SQL.settlePlace, place);
      return (await queries.get<Place>(SQL.place))?.name ?? place;
    });
  }

  /** A name of this store that no copy of it has; tells whose a place is. */
  storeName(): Promise<string> {
    return this.#storeName();
  }

  /** That of the last claim of a place which the store has noted; 0: none. */
  async epoch(): Promise<number> {
    return (await this.#database.get<{ epoch: number }>(SQL.epoch))?.epoch ?? 0;
  }

  /**
   * After `settlePlace`. A later one that is known stays: several processes may claim a place at
   * once.
   */
  async noteEpoch(epoch: number): Promise<void> {
    await this.#database.change((queries) => queries.run(SQL.noteEpoch, epoch));
  }

  /**
   * Notes that the parts lie in another place, at the same locations. The publishing lock is held.
   */
  changePlace(place: string): Promise<void> {
    return this.#database.publish(async (queries) => {
      await queries.run(SQL.setPlace, place);
    });
  }

  /** Null: nobody has begun to store the part in the place. */
  async begunMove(place: string, partId: number): Promise<BegunMove | null> {
    type Row = Pick<MovedPart, 'location' | 'storedByteCount' | 'digest'>;
    const row = await this.#database.get<Row>(SQL.begun, place, partId);
    if (!row) return null;
    const { digest, ...begun } = row;
    return { ...begun, isWhole: digest !== '' };
  }

  /** Notes a location before anything is written there. */
  async noteMoving(place: string, partId: number, location: string): Promise<void> {
    await this.#note([place, partId, location, '', 0, 0, '']);
  }

  /** Notes that a part lies in a place, over what was noted before. */
  async noteMoved(place: string, part: MovedPart): Promise<void> {
    const { partId, location, digest, byteCount, storedByteCount } = part;
    const groups = encodeRowGroups(part.rowGroups, part.identifierOrder);
    await this.#note([place, partId, location, digest, byteCount, storedByteCount, groups]);
  }

  /**
   * Has all parts be those of a place, and forgets what was to be removed from the place before.
   * Rejects with a `PublicationConflict` where one is not there yet, or a publication is open. The
   * publishing lock is held.
   */
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
