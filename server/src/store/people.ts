/** People: who may sign in, as what, and for which account. */

/** Roles: a member reads, a manager also changes the account, an owner administers all accounts. */
export const ROLES = ['member', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly personId: number;
  /** In lower case, which no other person has. */
  readonly email: string;
  readonly role: Role;
  /** The account that the person belongs to; only an owner may have none. */
  readonly identityId: number | null;
  readonly isActive: boolean;
  /** Whether the password is still the one that was made with the person or by a reset. */
  readonly isPasswordInitial: boolean;
  /** Whether signing in takes a code besides the password. */
  readonly hasSecondFactor: boolean;
  readonly createdAtMs: number;
  readonly lastSignInAtMs: number | null;
}

export interface NewPerson extends Pick<Person, 'email' | 'role' | 'identityId' | 'createdAtMs'> {
  /** Hash of a password that is shown once and counts as initial. */
  readonly passwordHash: string;
}

export type PersonChanges = Partial<
  Pick<Person, 'email' | 'role' | 'identityId' | 'isActive' | 'lastSignInAtMs'>
>;

export interface PersonReader {
  find(personId: number): Promise<Person | null>;
  findByEmail(email: string): Promise<Person | null>;
  passwordHash(personId: number): Promise<string | null>;
  /** Up to `limit` people after an id, in the order of their ids; of one account, unless null. */
  list(identityId: number | null, afterId: number, limit: number): Promise<Person[]>;
  /** The people of an account, also deactivated ones. */
  countOf(identityId: number): Promise<number>;
  /** Owners who are not deactivated. */
  countActiveOwners(): Promise<number>;
}

export interface PersonTable extends PersonReader {
  /** Returns the id, which no other person has had. */
  create(person: NewPerson): Promise<number>;
  update(personId: number, changes: PersonChanges): Promise<void>;
  setPassword(personId: number, passwordHash: string, isInitial: boolean): Promise<void>;
  /** Removes a person, and all sessions with it. */
  delete(personId: number): Promise<void>;
}
