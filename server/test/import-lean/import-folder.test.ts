import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import type { Catalog, Dataset } from '../../src/catalog/dataset.ts';
import { type ImportRequest, importLeanFolder } from '../../src/ingest/lean/import-folder.ts';
import { openTestService, type TestService } from '../harness.ts';
import { readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { type LeanContent, marketHours, writeLeanFolder } from './lean-folder.ts';

let service: TestService;
const folders: string[] = [];
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Readonly<Record<string, LeanContent>>): string {
  const folder = writeLeanFolder(files);
  folders.push(folder);
  return folder;
}

function importFolder(directory: string, options: Partial<ImportRequest> = {}) {
  const { catalog, lake } = service.services;
  return importLeanFolder({
    directory,
    catalog,
    lake,
    mode: 'replace',
    vendor: 'LEAN',
    maxBadRows: 0,
    dropSuspicious: false,
    signal: new AbortController().signal,
    onStep: () => {},
    ...options,
  });
}

function importFiles(
  files: Readonly<Record<string, LeanContent>>,
  options?: Partial<ImportRequest>,
) {
  return importFolder(folderOf(files), options);
}

/** The published rows of a dataset, each without its empty columns. */
async function publishedRows(textId: string) {
  const dataset = service.dataset(textId);
  const rows = await readRows(dataset, await partFiles(service.services.lake, dataset.datasetId));
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, v]) => v !== null)));
}

const TICKS = 'equity/usa/tick/xyz/20200302';
const newYork = (text: string) => BigInt(Date.parse(`${text}-05:00`)) * 1_000_000n;

test('trades and quotes of a tick file share a day, trades first among equal stamps', async () => {
  const report = await importFiles({
    [`${TICKS}_quote.zip`]: {
      'q.csv': '34200000,0,0,101500,300,Q,1,0\n34200001,100000,200,0,0,P,80000401,1\n',
    },
    [`${TICKS}_trade.zip`]: {
      't.csv': '34200000,101234.5,7,D,80000401,0\r\n34200000,100100,100,?,,1\r\n',
    },
  });
  expect(report.datasets.map(({ textId, rowCount }) => [textId, rowCount])).toEqual([
    ['eq_trades', 2],
    ['eq_taq', 4],
  ]);
  const day = { TradeDate: '2020-03-02', Ticker: 'XYZ', ASID: expect.any(BigInt) };
  const open = { ...day, EventDateTime: newYork('2020-03-02T09:30:00.000') };
  const trades = [
    {
      ...open,
      EventType: 'TRADE',
      Price: 10.12345,
      Quantity: 7n,
      Exchange: 'FINRA',
      ConditionCode: 0x80000401n,
    },
    {
      ...open,
      EventType: 'TRADE',
      Price: 10.01,
      Quantity: 100n,
      Exchange: 'UNKNOWN',
      ConditionCode: 0n,
    },
  ];
  expect(await publishedRows('eq_trades')).toEqual(trades);
  expect(await publishedRows('eq_taq')).toEqual([
    ...trades,
    {
      ...open,
      EventType: 'QUOTE ASK',
      Price: 10.15,
      Quantity: 300n,
      Exchange: 'NASDAQ',
      ConditionCode: 1n,
    },
    {
      ...day,
      EventDateTime: newYork('2020-03-02T09:30:00.001'),
      EventType: 'QUOTE BID',
      Price: 10,
      Quantity: 200n,
      Exchange: 'ARCA',
      ConditionCode: 0x80000401n,
    },
  ]);
});

test('a quote with both sides is a bid and then an ask, one with neither is no row', async () => {
  await importFiles({
    [`${TICKS}_quote.zip`]: {
      'q.csv': '1,100000,1,100100,2,Z,0,0\n2,0,0,0,0,Z,0,0\n3,100000,0,0,0,Z,0,0\n',
    },
  });
  const rows = await publishedRows('eq_taq');
  expect(rows.map(({ EventType, Price, Quantity }) => [EventType, Price, Quantity])).toEqual([
    ['QUOTE BID', 10, 1n],
    ['QUOTE ASK', 10.01, 2n],
    ['QUOTE BID', 10, 0n],
  ]);
});

