import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { addressOf } from '../../src/store/postgres/address.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrations.ts';
import { PostgresSession } from '../../src/store/postgres/postgres-session.ts';
import type { PartSchema } from '../../src/store/postgres/schema.ts';
import { COMMIT_MARK_SCHEMA } from '../../src/store/postgres/write-locks.ts';
import { rowsIn } from '../../src/store/queries.ts';
import { StoreUnavailableError } from '../../src/store/store-errors.ts';
import { openLossy } from './lossy-network.ts';
import { isPostgresMissing, TestPostgres } from './start-postgres.ts';

const PART: PartSchema = {
  name: 'control',
  scripts: [
    `CREATE TABLE ticklake.thing (thing_id bigint PRIMARY KEY, name text); ${COMMIT_MARK_SCHEMA}`,
    'ALTER TABLE ticklake.thing ADD COLUMN is_old boolean NOT NULL DEFAULT false;',
  ],
  usableFrom: 2,
};
const EARLIER: PartSchema = { ...PART, scripts: PART.scripts.slice(0, 1), usableFrom: 1 };

describe.skipIf(isPostgresMissing())('a database in PostgreSQL', () => {
  let server: TestPostgres;
  const opened: { close(): Promise<void> }[] = [];

  beforeAll(async () => {
    server = await TestPostgres.start();
  });

  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close();
  });

  afterAll(async () => {
    await server?.remove();
  });

  const open = (name: string, user?: string) => {
    const database = new PostgresDatabase(server.address(name, user));
    opened.push(database);
    return database;
  };

  const fresh = async () => {
    const database = open(await server.newDatabase());
    await migrate(database, PART);
    return database;
  };

  it('gives back numbers, texts, booleans and lists as they were bound', async () => {
    const values = [2 ** 53 - 1, "it's 😀", true, null] as const;
    const row = await (await fresh()).get(
      'SELECT $1::bigint AS a, $2::text AS b, $3::boolean AS c, $4::text AS d, $5::bigint[] AS e',
      ...values,
      [1, 2],
    );
    expect(Object.values(row ?? {}).slice(0, 4)).toEqual(values);
    expect(row?.e).toHaveLength(2);
  });

  it('refuses a number that would not be exact', async () => {
    await expect((await fresh()).get('SELECT 9007199254740993::bigint AS n')).rejects.toThrow(
      'too great',
    );
  });

  it('has one writer at a time for each lock, who sees all that was written before', async () => {
    const database = await fresh();
    await database.run("INSERT INTO ticklake.thing (thing_id, name) VALUES (0, '0')");
    const increase = () =>
      database.transaction('control', async (queries) => {
        const row = await queries.get('SELECT name FROM ticklake.thing');
        await queries.run('UPDATE ticklake.thing SET name = $1', `${Number(row?.name) + 1}`);
      });
    await Promise.all(Array.from({ length: 20 }, increase));
    expect(await database.get('SELECT name FROM ticklake.thing')).toEqual({ name: '20' });
  });

  it('waits longer for a free connection than for one to be made', async () => {
    const database = new PostgresDatabase(server.address(await server.newDatabase()), 1);
    opened.push(database);
    await database.get('SELECT 1 AS n');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const held = Promise.withResolvers<void>();
      const reading = database.reading(() => held.promise);
      const next = database.get('SELECT 1 AS n');
      await vi.advanceTimersByTimeAsync(10_000);
      held.resolve();
      await reading;
      expect(await next).toEqual({ n: 1 });
    } finally {
      vi.useRealTimers();
    }
  });

  it('commits nothing of a transaction in which a statement failed, caught or not', async () => {
    const database = await fresh();
    const work = database.transaction('control', async (queries) => {
      await queries.run('INSERT INTO ticklake.thing (thing_id) VALUES (1)');
      await queries.run('INSERT INTO ticklake.thing (thing_id) VALUES (1)').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('has failed');
    expect(await database.all('SELECT thing_id FROM ticklake.thing')).toEqual([]);
  });

  it('is migrated once, however many nodes start at the same time', async () => {
    const name = await server.newDatabase();
    await Promise.all(Array.from({ length: 6 }, () => migrate(open(name), PART)));
    const versions = await open(name).all('SELECT name, version FROM ticklake.schema_version');
    expect(versions).toEqual([{ name: 'control', version: 2 }]);
  });

  it('keeps its rows when a later release adds to the tables, and refuses an earlier one', async () => {
    const database = open(await server.newDatabase());
    await migrate(database, EARLIER);
    await database.run('INSERT INTO ticklake.thing (thing_id) VALUES (7)');
    await migrate(database, PART);
    const rows = await database.all('SELECT thing_id, is_old FROM ticklake.thing');
    expect(rows).toEqual([{ thing_id: 7, is_old: false }]);
    await expect(migrate(database, EARLIER)).rejects.toThrow('newer release (schema 2');
  });

  it('is left as it is by servers of an earlier release that can work with it, which start beside later ones', async () => {
    const name = await server.newDatabase();
    await migrate(open(name), EARLIER);
    const later = { ...PART, usableFrom: 1 };
    await Promise.all([migrate(open(name), later), migrate(open(name), EARLIER)]);
    await migrate(open(name), EARLIER);
    const [row] = await open(name).all('SELECT version FROM ticklake.schema_version');
    expect(row).toEqual({ version: 2 });
  });

  it('runs a statement for each of many rows, also with half a character', async () => {
    const database = await fresh();
    const rows = Array.from({ length: 3 }, (_, at) => ({ thing_id: at, name: `${at}\ud800` }));
    const table = rowsIn('given', { thing_id: 'bigint', name: 'text' });
    const sql = `INSERT INTO thing SELECT thing_id, name || $2 FROM ${table}`;
    expect(await database.runEach(sql, rows, '!')).toBe(3);
    expect(await database.all('SELECT name FROM thing ORDER BY thing_id')).toEqual(
      ['0', '1', '2'].map((name) => ({ name: `${name}\ufffd!` })),
    );
  });

  it('tells a user who may not make tables what has to be run', async () => {
    const name = await server.newDatabase();
    await server.execute(name, 'CREATE ROLE nobody_special LOGIN');
    const refused = migrate(open(name, 'nobody_special'), PART);
    await expect(refused).rejects.toThrow(
      /has schema 0 of its control tables, this release needs 2; run ticklake store migrate/,
    );
  });

  it('says in one line what is wrong: no such database, no such user, nobody there', async () => {
    await expect(migrate(open('missing'), PART)).rejects.toThrow(
      /the database missing at .* cannot be used: it is not there; create it, or check/,
    );
    await expect(migrate(open('postgres', 'stranger'), PART)).rejects.toThrow(
      'it refuses the user or the password',
    );
    const away = addressOf('postgres://postgres@127.0.0.1:1/postgres');
    const database = new PostgresDatabase(away as NonNullable<typeof away>);
    opened.push(database);
    await expect(migrate(database, PART)).rejects.toThrow(StoreUnavailableError);
    await expect(migrate(database, PART)).rejects.toThrow('the database server is away');
  });

  it('is used again by itself after the server was killed and started again', async () => {
    const database = await fresh();
    const session = new PostgresSession(database.address);
    opened.push(session);
    await session.get('SELECT 1 AS n');
    await server.kill();
    await expect(database.get('SELECT 1 AS n')).rejects.toThrow(StoreUnavailableError);
    await expect(session.get('SELECT 1 AS n')).rejects.toThrow(StoreUnavailableError);
    await server.start();
    expect(await database.get('SELECT 1 AS n')).toEqual({ n: 1 });
    expect(await session.get('SELECT 1 AS n')).toEqual({ n: 1 });
    expect(session.connectionCount).toBe(2);
  });

  it.each([
    ['came about', (count: number) => count === 1],
    ['did not come about', () => false],
  ])('knows of a commit without an answer that it %s', async (outcome, passes) => {
    const database = await fresh();
    const lossy = await openLossy(server, passes);
    opened.push(lossy);
    const behind = new PostgresDatabase({ ...database.address, host: lossy.folder });
    opened.push(behind);
    const inserted = behind.transaction('control', async (queries) => {
      await queries.run('INSERT INTO ticklake.thing (thing_id) VALUES (1)');
      return 'inserted';
    });
    const isCommitted = outcome === 'came about';
    if (isCommitted) await expect(inserted).resolves.toBe('inserted');
    else await expect(inserted).rejects.toThrow(StoreUnavailableError);
    const rows = await database.all('SELECT thing_id FROM ticklake.thing');
    expect(rows).toEqual(isCommitted ? [{ thing_id: 1 }] : []);
    expect(lossy.lostCount).toBe(1);
  });

  it('takes no other transaction for one that a crash took back, whose number it got', async () => {
    // Nothing is written to the log but by commits.
    const crashing = await TestPostgres.start({ settings: { wal_writer_delay: '10s' } });
    try {
      const database = new PostgresDatabase(crashing.address(await crashing.newDatabase()));
      opened.push(database);
      await migrate(database, PART);
      const insert = (thingId: number) =>
        database.transaction('control', async (queries) => {
          await queries.run('INSERT INTO ticklake.thing (thing_id) VALUES ($1)', thingId);
        });
      await insert(1);
      const lossy = await openLossy(
        crashing,
        () => false,
        async () => {
          await crashing.killAll();
          await crashing.start();
          for (let thingId = 3; thingId < 20; thingId++) await insert(thingId);
        },
      );
      opened.push(lossy);
      const behind = new PostgresDatabase({ ...database.address, host: lossy.folder });
      opened.push(behind);
      const lost = behind.transaction('control', async (queries) => {
        await queries.run('INSERT INTO ticklake.thing (thing_id) VALUES (2)');
      });
      await expect(lost).rejects.toThrow(StoreUnavailableError);
      const row = await database.get('SELECT count(*) AS n FROM ticklake.thing WHERE thing_id < 3');
      expect(Number(row?.n)).toBe(1);
    } finally {
      for (const each of opened.splice(0)) await each.close();
      await crashing.remove();
    }
  });
});
