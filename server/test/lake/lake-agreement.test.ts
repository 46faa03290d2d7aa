/** That the check of killed changes notices what it is for. */
import { appendFileSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder } from '../command-line/run-command.ts';
import { publishBatches } from '../publish-batches.ts';
import { disagreements } from './lake-agreement.ts';
import { sampleDataset } from './sample-dataset.ts';
import { rowsOfVersion } from './sample-version.ts';

const dataset = sampleDataset('day');
/** Made once, and harmed in copies. */
const made = newFolder();
let folder: ReturnType<typeof newFolder>;
let file: string;

beforeAll(async () => {
  const lake = await openLake({ home: made.path }, fixedClock('2026-11-20T20:00:00Z'));
  async function* batches(version: number) {
    yield batchOfRows(dataset.columns, rowsOfVersion(version));
  }
  for (const version of [1, 2, 3]) {
    await publishBatches(lake, { dataset, mode: 'replace', batches: batches(version) });
  }
  await lake.close();
});
afterAll(() => made.remove());
beforeEach(() => {
  folder = newFolder();
  cpSync(made.path, folder.path, { recursive: true });
  const parts = join(folder.path, 'lake', dataset.textId);
  file = join(parts, readdirSync(parts)[0] as string);
});
afterEach(() => folder.remove());

function execute(sql: string): void {
  const database = new DatabaseSync(join(folder.path, 'lake.db'));
  database.exec('PRAGMA foreign_keys = OFF');
  database.exec(sql);
  database.close();
}

it('finds nothing in a lake that nobody has harmed', () => {
  expect(disagreements(folder.path)).toEqual([]);
});

const FIRST_PART = '(SELECT min(part_id) FROM part)';
const LAST_SPAN = '(SELECT max(part_id) FROM part_span)';
const HARMS: readonly [string, () => void, RegExp][] = [
  ['a file is gone', () => rmSync(file), /\.parquet is missing$/],
  ['a file is altered', () => appendFileSync(file, 'x'), /\.parquet is altered$/],
  ['a file is left over', () => writeFileSync(`${file}.x`, ''), /\.x is left over$/],
  [
    'a part is forgotten',
    () => execute(`DELETE FROM part WHERE part_id = ${FIRST_PART}`),
    /no part$/,
  ],
  [
    'a part is retired',
    () => execute(`UPDATE part SET retired_at = 1 WHERE part_id = ${FIRST_PART}`),
    /has a retired part$/,
  ],
  [
    'a span is gone',
    () => execute(`DELETE FROM part_span WHERE part_id = ${LAST_SPAN}`),
    /^version 3 of US9001 is 5,/,
  ],
  [
    'a span is too long',
    () => execute('UPDATE part_span SET end_version = 3 WHERE end_version = 2'),
    /meets another$/,
  ],
  [
    'a version is gone',
    () => execute('DELETE FROM version WHERE version = 2'),
    /has versions 1,3$/,
  ],
  [
    'a digest is another one',
    () => execute(`UPDATE version SET content_digest = '${'1'.repeat(32)}' WHERE version = 1`),
    /^version 1 of US9001 is /,
  ],
  [
    'a publication has not ended',
    () => execute("UPDATE publication SET state = 'running' WHERE publication_id = 1"),
    /^publication 1 still runs$/,
  ],
  [
    'a version has no publication',
    () => execute('UPDATE publication_dataset SET version = NULL WHERE version = 2'),
    /^no publication made version US9001 2$/,
  ],
  [
    'the ledger tells of another part',
    () => execute(`UPDATE publication_part SET after_part_id = 1 WHERE publication_id = 3`),
    /of version 3: 1 is \d+$/,
  ],
  [
    'something is pending',
    () => execute("INSERT INTO pending_part VALUES ('x', 0)"),
    /^x is pending$/,
  ],
];

it.each(HARMS)('notices that %s', (_, harm, told) => {
  harm();
  expect(disagreements(folder.path)).toContainEqual(expect.stringMatching(told));
});