test('times with decimals of a millisecond keep every nanosecond', async () => {
  await importFiles({ [`${TICKS}_trade.zip`]: { 't.csv': '34200000.1234,1,1,N,0,0\n' } });
  const [row] = await publishedRows('eq_trades');
  expect(row?.EventDateTime).toBe(newYork('2020-03-02T09:30:00.000') + 123_400n);
});

test('times of a day on which the clock changes are those that the clock shows', async () => {
  const day = 'equity/usa/minute/xyz/20200308';
  // The clock changes on Sundays, which are no trading days.
  const byTextId = (textId: string) => service.dataset(textId);
  const catalog = { byTextId } as unknown as Catalog;
  await importFiles(
    { [`${day}_trade.zip`]: { 't.csv': '3600000,1,1,1,1,1\n14400000,1,1,1,1,1\n' } },
    { catalog },
  );
  const rows = await publishedRows('eq_trades_1min_ind_std');
  expect(rows.map((row) => row.BarDateTime)).toEqual([
    BigInt(Date.parse('2020-03-08T01:00:00-05:00')) * 1_000_000n,
    BigInt(Date.parse('2020-03-08T04:00:00-04:00')) * 1_000_000n,
  ]);
});

test('one dataset whose rows break a check keeps all of the import from being published', async () => {
  const daily =
    '20200302 00:00,10000,20000,9000,15000,7\n20200307 00:00,10000,9000,20000,15000,7\n';
  const before = await service.services.lake.snapshot(service.dataset('eq_trades').datasetId);
  const report = await importFiles({
    'equity/usa/daily/xyz.zip': { 'xyz.csv': daily },
    [`${TICKS}_trade.zip`]: { 't.csv': '1,1,1,N,0,0\n' },
  });
  expect(report.isPublished).toBe(false);
  const found = report.datasets.flatMap(({ textId, checks }) =>
    checks.map(({ name, severity, rows }) => `${textId} ${severity} ${name} ${rows[0]?.row}`),
  );
  expect(found.filter((text) => text.includes('refuse'))).toEqual([
    'eq_daily_ohlc refuse LowPrice <= HighPrice 2',
    'eq_daily_ohlc refuse trading_days TradeDate 2',
  ]);
  const after = await service.services.lake.snapshot(service.dataset('eq_trades').datasetId);
  expect(after?.version).toBe(before?.version);
});

test('suspicious ticks are left out when asked for', async () => {
  const files = { [`${TICKS}_trade.zip`]: { 't.csv': '1,1,1,N,0,1\n2,1,1,N,0,0\n' } };
  expect((await importFiles(files)).datasets[0]?.rowCount).toBe(2);
  const dropping = await importFiles(files, { dropSuspicious: true });
  expect(dropping.datasets[0]?.rowCount).toBe(1);
});

