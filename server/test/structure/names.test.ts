/** That only their own folders, and the one file that chooses them, name the engine and the store. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = '{server,market,demo,console,client}/src/**';
const CHOOSING = 'server/src/installed.ts';

it.each([
  [/duckdb/i, 'server/src/engine/duckdb/'],
  [/sqlite/i, 'server/src/store/sqlite/'],
  [/postgres/i, 'server/src/store/postgres/'],
])('%s stands only in %s', (name, folder) => {
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  expect(files).toContain(CHOOSING);
  const naming = files.filter((file) => name.test(readFileSync(join(ROOT, file), 'utf8')));
  expect(naming.filter((file) => !file.startsWith(folder))).toEqual([CHOOSING]);
});
