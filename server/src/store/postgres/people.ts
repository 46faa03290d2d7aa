/** The table of people. */
import type { NewPerson, Person, PersonChanges, PersonTable } from '../people.ts';
import { canStand, countOf, insertedId, type Queries, selected } from './queries.ts';

export const PEOPLE = `SELECT ${selected({
  personId: 'person_id',
  email: 'email',
  role: 'role',
  identityId: 'identity_id',
  isActive: 'is_active',
  isPasswordInitial: 'is_password_initial',
  hasSecondFactor: 'has_second_factor',
  createdAtMs: 'created_at',
  lastSignInAtMs: 'last_sign_in_at',
})} FROM ticklake.person`;

export class PostgresPeople implements PersonTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  create(person: NewPerson): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.person
         (email, role, identity_id, password_hash, is_password_initial, created_at)
       VALUES ($1, $2, $3, $4, true, $5) RETURNING person_id AS id`,
      person.email,
      person.role,
      person.identityId,
      person.passwordHash,
      person.createdAtMs,
    );
  }

  async find(personId: number): Promise<Person | null> {
    return (await this.#queries.get<Person>(`${PEOPLE} WHERE person_id = $1`, personId)) ?? null;
  }

  async findByEmail(email: string): Promise<Person | null> {
    if (!canStand(email)) return null;
    return (await this.#queries.get<Person>(`${PEOPLE} WHERE email = $1`, email)) ?? null;
  }

  async passwordHash(personId: number): Promise<string | null> {
    const sql = 'SELECT password_hash AS hash FROM ticklake.person WHERE person_id = $1';
    return (await this.#queries.get<{ hash: string }>(sql, personId))?.hash ?? null;
  }

  list(identityId: number | null, afterId: number, limit: number): Promise<Person[]> {
    return this.#queries.all(
      `${PEOPLE} WHERE person_id > $1 AND ($2::bigint IS NULL OR identity_id = $2)
       ORDER BY person_id LIMIT $3`,
      afterId,
      identityId,
      limit,
    );
  }

  countOf(identityId: number): Promise<number> {
    const sql = 'SELECT count(*) FROM ticklake.person WHERE identity_id = $1';
    return countOf(this.#queries, sql, identityId);
  }

  countActiveOwners(): Promise<number> {
    const sql = "SELECT count(*) FROM ticklake.person WHERE role = 'owner' AND is_active";
    return countOf(this.#queries, sql);
  }

  async update(personId: number, changes: PersonChanges): Promise<void> {
    const current = await this.find(personId);
    if (!current) throw new Error(`no person ${personId}`);
    const next = { ...current, ...changes };
    await this.#queries.run(
      `UPDATE ticklake.person SET email = $1, role = $2, identity_id = $3, is_active = $4,
         last_sign_in_at = $5 WHERE person_id = $6`,
      next.email,
      next.role,
      next.identityId,
      next.isActive,
      next.lastSignInAtMs,
      personId,
    );
  }

  async setPassword(personId: number, passwordHash: string, isInitial: boolean): Promise<void> {
    await this.#queries.run(
      'UPDATE ticklake.person SET password_hash = $1, is_password_initial = $2 WHERE person_id = $3',
      passwordHash,
      isInitial,
      personId,
    );
  }

  async delete(personId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.person WHERE person_id = $1', personId);
  }
}