test('minute bars of trades and quotes meet in one row, with nulls for what one lacks', async () => {
  const day = 'equity/usa/minute/xyz/20200302';
  await importFiles({
    [`${day}_trade.zip`]: {
      't.csv': '34200000,100000,100300,99900,100200,1500\n34260000,5,5,5,5,1\n',
    },
    [`${day}_quote.zip`]: {
      'q.csv':
        '34140000,,,,,0,100100,100200,100000,100150,300\n' +
        '34200000,99900,100000,99800,99950,200,0,0,0,0,0\n',
    },
  });
  const bars = await publishedRows('eq_taq_1min_ind_std');
  const common = { TradeDate: '2020-03-02', Ticker: 'XYZ', ASID: expect.any(BigInt) };
  expect(bars).toEqual([
    {
      ...common,
      BarDateTime: newYork('2020-03-02T09:29'),
      OpenAskPrice: 10.01,
      HighAskPrice: 10.02,
      LowAskPrice: 10,
      CloseAskPrice: 10.015,
      CloseAskSize: 300n,
    },
    {
      ...common,
      BarDateTime: newYork('2020-03-02T09:30'),
      FirstTradePrice: 10,
      HighTradePrice: 10.03,
      LowTradePrice: 9.99,
      LastTradePrice: 10.02,
      OpenBidPrice: 9.99,
      HighBidPrice: 10,
      LowBidPrice: 9.98,
      CloseBidPrice: 9.995,
      CloseBidSize: 200n,
    },
    {
      ...common,
      BarDateTime: newYork('2020-03-02T09:31'),
      FirstTradePrice: 0.0005,
      HighTradePrice: 0.0005,
      LowTradePrice: 0.0005,
      LastTradePrice: 0.0005,
    },
  ]);
  const trades = await publishedRows('eq_trades_1min_ind_std');
  expect(trades.map(({ Volume }) => Volume)).toEqual([1500n, 1n]);
});

test('a ticker history becomes one row for each unbroken period of a ticker', async () => {
  await importFiles({
    'equity/usa/map_files/wm.csv': '19980102,uw,N\n19980716,uw,N\n20090804,wmi,N\n20501231,wm,N',
    'equity/usa/map_files/old.1.csv': '20000103,old\n20010605,old,N\n20020131,old,Q\n',
    'equity/usa/map_files/one.csv': '20501231,one,Q',
  });
  const SecId = expect.any(BigInt);
  // The ticker of other tests has no map file.
  const rows = (await publishedRows('eq_lookup_files')).filter(({ Ticker }) => Ticker !== 'XYZ');
  expect(rows).toEqual([
    { SecId, Ticker: 'OLD', StartDate: '2000-01-03', EndDate: '2002-01-31' },
    { SecId, Ticker: 'ONE', EndDate: '2099-12-31' },
    { SecId, Ticker: 'UW', StartDate: '1998-01-02', EndDate: '1998-07-16' },
    { SecId, Ticker: 'WM', StartDate: '2009-08-05', EndDate: '2099-12-31' },
    { SecId, Ticker: 'WMI', StartDate: '1998-07-17', EndDate: '2009-08-04' },
  ]);
});

test('factors become events of the next trading day, under the ticker of that day', async () => {
  await importFiles({
    'equity/usa/factor_files/wm.csv':
      '20100104,0.72,0.5,1\n20110715,0.72,0.5,30\n20120330,0.8,0.5,31\n20130705,0.9,5,12\n' +
      '20140616,0.9,1,12\n20501231,1,1,0',
    'equity/usa/map_files/wm.csv': '20100104,wmi,N\n20120405,wmi,N\n20501231,wm,N',
    'equity/usa/factor_files/abc.2.csv': '20140616,0.5,1,12\n20501231,1,1,0\n',
    'market-hours/market-hours-database.json': marketHours(['6/17/2014', '7/4/2015']),
  });
  const rows = await publishedRows('eq_adj_factors_basic');
  const factors = rows.map((row) => [
    row.EffectiveDate,
    row.Ticker,
    row.AdjustmentReason,
    row.AdjustmentFactor,
  ]);
  // Rows are published in the order of the companies' numbers.
  expect(factors.toSorted((a, b) => (`${a}` < `${b}` ? -1 : 1))).toEqual([
    ['2011-07-18', 'WMI', 'CashDiv', 0.9],
    ['2012-04-02', 'WMI', 'CashDiv', 0.888888888888889],
    ['2012-04-02', 'WMI', 'Subdiv', 0.1],
    ['2013-07-08', 'WM', 'Cons', 5],
    ['2014-06-18', 'ABC', 'CashDiv', 0.5],
    ['2014-06-18', 'WM', 'CashDiv', 0.9],
  ]);
});

