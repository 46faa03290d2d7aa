/** Companies keep the numbers that an import gave them, whatever is imported when. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ImportRequest, importLeanFolder } from '../../src/ingest/lean/import-folder.ts';
import { openTestService, type TestService } from '../harness.ts';
import { readRows } from '../oracle/read-rows.ts';
import { partFiles } from '../part-files.ts';
import { sampleOf } from '../repetitions.ts';
import { type LeanContent, writeLeanFolder } from './lean-folder.ts';

type Files = Readonly<Record<string, LeanContent>>;

let service: TestService;
const folders: string[] = [];
beforeEach(async () => {
  service = await openTestService();
});
afterEach(async () => {
  await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function importFiles(files: Files, options: Partial<ImportRequest> = {}, into = service) {
  const directory = writeLeanFolder(files);
  folders.push(directory);
  const { catalog, lake } = into.services;
  return importLeanFolder({
    ...{ directory, catalog, lake, mode: 'replace', vendor: 'LEAN', maxBadRows: 0 },
    ...{ dropSuspicious: false, signal: new AbortController().signal, onStep: () => {} },
    ...options,
  });
}

async function rowsOf(textId: string, from = service) {
  const dataset = from.dataset(textId);
  return readRows(dataset, await partFiles(from.services.lake, dataset.datasetId));
}

/** The numbers of a dataset's rows by ticker and day. */
async function numbersOf(textId: string, from = service) {
  const rows = await rowsOf(textId, from);
  return Object.fromEntries(
    rows.map((row) => [
      `${row.Ticker} ${row.TradeDate ?? row.StartDate ?? row.EffectiveDate}`,
      row.ASID,
    ]),
  );
}

async function knownSecurities(from = service) {
  return await from.services.lake.securities.all();
}

function daily(ticker: string, ...dates: string[]): Files {
  const lines = dates.map((date) => `${date} 00:00,10000,20000,9000,15000,7\n`);
  return { [`equity/usa/daily/${ticker}.zip`]: { [`${ticker}.csv`]: lines.join('') } };
}

function map(name: string, ...lines: string[]): Files {
  return { [`equity/usa/map_files/${name}.csv`]: lines.join('\n') };
}

const factors = (name: string, date: string): Files => ({
  [`equity/usa/factor_files/${name}.csv`]: `${date},0.5,1,10\n20501231,1,1,0\n`,
});
const ticks = (ticker: string, date: string): Files => ({
  [`equity/usa/tick/${ticker}/${date}_trade.zip`]: { 't.csv': '1,1,1,N,0,0\n' },
});
const minutes = (ticker: string, date: string): Files => ({
  [`equity/usa/minute/${ticker}/${date}_trade.zip`]: { 't.csv': '34200000,1,1,1,1,1\n' },
});

// One company was VX until it ended, the other took over the ticker; before, that one was VXB.
const ENDED = map('vx.1', '20090130,vx,P', '20190129,vx,P');
const CHANGED = map('vx', '20180118,vxb,Z', '20190501,vxb,Z', '20501231,vx,Z');
const VX_DAILY = daily('vx', '20190128', '20190129', '20190502');
const VXB_DAILY = daily('vxb', '20190128');

test('a ticker that two companies had in turn is the right one on each day, in every dataset', async () => {
  await importFiles({
    ...{ ...ENDED, ...CHANGED, ...VX_DAILY, ...VXB_DAILY },
    ...{ ...ticks('vx', '20190128'), ...ticks('vx', '20190502') },
    ...{ ...minutes('vx', '20190128'), ...minutes('vxb', '20190128') },
    ...{ ...factors('vx.1', '20180102'), ...factors('vx', '20180202') },
  });
  const chains = await numbersOf('eq_secid_chains_lookup');
  const ended = chains['VX 2009-01-30'];
  const changed = chains['VX 2019-05-02'];
  expect(ended).not.toBe(changed);
  expect(chains).toEqual({
    'VX 2009-01-30': ended,
    'VXB 2018-01-18': changed,
    'VX 2019-05-02': changed,
  });
  const first = { 'VX 2019-01-28': ended };
  const expected = {
    eq_daily_ohlc: {
      ...{ ...first, 'VX 2019-01-29': ended },
      ...{ 'VX 2019-05-02': changed, 'VXB 2019-01-28': changed },
    },
    eq_trades: { ...first, 'VX 2019-05-02': changed },
    eq_taq: { ...first, 'VX 2019-05-02': changed },
    eq_trades_1min_ind_std: { ...first, 'VXB 2019-01-28': changed },
    eq_taq_1min_ind_std: { ...first, 'VXB 2019-01-28': changed },
    eq_adj_factors_basic: { 'VX 2018-01-03': ended, 'VXB 2018-02-05': changed },
  };
  for (const [textId, numbers] of Object.entries(expected)) {
    expect(await numbersOf(textId), textId).toEqual(numbers);
  }
  const lookups = await rowsOf('eq_lookup_files');
  expect(lookups.map(({ SecId, Ticker, EndDate }) => [SecId, Ticker, EndDate])).toEqual([
    [ended, 'VX', '2019-01-29'],
    [changed, 'VX', '2099-12-31'],
    [changed, 'VXB', '2019-05-01'],
  ]);
});

