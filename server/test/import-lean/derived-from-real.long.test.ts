/** What is derived from the LEAN sample, held against LEAN's own figures, and derived by processes that are killed. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { openLake } from '../../src/open-home.ts';
import { readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { companies } from './expected-lines.ts';
import { leanFactors } from './lean-factors.ts';

const root = fileURLToPath(new URL('../../../../shared/real-data/lean', import.meta.url));
const program = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const catalog = loadCatalog([fileURLToPath(new URL('../../../datasets', import.meta.url))]);
const derived = catalog.datasets.filter(({ derivation }) => derivation !== null);
const KILLS = 5;

// Where the sample is absent these tests are listed as skipped.
describe.skipIf(!existsSync(root))('what is derived from the LEAN sample', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'ticklake-derived-'));
  const words = ['derive', '--all', '--home', home];

  function run(...command: string[]): string {
    const given = [program, ...command, '--home', home];
    return execFileSync(process.execPath, given, { encoding: 'utf8' });
  }

  async function rowsOf(textId: string) {
    const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
    try {
      const dataset = catalog.byTextId(textId);
      if (!dataset) throw new Error(`no dataset ${textId}`);
      return await readRows(dataset, await partFiles(lake, dataset.datasetId));
    } finally {
      await lake.close();
    }
  }

  async function versions() {
    const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
    try {
      const snapshots = derived.map(({ datasetId }) => lake.snapshot(datasetId));
      return (await Promise.all(snapshots)).map((snapshot) => snapshot?.version ?? 0);
    } finally {
      await lake.close();
    }
  }

  beforeAll(() => void run('import', 'lean', root), 120_000);
  afterAll(() => rmSync(home, { recursive: true }));

  test('by processes that are killed is nothing or all of it, and whole in the end', async () => {
    const before = await versions();
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [program, ...words], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await Promise.race([ended, sleep(500 + Math.random() * 12_000)]);
      child.kill('SIGKILL');
      const [code] = await ended;
      // On a fast machine a late kill meets a process that is done.
      if (code !== 0) expect(await versions()).toEqual(before);
    }
    run('derive', '--all', '--stale');
    expect(run('derive', '--all', '--stale')).toMatch(/nothing was due\n$/);
    const loaded = [
      ...['eq_daily_ohlc', 'eq_taq_1min_ind_std', 'eq_trades_1min_ind_std', 'opt_trades_1min'],
      ...['fut_trades', 'fut_trades_1min', 'fut_taq_1min'],
      // Of options, the sample's ticks are open interest without quotes.
      'opt_greeks_daily',
    ];
    const own = derived.filter(({ textId }) => !loaded.includes(textId));
    const checked = run('derive', '--check', ...own.map(({ textId }) => textId));
    expect(
      checked.split('\n').filter((line) => line !== '' && !line.endsWith(' all equal')),
    ).toEqual([]);
  }, 400_000);

  test("has in its adjusted daily values LEAN's own cumulative factors, through changes of ticker", async () => {
    const factors = leanFactors(root);
    const companyOn = companies(root);
    const rows = await rowsOf('eq_daily_ohlc_adj');
    let adjustedCount = 0;
    for (const { TradeDate, Ticker, PriceAdjFactor, VolumeAdjFactor } of rows) {
      const company = companyOn(`${Ticker}`, `${TradeDate}`);
      const now = factors.get(company)?.find(({ lastDate }) => lastDate >= `${TradeDate}`);
      const expected = now ?? { price: 1, split: 1 };
      const where = `${Ticker} ${TradeDate} of ${company}`;
      expect(PriceAdjFactor as number, where).toBeCloseTo(expected.price * expected.split, 9);
      expect(VolumeAdjFactor as number, where).toBeCloseTo(expected.split, 9);
      if (PriceAdjFactor !== 1) adjustedCount += 1;
    }
    expect(rows.length).toBe((await rowsOf('eq_daily_ohlc')).length);
    expect(adjustedCount).toBeGreaterThan(10_000);
  }, 120_000);

  test('has prices and shares that are the raw ones by these factors', async () => {
    const raw = await rowsOf('eq_daily_ohlc');
    const adjusted = await rowsOf('eq_daily_ohlc_adj');
    for (const [i, row] of adjusted.entries()) {
      const { ClosePrice, MarketHoursVolume, TradeDate, Ticker } = raw[i] ?? {};
      const where = `${Ticker} ${TradeDate}`;
      expect([row.TradeDate, row.Ticker]).toEqual([TradeDate, Ticker]);
      const price = Number(ClosePrice) * Number(row.PriceAdjFactor);
      expect(Math.abs(Number(row.ClosePrice) - price), where).toBeLessThan(0.000051);
      const shares = Number(MarketHoursVolume) / Number(row.VolumeAdjFactor);
      expect(Math.abs(Number(row.MarketHoursVolume) - shares), where).toBeLessThan(0.51);
    }
  }, 120_000);
});
