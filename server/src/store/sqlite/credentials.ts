/**
 * All keys with their identities, in memory, so that an unknown key is told from a known one in the
 * same time and neither costs a search. Every change of either, by this process or another, writes
 * whom it concerns to the log of changes; each question first catches up with that log.
 */
import type { HashedApiKey } from '../api-keys.ts';
import type { Credential } from '../credentials.ts';
import type { Identity } from '../identities.ts';
import type { ApiKeyTable } from './api-keys.ts';
import type { IdentityTable } from './identities.ts';
import type { Statements } from './statements.ts';

const IDENTITIES_AT_ONCE = 1000;

export class Credentials {
  readonly #statements: Statements;
  readonly #keys: ApiKeyTable;
  readonly #identities: IdentityTable;
  /** The last change that is known; null: nothing is. */
  #changeId: number | null = null;
  readonly #byHash = new Map<string, Credential>();
  readonly #hashesOfIdentity = new Map<number, readonly string[]>();

  constructor(statements: Statements, keys: ApiKeyTable, identities: IdentityTable) {
    this.#statements = statements;
    this.#keys = keys;
    this.#identities = identities;
  }

  /** The key with a hash, and its identity; whether they are active is not asked. */
  find(hash: string): Credential | null {
    this.catchUp();
    return this.#byHash.get(hash) ?? null;
  }

  /** Reads what has changed; the first time, everything. */
  catchUp(): void {
    const [lastId] = this.#statements
      .prepareArrays('SELECT coalesce(max(change_id), 0) FROM credential_change')
      .get() as unknown as [number];
    if (lastId === this.#changeId) return;
    if (this.#changeId === null) this.#readAll();
    else this.#readChangedSince(this.#changeId);
    this.#changeId = lastId;
  }

  #readAll(): void {
    for (let afterId = 0; ; ) {
      const identities = this.#identities.list(afterId, IDENTITIES_AT_ONCE);
      for (const identity of identities) this.#keep(identity);
      const last = identities.at(-1);
      if (!last) return;
      afterId = last.identityId;
    }
  }

  #readChangedSince(changeId: number): void {
    const rows = this.#statements
      .prepare('SELECT DISTINCT identity_id AS id FROM credential_change WHERE change_id > ?')
      .all(changeId);
    for (const { id } of rows) {
      const identityId = Number(id);
      for (const hash of this.#hashesOfIdentity.get(identityId) ?? []) this.#byHash.delete(hash);
      this.#hashesOfIdentity.delete(identityId);
      const identity = this.#identities.find(identityId);
      if (identity) this.#keep(identity);
    }
  }

  #keep(identity: Identity): void {
    const keys: readonly HashedApiKey[] = this.#keys.listHashed(identity.identityId);
    for (const { hash, key } of keys) this.#byHash.set(hash, { key, identity });
    const hashes = keys.map(({ hash }) => hash);
    this.#hashesOfIdentity.set(identity.identityId, hashes);
  }
}