test('options take their contract from the name and the quotes of the underlying', async () => {
  await importFiles({
    'option/usa/minute/xyz/20200302_trade_american.zip': {
      '20200302_xyz_minute_trade_american_put_125000_20200320.csv':
        '34200000,20000,25000,19000,21000,12\n34320000,20000,20000,20000,20000,1\n',
    },
    'option/usa/minute/xyz/20200302_openinterest_american.zip': {
      '20200302_xyz_minute_openinterest_american_call_1000000_20200320.csv': '23400000,77\n',
      '20200302_xyz_minute_openinterest_american_put_125000_20200320.csv': '23400000,0\n',
    },
    'equity/usa/minute/xyz/20200302_quote.zip': {
      'q.csv': '34200000,124000,124000,123000,123000,1,126000,126000,125000,125000,1\n',
    },
  });
  const contract = { Ticker: 'XYZ', CallPut: 'P', Strike: 12.5, ExpirationDate: '2020-03-20' };
  const common = { TradeDate: '2020-03-02', ...contract };
  const close = { UnderCloseBidPrice: 12.3, UnderCloseAskPrice: 12.5 };
  expect(await publishedRows('opt_trades_1min')).toEqual([
    {
      ...common,
      ...close,
      BarDateTime: newYork('2020-03-02T09:30'),
      OpenTradePrice: 2,
      HighTradePrice: 2.5,
      LowTradePrice: 1.9,
      CloseTradePrice: 2.1,
      UnderOpenBidPrice: 12.4,
      UnderOpenAskPrice: 12.6,
      Volume: 12n,
    },
    {
      ...common,
      ...close,
      BarDateTime: newYork('2020-03-02T09:32'),
      OpenTradePrice: 2,
      HighTradePrice: 2,
      LowTradePrice: 2,
      CloseTradePrice: 2,
      UnderOpenBidPrice: 12.3,
      UnderOpenAskPrice: 12.5,
      Volume: 1n,
    },
  ]);
  const interest = { Action: 'OI', EventDateTime: newYork('2020-03-02T06:30') };
  expect(await publishedRows('opt_tanq')).toEqual([
    { ...common, ...interest, CallPut: 'C', Strike: 100, EventType: 34n, Quantity: 77n },
    { ...common, ...interest, EventType: 2n, Quantity: 0n },
  ]);
});

test('futures rows have the date of Chicago, whatever clock the market’s files keep', async () => {
  const member = (kind: string, month: string) => `20200303_x_${kind}_trade_${month}.csv`;
  await importFiles({
    'market-hours/market-hours-database.json': marketHours([], {
      'Future-cme-[*]': 'UTC',
      'Future-cme-NY': 'America/New_York',
      'Future-eurex-[*]': 'Europe/Berlin',
    }),
    'future/cme/tick/es/20200303_trade.zip': {
      [member('tick', '202003')]: '21599999,3000.25,2,usa,,0\n21600000,3000.5,0,usa,,0\n',
    },
    'future/cme/tick/ny/20200303_trade.zip': { [member('tick', '202912')]: '0,1,1,usa,,0\n' },
    'future/eurex/tick/fdax/20200303_trade.zip': { [member('tick', '202003')]: '0,1,1,,,0\n' },
  }).then(({ skipped }) =>
    expect(skipped.map(({ example }) => example)).toContain(
      'future/eurex/tick/fdax/20200303_trade.zip',
    ),
  );
  const rows = await publishedRows('fut_trades');
  const event = { EventType: 'TRADE' };
  const es = { ...event, Ticker: 'ESH0', BaseSymbol: 'ES' };
  const midnight = BigInt(Date.parse('2020-03-03T06:00:00Z')) * 1_000_000n;
  expect(rows).toEqual(
    [
      {
        ...es,
        TradeDate: '2020-03-02',
        EventDateTime: midnight - 1_000_000n,
        Price: 3000.25,
        Quantity: 2n,
      },
      {
        ...event,
        Ticker: 'NYZ9',
        BaseSymbol: 'NY',
        TradeDate: '2020-03-02',
        EventDateTime: midnight - 3_600_000_000_000n,
        Price: 1,
        Quantity: 1n,
      },
      { ...es, TradeDate: '2020-03-03', EventDateTime: midnight, Price: 3000.5, Quantity: 0n },
    ].sort((a, b) => (a.TradeDate < b.TradeDate ? -1 : 1)),
  );
});

