/** Statements of one database, each prepared once, whose failures are the store's own. */
import type {
  DatabaseSync,
  SQLInputValue,
  StatementResultingChanges,
  StatementSync,
} from 'node:sqlite';
import { storeError } from './sqlite-errors.ts';

export type Row = Record<string, unknown>;
/** By place, or by name. */
type Values = readonly SQLInputValue[] | readonly [Readonly<Record<string, SQLInputValue>>];

/** A prepared statement. Throws a `StoreUnavailableError` where the storage fails. */
export class Statement {
  readonly #statement: StatementSync;
  readonly #path: string;

  constructor(statement: StatementSync, path: string) {
    this.#statement = statement;
    this.#path = path;
  }

  run(...values: Values): StatementResultingChanges {
    try {
      return this.#statement.run(...(values as SQLInputValue[]));
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }

  /** Undefined where there is no row. */
  get(...values: Values): Row | undefined {
    try {
      return this.#statement.get(...(values as SQLInputValue[]));
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }

  all(...values: Values): Row[] {
    try {
      return this.#statement.all(...(values as SQLInputValue[]));
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }
}

/** The source of the statements of tables. */
export interface StatementSource {
  /** `sql` is a text of the program's own, never one that holds values. */
  prepare(sql: string): Statement;
}

export class Statements implements StatementSource {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#path = database.location() ?? 'the store';
  }

  prepare(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      try {
        statement = new Statement(this.#database.prepare(sql), this.#path);
      } catch (error) {
        throw storeError(this.#path, error);
      }
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** A statement of its own that gives the one number of its one row, for what every request asks. */
  prepareNumber(sql: string): () => number {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return () => {
      try {
        const [number] = statement.get() as unknown as [number];
        return number;
      } catch (error) {
        throw storeError(this.#path, error);
      }
    };
  }

  exec(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#database.close();
  }
}

/** The statements of one transaction, which refuse whatever is asked of them after its end. */
export class TransactionStatements implements StatementSource {
  readonly #statements: Statements;
  #isOver = false;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  prepare(sql: string): Statement {
    if (this.#isOver) throw new Error('the transaction is over');
    return this.#statements.prepare(sql);
  }

  end(): void {
    this.#isOver = true;
  }
}
