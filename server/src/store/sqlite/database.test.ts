import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { UsageError } from '../../base/errors.ts';
import { openDatabase, transaction } from './database.ts';

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

test('a file of a release whose schema is no longer known is refused, and left as it was', () => {
  const path = join(directory, 'earlier.db');
  openDatabase(path, [CREATE]).close();
  expect(() => openDatabase(path, [null, CREATE])).toThrow(/written by an earlier release/);
  openDatabase(path, [CREATE]).close();
  openDatabase(join(directory, 'fresh.db'), [null, CREATE]).close();
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

test('a transaction that throws leaves nothing behind', () => {
  const database = openDatabase(join(directory, 'd.db'), [CREATE]);
  expect(() =>
    transaction(database, () => {
      database.exec("INSERT INTO item VALUES ('lost')");
      throw new Error('stop');
    }),
  ).toThrow('stop');
  expect(database.prepare('SELECT count(*) AS n FROM item').get()).toEqual({ n: 0 });
  database.close();
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

test('a transaction takes no work that ends after it, which the types refuse', () => {
  const database = openDatabase(join(directory, 'p.db'), [CREATE]);
  // @ts-expect-error: it would be committed before it is done.
  transaction(database, async () => 1);
  // @ts-expect-error: so would this.
  transaction(database, () => Promise.resolve());
  expect(transaction(database, () => 1)).toBe(1);
  database.close();
});

test('a transaction within another one is a part of it', () => {
  const database = openDatabase(join(directory, 'f.db'), [CREATE]);
  expect(() =>
    transaction(database, () => {
      transaction(database, () => database.exec("INSERT INTO item VALUES ('lost')"));
      throw new Error('stop');
    }),
  ).toThrow('stop');
  expect(database.prepare('SELECT count(*) AS n FROM item').get()).toEqual({ n: 0 });
  database.close();
});