test('open interest of futures is that of the minute files, or of ticks where there are none', async () => {
  const { skipped } = await importFiles({
    'market-hours/market-hours-database.json': marketHours([], { 'Future-cme-[*]': 'UTC' }),
    'future/cme/minute/es/20200304_openinterest.zip': {
      '20200304_es_minute_openinterest_202003.csv': '21599999,70\n21600000,71\n',
      '20200304_es_minute_openinterest_202006.csv': '21600000,0\n',
    },
    'future/cme/tick/es/20200304_openinterest.zip': {
      '20200304_es_tick_openinterest_202003.csv': '21600001,71\n',
    },
    'future/cme/tick/nq/20200304_openinterest.zip': {
      '20200304_nq_tick_openinterest_202003.csv': '21600001,8\n',
    },
  });
  expect(skipped).toEqual([
    {
      reason: 'the file of minutes of the same day has the same open interest',
      count: 1,
      example: 'future/cme/tick/es/20200304_openinterest.zip',
    },
  ]);
  const midnight = BigInt(Date.parse('2020-03-04T06:00:00Z')) * 1_000_000n;
  const published = { EventType: 'OPEN INTEREST', TypeMask: 43n };
  const es = { ...published, Ticker: 'ESH0', BaseSymbol: 'ES' };
  const at = { TradeDate: '2020-03-04', EventDateTime: midnight };
  expect(await publishedRows('fut_taq')).toEqual([
    { ...es, TradeDate: '2020-03-03', EventDateTime: midnight - 1_000_000n, Quantity: 70n },
    { ...es, ...at, Quantity: 71n },
    { ...es, ...at, Ticker: 'ESM0', Quantity: 0n },
    {
      ...{ ...published, ...at, Ticker: 'NQH0', BaseSymbol: 'NQ', Quantity: 8n },
      EventDateTime: midnight + 1_000_000n,
    },
  ]);
});

test('futures minute bars pair trades and quotes of each contract', async () => {
  await importFiles({
    'market-hours/market-hours-database.json': marketHours([], { 'Future-cme-[*]': 'UTC' }),
    'future/cme/minute/es/20200303_trade.zip': {
      'a_trade_202003.csv': '61200000,3000,3001,2999,3000.5,12\n',
    },
    'future/cme/minute/es/20200303_quote.zip': {
      'a_quote_202003.csv': '61200000,2999,3000,2998,2999.5,4,3001,3001,3000,3000,5\n',
      'a_quote_202006.csv': '61200000,1,1,1,1,4,,,,,0\n',
    },
  });
  const bars = await publishedRows('fut_taq_1min');
  const start = BigInt(Date.parse('2020-03-03T17:00:00Z')) * 1_000_000n;
  const common = { TradeDate: '2020-03-03', BarDateTime: start, BaseSymbol: 'ES' };
  expect(bars).toEqual([
    {
      ...common,
      Ticker: 'ESH0',
      OpenTradePrice: 3000,
      HighTradePrice: 3001,
      LowTradePrice: 2999,
      CloseTradePrice: 3000.5,
      OpenBidPrice: 2999,
      HighBidPrice: 3000,
      LowBidPrice: 2998,
      CloseBidPrice: 2999.5,
      CloseBidSize: 4n,
      OpenAskPrice: 3001,
      HighAskPrice: 3001,
      LowAskPrice: 3000,
      CloseAskPrice: 3000,
      CloseAskSize: 5n,
      Volume: 12n,
    },
    {
      ...common,
      Ticker: 'ESM0',
      OpenBidPrice: 1,
      HighBidPrice: 1,
      LowBidPrice: 1,
      CloseBidPrice: 1,
      CloseBidSize: 4n,
      Volume: 0n,
    },
  ]);
  expect(await publishedRows('fut_trades_1min')).toEqual([
    {
      ...common,
      Ticker: 'ESH0',
      OpenPrice: 3000,
      HighPrice: 3001,
      LowPrice: 2999,
      ClosePrice: 3000.5,
      TotalQuantity: 12n,
    },
  ]);
});

