/** Sessions of people who are signed in, kept by the hashes of their tokens. */

export interface Session {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly tokenHash: string;
  readonly personId: number;
  readonly createdAtMs: number;
  /** About when it was last used. */
  readonly seenAtMs: number;
}