test('the security master has what the map files say, and nothing else', async () => {
  await importFiles({ ...ENDED, ...CHANGED, ...daily('new', '20190128') });
  const rows = await rowsOf('eq_sec_master');
  const filled = rows.map(({ SecId, ASID, ...row }) => {
    expect([SecId, typeof SecId]).toEqual([ASID, 'bigint']);
    return Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null));
  });
  const none = { Name: [], NameStartToEndDate: [], ISIN: [], ISINStartToEndDate: [] };
  const unknown = { ...none, USIdentifier: [], USIdentifierStartToEndDate: [], FIGI: [] };
  const byTicker = filled.toSorted((a, b) => (`${a.Ticker}` < `${b.Ticker}` ? -1 : 1));
  expect(byTicker).toEqual([
    {
      ...unknown,
      ...{ Ticker: ['NEW'], TickerStartToEndDate: ['20190128:20991231'] },
      ...{ PrimaryExchange: [], PrimaryExchangeStartToEndDate: [] },
    },
    {
      ...{ ...unknown, ListStatus: 'D' },
      ...{ Ticker: ['VX'], TickerStartToEndDate: ['20090130:20190129'] },
      ...{ PrimaryExchange: ['ARCA'], PrimaryExchangeStartToEndDate: ['20090130:20190129'] },
    },
    {
      ...{ ...unknown, ListStatus: 'L', Ticker: ['VXB', 'VX'] },
      TickerStartToEndDate: ['20180118:20190501', '20190502:20991231'],
      ...{ PrimaryExchange: ['BATS'], PrimaryExchangeStartToEndDate: ['20180118:20991231'] },
    },
  ]);
});

const PIECES: readonly Files[] = [
  { ...ENDED, ...CHANGED },
  VX_DAILY,
  { ...VXB_DAILY, ...ticks('vx', '20190502') },
  { ...factors('vx.1', '20180102'), ...factors('vx', '20180202'), ...daily('abc', '20190128') },
];
const ORDERS = [
  [0, 1, 2, 3],
  [0, 3, 2, 1, 0],
  [2, 0, 3, 1],
  [3, 0, 1, 2, 3, 1],
];

test.each(sampleOf(ORDERS).map((order) => [order.join(' '), order] as const))(
  'pieces of a folder in the order %s give the numbers that the whole gives',
  async (_, order) => {
    const whole = Object.assign({}, ...PIECES) as Files;
    const given = new Map<string, number>();
    for (const piece of [...order.map((at) => PIECES[at] as Files), whole]) {
      await importFiles(piece);
      for (const { securityId, firstTicker, firstDate } of await knownSecurities()) {
        if (firstDate === null) continue;
        const key = `${firstTicker} ${firstDate}`;
        expect(securityId, key).toBe(given.get(key) ?? securityId);
        given.set(key, securityId);
      }
    }
    const numbers = await numbersOf('eq_daily_ohlc');
    expect(numbers['VX 2019-01-28']).toBe(BigInt(given.get('VX 2009-01-30') ?? 0));
    expect(numbers['VX 2019-05-02']).toBe(BigInt(given.get('VXB 2018-01-18') ?? 0));
    expect(new Set(Object.values(numbers)).size).toBe(3);
    const fromFactors = await numbersOf('eq_adj_factors_basic');
    expect(fromFactors['VX 2018-01-03']).toBe(numbers['VX 2019-01-28']);
    expect(fromFactors['VXB 2018-02-05']).toBe(numbers['VX 2019-05-02']);
  },
);

test('another home comes to the same numbers, whichever map file it gets first', async () => {
  await importFiles(ENDED);
  await importFiles({ ...CHANGED, ...daily('abc', '20190128') });
  const other = await openTestService();
  for (const files of [daily('abc', '20200102'), CHANGED, ENDED]) {
    await importFiles(files, {}, other);
  }
  const of = async (from: TestService) =>
    (await knownSecurities(from)).map(({ securityId, firstTicker }) => [securityId, firstTicker]);
  expect(await of(other)).toEqual(await of(service));
  await other.close();
});

