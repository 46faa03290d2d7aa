import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { closures } from '@ticklake/market/calendar.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportReport } from '../../src/ingest/lean/import-folder.ts';
import { openTestService, type TestService } from '../harness.ts';
import { type Row, readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { sampleOf } from '../repetitions.ts';
import { companies, EXPECTATIONS } from './expected-lines.ts';
import { importedSample, isSampleMissing, SAMPLE } from './sample-home.ts';

const ROW_COUNTS = {
  eq_trades: 2_013_855,
  eq_taq: 2_589_444,
  eq_trades_1min_ind_std: 15_234,
  eq_taq_1min_ind_std: 17_994,
  eq_daily_ohlc: 58_327,
  opt_trades_1min: 1541,
  opt_tanq: 2176,
  fut_taq: 444,
  fut_trades: 157_849,
  fut_trades_1min: 31_991,
  fut_taq_1min: 190_839,
  eq_lookup_files: 47,
  eq_secid_chains_lookup: 47,
  eq_sec_master: 33,
  eq_adj_factors_basic: 854,
  eq_market_holidays: 291,
};

const ROWS_WITH_ASID = [
  'eq_trades',
  'eq_taq',
  'eq_trades_1min_ind_std',
  'eq_taq_1min_ind_std',
  'eq_daily_ohlc',
] as const;

describe.skipIf(isSampleMissing)('the LEAN sample', () => {
  let service: TestService;
  let report: ImportReport;

  beforeAll(async () => {
    const sample = await importedSample();
    report = sample.report;
    service = await openTestService({}, undefined, sample.home);
  });
  afterAll(() => service.close());

  const filesOf = (textId: string) =>
    partFiles(service.services.lake, service.dataset(textId).datasetId);

  async function* partitionRows(textId: string): AsyncGenerator<readonly Row[]> {
    for (const file of await filesOf(textId)) yield readRows(service.dataset(textId), [file]);
  }

  test('breaks no check but those that miss what LEAN does not know', () => {
    const broken = report.datasets.flatMap(({ textId, checks }) =>
      checks.map(({ name, severity }) => `${textId} ${severity} ${name}`),
    );
    expect(broken).toEqual([
      'eq_sec_master warn required Name',
      'eq_sec_master warn required NameStartToEndDate',
      'eq_sec_master warn required PrimaryExchange',
      'eq_sec_master warn required PrimaryExchangeStartToEndDate',
    ]);
    expect(report.warnings).toEqual([]);
  });

  const allRows = async (textId: string) => (await Array.fromAsync(partitionRows(textId))).flat();

  test('fills sixteen datasets without a bad row', () => {
    const counts = report.datasets.map(({ textId, rowCount }) => [textId, rowCount]);
    expect(Object.fromEntries(counts)).toEqual(ROW_COUNTS);
    expect(report).toMatchObject({ isPublished: true, badRowCount: 0, fileCount: 210 });
    expect(report.skipped.reduce((sum, { count }) => sum + count, 0)).toBe(10);
  });

  // A sample takes other datasets than the two of millions of ticks, which the night tries.
  test.each(sampleOf(Object.entries(EXPECTATIONS), { offset: 1 }))(
    '%s holds exactly the rows of the zip files, in order',
    async (textId, { columns, lines }) => {
      const expected = lines(SAMPLE);
      const empty = service
        .dataset(textId)
        .columns.map(({ name }) => name)
        .filter((name) => name !== 'ASID' && !columns.includes(name));
      let count = 0;
      for await (const rows of partitionRows(textId)) {
        for (const row of rows) {
          const line = columns.map((name) => row[name] ?? '').join('|');
          const want = expected.next().value;
          if (line !== want) expect(line, `row ${count}`).toBe(want);
          if (empty.some((name) => row[name] !== null)) expect(row, 'filled').toBeNull();
          count += 1;
        }
      }
      expect(expected.next().done).toBe(true);
      expect(count).toBe(ROW_COUNTS[textId as keyof typeof ROW_COUNTS]);
    },
  );

  test('factors after a day multiply to the cumulative factors that the file states', async () => {
    const rows = await allRows('eq_adj_factors_basic');
    for (const ticker of ['AAPL', 'SPY', 'IBM', 'VXX', 'AIG', 'EEM']) {
      const symbol = ticker === 'VXX' ? 'vxx.1' : ticker.toLowerCase();
      const text = readFileSync(path.join(SAMPLE, `equity/usa/factor_files/${symbol}.csv`), 'utf8');
      for (const line of text.split('\n')) {
        const [date, price, split] = line.split(',') as [string, string, string];
        const after = rows.filter(
          (row) => row.Ticker === ticker && `${row.EffectiveDate}`.replaceAll('-', '') > date,
        );
        const product = (isDividend: boolean) =>
          after
            .filter((row) => (row.AdjustmentReason === 'CashDiv') === isDividend)
            .reduce((factor, row) => factor * (row.AdjustmentFactor as number), 1);
        const digits = (factor: string) => factor.split('.')[1]?.length ?? 0;
        expect(product(true).toFixed(digits(price)), `${ticker} ${date}`).toBe(price);
        expect(product(false).toFixed(digits(split)), `${ticker} ${date}`).toBe(split);
      }
    }
  });

  test('by its number each company has all factors of its file, through every change of ticker', async () => {
    const rows = await allRows('eq_adj_factors_basic');
    const securities = await service.services.lake.securities.all();
    const folder = path.join(SAMPLE, 'equity/usa/factor_files');
    const names = readdirSync(folder).map((name) => name.replace('.csv', ''));
    const known = securities.filter(({ historyName }) => names.includes(historyName ?? ''));
    // The sample lacks the map files of two factor files.
    expect(known).toHaveLength(names.length - 2);
    for (const { historyName, securityId } of known) {
      const own = rows.filter(({ ASID }) => ASID === BigInt(securityId));
      const text = readFileSync(path.join(folder, `${historyName}.csv`), 'utf8');
      for (const line of text.trim().split(/\r?\n/)) {
        const [date, price, split] = line.split(',') as [string, string, string];
        const product = own
          .filter(({ EffectiveDate }) => `${EffectiveDate}`.replaceAll('-', '') > date)
          .reduce((factor, row) => factor * (row.AdjustmentFactor as number), 1);
        const stated = Number(price) * Number(split);
        expect(Math.abs(product / stated - 1), `${historyName} ${date}`).toBeLessThan(1e-12);
      }
    }
  });

  test('factors take effect on the trading day that follows the day of their row', async () => {
    const days = (await allRows('eq_daily_ohlc'))
      .filter(({ Ticker }) => Ticker === 'SPY')
      .map(({ TradeDate }) => TradeDate as string);
    const folder = path.join(SAMPLE, 'equity/usa/factor_files');
    const expected = readdirSync(folder).flatMap((name) => {
      const rows = readFileSync(path.join(folder, name), 'utf8').trim().split(/\r?\n/);
      const fields = rows.map((row) => row.split(','));
      return fields.slice(0, -1).flatMap(([date, ...factors], i) => {
        const changes = [0, 1].filter((j) => factors[j] !== fields[i + 1]?.[j + 1]);
        return changes.map(() => days.find((day) => day.replaceAll('-', '') > date!));
      });
    });
    const rows = await allRows('eq_adj_factors_basic');
    expect(rows.map(({ EffectiveDate }) => EffectiveDate).sort()).toEqual(expected.sort());
    const split = rows.filter(
      ({ Ticker, AdjustmentReason }) => Ticker === 'AAPL' && AdjustmentReason === 'Subdiv',
    );
    expect(split.map(({ EffectiveDate }) => EffectiveDate)).toContain('2014-06-09');
  });

  test('tickers were whose they were when they were', async () => {
    const rows = await allRows('eq_lookup_files');
    const periodsOf = (ticker: string) =>
      rows
        .filter(({ Ticker }) => Ticker === ticker)
        .map(({ StartDate, EndDate }) => [StartDate, EndDate]);
    expect(periodsOf('GOOG')).toEqual([
      ['2004-08-19', '2014-04-02'],
      ['2014-04-03', '2099-12-31'],
    ]);
    expect(periodsOf('QQQ')).toEqual([
      ['1999-03-10', '2004-11-30'],
      ['2011-03-23', '2099-12-31'],
    ]);
    expect(periodsOf('BAC')).toEqual([['1998-10-01', '2099-12-31']]);
    expect(rows.every(({ SecId }) => SecId !== null)).toBe(true);
  });

  type Numbered = [ticker: string, date: string, ASID: bigint | null, rowCount: bigint];

  /** The numbers of each ticker on each day, and how many rows have them. */
  async function numbersOf(textId: string): Promise<Numbered[]> {
    const connection = await (await DuckDBInstance.create()).connect();
    const files = (await filesOf(textId)).map((file) => `'${file}'`);
    const reader = await connection.runAndReadAll(
      `SELECT Ticker, TradeDate::VARCHAR, ASID, count(*) FROM read_parquet([${files}]) GROUP BY ALL`,
    );
    return reader.getRows() as Numbered[];
  }

  test('every row has the number of the company that the map files name', async () => {
    const companyOn = companies(SAMPLE);
    const numbers = new Map<string, unknown>();
    let count = 0;
    for (const textId of ROWS_WITH_ASID) {
      for (const [ticker, date, ASID, rowCount] of await numbersOf(textId)) {
        const company = companyOn(ticker, date);
        if (!numbers.has(company)) numbers.set(company, ASID);
        if (numbers.get(company) !== ASID || ASID === null) {
          expect(`${textId} ${ticker} ${date} ${ASID}`).toBe(numbers.get(company));
        }
        count += Number(rowCount);
      }
    }
    expect(new Set(numbers.values()).size).toBe(numbers.size);
    expect(count).toBe(ROWS_WITH_ASID.reduce((sum, id) => sum + ROW_COUNTS[id], 0));
    const rows = await allRows('eq_adj_factors_basic');
    for (const { Ticker, EffectiveDate, ASID, SecId } of rows) {
      expect(SecId).toBe(ASID);
      const company = Ticker === null ? '' : companyOn(Ticker as string, EffectiveDate as string);
      if (numbers.has(company)) expect(ASID, company).toBe(numbers.get(company));
    }
    expect(rows.every(({ ASID }) => ASID !== null)).toBe(true);
  });

  test('closures since 2007 are those of the trading calendar', async () => {
    const dates = (await allRows('eq_market_holidays')).map(({ Date: date }) => date as string);
    const since2007 = dates.filter((date) => date >= '2007');
    expect(since2007).toEqual(closures(2007, 2028).map(({ date }) => date));
  });

  test('reads back over HTTP in all three formats, exact to the nanosecond', async () => {
    const url = '/v1/data/us-equity/eq-taq/2013-10-07/IBM?limit=2';
    const json = (await service.get(url)).json();
    const [ibm] = (await allRows('eq_secid_chains_lookup')).filter(
      ({ Ticker }) => Ticker === 'IBM',
    );
    const ASID = Number(ibm?.ASID);
    const common = { TradeDate: '2013-10-07', Ticker: 'IBM', ASID };
    const byNumber = `/v1/data/us-equity/eq-taq/2013-10-07/${ASID}?limit=2`;
    expect((await service.get(byNumber)).json().data).toEqual((await service.get(url)).json().data);
    expect(json.data).toEqual([
      {
        ...common,
        EventDateTime: '2013-10-07T04:00:00.054000000-04:00',
        EventType: 'QUOTE ASK',
        Price: 183.63,
        Quantity: 100,
        Exchange: 'NASDAQ',
        ConditionCode: 1,
      },
      {
        ...common,
        EventDateTime: '2013-10-07T04:00:00.241000000-04:00',
        EventType: 'QUOTE BID',
        Price: 180.01,
        Quantity: 300,
        Exchange: 'ARCA',
        ConditionCode: 1,
      },
    ]);
    const csv = (await service.get(`${url}&response_format=csv`)).body;
    expect(csv.split('\n')[1]).toBe(
      `2013-10-07,2013-10-07T04:00:00.054000000-04:00,QUOTE ASK,IBM,${ASID},183.63,100,NASDAQ,1`,
    );
    const gzip = (await service.get(`${url}&response_format=csv_gzip`)).rawPayload;
    expect(gunzipSync(gzip).toString()).toBe(csv);
    const bars = await service.get(
      '/v1/data/us-equity/eq-trades-1min?Ticker=SPY&TradeDate=2013-10-07' +
        '&aggregation_logic=industry_std&limit=1',
    );
    expect(bars.json().data).toMatchObject([
      { BarDateTime: '2013-10-07T04:00:00-04:00', FirstTradePrice: 167.41, Ticker: 'SPY' },
    ]);
  });
});
