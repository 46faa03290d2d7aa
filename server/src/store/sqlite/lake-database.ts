/** The connection that the parts of the lake's index share. */
import type { DatabaseSync } from 'node:sqlite';
import { type Immediate, openDatabase, transaction } from './database.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { type Row, type Statement, Statements } from './statements.ts';

export class LakeDatabase {
  readonly #database: DatabaseSync;
  readonly source: Statements;
  /** Transactions of this connection, which SQLite's own mark of changes leaves out. */
  #ownChangeCount = 0;

  constructor(path: string) {
    this.#database = openDatabase(path, LAKE_MIGRATIONS);
    this.source = new Statements(this.#database);
  }

  prepare<Name extends string>(sql: Readonly<Record<Name, string>>): Record<Name, Statement> {
    const entries = Object.entries<string>(sql).map(
      ([name, text]) => [name, this.source.prepare(text)] as const,
    );
    return Object.fromEntries(entries) as Record<Name, Statement>;
  }

  /** Runs `work` in one write transaction; nothing else of this process runs before its end. */
  change<T>(work: () => Immediate<T>): T {
    this.#ownChangeCount++;
    return transaction<T>(this.#database, work);
  }

  /** Runs `work` as of one moment. */
  read<T>(work: () => Immediate<T>): T {
    this.source.exec('BEGIN');
    try {
      return work();
    } finally {
      // A failing disk has ended it already, and is the error to report.
      if (this.source.isInTransaction) this.source.exec('COMMIT');
    }
  }

  get ownChangeCount(): number {
    return this.#ownChangeCount;
  }

  close(): void {
    this.#database.close();
  }
}

/** The value of a row's column that is a number, 0 where there is no row. */
export function numberOf(row: Row | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}
