/** The table of sessions. */
import type { NewSession, Session, SessionTable } from '../sessions.ts';
import { type Queries, selected } from './queries.ts';

export const SESSIONS = `SELECT ${selected({
  tokenHash: "encode(token_hash, 'hex')",
  personId: 'person_id',
  createdAtMs: 'created_at',
  seenAtMs: 'seen_at',
  source: 'source',
  browser: 'browser',
})} FROM ticklake.session`;

export class PostgresSessions implements SessionTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async find(tokenHash: string): Promise<Session | null> {
    const sql = `${SESSIONS} WHERE token_hash = decode($1, 'hex')`;
    return (await this.#queries.get<Session>(sql, tokenHash)) ?? null;
  }

  listOf(personId: number): Promise<Session[]> {
    const sql = `${SESSIONS} WHERE person_id = $1 ORDER BY seen_at DESC, token_hash`;
    return this.#queries.all(sql, personId);
  }

  async create(session: NewSession): Promise<void> {
    const { tokenHash, personId, createdAtMs, source = '', browser = '' } = session;
    await this.#queries.run(
      `INSERT INTO ticklake.session (token_hash, person_id, created_at, seen_at, source, browser)
       VALUES (decode($1, 'hex'), $2, $3, $3, $4, $5)`,
      tokenHash,
      personId,
      createdAtMs,
      source,
      browser,
    );
  }

  async setSeen(tokenHash: string, seenAtMs: number): Promise<void> {
    const sql = "UPDATE ticklake.session SET seen_at = $1 WHERE token_hash = decode($2, 'hex')";
    await this.#queries.run(sql, seenAtMs, tokenHash);
  }

  async end(tokenHash: string): Promise<void> {
    const sql = "DELETE FROM ticklake.session WHERE token_hash = decode($1, 'hex')";
    await this.#queries.run(sql, tokenHash);
  }

  async endAllOf(personId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.session WHERE person_id = $1', personId);
  }

  async keepNewestOf(personId: number, count: number): Promise<void> {
    await this.#queries.run(
      `DELETE FROM ticklake.session WHERE token_hash IN
         (SELECT token_hash FROM ticklake.session WHERE person_id = $1
          ORDER BY created_at DESC, token_hash OFFSET $2)`,
      personId,
      count,
    );
  }

  async deleteOver(createdUntilMs: number, seenUntilMs: number): Promise<void> {
    await this.#queries.run(
      'DELETE FROM ticklake.session WHERE created_at <= $1 OR seen_at <= $2',
      createdUntilMs,
      seenUntilMs,
    );
  }
}
