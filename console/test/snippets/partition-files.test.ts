/** Partition files as a Parquet reader in Python sees them, against the server's own JSON. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestService } from '../../../server/test/harness.ts';
import { partFiles } from '../../../server/test/part-files.ts';
import { withNineDigits } from './expected-rows';
import { openSnippetService } from './snippet-data';

const UTC_NANOS = "Datetime(time_unit='ns', time_zone='UTC')";

let service: TestService;
beforeAll(async () => {
  service = await openSnippetService();
});
afterAll(() => service?.close());

test.skipIf(inject('python') === null).each([
  ['eq_taq', ['us-equity/eq-taq/2024-11-01/AAA', 'us-equity/eq-taq/2024-11-03/AAA']],
  ['eq_trading_halts', ['us-equity-ref/eq-trading-halts']],
])('times of %s are UTC to the nanosecond', async (textId, paths) => {
  const { datasetId, timeZone, columns } = service.dataset(textId);
  const times = columns.filter(({ dataType }) => dataType === 'date-time').map(({ name }) => name);
  const script = join(import.meta.dirname, 'read_partitions.py');
  const files = await partFiles(service.services.lake, datasetId);
  const words = [script, timeZone, ...files];
  const { stdout, stderr } = spawnSync(inject('python') ?? '', words, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const read = JSON.parse(stdout);
  expect(read.types).toEqual(Object.fromEntries(times.map((name) => [name, UTC_NANOS])));
  expect(read.twins).toBe(true);
  const expected: (string | null)[][] = [];
  for (const path of paths) {
    const { data } = (await service.get(`/v1/data/${path}`)).json();
    for (const row of data as Record<string, string | null>[]) {
      expected.push(times.map((name) => (row[name] ? withNineDigits(row[name]) : null)));
    }
  }
  expect(expected.length).toBeGreaterThan(6);
  expect(read.rows).toEqual(expected);
});
