/** How connections to PostgreSQL run statements, alone or in a transaction. */
import type pg from 'pg';
import type { Queries, RowFields, Value } from '../queries.ts';
import type { TransactionQueries } from '../tables.ts';
import type { PostgresAddress } from './address.ts';
import { storeError } from './postgres-errors.ts';

const names = new Map<string, string>();

/** The name by which connections know a prepared statement. */
function nameOf(sql: string): string {
  return names.getOrInsertComputed(sql, () => `t${names.size}`);
}

export function execute(
  client: Pick<pg.ClientBase, 'query'>,
  sql: string,
  values: readonly Value[],
): Promise<pg.QueryResult> {
  return client.query({ name: nameOf(sql), text: sql, values: [...values] });
}

const LONE_SURROGATE = /\\ud[89a-f]/;

/** Rows as one value. PostgreSQL takes no half of a character. */
function rowsText(rows: readonly RowFields[]): string {
  const text = JSON.stringify(rows);
  if (!LONE_SURROGATE.test(text)) return text;
  return JSON.stringify(rows, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Queries by a way to execute one. */
export abstract class PostgresQueries implements Queries {
  protected abstract execute(sql: string, values: readonly Value[]): Promise<pg.QueryResult>;

  all: Queries['all'] = async (sql, ...values) => (await this.execute(sql, values)).rows;
  get: Queries['get'] = async (sql, ...values) => (await this.execute(sql, values)).rows[0];
  run: Queries['run'] = async (sql, ...values) => (await this.execute(sql, values)).rowCount ?? 0;
  runEach: Queries['runEach'] = (sql, rows, ...values) => this.run(sql, rowsText(rows), ...values);
}

/**
 * The statements of one transaction, one after the other; whatever is asked after its end is
 * refused.
 */
export class PostgresTransaction extends PostgresQueries implements TransactionQueries {
  readonly #client: pg.ClientBase;
  readonly #address: PostgresAddress;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(client: pg.ClientBase, address: PostgresAddress) {
    super();
    this.#client = client;
    this.#address = address;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  protected execute(sql: string, values: readonly Value[]): Promise<pg.QueryResult> {
    return this.#inTurn(() => execute(this.#client, sql, values));
  }

  /** Runs a script of several statements, without values. */
  async script(sql: string): Promise<void> {
    await this.#inTurn(() => this.#client.query(sql));
  }

  /** Resolves when what was asked is done; nothing more is taken. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#last;
  }

  /** A connection does one thing at a time, and its library wants to be asked so. */
  async #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw new Error('the transaction is over');
    const asked = this.#last.then(ask);
    this.#last = asked.catch(() => undefined);
    try {
      return await asked;
    } catch (error) {
      throw storeError(this.#address, error);
    }
  }
}
