/** The change log's guarantees to readers, for any writers and any order of commits. */
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectionConfig } from '../../../src/store/postgres/connection.ts';
import type { PostgresControlStore } from '../../../src/store/postgres/control-store.ts';
import { isPostgresMissing, TestPostgres } from '../../postgres/start-postgres.ts';
import { writing } from '../../writing.ts';
import { openStore } from './postgres-store.ts';
import { fill, NOW_MS, newAccount } from './samples.ts';

describe.skipIf(isPostgresMissing())('the log of changes in PostgreSQL', () => {
  let server: TestPostgres;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    server = await TestPostgres.start();
  });

  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  afterAll(async () => {
    await server?.remove();
  });

  /** A store, and a way to connect to its database as any other program does. */
  async function open() {
    const name = await server.newDatabase();
    const store = await openStore(server.url(name));
    closing.push(() => store.close());
    const connect = async () => {
      const client = new pg.Client(connectionConfig(server.address(name)));
      await client.connect();
      closing.push(() => client.end());
      return client;
    };
    return { name, store, connect };
  }

  const rename = (client: pg.Client, accountId: number, name: string) =>
    client.query('UPDATE ticklake.identity SET name = $1 WHERE identity_id = $2', [
      name,
      accountId,
    ]);

  const isActive = async (store: PostgresControlStore, hash: string) => {
    await store.catchUp();
    return store.replica.findCredential(hash)?.account.isActive;
  };

  it('has every later change wait for an earlier one that is not committed, by whatever program', async () => {
    const { store, connect } = await open();
    const [first, second] = [await store.transaction(fill), await store.transaction(fill)];
    const [slow, fast, watcher] = [await connect(), await connect(), await connect()];
    await slow.query('BEGIN');
    await rename(slow, first.accountId, 'slow');
    let isFastDone = false;
    const renamed = rename(fast, second.accountId, 'fast').then(() => {
      isFastDone = true;
    });
    const waiting = async () =>
      (await watcher.query('SELECT 1 FROM pg_locks WHERE NOT granted')).rowCount;
    await expect.poll(waiting).toBe(1);
    await store.catchUp();
    expect(isFastDone).toBe(false);
    await slow.query('COMMIT');
    await renamed;
    await store.catchUp();
    const names = [first, second].map(
      ({ hash }) => store.replica.findCredential(hash)?.account.name,
    );
    expect(names).toEqual(['slow', 'fast']);
  });

  it('loses no change to a reader that looks all the time, among many writers', async () => {
    const { store, connect } = await open();
    const accounts = await Promise.all(Array.from({ length: 8 }, () => store.transaction(fill)));
    let isOver = false;
    const reading = (async () => {
      while (!isOver) await store.catchUp();
    })();
    await Promise.all(
      accounts.map(async ({ accountId }, at) => {
        const client = await connect();
        for (let round = 0; round < 15; round++) {
          await client.query('BEGIN');
          await rename(client, accountId, `account ${at} of round ${round}`);
          // Some commit later than others that have begun after them.
          for (let more = (at * round) % 4; more > 0; more--) await client.query('SELECT 1');
          await client.query(round % 5 === 3 ? 'ROLLBACK' : 'COMMIT');
        }
      }),
    );
    isOver = true;
    await reading;
    // Nothing is read again but what a change is known of.
    await store.catchUp();
    for (const { hash, accountId } of accounts) {
      const kept = await store.accounts.find(accountId);
      expect(store.replica.findCredential(hash)?.account).toEqual(kept);
    }
  });

  it('reads everything anew from a server that took over and lacks the last changes', async () => {
    const { name, store } = await open();
    const { hash, accountId } = await store.transaction(fill);
    await store.catchUp();
    await writing(store).accounts.update(accountId, { isActive: false });
    expect(await isActive(store, hash)).toBe(false);
    await server.kill();
    await server.start();
    // The state of a standby that missed the last change; as many others have happened since.
    await server.execute(
      name,
      'ALTER TABLE ticklake.identity DISABLE TRIGGER USER',
      `UPDATE ticklake.identity SET is_active = true WHERE identity_id = ${accountId}`,
      'ALTER TABLE ticklake.identity ENABLE TRIGGER USER',
    );
    await expect.poll(() => isActive(store, hash).catch(() => undefined)).toBe(true);
  });

  it('is not written by what a key is used for, and keeps one row for each subject', async () => {
    const { store, connect } = await open();
    const { accountId } = await store.transaction(fill);
    for (let at = 0; at < 5; at++) {
      await writing(store).accounts.update(accountId, { maxActiveApiKeys: at });
    }
    const { rows } = await (await connect()).query('SELECT subject FROM ticklake.change_log');
    expect(rows.map(({ subject }) => subject).toSorted()).toEqual(['identity', 'offer', 'person']);
  });

  it('keeps the audit log as it is: no program changes, removes or inserts before', async () => {
    const { store, connect } = await open();
    const entry = { happenedAtMs: NOW_MS, actor: 'a', source: 's', operation: 'o', target: 't' };
    await writing(store).audit.append({ ...entry, before: null, after: null });
    const client = await connect();
    for (const sql of [
      'UPDATE ticklake.audit_log SET actor = $$b$$',
      'DELETE FROM ticklake.audit_log',
      'TRUNCATE ticklake.audit_log',
      `INSERT INTO ticklake.audit_log (audit_id, happened_at, actor, source, operation, target)
       VALUES (0, 0, '', '', '', '')`,
    ]) {
      await expect(client.query(sql)).rejects.toThrow();
    }
    expect(await store.audit.list({}, 'oldest first', 0, 9)).toMatchObject([entry]);
  });

  it('takes over changes while writers wait for each other with all connections', async () => {
    const { store, connect } = await open();
    const { accountId, hash } = await store.transaction(fill);
    const holder = await connect();
    await rename(holder, accountId, 'renamed');
    await holder.query('BEGIN');
    await rename(holder, accountId, 'held');
    const writers = Array.from({ length: 9 }, () =>
      store.transaction(fill).then(
        () => 'written',
        () => 'refused',
      ),
    );
    const lookedInto = store.catchUp().then(() => 'looked into');
    expect(await Promise.race([lookedInto, ...writers])).toBe('looked into');
    expect(store.replica.findCredential(hash)?.account.name).toBe('renamed');
    await holder.query('COMMIT');
    await Promise.all(writers);
  });

  it('tells apart what is wrong with a record and a store that is away', async () => {
    const { store } = await open();
    const account = newAccount();
    await writing(store).accounts.create(account);
    await expect(writing(store).accounts.create(account)).rejects.not.toHaveProperty('reason');
    expect(store.writes.problem()).toBeNull();
  });
});
