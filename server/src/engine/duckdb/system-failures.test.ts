import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, expect, test } from 'vitest';
import { failureText } from '../../base/failure-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-engine-failures-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what the engine says of the system is told in words for the operator', async () => {
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
