/** What the store says of itself to a lake that may be another one's. */
import { statSync } from 'node:fs';
import type { LakeOwnership } from '../lake-index.ts';
import { type LakeDatabase, numberOf } from './lake-database.ts';
import type { Statement } from './statements.ts';

const SQL = {
  epoch: 'SELECT epoch FROM place',
  noteEpoch: 'UPDATE place SET epoch = ?',
};

export class SqliteLakeOwnership implements LakeOwnership {
  readonly #path: string;
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(path: string, database: LakeDatabase) {
    this.#path = path;
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  /** The number of the file: it stays when the home is moved, and a copy has another one. */
  async store(): Promise<string> {
    return `${statSync(this.#path, { bigint: true }).ino}`;
  }

  async epoch(): Promise<number> {
    return numberOf(this.#statements.epoch.get(), 'epoch');
  }

  async noteEpoch(epoch: number): Promise<void> {
    this.#database.change(() => this.#statements.noteEpoch.run(epoch));
  }
}
