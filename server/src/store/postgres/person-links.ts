/** The table of links by which people choose a password. */
import type { PersonLink, PersonLinkTable } from '../person-links.ts';
import { type Queries, selected } from './queries.ts';

export const PERSON_LINK_SCHEMA = `
  -- Of a link only the hash of its token is kept. A person has one: a new one takes its place.
  CREATE TABLE ticklake.person_link (
    person_id bigint PRIMARY KEY REFERENCES ticklake.person ON DELETE CASCADE,
    token_hash bytea NOT NULL UNIQUE,
    kind text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
  );
`;

const LINKS = `SELECT ${selected({
  tokenHash: "encode(token_hash, 'hex')",
  personId: 'person_id',
  kind: 'kind',
  createdAtMs: 'created_at',
  expiresAtMs: 'expires_at',
})} FROM ticklake.person_link`;

export class PostgresPersonLinks implements PersonLinkTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async find(tokenHash: string): Promise<PersonLink | null> {
    const sql = `${LINKS} WHERE token_hash = decode($1, 'hex')`;
    return (await this.#queries.get<PersonLink>(sql, tokenHash)) ?? null;
  }

  async put(link: PersonLink): Promise<void> {
    await this.#queries.run(
      `INSERT INTO ticklake.person_link (person_id, token_hash, kind, created_at, expires_at)
       VALUES ($1, decode($2, 'hex'), $3, $4, $5)
       ON CONFLICT (person_id) DO UPDATE SET token_hash = excluded.token_hash,
         kind = excluded.kind, created_at = excluded.created_at, expires_at = excluded.expires_at`,
      link.personId,
      link.tokenHash,
      link.kind,
      link.createdAtMs,
      link.expiresAtMs,
    );
  }

  async deleteOf(personId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.person_link WHERE person_id = $1', personId);
  }

  async deleteAll(): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.person_link');
  }
}