test('a company keeps its number when it gets a new ticker and its map file a new name', async () => {
  const before = map('fb', '20120518,fb,Q', '20501231,fb,Q');
  await importFiles({ ...before, ...daily('fb', '20220607') });
  const [known] = await knownSecurities();
  const after = map('meta', '20120518,fb,Q', '20220608,fb,Q', '20501231,meta,Q');
  await importFiles({ ...after, ...daily('meta', '20220609'), ...factors('meta', '20220608') });
  // The next company with the name has a file of that name.
  await importFiles(map('fb', '20230103,fb,N', '20501231,fb,N'));
  await importFiles(daily('fb', '20220608', '20230103'));
  const numbers = await numbersOf('eq_daily_ohlc');
  const asid = BigInt(known?.securityId ?? 0);
  expect(numbers).toMatchObject({ 'FB 2022-06-08': asid });
  expect(numbers['FB 2023-01-03']).not.toBe(asid);
  expect(await numbersOf('eq_adj_factors_basic')).toEqual({ 'META 2022-06-09': asid });
  const chains = await numbersOf('eq_secid_chains_lookup');
  expect(chains).toEqual({
    ...{ 'FB 2012-05-18': asid, 'META 2022-06-09': asid },
    'FB 2023-01-03': numbers['FB 2023-01-03'],
  });
});

test('a file without a map file has the number of its ticker, which stays when the map file comes', async () => {
  await importFiles({ ...daily('abc', '20150105'), ...daily('xyz', '20150105') });
  const alone = await numbersOf('eq_daily_ohlc');
  expect(new Set(Object.values(alone)).size).toBe(2);
  await importFiles(daily('abc', '20170103', '20150106'));
  const report = await importFiles(map('abc', '20130102,abc,N', '20501231,abc,N'));
  expect(report.warnings).toEqual([]);
  await importFiles({ ...daily('abc', '20150105', '20120103'), ...daily('xyz', '20150105') });
  const numbers = await numbersOf('eq_daily_ohlc');
  expect(numbers).toMatchObject(alone);
  // Before the company had the ticker, it was another one's.
  expect(Object.values(alone)).not.toContain(numbers['ABC 2012-01-03']);
  const lookup = (await rowsOf('eq_secid_chains_lookup')).map(({ Ticker, StartDate }) => [
    Ticker,
    StartDate,
  ]);
  expect(lookup.sort()).toEqual([
    ['ABC', '2013-01-02'],
    ['XYZ', '2015-01-05'],
  ]);
});

test('a ticker that was met on days of two companies becomes neither, and the warning says so', async () => {
  await importFiles(daily('vx', '20190128', '20190502'));
  const [alone] = await knownSecurities();
  const report = await importFiles({ ...ENDED, ...CHANGED });
  const companies = (await knownSecurities()).filter(({ firstDate }) => firstDate !== null);
  expect(companies.map(({ securityId }) => securityId)).not.toContain(alone?.securityId);
  const ended = companies.find(({ firstTicker }) => firstTicker === 'VX');
  const changed = companies.find(({ firstTicker }) => firstTicker === 'VXB');
  const line = (day: string, company: typeof ended) =>
    `VX on ${day} was ${alone?.securityId} until now and is ${company?.securityId}: import its files again`;
  expect(report.warnings).toEqual([line('2019-01-28', ended), line('2019-05-02', changed)]);
  const again = await importFiles({ ...ENDED, ...CHANGED, ...VX_DAILY });
  expect(again.warnings).toEqual([]);
  expect(Object.values(await numbersOf('eq_daily_ohlc'))).not.toContain(
    BigInt(alone?.securityId ?? 0),
  );
});

test('a ticker that was met before its company had it keeps its number to itself', async () => {
  await importFiles(daily('abc', '20120103', '20150105'));
  const [alone] = await knownSecurities();
  const report = await importFiles({
    ...map('abc', '20130102,abc,N', '20501231,abc,N'),
    ...daily('abc', '20120103', '20150105'),
  });
  expect(report.warnings).toHaveLength(1);
  const numbers = await numbersOf('eq_daily_ohlc');
  expect(numbers['ABC 2012-01-03']).toBe(BigInt(alone?.securityId ?? 0));
  expect(numbers['ABC 2015-01-05']).not.toBe(numbers['ABC 2012-01-03']);
});