test('holidays are weekdays without trading, each once and in order', async () => {
  await importFiles({
    'market-hours/market-hours-database.json': marketHours([
      '12/25/2020',
      '1/1/2000',
      '7/4/2012',
      '12/25/2020',
    ]),
  });
  expect(await publishedRows('eq_market_holidays')).toEqual([
    { Date: '2012-07-04' },
    { Date: '2020-12-25' },
  ]);
});

const dailyBar = (date: string, volume: string | number) => `${date} 00:00,1,1,1,1,${volume}\n`;

test('one bad row keeps everything out, unless as many are allowed', async () => {
  const files = {
    'equity/usa/daily/aaa.zip': {
      'aaa.csv': `${dailyBar('20100104', 1)}${dailyBar('20100230', 2)}20100105 00:00,1,1\n`,
    },
    'equity/usa/daily/bbb.zip': { 'bbb.csv': dailyBar('20100104', 'x1') + dailyBar('20100105', 4) },
  };
  const before = (await service.services.lake.snapshot('US1020'))?.version;
  const refused = await importFiles(files, { maxBadRows: 2 });
  expect(refused).toMatchObject({ isPublished: false, datasets: [], badRowCount: 3 });
  expect(refused.badValues).toEqual([
    {
      file: 'equity/usa/daily/aaa.zip/aaa.csv',
      line: 2,
      column: 'date',
      value: '20100230',
      reason: 'a date YYYYMMDD that exists',
    },
    {
      file: 'equity/usa/daily/aaa.zip/aaa.csv',
      line: 3,
      column: null,
      value: '20100105 00:00,1,1',
      reason: 'a row with 6 fields',
    },
    {
      file: 'equity/usa/daily/bbb.zip/bbb.csv',
      line: 1,
      column: 'volume',
      value: 'x1',
      reason: 'a whole number, 0 or more',
    },
  ]);
  expect((await service.services.lake.snapshot('US1020'))?.version).toBe(before);
  const allowed = await importFiles(files, { maxBadRows: 3 });
  expect(allowed).toMatchObject({ isPublished: true, badRowCount: 3 });
  const rows = await publishedRows('eq_daily_ohlc');
  expect(rows.map(({ Ticker, TradeDate }) => [Ticker, TradeDate])).toEqual([
    ['AAA', '2010-01-04'],
    ['BBB', '2010-01-05'],
  ]);
});

test.each([
  ['20200303_x_tick_trade.csv', 'a name that ends in the contract month YYYYMM'],
  [
    '20200303_x_tick_trade_203003.csv',
    'in the same year as the data or in the nine years after it',
  ],
])('a futures member named %s is a bad row', async (member, reason) => {
  const report = await importFiles({
    'market-hours/market-hours-database.json': marketHours([], { 'Future-cme-[*]': 'UTC' }),
    'future/cme/tick/es/20200303_trade.zip': { [member]: '0,1,1,usa,,0\n' },
  });
  expect(report.isPublished).toBe(false);
  expect(report.badValues).toMatchObject([{ line: 1, reason }]);
});

