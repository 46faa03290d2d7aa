/** The table of sessions. */
import type { NewSession, Session, SessionTable } from '../sessions.ts';
import type { Row, StatementSource } from './statements.ts';

export function sessionOf(row: Row): Session {
  return {
    tokenHash: Buffer.from(row.token_hash as Uint8Array).toString('hex'),
    personId: Number(row.person_id),
    createdAtMs: Number(row.created_at),
    seenAtMs: Number(row.seen_at),
    source: String(row.source),
    browser: String(row.browser),
  };
}

export class SqliteSessions implements SessionTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async listOf(personId: number): Promise<Session[]> {
    return this.#statements
      .prepare('SELECT * FROM session WHERE person_id = ? ORDER BY seen_at DESC, token_hash')
      .all(personId)
      .map(sessionOf);
  }

  async create(session: NewSession): Promise<void> {
    const { tokenHash, personId, createdAtMs, source = '', browser = '' } = session;
    this.#statements
      .prepare(
        `INSERT INTO session (token_hash, person_id, created_at, seen_at, source, browser)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(Buffer.from(tokenHash, 'hex'), personId, createdAtMs, createdAtMs, source, browser);
  }

  async setSeen(tokenHash: string, seenAtMs: number): Promise<void> {
    this.#statements
      .prepare('UPDATE session SET seen_at = ? WHERE token_hash = ?')
      .run(seenAtMs, Buffer.from(tokenHash, 'hex'));
  }

  async end(tokenHash: string): Promise<void> {
    this.#statements
      .prepare('DELETE FROM session WHERE token_hash = ?')
      .run(Buffer.from(tokenHash, 'hex'));
  }

  async endAllOf(personId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM session WHERE person_id = ?').run(personId);
  }

  async keepNewestOf(personId: number, count: number): Promise<void> {
    this.#statements
      .prepare(
        `DELETE FROM session WHERE token_hash IN
           (SELECT token_hash FROM session WHERE person_id = ?
            ORDER BY created_at DESC, token_hash LIMIT -1 OFFSET ?)`,
      )
      .run(personId, count);
  }

  async deleteOver(createdUntilMs: number, seenUntilMs: number): Promise<void> {
    this.#statements
      .prepare('DELETE FROM session WHERE created_at <= ? OR seen_at <= ?')
      .run(createdUntilMs, seenUntilMs);
  }
}
