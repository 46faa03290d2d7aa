/**
 * Links by which people choose a password: an invitation, or a reset. Kept by the hashes of their
 * tokens.
 */
import { RecordReader, Records } from './records.ts';

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

const LINKS = new Records<PersonLink>({
  table: 'person_link',
});

export class PersonLinkReader extends RecordReader<PersonLink> {
  protected readonly records = LINKS;

  /** Also finds a link that has expired. */
  findByHash(tokenHash: string): Promise<PersonLink | null> {
    return this.first('WHERE token_hash = $1', tokenHash);
  }
}

export class PersonLinkTable extends PersonLinkReader {
  /** In place of the person's earlier link. */
  put(link: PersonLink): Promise<void> {
    return this.replace(link);
  }

  deleteOf(personId: number): Promise<void> {
    return this.remove('person_id = $1', personId);
  }

  deleteAll(): Promise<void> {
    return this.remove('true');
  }
}
