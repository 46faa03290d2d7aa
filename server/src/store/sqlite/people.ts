/** The table of people. */
import type { NewPerson, Person, PersonChanges, PersonTable, Role } from '../people.ts';
import type { Row, StatementSource } from './statements.ts';

export function personOf(row: Row): Person {
  return {
    personId: Number(row.person_id),
    email: String(row.email),
    role: row.role as Role,
    identityId: row.identity_id === null ? null : Number(row.identity_id),
    isActive: row.is_active === 1,
    isPasswordInitial: row.is_password_initial === 1,
    hasSecondFactor: row.has_second_factor === 1,
    createdAtMs: Number(row.created_at),
    lastSignInAtMs: row.last_sign_in_at === null ? null : Number(row.last_sign_in_at),
  };
}

export class SqlitePeople implements PersonTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async create(person: NewPerson): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO person
           (email, role, identity_id, password_hash, is_password_initial, created_at)
         VALUES (?, ?, ?, ?, 1, ?)`,
      )
      .run(person.email, person.role, person.identityId, person.passwordHash, person.createdAtMs);
    return Number(lastInsertRowid);
  }

  async find(personId: number): Promise<Person | null> {
    const row = this.#statements.prepare('SELECT * FROM person WHERE person_id = ?').get(personId);
    return row ? personOf(row) : null;
  }

  async findByEmail(email: string): Promise<Person | null> {
    const row = this.#statements.prepare('SELECT * FROM person WHERE email = ?').get(email);
    return row ? personOf(row) : null;
  }

  async passwordHash(personId: number): Promise<string | null> {
    const row = this.#statements
      .prepare('SELECT password_hash FROM person WHERE person_id = ?')
      .get(personId);
    return row ? String(row.password_hash) : null;
  }

  async list(identityId: number | null, afterId: number, limit: number): Promise<Person[]> {
    return this.#statements
      .prepare(
        `SELECT * FROM person WHERE person_id > :after
           AND (:identity IS NULL OR identity_id = :identity)
         ORDER BY person_id LIMIT :limit`,
      )
      .all({ identity: identityId, after: afterId, limit })
      .map(personOf);
  }

  async countOf(identityId: number): Promise<number> {
    const row = this.#statements
      .prepare('SELECT count(*) AS n FROM person WHERE identity_id = ?')
      .get(identityId);
    return Number(row?.n);
  }

  async countActiveOwners(): Promise<number> {
    const row = this.#statements
      .prepare("SELECT count(*) AS n FROM person WHERE role = 'owner' AND is_active = 1")
      .get();
    return Number(row?.n);
  }

  async update(personId: number, changes: PersonChanges): Promise<void> {
    const current = await this.find(personId);
    if (!current) throw new Error(`no person ${personId}`);
    const next = { ...current, ...changes };
    this.#statements
      .prepare(
        `UPDATE person SET email = ?, role = ?, identity_id = ?, is_active = ?, last_sign_in_at = ?
         WHERE person_id = ?`,
      )
      .run(
        next.email,
        next.role,
        next.identityId,
        Number(next.isActive),
        next.lastSignInAtMs,
        personId,
      );
  }

  async setPassword(personId: number, passwordHash: string, isInitial: boolean): Promise<void> {
    this.#statements
      .prepare('UPDATE person SET password_hash = ?, is_password_initial = ? WHERE person_id = ?')
      .run(passwordHash, Number(isInitial), personId);
  }

  async delete(personId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM person WHERE person_id = ?').run(personId);
  }
}
