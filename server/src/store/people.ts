/** People: who may sign in, as what, and for which account. */
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

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

export const PEOPLE = `SELECT ${selected({
  personId: 'person_id',
  email: 'email',
  role: 'role',
  accountId: 'identity_id',
  isActive: 'is_active',
  isPasswordInitial: 'is_password_initial',
  hasSecondFactor: 'has_second_factor',
  createdAtMs: 'created_at',
  lastSignInAtMs: 'last_sign_in_at',
})} FROM person`;

export class PersonReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(personId: number): Promise<Person | null> {
    return (await this.queries.get<Person>(`${PEOPLE} WHERE person_id = $1`, personId)) ?? null;
  }

  async findByEmail(email: string): Promise<Person | null> {
    if (!canStand(email)) return null;
    return (await this.queries.get<Person>(`${PEOPLE} WHERE email = $1`, email)) ?? null;
  }

  async passwordHash(personId: number): Promise<string | null> {
    const sql = 'SELECT password_hash AS hash FROM person WHERE person_id = $1';
    return (await this.queries.get<{ hash: string }>(sql, personId))?.hash ?? null;
  }

  /** Up to `limit` people after an id, in the order of their ids; of one account, unless null. */
  list(accountId: number | null, afterId: number, limit: number): Promise<Person[]> {
    return this.queries.all(
      `${PEOPLE} WHERE person_id > $1 AND ($2::bigint IS NULL OR identity_id = $2)
       ORDER BY person_id LIMIT $3`,
      afterId,
      accountId,
      limit,
    );
  }

  /** The people of an account, also deactivated ones. */
  countOf(accountId: number): Promise<number> {
    const sql = 'SELECT count(*) AS count FROM person WHERE identity_id = $1';
    return countOf(this.queries, sql, accountId);
  }

  /** Owners who are not deactivated. */
  countActiveOwners(): Promise<number> {
    const sql = "SELECT count(*) AS count FROM person WHERE role = 'owner' AND is_active";
    return countOf(this.queries, sql);
  }
}

export class PersonTable extends PersonReader {
  /** Returns the id, which no other person has had. */
  create(person: NewPerson): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO person (email, role, identity_id, password_hash, is_password_initial, created_at)
       VALUES ($1, $2, $3, $4, true, $5) RETURNING person_id AS id`,
      person.email,
      person.role,
      person.accountId,
      person.passwordHash,
      person.createdAtMs,
    );
  }

  async update(personId: number, changes: PersonChanges): Promise<void> {
    const current = await this.find(personId);
    if (!current) throw new Error(`no person ${personId}`);
    const next = { ...current, ...changes };
    await this.queries.run(
      `UPDATE person SET email = $1, role = $2, identity_id = $3, is_active = $4,
         last_sign_in_at = $5 WHERE person_id = $6`,
      next.email,
      next.role,
      next.accountId,
      next.isActive,
      next.lastSignInAtMs,
      personId,
    );
  }

  async setPassword(personId: number, passwordHash: string, isInitial: boolean): Promise<void> {
    await this.queries.run(
      'UPDATE person SET password_hash = $1, is_password_initial = $2 WHERE person_id = $3',
      passwordHash,
      isInitial,
      personId,
    );
  }

  /** Removes a person, and all sessions with it. */
  async delete(personId: number): Promise<void> {
    await this.queries.run('DELETE FROM person WHERE person_id = $1', personId);
  }
}