test('a second import takes the place of the partitions it covers, or adds to them', async () => {
  const year2001 = { 'equity/usa/daily/aaa.zip': { 'aaa.csv': dailyBar('20010102', 1) } };
  const both = {
    'equity/usa/daily/bbb.zip': { 'b.csv': dailyBar('20010102', 2) + dailyBar('20020102', 3) },
  };
  await importFiles(year2001);
  const added = await importFiles(both, { mode: 'append' });
  expect(added.datasets).toMatchObject([{ partitions: ['2001', '2002'], replacedRowCount: 0 }]);
  const rowsOf2001 = async () =>
    (await publishedRows('eq_daily_ohlc'))
      .filter(({ TradeDate }) => `${TradeDate}`.startsWith('2001'))
      .map(({ Ticker }) => Ticker);
  expect(await rowsOf2001()).toEqual(['AAA', 'BBB']);
  const replaced = await importFiles(year2001);
  expect(replaced.datasets).toMatchObject([{ partitions: ['2001'], replacedRowCount: 2 }]);
  expect(await rowsOf2001()).toEqual(['AAA']);
});

const IDENTIFIER =
  "an identifier other than '.' and '..', without spaces around it and without control or invisible characters";

test('tickers that no request can name are bad rows, files of such symbols are set aside', async () => {
  const files = {
    'equity/usa/map_files/abc.csv': '20000103,abc,N\n20501231, abc,N\n20501231,a\u200bc,N\n',
    'equity/usa/daily/a\tb.zip': { 'x.csv': dailyBar('20030102', 1) },
    'equity/usa/daily/\u00a0c.zip': { 'x.csv': dailyBar('20030102', 1) },
  };
  const { isPublished, badValues, skipped } = await importFiles(files);
  expect(isPublished).toBe(false);
  expect(badValues).toEqual([
    {
      file: 'equity/usa/map_files/abc.csv',
      line: 2,
      column: 'ticker',
      value: ' abc',
      reason: IDENTIFIER,
    },
    {
      file: 'equity/usa/map_files/abc.csv',
      line: 3,
      column: 'ticker',
      value: 'a\u200bc',
      reason: IDENTIFIER,
    },
  ]);
  expect(skipped).toEqual([
    {
      reason: `the symbol in its name is not ${IDENTIFIER}`,
      count: 2,
      example: 'equity/usa/daily/a\tb.zip',
    },
  ]);
});

test('times that are not on their trade date by the definition are refused, and nothing is published', async () => {
  const files = {
    'market-hours/market-hours-database.json': marketHours([], {
      'Future-cme-[*]': 'America/Chicago',
    }),
    'future/cme/tick/es/20200302_trade.zip': {
      '20200302_es_tick_trade_202003.csv': '84600000,1,1,usa,,0\n',
    },
  };
  const { catalog } = service.services;
  const byChicago = catalog.byTextId('fut_trades') as Dataset;
  const byNewYork = { ...byChicago, timeZone: 'America/New_York' } as const;
  const own = {
    ...catalog,
    byTextId: (id: string) => (id === 'fut_trades' ? byNewYork : catalog.byTextId(id)),
  };
  // A lake of its own: parts that are stored by another clock would refuse the definition.
  const other = await openTestService();
  const { lake } = other.services;
  await expect(importFiles(files, { catalog: own, lake })).rejects.toThrow(
    new UsageError(
      'fut_trades: EventDateTime "2020-03-03T00:30:00.000000000-05:00" is not ' +
        "a time on 2020-03-02, the row's TradeDate, in America/New_York",
    ),
  );
  expect(await lake.snapshot(byChicago.datasetId)).toBeNull();
  expect((await importFiles(files, { lake })).isPublished).toBe(true);
  await other.close();
});

