/** Data derived from the LEAN sample, checked against LEAN's own figures, also after kills. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nextTradingDay, previousTradingDay } from '@ticklake/market/calendar.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { waysOf } from '../../src/catalog/derivation.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { openLake } from '../../src/open-home.ts';
import { anyMoment } from '../any-moment.ts';
import { openTestService, type TestService } from '../harness.ts';
import { type Cell, readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { PROGRAM } from '../program.ts';
import { repetitions, sampleOf } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { companies, EXPECTATIONS } from './expected-lines.ts';
import { leanFactors } from './lean-factors.ts';
import { importedSample, isSampleMissing, SAMPLE } from './sample-home.ts';
import { IBM, OF_NOTHING, ROWS } from './sample-requests.ts';

const catalog = loadCatalog([fileURLToPath(new URL('../../../datasets', import.meta.url))]);
const derived = catalog.datasets.filter(({ derivation }) => derivation !== null);
const KILLS = repetitions('TICKLAKE_DERIVE_KILLS', 1);
const DERIVE_MS = 12_000;
const KEYS = ['TradeDate', 'Ticker'];
const FACTORS = ['PriceAdjFactor', 'VolumeAdjFactor'];

const isNear = (found: Cell | undefined, due: number, by: number) =>
  Math.abs(Number(found) - due) < by;

describe.skipIf(isSampleMissing)('data derived from the LEAN sample', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'ticklake-derived-'));
  const words = ['derive', '--all', '--home', home];

  function run(...command: string[]): string {
    const given = [PROGRAM, ...command, '--home', home];
    return execFileSync(process.execPath, given, { encoding: 'utf8' });
  }

  /** Without names, rows have all columns. */
  async function rowsOf(textId: string, ...names: readonly string[]) {
    const lake = await openLake({ home }, fixedClock('2026-10-20T12:00:00Z'));
    try {
      const dataset = catalog.byTextId(textId);
      if (!dataset) throw new Error(`no dataset ${textId}`);
      const only = dataset.columns.filter(({ name }) => names.includes(name));
      const files = await partFiles(lake, dataset.datasetId);
      return await readRows(dataset, files, only.length > 0 ? only : undefined);
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

  beforeAll(async () => cpSync((await importedSample()).home, home, { recursive: true }));
  afterAll(() => rmSync(home, { recursive: true }));

  test('is all or nothing after every kill, and whole in the end', async () => {
    const draws = drawsOf('killed derivations');
    let before = await versions();
    for (let kill = 0; kill < KILLS; kill++) {
      const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await Promise.race([ended, anyMoment(draws, DERIVE_MS)]);
      child.kill('SIGKILL');
      await ended;
      const after = await versions();
      if (after.join() === before.join()) continue;
      // On a fast machine a late kill meets a process that is done.
      expect(run('derive', '--all', '--stale')).toMatch(/nothing was due\n$/);
      before = after;
    }
    run('derive', '--all', '--stale');
    expect(run('derive', '--all', '--stale')).toMatch(/nothing was due\n$/);
  });

  test('has, where nothing was loaded, the rows that another derivation gives', () => {
    const loaded = [
      ...['eq_daily_ohlc', 'eq_taq_1min_ind_std', 'eq_trades_1min_ind_std', 'opt_trades_1min'],
      ...['fut_trades', 'fut_trades_1min', 'fut_taq_1min', 'eq_adj_factors_basic', 'eq_sec_master'],
      // Option ticks of the sample are open interest without quotes or trades.
      ...['opt_trades', 'opt_greeks_daily'],
    ];
    const own = sampleOf(derived.filter(({ textId }) => !loaded.includes(textId)));
    const checked = run('derive', '--check', ...own.map(({ textId }) => textId));
    expect(
      checked.split('\n').filter((line) => line !== '' && !line.endsWith(' all equal')),
    ).toEqual([]);
  });

  test("has in its adjusted daily values LEAN's own cumulative factors, through changes of ticker", async () => {
    const factors = leanFactors(SAMPLE);
    const companyOn = companies(SAMPLE);
    const rows = await rowsOf('eq_daily_ohlc_adj', ...KEYS, ...FACTORS);
    let adjustedCount = 0;
    for (const { TradeDate, Ticker, PriceAdjFactor, VolumeAdjFactor } of rows) {
      const company = companyOn(`${Ticker}`, `${TradeDate}`);
      const now = factors.get(company)?.find(({ lastDate }) => lastDate >= `${TradeDate}`);
      const expected = now ?? { price: 1, split: 1 };
      const where = `${Ticker} ${TradeDate} of ${company}`;
      const price = expected.price * expected.split;
      // Asserting each of so many numbers takes longer than reading them.
      if (!isNear(PriceAdjFactor, price, 5e-10)) expect(PriceAdjFactor, where).toBe(price);
      if (!isNear(VolumeAdjFactor, expected.split, 5e-10)) {
        expect(VolumeAdjFactor, where).toBe(expected.split);
      }
      if (PriceAdjFactor !== 1) adjustedCount += 1;
    }
    expect(rows.length).toBe((await rowsOf('eq_daily_ohlc', 'TradeDate')).length);
    expect(adjustedCount).toBeGreaterThan(10_000);
  });

  test('has the securities that the map files tell, from their chains of symbols alone', async () => {
    const master = await rowsOf('eq_sec_master');
    const command = ['derive', '--check', 'eq_sec_master', '--json', '--home', home];
    const { stdout } = spawnSync(process.execPath, [PROGRAM, ...command], { encoding: 'utf8' });
    const [checked] = JSON.parse(stdout).datasets;
    expect(checked.compared_row_count).toBe(master.length);
    const differences = checked.differences as { what: string; row_count: number }[];
    const withExchange = master.filter(({ PrimaryExchange: listed }) => `${listed}` !== '');
    const isUnknown = ({ ListStatus: status }: Record<string, unknown>) => status === null;
    // A chain has no exchanges; and a ticker without a map file is in use as far as a chain tells.
    expect(
      Object.fromEntries(differences.map(({ what, row_count: count }) => [what, count])),
    ).toEqual({
      ListStatus: master.filter(isUnknown).length,
      PrimaryExchange: withExchange.length,
      PrimaryExchangeStartToEndDate: withExchange.length,
    });
  });

  test('has as cumulative factors those that LEAN has on the same days', async () => {
    const factors = leanFactors(SAMPLE);
    const companyOn = companies(SAMPLE);
    const rows = await rowsOf('eq_adj_factors_cumulative');
    for (const { Ticker, StartDate, EndDate, ...row } of rows) {
      const isLast = EndDate === '2099-12-31';
      const event = isLast ? `${StartDate}` : nextTradingDay(`${EndDate}`);
      const company = companyOn(`${Ticker}`, event);
      const date = isLast ? event : previousTradingDay(event);
      // Without a map file, LEAN names the factor file by the ticker.
      const named = `${String(Ticker).toLowerCase()}.csv`;
      const own = factors.get(company) ?? factors.get(named);
      const now = own?.find(({ lastDate }) => lastDate >= date);
      const expected = now ?? { price: 1, split: 1 };
      const where = `${Ticker} ${EndDate} of ${company}`;
      const price = row.PriceBackwardFactor as number;
      expect(price / (expected.price * expected.split), where).toBeCloseTo(1, 9);
      expect((row.VolumeBackwardFactor as number) / expected.split, where).toBeCloseTo(1, 9);
    }
    const eventCount = (await rowsOf('eq_adj_factors_basic')).length;
    expect(rows.length).toBeGreaterThan(eventCount / 2);
  });

  test('has prices and shares that are the raw ones by these factors', async () => {
    const values = [...KEYS, 'ClosePrice', 'MarketHoursVolume'];
    const raw = await rowsOf('eq_daily_ohlc', ...values);
    const adjusted = await rowsOf('eq_daily_ohlc_adj', ...values, ...FACTORS);
    const wrong = adjusted.filter((row, i) => {
      const { ClosePrice, MarketHoursVolume, TradeDate, Ticker } = raw[i] ?? {};
      const price = Number(ClosePrice) * Number(row.PriceAdjFactor);
      const shares = Number(MarketHoursVolume) / Number(row.VolumeAdjFactor);
      const isSame = row.TradeDate === TradeDate && row.Ticker === Ticker;
      const isPrice = isNear(row.ClosePrice, price, 0.000051);
      return !(isSame && isPrice && isNear(row.MarketHoursVolume, shares, 0.51));
    });
    expect(wrong).toEqual([]);
    expect(adjusted).toHaveLength(raw.length);
  });

  describe('answers', () => {
    let service: TestService;
    beforeAll(async () => {
      // The tests before this one have derived what is there.
      service = await openTestService({}, undefined, home);
    });
    afterAll(() => service.close());

    async function json(url: string) {
      const answer = await service.get(`/v1${url}`);
      expect([url, answer.statusCode], answer.body).toEqual([url, 200]);
      return answer.json();
    }

    async function rowCountOf({ datasetId }: Dataset): Promise<number> {
      return (await json(`/meta/datasets/${datasetId}/status`)).row_count;
    }

    test('has rows of every dataset that they could be computed of', async () => {
      const { catalog } = service.services;
      const counts = new Map<string, number>();
      for (const dataset of catalog.datasets) counts.set(dataset.textId, await rowCountOf(dataset));
      const missing = catalog.datasets.filter(
        ({ textId, derivation }) =>
          counts.get(textId) === 0 &&
          derivation &&
          waysOf(derivation).some(({ inputs: [first = ''] }) => counts.get(first) !== 0),
      );
      expect(
        missing.map(({ textId }) => textId).filter((each) => !OF_NOTHING.includes(each)),
      ).toEqual([]);
    });

    test.each(Object.entries(ROWS))('answers with rows: %s', async (_, url) => {
      const { data } = await json(url);
      expect(data.length).toBeGreaterThan(0);
    });

    test('tells what symbols meant', async () => {
      const { resolved } = await json('/symbology/resolve?symbols=GOOGL,TWX');
      expect(
        resolved.map(({ intervals }: { intervals: unknown[] }) => intervals.length > 0),
      ).toEqual([true, true]);
      expect((await json('/symbology/search?q=GOO')).securities.length).toBeGreaterThan(1);
    });

    test("has in its daily values LEAN's last open interest of each contract and date, and its prices", async () => {
      const rows = await rowsOf('fut_daily');
      const byKey = new Map(rows.map((row) => [`${row.TradeDate} ${row.Ticker}`, row]));
      const published = new Map<string, number>();
      for (const line of EXPECTATIONS.fut_taq?.lines(SAMPLE) ?? []) {
        const [date, , ticker, , , count] = line.split('|');
        published.set(`${date} ${ticker}`, Number(count));
      }
      const told = rows.filter(({ OpenInterest }) => OpenInterest !== null);
      expect(told).toHaveLength(published.size);
      for (const [key, count] of published) {
        expect(Number(byKey.get(key)?.OpenInterest), key).toBe(count);
      }
      expect(byKey.get('2013-10-08 GCZ3')?.TotalQuantity).toBe(
        (await rowsOf('fut_trades_1min'))
          .filter(({ TradeDate, Ticker }) => TradeDate === '2013-10-08' && Ticker === 'GCZ3')
          .reduce((sum, { TotalQuantity }) => sum + (TotalQuantity as bigint), 0n),
      );
    });

    test.each([
      ['GC.n.0', '2013-10-08', '2013-10-11', 'GCZ3'],
      ['ES.n.0', '2013-12-19', '2013-12-19', 'ESH4'],
      ['ES.v.0', '2013-12-19', '2013-12-19', 'ESH4'],
      ['ES.v.0', '2013-10-08', '2013-10-11', 'ESZ3'],
    ])('ranks %s on %s by the figures of the days before', async (symbol, start, end, ticker) => {
      const answer = await json(`/symbology/rolls?symbol=${symbol}&start=${start}&end=${end}`);
      expect(answer).toMatchObject({
        rolls: [{ start_date: start, end_date: end, ticker }],
        gaps: [],
      });
    });

    test('ranks nothing by figures of years before', async () => {
      const dates = { start_date: '2020-01-05', end_date: '2020-01-06' };
      const { rolls, gaps } = await json('/symbology/rolls?symbol=GC.v.0&start=2020-01-01');
      expect([rolls, gaps]).toEqual([[], [expect.objectContaining(dates)]]);
    });

    test('makes files of whole results', async () => {
      const manifest = await json(`/bulk/us-equity/eq-trades-1min?${IBM}`);
      expect(manifest.files.length).toBeGreaterThan(0);
    });
  });
});
