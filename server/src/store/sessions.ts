/** Sessions of people who are signed in, kept by the hashes of their tokens. */

import type { Account } from './accounts.ts';
import type { Person } from './people.ts';
import { RecordReader, Records } from './records.ts';

export interface Session {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly tokenHash: string;
  readonly personId: number;
  readonly createdAtMs: number;
  /** About when it was last used. */
  readonly seenAtMs: number;
  /** Address that it was begun from; '' where nobody knows. */
  readonly source: string;
  /** The browser's User-Agent then; '' if it sent none. */
  readonly browser: string;
}

export type NewSession = Pick<Session, 'tokenHash' | 'personId' | 'createdAtMs'> &
  Partial<Pick<Session, 'source' | 'browser'>>;

/** A session with all that its caller is judged by; whether it is live is not asked. */
export interface SessionHolder {
  readonly session: Session;
  readonly person: Person;
  /** The account that the person belongs to; null of an owner without one. */
  readonly account: Account | null;
}

export const SESSIONS = new Records<Session>({
  table: 'session',
});

export class SessionReader extends RecordReader<Session> {
  protected readonly records = SESSIONS;

  /** Sessions of a person, live or not, the one used last first. */
  listOf(personId: number): Promise<Session[]> {
    return this.all('WHERE person_id = $1 ORDER BY seen_at DESC, token_hash', personId);
  }
}

export class SessionTable extends SessionReader {
  async create(session: NewSession): Promise<void> {
    await this.insert({ ...session, seenAtMs: session.createdAtMs });
  }

  /** Does nothing if the session has ended meanwhile. */
  async setSeen(tokenHash: string, seenAtMs: number): Promise<void> {
    const sql = 'UPDATE session SET seen_at = $1 WHERE token_hash = $2';
    await this.queries.run(sql, seenAtMs, tokenHash);
  }

  end(tokenHash: string): Promise<void> {
    return this.remove('token_hash = $1', tokenHash);
  }

  endAllOf(personId: number): Promise<void> {
    return this.remove('person_id = $1', personId);
  }

  /** Ends the oldest sessions of a person beyond so many. */
  keepNewestOf(personId: number, count: number): Promise<void> {
    return this.remove(
      `person_id = $1 AND token_hash NOT IN (SELECT token_hash FROM session WHERE person_id = $1
         ORDER BY created_at DESC, token_hash LIMIT $2)`,
      ...[personId, count],
    );
  }

  /** Drops what was begun, or last seen, no later than a moment. */
  deleteOver(createdUntilMs: number, seenUntilMs: number): Promise<void> {
    return this.remove('created_at <= $1 OR seen_at <= $2', createdUntilMs, seenUntilMs);
  }
}
