/** Where the parts of the lake lie, and moves to places where they are stored in another form. */
import { statSync } from 'node:fs';
import {
  type BegunMove,
  type LakeMoves,
  type MovedPart,
  PublicationConflict,
} from '../lake-index.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import { type LakeDatabase, numberOf } from './lake-database.ts';
import type { Statement } from './statements.ts';

const SQL = {
  place: 'SELECT name FROM place',
  setPlace: `INSERT INTO place (place_id, name) VALUES (1, ?)
    ON CONFLICT (place_id) DO UPDATE SET name = excluded.name`,
  epoch: 'SELECT epoch FROM place',
  noteEpoch: 'UPDATE place SET epoch = max(epoch, ?)',
  begun: `SELECT location, stored_byte_count AS storedByteCount, digest
    FROM moved_part WHERE place = ? AND part_id = ?`,
  note: 'REPLACE INTO moved_part VALUES (?, ?, ?, ?, ?, ?, ?)',
  running: "SELECT 1 FROM publication WHERE state = 'running'",
  missing: `SELECT 1 FROM part WHERE retired_at IS NULL AND NOT EXISTS (
    SELECT 1 FROM moved_part AS moved
    WHERE moved.place = ? AND moved.part_id = part.part_id AND moved.digest <> '')`,
  removeRetired: 'DELETE FROM part WHERE retired_at IS NOT NULL',
  clearPending: 'DELETE FROM pending_part',
  move: `UPDATE part SET location = moved.location, digest = moved.digest,
      byte_count = moved.byte_count, stored_byte_count = moved.stored_byte_count,
      row_groups = moved.row_groups
    FROM moved_part AS moved WHERE moved.place = ? AND moved.part_id = part.part_id`,
  forget: 'DELETE FROM moved_part',
};

export class SqliteLakeMoves implements LakeMoves {
  readonly #path: string;
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(path: string, database: LakeDatabase) {
    this.#path = path;
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  async settlePlace(place: string): Promise<string> {
    return this.#notedPlace() ?? this.#database.change(() => this.#settle(place));
  }

  /** The number of the file: it stays when the home is moved, and a copy has another one. */
  async storeName(): Promise<string> {
    return `${statSync(this.#path, { bigint: true }).ino}`;
  }

  async epoch(): Promise<number> {
    return numberOf(this.#statements.epoch.get(), 'epoch');
  }

  async noteEpoch(epoch: number): Promise<void> {
    this.#database.change(() => this.#statements.noteEpoch.run(epoch));
  }

  async changePlace(place: string): Promise<void> {
    this.#database.change(() => this.#statements.setPlace.run(place));
  }

  async begunMove(place: string, partId: number): Promise<BegunMove | null> {
    type Row = Pick<MovedPart, 'location' | 'storedByteCount' | 'digest'>;
    const row = this.#statements.begun.get(place, partId) as Row | undefined;
    if (!row) return null;
    const { digest, ...begun } = row;
    return { ...begun, isWhole: digest !== '' };
  }

  async noteMoving(place: string, partId: number, location: string): Promise<void> {
    this.#database.change(() => {
      this.#statements.note.run(place, partId, location, '', 0, 0, '');
    });
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
    const { missing, removeRetired, clearPending, move, forget, setPlace } = this.#statements;
    this.#database.change(() => {
      if (this.#statements.running.get()) throw new PublicationConflict('a publication is open');
      if (missing.get(place)) throw new PublicationConflict(`a part is not in ${place} yet`);
      removeRetired.run();
      clearPending.run();
      move.run(place);
      forget.run();
      setPlace.run(place);
    });
  }

  #notedPlace(): string | null {
    return (this.#statements.place.get()?.name as string | undefined) ?? null;
  }

  /** Another process may have noted one since. */
  #settle(place: string): string {
    const noted = this.#notedPlace();
    if (noted === null) this.#statements.setPlace.run(place);
    return noted ?? place;
  }
}
