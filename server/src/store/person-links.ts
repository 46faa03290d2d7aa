/** Links by which people choose a password: an invitation, or a reset. Kept by the hashes of their tokens. */

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

export interface PersonLinkReader {
  /** Whether it has expired is not asked. */
  find(tokenHash: string): Promise<PersonLink | null>;
}

export interface PersonLinkTable extends PersonLinkReader {
  /** In place of the person's earlier link. */
  put(link: PersonLink): Promise<void>;
  deleteOf(personId: number): Promise<void>;
  deleteAll(): Promise<void>;
}
