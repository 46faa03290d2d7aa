/** The table of sessions. */
import type { Session } from '../sessions.ts';
import type { Row, Statements } from './statements.ts';

function sessionOf(row: Row): Session {
  return {
    tokenHash: Buffer.from(row.token_hash as Uint8Array).toString('hex'),
    personId: Number(row.person_id),
    createdAtMs: Number(row.created_at),
    seenAtMs: Number(row.seen_at),
  };
}

export class SessionTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  create({ tokenHash, personId, createdAtMs }: Omit<Session, 'seenAtMs'>): void {
    this.#statements
      .prepare(
        'INSERT INTO session (token_hash, person_id, created_at, seen_at) VALUES (?, ?, ?, ?)',
      )
      .run(Buffer.from(tokenHash, 'hex'), personId, createdAtMs, createdAtMs);
  }

  find(tokenHash: string): Session | null {
    const row = this.#statements
      .prepare('SELECT * FROM session WHERE token_hash = ?')
      .get(Buffer.from(tokenHash, 'hex'));
    return row ? sessionOf(row) : null;
  }

  setSeen(tokenHash: string, seenAtMs: number): void {
    this.#statements
      .prepare('UPDATE session SET seen_at = ? WHERE token_hash = ?')
      .run(seenAtMs, Buffer.from(tokenHash, 'hex'));
  }

  end(tokenHash: string): void {
    this.#statements
      .prepare('DELETE FROM session WHERE token_hash = ?')
      .run(Buffer.from(tokenHash, 'hex'));
  }

  endAllOf(personId: number): void {
    this.#statements.prepare('DELETE FROM session WHERE person_id = ?').run(personId);
  }

  /** Ends the oldest sessions of a person beyond so many. */
  keepNewestOf(personId: number, count: number): void {
    this.#statements
      .prepare(
        `DELETE FROM session WHERE token_hash IN
           (SELECT token_hash FROM session WHERE person_id = ?
            ORDER BY created_at DESC, token_hash LIMIT -1 OFFSET ?)`,
      )
      .run(personId, count);
  }

  /** Drops what was begun, or last seen, no later than a moment. */
  deleteOver(createdUntilMs: number, seenUntilMs: number): void {
    this.#statements
      .prepare('DELETE FROM session WHERE created_at <= ? OR seen_at <= ?')
      .run(createdUntilMs, seenUntilMs);
  }
}
