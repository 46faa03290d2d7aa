import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../../base/errors.ts';
import { rowsIn } from '../queries.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { openDatabase, SqliteDatabase } from './database.ts';

const directory = mkdtempSync(join(tmpdir(), 'ticklake-database-'));
afterAll(() => rmSync(directory, { recursive: true }));

const CREATE = 'CREATE TABLE item (name TEXT)';

test('each migration runs once, also when the file is opened again', () => {
  const path = join(directory, 'folder', 'a.db');
  openDatabase(path, [CREATE, "INSERT INTO item VALUES ('one')"]).close();
  const again = openDatabase(path, [
    CREATE,
    "INSERT INTO item VALUES ('one')",
    'CREATE TABLE b (x)',
  ]);
  expect(again.prepare('SELECT count(*) AS n FROM item').get()).toEqual({ n: 1 });
  expect(again.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 });
  again.close();
});

test('a failing migration leaves the file as it was', () => {
  const path = join(directory, 'b.db');
  openDatabase(path, [CREATE]).close();
  expect(() => openDatabase(path, [CREATE, 'CREATE TABLE c (x); NOT SQL'])).toThrow(/syntax/);
  const database = openDatabase(path, [CREATE]);
  expect(database.prepare("SELECT name FROM sqlite_schema WHERE name = 'c'").get()).toBeUndefined();
  database.close();
});

test('a file of a newer release is refused', () => {
  const path = join(directory, 'c.db');
  openDatabase(path, [CREATE, 'CREATE TABLE d (x)']).close();
  expect(() => openDatabase(path, [CREATE])).toThrow(
    new UsageError(`${path} was written by a newer release (schema 2, this one knows 1)`),
  );
});

test('a file of a development state before the first release is refused in one sentence', () => {
  const path = join(directory, 'earlier.db');
  const before = new DatabaseSync(path);
  before.exec('CREATE TABLE item (name TEXT); PRAGMA user_version = 1');
  before.close();
  expect(() => openDatabase(path, [CREATE])).toThrow(
    new UsageError(
      `${path} was written before the first release, whose programs cannot read it; load the data again into a new home`,
    ),
  );
});

test('a file that cannot be opened is named, in words', () => {
  const folder = join(directory, 'folder.db');
  mkdirSync(folder);
  expect(() => openDatabase(folder, [CREATE])).toThrow(
    `${folder} cannot be used: it cannot be opened; check that it is a file`,
  );
  const other = join(directory, 'other.db');
  writeFileSync(
    other,
    'a text that is long enough to be read as the head of a database '.repeat(9),
  );
  expect(() => openDatabase(other, [CREATE])).toThrow(
    `${other} cannot be used: it is not a database; restore it from a backup`,
  );
});

async function itemCount(database: SqliteDatabase): Promise<unknown> {
  return (await database.get('SELECT count(*) AS count FROM item'))?.count;
}

test('a transaction that rejects leaves nothing behind', async () => {
  const database = new SqliteDatabase(join(directory, 'd.db'), [CREATE]);
  const work = database.transaction(async (queries) => {
    await queries.run("INSERT INTO item VALUES ('lost')");
    throw new Error('stop');
  });
  await expect(work).rejects.toThrow('stop');
  expect(await itemCount(database)).toBe(0);
  await database.close();
});

test('reads of one moment do not see what is committed meanwhile; others see it at once', async () => {
  const database = new SqliteDatabase(join(directory, 'm.db'), [CREATE]);
  const add = () => database.transaction((queries) => queries.run("INSERT INTO item VALUES ('a')"));
  await database.reading(async (queries) => {
    const count = async () => (await queries.get('SELECT count(*) AS count FROM item'))?.count;
    expect(await count()).toBe(0);
    await add();
    expect([await count(), await itemCount(database)]).toEqual([0, 1]);
  });
  await database.close();
});

test('reads of one moment that the disk ends report its failure, and later ones work', async () => {
  const database = new SqliteDatabase(join(directory, 'r.db'), [CREATE]);
  const failing = database.reading(async (queries) => {
    // So does SQLite where a read fails.
    await queries.run('ROLLBACK');
    throw new StoreUnavailableError('the disk failed', 'the disk failed');
  });
  await expect(failing).rejects.toThrow(StoreUnavailableError);
  expect(await database.reading((queries) => queries.all('SELECT * FROM item'))).toEqual([]);
  await database.close();
});

test('a statement runs for each of many rows, by the names of their fields', async () => {
  const database = new SqliteDatabase(join(directory, 'each.db'), [CREATE]);
  const sql = `INSERT INTO item SELECT name || $2::text || more FROM ${rowsIn('given', { name: 'text', more: 'text' })}`;
  const rows = ['one', 'two'].map((name) => ({ more: '?', name }));
  expect(await database.transaction((queries) => queries.runEach(sql, rows, '!'))).toBe(2);
  expect(await database.all('SELECT name FROM item')).toEqual([
    { name: 'one!?' },
    { name: 'two!?' },
  ]);
  await database.close();
});

test('lists are bound as one value, and columns with the names of flags are booleans', async () => {
  const database = new SqliteDatabase(join(directory, 'list.db'), [CREATE]);
  const sql = `SELECT 2 = ANY ($1::bigint[]) AS "isIn", $2::boolean AS "isTrue", $3::text AS text`;
  expect(await database.get(sql, [1, 2], true, null)).toEqual({
    ...{ isIn: true, isTrue: true, text: null },
  });
  await database.close();
});

test('only the owner of the file may read it, its log and its shared memory', () => {
  const path = join(directory, 'e.db');
  const umask = process.umask(0o022);
  const database = openDatabase(path, [CREATE]);
  process.umask(umask);
  database.exec("INSERT INTO item VALUES ('one')");
  for (const suffix of ['', '-wal', '-shm']) {
    expect(statSync(`${path}${suffix}`).mode & 0o777, suffix).toBe(0o600);
  }
  database.close();
});
