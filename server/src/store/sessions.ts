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
  /** Address that it was begun from; '' where nobody knows. */
  readonly source: string;
  /** What the browser said of itself then; '' where it said nothing. */
  readonly browser: string;
}

export type NewSession = Pick<Session, 'tokenHash' | 'personId' | 'createdAtMs'> &
  Partial<Pick<Session, 'source' | 'browser'>>;

/** A session with all that its caller is judged by; whether it is live is not asked. */
export interface SessionHolder {
  readonly session: Session;
  readonly person: Person;
  /** The account that the person belongs to; null of an owner without one. */
  readonly identity: Identity | null;
}

export interface SessionReader {
  /** Those of a person, the one used last first; whether they are live is not asked. */
  listOf(personId: number): Promise<Session[]>;
}

export interface SessionTable extends SessionReader {
  create(session: NewSession): Promise<void>;
  setSeen(tokenHash: string, seenAtMs: number): Promise<void>;
  end(tokenHash: string): Promise<void>;
  endAllOf(personId: number): Promise<void>;
  /** Ends the oldest sessions of a person beyond so many. */
  keepNewestOf(personId: number, count: number): Promise<void>;
  /** Drops what was begun, or last seen, no later than a moment. */
  deleteOver(createdUntilMs: number, seenUntilMs: number): Promise<void>;
}
