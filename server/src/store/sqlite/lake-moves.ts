/** Moves of the lake to places where parts are stored in another form. */
import { type LakeMoves, type MovedPart, PublicationConflict } from '../lake-index.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import type { LakeDatabase } from './lake-database.ts';
import type { Statement } from './statements.ts';

const SQL = {
  moved: `SELECT location, stored_byte_count AS storedByteCount
    FROM moved_part WHERE place = ? AND part_id = ?`,
  note: 'REPLACE INTO moved_part VALUES (?, ?, ?, ?, ?, ?, ?)',
  running: "SELECT 1 FROM publication WHERE state = 'running'",
  missing: `SELECT 1 FROM part WHERE retired_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM moved_part AS moved WHERE moved.place = ? AND moved.part_id = part.part_id)`,
  removeRetired: 'DELETE FROM part WHERE retired_at IS NOT NULL',
  clearPending: 'DELETE FROM pending_part',
  move: `UPDATE part SET location = moved.location, digest = moved.digest,
      byte_count = moved.byte_count, stored_byte_count = moved.stored_byte_count,
      row_groups = moved.row_groups
    FROM moved_part AS moved WHERE moved.place = ? AND moved.part_id = part.part_id`,
  forget: 'DELETE FROM moved_part',
};

export class SqliteLakeMoves implements LakeMoves {
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(database: LakeDatabase) {
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  async movedPart(place: string, partId: number) {
    const row = this.#statements.moved.get(place, partId);
    return (row ?? null) as Pick<MovedPart, 'location' | 'storedByteCount'> | null;
  }

  async noteMoved(place: string, part: MovedPart): Promise<void> {
    const { partId, location, digest, byteCount, storedByteCount } = part;
    const groups = encodeRowGroups(part.rowGroups, part.identifierOrder);
    this.#database.change(() => {
      const { note } = this.#statements;
      note.run(place, partId, location, digest, byteCount, storedByteCount, groups);
    });
  }

  async finishMove(place: string): Promise<void> {
    const { running, missing, removeRetired, clearPending, move, forget } = this.#statements;
    this.#database.change(() => {
      if (running.get()) throw new PublicationConflict('a publication is open');
      if (missing.get(place)) throw new PublicationConflict(`a part is not in ${place} yet`);
      removeRetired.run();
      clearPending.run();
      move.run(place);
      forget.run();
    });
  }
}
