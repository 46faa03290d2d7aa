import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { failureText } from '../../base/failure-text.ts';
import './failures.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-engine-failures-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('system errors of the engine are explained to the operator', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const failureOf = async (sql: string) => {
    const error = await connection.run(sql).then(
      () => null,
      (error: unknown) => error,
    );
    return failureText(error);
  };
  const absent = join(folder, 'absent', 'rows.csv');
  expect(await failureOf(`COPY (SELECT 1) TO '${absent}'`)).toBe(
    `${absent} does not exist; check the path`,
  );
  expect(await failureOf(`COPY (SELECT 1) TO '/dev/full' (FORMAT csv, USE_TMP_FILE false)`)).toBe(
    '/dev/full cannot be written: the disk is full; free some space on it',
  );
  connection.closeSync();
  instance.closeSync();
});

test.each<[Error, string]>([
  [
    new Error('IO Error: Could not write to file "/srv/a.parquet": No space left on device'),
    '/srv/a.parquet cannot be written: the disk is full; free some space on it',
  ],
  [
    new Error('IO Error: Cannot open file "/srv/a": Too many open files in system'),
    '/srv/a cannot be opened: the system cannot open more files; ' +
      'close other programs, or raise the limit of the system',
  ],
  [
    new Error('Out of Memory Error: could not allocate block of size 256.0 KiB\n\nHints'),
    'the engine cannot go on: it is out of memory; load fewer files at a time',
  ],
  [
    new Error('Permission denied to the data of your dreams'),
    'Permission denied to the data of your dreams',
  ],
])('what it says as %s is one plain line', (error, text) => {
  expect(failureText(error)).toBe(text);
});