test('two map files that claim a ticker on one day are refused, or the first one has it if allowed', async () => {
  const files = {
    ...map('aa', '20100104,aa,N', '20150630,aa,N', '20501231,zz,N'),
    ...map('bb', '20120103,bb,Q', '20150629,bb,Q', '20501231,aa,Q'),
    ...daily('aa', '20150630', '20150701'),
  };
  const refused = await importFiles(files);
  expect(refused).toMatchObject({ isPublished: false, badRowCount: 1 });
  expect(refused.badValues).toEqual([
    {
      ...{ file: 'equity/usa/map_files/bb.csv', line: 1, column: 'ticker', value: 'AA' },
      reason: "one company's on 2015-06-30: equity/usa/map_files/aa.csv claims it, too",
    },
  ]);
  expect(await knownSecurities()).toEqual([]);
  expect(await importFiles(files, { maxBadRows: 1 })).toMatchObject({ isPublished: true });
  const chains = await numbersOf('eq_secid_chains_lookup');
  expect(await numbersOf('eq_daily_ohlc')).toEqual({
    'AA 2015-06-30': chains['AA 2010-01-04'],
    'AA 2015-07-01': chains['AA 2015-07-01'],
  });
  expect(chains['BB 2012-01-03']).toBe(chains['AA 2015-07-01']);
});

test('a refused or interrupted import takes no number from anybody', async () => {
  // A Saturday.
  const bad = daily('vx', '20190128', '20190126');
  expect((await importFiles({ ...ENDED, ...bad })).isPublished).toBe(false);
  const controller = new AbortController();
  const onStep = (done: number, total: number) => {
    if (done === total - 1) controller.abort(new Error('SIGINT'));
  };
  const options = { signal: controller.signal, onStep };
  await expect(importFiles({ ...CHANGED, ...VX_DAILY }, options)).rejects.toThrow('SIGINT');
  const given = await knownSecurities();
  expect(given.map(({ firstTicker }) => firstTicker).sort()).toEqual(['VX', 'VXB']);
  await importFiles({ ...CHANGED, ...ENDED, ...VX_DAILY });
  expect(await knownSecurities()).toEqual(given);
});

test('imports at the same time give one number to each company', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `c${at}`);
  const file = (name: string) => map(name, `20100104,${name},N`, `20501231,${name},N`);
  const companies = names.map(file);
  const imports = companies.map((own, at) =>
    importFiles({ ...own, ...companies[(at + 1) % 8], ...daily(names[at] as string, '20200102') }),
  );
  await Promise.all(imports);
  const known = await knownSecurities();
  expect(known.map(({ firstTicker }) => firstTicker).sort()).toEqual(
    names.map((name) => name.toUpperCase()),
  );
  await importFiles(Object.assign({}, ...companies) as Files);
  expect(await rowsOf('eq_secid_chains_lookup')).toHaveLength(8);
});

test('--append adds rows, but writes the lookups anew, so that nothing in them is there twice', async () => {
  await importFiles({ ...ENDED, ...VX_DAILY });
  const added = { ...ENDED, ...daily('vx', '20190128'), ...daily('abc', '20200102') };
  const refused = await importFiles(added, { mode: 'append' });
  expect(refused.isPublished).toBe(false);
  const appended = await importFiles({ ...added, ...daily('vx', '20200102') }, { mode: 'append' });
  expect(appended.isPublished).toBe(true);
  expect(await rowsOf('eq_daily_ohlc')).toHaveLength(5);
  for (const textId of ['eq_lookup_files', 'eq_secid_chains_lookup', 'eq_sec_master']) {
    const rows = await rowsOf(textId);
    // After its company's end the ticker is one that no map file names.
    expect(rows.map(({ Ticker }) => `${Ticker}`).sort(), textId).toEqual(['ABC', 'VX', 'VX']);
  }
});

test('--append takes the factors of a company for all that it has, and leaves those of others', async () => {
  const maps = { ...ENDED, ...CHANGED };
  await importFiles({ ...maps, ...factors('vx.1', '20180102'), ...factors('vx', '20180202') });
  const before = await numbersOf('eq_adj_factors_basic');
  await importFiles(factors('vx.1', '20180102'), { mode: 'append' });
  expect(await rowsOf('eq_adj_factors_basic')).toHaveLength(2);
  expect(await numbersOf('eq_adj_factors_basic')).toEqual(before);
  await importFiles({ ...maps, ...factors('vx', '20190603') }, { mode: 'append' });
  expect(await numbersOf('eq_adj_factors_basic')).toEqual({
    'VX 2018-01-03': before['VX 2018-01-03'],
    'VX 2019-06-04': before['VXB 2018-02-05'],
  });
});
