import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openIndexCopy, openLakeIndex } from './lake-index.ts';
import { LAKE_SCRIPTS } from './schema.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-copy-'));
  path = join(folder, 'copy.db');
  const index = openLakeIndex(join(folder, 'lake.db'));
  const snapshot = await index.openSnapshot();
  await snapshot.copyTo(path);
  await snapshot.close();
  await index.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

function setSchema(version: number): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
}

it.each([1, LAKE_SCRIPTS.length])(
  'a copy of an index of schema %i is read as it is',
  async (version) => {
    setSchema(version);
    const copy = openIndexCopy(path);
    expect(await copy.keptTotals()).toEqual({ partCount: 0, storedByteCount: 0 });
    await copy.close();
  },
);

it.each([0, LAKE_SCRIPTS.length + 1])('a copy of an index of schema %i is refused', (version) => {
  setSchema(version);
  expect(() => openIndexCopy(path)).toThrow(`another release (schema ${version},`);
});
