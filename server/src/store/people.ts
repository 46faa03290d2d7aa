/** People: who may sign in, as what, and for which account. */
import { canStand } from './queries.ts';
import { RecordReader, Records } from './records.ts';

/** Roles: a member reads, a manager also changes the account, an owner administers all accounts. */
export const ROLES = ['member', 'manager', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export interface Person {
  readonly personId: number;
  /** In lower case, which no other person has. */
  readonly email: string;
  readonly role: Role;
  /** The account that the person belongs to; only an owner may have none. */
  readonly accountId: number | null;
  readonly isActive: boolean;
  /** True if the password is still the one that was made with the person or by a reset. */
  readonly isPasswordInitial: boolean;
  /** True if signing in takes a code besides the password. */
  readonly hasSecondFactor: boolean;
  readonly createdAtMs: number;
  readonly lastSignInAtMs: number | null;
}

export interface NewPerson extends Pick<Person, 'email' | 'role' | 'accountId' | 'createdAtMs'> {
  /** Hash of a password that is shown once and counts as initial. */
  readonly passwordHash: string;
}

export type PersonChanges = Partial<
  Pick<Person, 'email' | 'role' | 'accountId' | 'isActive' | 'lastSignInAtMs'>
>;

type PersonFields = Person & Pick<NewPerson, 'passwordHash'>;

export const PEOPLE = new Records<Person, PersonFields>({
  table: 'person',
  made: ({ passwordHash: _, ...person }) => person,
});

export class PersonReader extends RecordReader<Person, PersonFields> {
  protected readonly records = PEOPLE;

  async findByEmail(email: string): Promise<Person | null> {
    return canStand(email) ? this.first('WHERE email = $1', email) : null;
  }

  async passwordHash(personId: number): Promise<string | null> {
    const sql = 'SELECT password_hash AS hash FROM person WHERE person_id = $1';
    return (await this.queries.get<{ hash: string }>(sql, personId))?.hash ?? null;
  }

  /** Up to `limit` people after an id, in the order of their ids; of one account, unless null. */
  list(accountId: number | null, afterId: number, limit: number): Promise<Person[]> {
    return this.all(
      `WHERE person_id > $1 AND ($2::bigint IS NULL OR identity_id = $2)
       ORDER BY person_id LIMIT $3`,
      ...[afterId, accountId, limit],
    );
  }

  /** The people of an account, also deactivated ones. */
  countOf(accountId: number): Promise<number> {
    return this.count('identity_id = $1', accountId);
  }

  /** Up to `limit` owners who are not deactivated, the first ones first. */
  listActiveOwners(limit: number): Promise<Person[]> {
    return this.all("WHERE role = 'owner' AND is_active ORDER BY person_id LIMIT $1", limit);
  }

  /** Owners who are not deactivated. */
  countActiveOwners(): Promise<number> {
    return this.count("role = 'owner' AND is_active");
  }
}

export class PersonTable extends PersonReader {
  create(person: NewPerson): Promise<number> {
    return this.insert({ ...person, isPasswordInitial: true });
  }

  update(personId: number, changes: PersonChanges): Promise<void> {
    return this.change(personId, changes);
  }

  setPassword(personId: number, passwordHash: string, isInitial: boolean): Promise<void> {
    return this.change(personId, { passwordHash, isPasswordInitial: isInitial });
  }

  /** Removes a person, and all sessions with it. */
  delete(personId: number): Promise<void> {
    return this.remove('person_id = $1', personId);
  }
}
