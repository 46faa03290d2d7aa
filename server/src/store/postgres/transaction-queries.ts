/** The statements of one transaction, one after the other; whatever is asked after its end is refused. */
import type pg from 'pg';
import type { Queries } from '../queries.ts';
import type { TransactionQueries } from '../tables.ts';
import type { PostgresAddress } from './address.ts';
import { execute, queriesBy } from './execute.ts';
import { storeError } from './postgres-errors.ts';

export class PostgresTransaction implements TransactionQueries {
  readonly all: Queries['all'];
  readonly get: Queries['get'];
  readonly run: Queries['run'];
  readonly runEach: Queries['runEach'];
  readonly #client: pg.ClientBase;
  readonly #address: PostgresAddress;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(client: pg.ClientBase, address: PostgresAddress) {
    this.#client = client;
    this.#address = address;
    const queries = queriesBy((sql, values) =>
      this.#inTurn(() => execute(this.#client, sql, values)),
    );
    this.all = queries.all;
    this.get = queries.get;
    this.run = queries.run;
    this.runEach = queries.runEach;
  }

  get isOver(): boolean {
    return this.#isOver;
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
