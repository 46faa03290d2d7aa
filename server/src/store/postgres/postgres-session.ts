/**
 * One connection to PostgreSQL that is made when it is needed, and again after it has ended. What
 * belongs to a connection, such as locks of its session, ends with it.
 */
import pg from 'pg';
import type { Value } from '../queries.ts';
import type { PostgresAddress } from './address.ts';
import { beginConnection, connectionConfig, type TimeLimits } from './connection.ts';
import { endsConnection, storeError } from './postgres-errors.ts';
import { execute, PostgresQueries } from './queries.ts';

export class PostgresSession extends PostgresQueries {
  readonly #address: PostgresAddress;
  readonly #limits: TimeLimits | undefined;
  #client: Promise<pg.Client> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #connectionCount = 0;

  constructor(address: PostgresAddress, limits?: TimeLimits) {
    super();
    this.#address = address;
    this.#limits = limits;
  }

  /**
   * How many connections there were: with another number, what belonged to the last one is gone.
   */
  get connectionCount(): number {
    return this.#connectionCount;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#drop();
  }

  protected execute(sql: string, values: readonly Value[]): Promise<pg.QueryResult> {
    const asked = this.#last.then(() => this.#ask(sql, values));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #ask(sql: string, values: readonly Value[]): Promise<pg.QueryResult> {
    if (this.#isClosed) throw new Error('the connection is closed');
    try {
      this.#client ??= this.#connect();
      return await execute(await this.#client, sql, values);
    } catch (error) {
      if (endsConnection(error)) await this.#drop();
      throw storeError(this.#address, error);
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(connectionConfig(this.#address, this.#limits));
    // Whoever asks next is told.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await beginConnection(client);
    } catch (error) {
      this.#client = null;
      client.end().catch(() => undefined);
      throw error;
    }
    this.#connectionCount++;
    client.once('end', () => this.#forget(client));
    return client;
  }

  /** Also a connection that ends while nothing is asked. */
  async #forget(ended: pg.Client): Promise<void> {
    const current = this.#client;
    if ((await current?.catch(() => null)) === ended && this.#client === current) {
      this.#client = null;
    }
  }

  async #drop(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    // Ending is not awaited: the other side may no longer answer.
    client?.end().catch(() => undefined);
  }
}
