/** Sessions of people who are signed in, kept by the hashes of their tokens. */
import type { Identity } from './identities.ts';
import type { Person } from './people.ts';

export interface Session {
  /** SHA-256 of the token, in hexadecimal digits. */
  readonly tokenHash: string;
  readonly personId: number;
  readonly createdAtMs: number;
  /** About when it was last used. */
  readonly seenAtMs: number;
}

/** A session with all that its caller is judged by; whether it is live is not asked. */
export interface SessionHolder {
  readonly session: Session;
  readonly person: Person;
  /** The account that the person belongs to; null of an owner without one. */
  readonly identity: Identity | null;
}

export interface SessionTable {
  create(session: Omit<Session, 'seenAtMs'>): Promise<void>;
  setSeen(tokenHash: string, seenAtMs: number): Promise<void>;
  end(tokenHash: string): Promise<void>;
  endAllOf(personId: number): Promise<void>;
  /** Ends the oldest sessions of a person beyond so many. */
  keepNewestOf(personId: number, count: number): Promise<void>;
  /** Drops what was begun, or last seen, no later than a moment. */
  deleteOver(createdUntilMs: number, seenUntilMs: number): Promise<void>;
}
