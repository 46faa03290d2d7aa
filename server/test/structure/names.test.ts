/** That only their own folders, and the files that choose them, name engines and stores. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = '{server,market,demo,console,client}/src/**';
/** The programs that it shows to readers run an engine on their own machines. */
const SHOWN = 'console/src/explorer/';
const CHOOSING = ['server/src/installed-engine.ts', 'server/src/installed.ts'];

it.each([
  [/duckdb/i, 'server/src/engine/duckdb/'],
  [/clickhouse/i, 'server/src/engine/clickhouse/'],
  [/sqlite/i, 'server/src/store/sqlite/'],
  [/postgres/i, 'server/src/store/postgres/'],
])('%s stands only in %s', (name, folder) => {
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
  expect(files).toEqual(expect.arrayContaining(CHOOSING));
  const naming = files.filter((file) => name.test(readFileSync(join(ROOT, file), 'utf8')));
  const others = naming.filter((file) => !file.startsWith(folder) && !file.startsWith(SHOWN));
  expect(others.length).toBeGreaterThan(0);
  expect(others.filter((file) => !CHOOSING.includes(file))).toEqual([]);
});
