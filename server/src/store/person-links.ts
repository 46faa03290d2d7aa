/**
 * Links by which people choose a password: an invitation, or a reset. Kept by the hashes of their
 * tokens.
 */
import { type Queries, selected } from './queries.ts';

export const LINK_KINDS = ['invitation', 'password_reset'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export interface PersonLink {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly tokenHash: string;
  readonly personId: number;
  readonly kind: LinkKind;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

const LINKS = `SELECT ${selected({
  tokenHash: 'token_hash',
  personId: 'person_id',
  kind: 'kind',
  createdAtMs: 'created_at',
  expiresAtMs: 'expires_at',
})} FROM person_link`;

export class PersonLinkReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  /** Also finds a link that has expired. */
  async find(tokenHash: string): Promise<PersonLink | null> {
    const sql = `${LINKS} WHERE token_hash = $1`;
    return (await this.queries.get<PersonLink>(sql, tokenHash)) ?? null;
  }
}

export class PersonLinkTable extends PersonLinkReader {
  /** In place of the person's earlier link. */
  async put(link: PersonLink): Promise<void> {
    await this.queries.run(
      `INSERT INTO person_link (person_id, token_hash, kind, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5)
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
    await this.queries.run('DELETE FROM person_link WHERE person_id = $1', personId);
  }

  async deleteAll(): Promise<void> {
    await this.queries.run('DELETE FROM person_link');
  }
}
