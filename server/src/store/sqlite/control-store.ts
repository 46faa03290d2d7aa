/**
 * The control store: who may read what, and what was used. One SQLite file that the server and the
 * command line may have open at the same time; a change made by either counts at once for both.
 */
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { AccessRuleTable } from './access-rules.ts';
import { ApiKeyTable } from './api-keys.ts';
import { AuditLog } from './audit-log.ts';
import { Credentials } from './credentials.ts';
import { openDatabase, transaction } from './database.ts';
import { IdentityTable } from './identities.ts';
import { PersonTable } from './people.ts';
import { addQuantityColumns } from './quantity-columns.ts';
import { MIGRATIONS } from './schema.ts';
import { SessionTable } from './sessions.ts';
import { SignInPlaceTable } from './sign-in-places.ts';
import { Statements } from './statements.ts';
import { StoreReserve, type WriteKind } from './store-reserve.ts';
import { StoreWrites } from './store-writes.ts';
import { UsageTable } from './usage.ts';

export interface ControlStoreOptions {
  /** How long a lock of another process is waited for; 30 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** Space to keep for a full disk; none by default. `reserve.fill` makes it. */
  readonly reserveBytes?: number;
}

export class SqliteControlStore {
  readonly identities: IdentityTable;
  readonly keys: ApiKeyTable;
  readonly credentials: Credentials;
  readonly rules: AccessRuleTable;
  readonly people: PersonTable;
  readonly sessions: SessionTable;
  readonly signInPlaces: SignInPlaceTable;
  readonly audit: AuditLog;
  readonly usage: UsageTable;
  readonly reserve: StoreReserve;
  readonly writes: StoreWrites;
  readonly #database: DatabaseSync;

  constructor(path: string, { busyTimeoutMs, reserveBytes = 0 }: ControlStoreOptions = {}) {
    this.#database = openDatabase(path, MIGRATIONS, busyTimeoutMs);
    addQuantityColumns(this.#database);
    const statements = new Statements(this.#database);
    this.identities = new IdentityTable(statements);
    this.keys = new ApiKeyTable(statements);
    this.credentials = new Credentials(statements, this.keys, this.identities);
    this.rules = new AccessRuleTable(statements);
    this.people = new PersonTable(statements);
    this.sessions = new SessionTable(statements);
    this.signInPlaces = new SignInPlaceTable(statements);
    this.audit = new AuditLog(statements);
    this.usage = new UsageTable(statements);
    this.reserve = new StoreReserve(statements, dirname(path), reserveBytes);
    this.writes = new StoreWrites(dirname(path));
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs `work` in one write transaction: all of it counts, or none when it throws. */
  transaction<T>(work: () => T, kind: WriteKind = 'change'): T {
    return this.writes.observe(kind, () => {
      this.reserve.require(kind);
      return transaction(this.#database, work);
    });
  }

  close(): void {
    this.#database.close();
  }
}