test('files that are not read are counted with the reason', async () => {
  const { skipped } = await importFiles({
    'equity/usa/daily/aaa.zip': { 'aaa.csv': dailyBar('20030102', 1) },
    'equity/usa/hour/aaa.zip': {},
    'equity/usa/hour/bbb.zip': {},
    'equity/india/daily/x.zip': {},
    'option/usa/minute/xyz/20200302_quote_american.zip': {},
    'equity/usa/tick/xyz/20201399_trade.zip': {},
    'readme.md': 'x',
  });
  expect(skipped).toEqual([
    { reason: 'only US equities are imported', count: 1, example: 'equity/india/daily/x.zip' },
    {
      reason: 'no dataset holds bars of this length',
      count: 2,
      example: 'equity/usa/hour/aaa.zip',
    },
    {
      reason: 'not a kind of file that is imported',
      count: 2,
      example: 'equity/usa/tick/xyz/20201399_trade.zip',
    },
    {
      reason: 'no dataset holds quote bars of options',
      count: 1,
      example: 'option/usa/minute/xyz/20200302_quote_american.zip',
    },
  ]);
});

test('a folder that is missing, or none of LEAN’s, is said plainly', async () => {
  await expect(importFolder('/nowhere/at/all')).rejects.toThrow(
    new UsageError('/nowhere/at/all does not exist; check the path'),
  );
  const folder = folderOf({ 'notes.txt': 'x' });
  await expect(importFolder(folder)).rejects.toThrow(
    `${folder} is not a LEAN data folder: it has no file such as equity/usa/daily/spy.zip`,
  );
});

test('a damaged zip or database is named and nothing is published', async () => {
  const folder = folderOf({ 'equity/usa/daily/aaa.zip': { 'aaa.csv': dailyBar('20040102', 1) } });
  writeFileSync(path.join(folder, 'equity/usa/daily/bbb.zip'), 'no zip');
  const before = (await service.services.lake.snapshot('US1020'))?.version;
  await expect(importFolder(folder)).rejects.toThrow(/^equity\/usa\/daily\/bbb.zip is damaged: /);
  expect((await service.services.lake.snapshot('US1020'))?.version).toBe(before);
  const hours = { 'market-hours/market-hours-database.json': '{' };
  await expect(importFiles(hours)).rejects.toThrow(
    /^market-hours\/market-hours-database.json is not JSON: /,
  );
});

test('an interrupted import stops and publishes nothing more', async () => {
  const controller = new AbortController();
  controller.abort(new Error('SIGINT'));
  const files = { 'equity/usa/daily/aaa.zip': { 'aaa.csv': dailyBar('20050103', 1) } };
  await expect(importFiles(files, { signal: controller.signal })).rejects.toThrow('SIGINT');
});

test('an import that is interrupted between two datasets publishes neither', async () => {
  const files = {
    'equity/usa/daily/aaa.zip': { 'aaa.csv': dailyBar('20050103', 1) },
    'market-hours/market-hours-database.json': marketHours(['12/25/2020']),
  };
  const ids = ['eq_daily_ohlc', 'eq_market_holidays'].map((id) => service.dataset(id).datasetId);
  const { lake } = service.services;
  const versions = () =>
    Promise.all(ids.map(async (id) => (await lake.snapshot(id))?.version ?? 0));
  const before = await versions();
  const controller = new AbortController();
  const states: Promise<string>[] = [];
  const onStep = (done: number) => {
    states.push(...ids.map(async (id) => (await lake.publicationStatus(id)).state));
    if (done === 3) controller.abort(new Error('SIGINT'));
  };
  const importing = importFiles(files, { signal: controller.signal, onStep });
  await expect(importing).rejects.toThrow('SIGINT');
  expect(await Promise.all(states)).toEqual(Array(8).fill('running'));
  expect(await versions()).toEqual(before);
  for (const id of ids) {
    expect(await lake.publicationStatus(id)).toMatchObject({
      state: 'failed',
      message: 'interrupted',
    });
  }
  await importFiles(files);
  expect(await versions()).toEqual(before.map((version) => version + 1));
});
