/**
 * Connections to a file of the store: statements in the SQL that both kinds of store have in
 * common.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Queries, Row, RowFields, Value } from '../queries.ts';
import type { TransactionQueries } from '../tables.ts';
import { storeError } from './failures.ts';

/** The common words that are others in SQLite. */
const WORDS: readonly (readonly [common: RegExp, own: string])[] = [
  [/::\w+(\[\])?/g, ''],
  [/ COLLATE "default"/g, ''],
  [/ OVERRIDING SYSTEM VALUE/g, ''],
  [/\$(\d+)/g, '?$1'],
  [/= ANY ?\((\?\d+)\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/\bjson_array_elements_text\(/g, 'json_each('],
  [/\bgreatest\(/g, 'max('],
  [/\bleast\(/g, 'min('],
  [/\bstrpos\(/g, 'instr('],
];

/** A statement as SQLite has it. */
export function sqliteSql(sql: string): string {
  return WORDS.reduce((text, [common, words]) => text.replaceAll(common, words), sql);
}

interface EachStatement {
  readonly statement: StatementSync;
  /** In the order in which their values are bound. */
  readonly columns: readonly string[];
}

const ROWS = /json_to_recordset\(\?1\) AS (\w+) \(([^)]*)\)/;

/**
 * A statement of `runEach` for one row: the table `rowsIn` has one, of bound values of these
 * columns.
 */
function eachSql(sql: string) {
  const own = sqliteSql(sql);
  const [table = '', name, list = ''] = ROWS.exec(own) ?? [];
  const columns = list.split(', ').map((column) => column.split(' ')[0] as string);
  const fields = columns.map((column, at) => `@${at + 1} AS ${column}`);
  const others = own.replace(table, `(SELECT ${fields.join(', ')}) AS ${name}`);
  const text = others
    .replaceAll(/\?(\d+)/g, (_, place) => `?${Number(place) - 1 + columns.length}`)
    .replaceAll(/@(\d+) AS/g, '?$1 AS');
  return { text, columns };
}

function boundValue(value: Value): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  return typeof value === 'boolean' ? Number(value) : JSON.stringify(value);
}

const FLAG = /^(is|has)(?=[A-Z_])/;

/** SQLite has no booleans: their columns are known by their names. */
function withFlags(rows: Row[]): Row[] {
  const flags = Object.keys(rows[0] ?? {}).filter((name) => FLAG.test(name));
  for (const row of rows) {
    for (const name of flags) row[name] = row[name] === null ? null : row[name] === 1;
  }
  return rows;
}

export class Connection {
  readonly #database: DatabaseSync;
  readonly #path: string;
  /** By their common texts; each is prepared once. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #eachStatements = new Map<string, EachStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#path = database.location() ?? 'the store';
  }

  /** See `Queries`; throws a `StoreUnavailableError` where the storage fails, as all methods do. */
  all(sql: string, values: readonly Value[] = []): Row[] {
    return this.#told(() => withFlags(this.#prepare(sql).all(...values.map(boundValue))));
  }

  get(sql: string, values: readonly Value[] = []): Row | undefined {
    return this.#told(() => {
      const row = this.#prepare(sql).get(...values.map(boundValue));
      return row && withFlags([row])[0];
    });
  }

  run(sql: string, values: readonly Value[] = []): number {
    return this.#told(() => {
      return Number(this.#prepare(sql).run(...values.map(boundValue)).changes);
    });
  }

  runEach(sql: string, rows: readonly RowFields[], values: readonly Value[]): number {
    return this.#told(() => {
      const { statement, columns } = this.#eachStatements.getOrInsertComputed(sql, () => {
        const { text, columns } = eachSql(sql);
        return { statement: this.#database.prepare(text), columns };
      });
      const others = values.map(boundValue);
      let count = 0;
      for (const row of rows) {
        const own = columns.map((column) => boundValue(row[column] ?? null));
        count += Number(statement.run(...own, ...others).changes);
      }
      return count;
    });
  }

  /**
   * A statement of its own that gives the one number of its one row, for what every request asks.
   */
  prepareNumber(sql: string): () => number {
    const statement = this.#told(() => this.#database.prepare(sqliteSql(sql)));
    statement.setReturnArrays(true);
    return () =>
      this.#told(() => {
        const [number] = statement.get() as unknown as [number];
        return number;
      });
  }

  exec(sql: string): void {
    this.#told(() => this.#database.exec(sql));
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#database.prepare(sqliteSql(sql)));
  }

  #told<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(this.#path, error);
    }
  }
}

/**
 * The statements of a connection, each done when its promise is made; after `end` none is taken.
 */
export class ConnectionQueries implements TransactionQueries {
  readonly #connection: Connection;
  #isOver = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  all: Queries['all'] = async <R>(sql: string, ...values: Value[]) =>
    this.#open().all(sql, values) as R[];

  get: Queries['get'] = async <R>(sql: string, ...values: Value[]) =>
    this.#open().get(sql, values) as R | undefined;

  run: Queries['run'] = async (sql, ...values) => this.#open().run(sql, values);

  runEach: Queries['runEach'] = async (sql, rows, ...values) =>
    this.#open().runEach(sql, rows, values);

  #open(): Connection {
    if (this.#isOver) throw new Error('the transaction is over');
    return this.#connection;
  }
}
