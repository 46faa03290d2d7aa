/** The table of links by which people choose a password. */
import type { LinkKind, PersonLink, PersonLinkTable } from '../person-links.ts';
import type { StatementSource } from './statements.ts';

export const PERSON_LINK_SCHEMA = `
  -- Of a link only the hash of its token is kept. A person has one: a new one takes its place.
  CREATE TABLE person_link (
    person_id INTEGER PRIMARY KEY REFERENCES person ON DELETE CASCADE,
    token_hash BLOB NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
`;

export class SqlitePersonLinks implements PersonLinkTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async find(tokenHash: string): Promise<PersonLink | null> {
    const row = this.#statements
      .prepare('SELECT * FROM person_link WHERE token_hash = ?')
      .get(Buffer.from(tokenHash, 'hex'));
    if (!row) return null;
    return {
      tokenHash,
      personId: Number(row.person_id),
      kind: row.kind as LinkKind,
      createdAtMs: Number(row.created_at),
      expiresAtMs: Number(row.expires_at),
    };
  }

  async put(link: PersonLink): Promise<void> {
    this.#statements
      .prepare(
        `INSERT INTO person_link (person_id, token_hash, kind, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash,
           kind = excluded.kind, created_at = excluded.created_at, expires_at = excluded.expires_at`,
      )
      .run(
        link.personId,
        Buffer.from(link.tokenHash, 'hex'),
        link.kind,
        link.createdAtMs,
        link.expiresAtMs,
      );
  }

  async deleteOf(personId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM person_link WHERE person_id = ?').run(personId);
  }

  async deleteAll(): Promise<void> {
    this.#statements.prepare('DELETE FROM person_link').run();
  }
}
