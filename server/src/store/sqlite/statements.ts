/** Statements of one database, each prepared once. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export type Row = Record<string, unknown>;

export class Statements {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #preparedArrays = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  /** `sql` is a text of the program's own, never one that holds values. */
  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** The same, for rows as arrays: for what is asked so often that naming columns would count. */
  prepareArrays(sql: string): StatementSync {
    let statement = this.#preparedArrays.get(sql);
    if (!statement) {
      statement = this.database.prepare(sql);
      statement.setReturnArrays(true);
      this.#preparedArrays.set(sql, statement);
    }
    return statement;
  }
}
