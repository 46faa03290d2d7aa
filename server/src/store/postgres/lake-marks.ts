/**
 * Looks whether the index has changed, before each request for data. While the database is away, what was
 * known last counts for as long as it does of accounts: versions that were read before can be read.
 */
import { addressText, type PostgresAddress } from './address.ts';
import { LOOK_LIMITS } from './connection.ts';
import { Grace } from './grace.ts';
import { PostgresSession } from './postgres-session.ts';

const MARK = 'SELECT mark::text FROM ticklake.lake_change';

export class LakeMarks {
  readonly #session: PostgresSession;
  readonly #grace: Grace;
  #mark = '';

  constructor(address: PostgresAddress, graceMs: number) {
    this.#session = new PostgresSession(address, LOOK_LIMITS);
    const look = async () => {
      this.#mark = String((await this.#session.get<{ mark: string }>(MARK))?.mark);
    };
    this.#grace = new Grace({ look, graceMs, database: addressText(address) });
  }

  /** Another text after any change. */
  async now(): Promise<string> {
    await this.#grace.now();
    return this.#mark;
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}
