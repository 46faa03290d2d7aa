/** `ticklake engine copy` between a real object store and a real cluster; parts change form. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClickHouseCluster, missingClickHouse } from '../clickhouse/cluster.ts';
import { newFolder, runWithSettings } from '../command-line/run-command.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const isMissing = objectStoreProblem() !== null || missingClickHouse() !== null;
const DAYS = ['2024-06-18', '2025-06-18', '2025-06-18'];

describe.skipIf(isMissing)('engine copy between a bucket and a cluster', () => {
  const folder = newFolder();
  const home = join(folder.path, 'home');
  const cluster = new ClickHouseCluster();
  let store: TestObjectStore;
  let bucket: string;
  let published: string;

  const clusterPlace = () => `${cluster.environment.TICKLAKE_LAKE}`;
  const settingsAt = (place: string) => ({
    ...store.environment('any'),
    ...cluster.environment,
    TICKLAKE_LAKE: place,
  });

  async function done(place: string, ...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await runWithSettings(home, settingsAt(place), ...words);
    expect([words, exitCode, stderr, stdout]).toEqual([words, 0, '', stdout]);
    return stdout;
  }

  /** Every published row, each compared with the digest of its part. */
  const verified = (place: string) => done(place, 'lake', 'verify', '--rows');

  beforeAll(async () => {
    await cluster.start(2, 1);
    store = await TestObjectStore.start();
    bucket = store.environment('moved').TICKLAKE_LAKE as string;
    const rows = join(folder.path, 'daily.csv');
    for (const [at, day] of DAYS.entries()) {
      const lines = ['AAAA', 'BBBB'].map((ticker) => `${day},${ticker},7,${at}`);
      writeFileSync(rows, ['TradeDate,Ticker,ASID,ClosePrice', ...lines, ''].join('\n'));
      await done(bucket, 'ingest', 'eq_daily_ohlc', rows);
    }
  });
  afterAll(async () => {
    await cluster.close();
    await store?.stop();
    folder.remove();
  });

  it('has the cluster hold every version that the bucket held', async () => {
    published = await verified(bucket);
    expect(published).toMatch(/^3 parts .* row by row\.\n$/);
    const text = await done(bucket, 'engine', 'copy', bucket, clusterPlace());
    expect(text).toMatch(/^Copied 3 parts, each compared by its digest; all 3 parts of /);
    expect(await verified(clusterPlace())).toMatch(/^3 parts .* row by row\.\n$/);
    const { exitCode, stderr } = await runWithSettings(home, settingsAt(bucket), 'datasets');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('its parts are in the Click')]);
  });

  it('has a bucket hold them again', async () => {
    const back = store.environment('back').TICKLAKE_LAKE as string;
    const text = await done(back, 'engine', 'copy', clusterPlace(), back);
    expect(text).toMatch(/^Copied 3 parts, each compared by its digest; all 3 parts of /);
    expect(await verified(back)).toBe(published);
  });
});
