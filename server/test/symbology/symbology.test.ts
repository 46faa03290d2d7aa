/** Symbol resolution and security search over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

let service: TestService;

/** A row of the security master, less what is not told. */
function master(secId: bigint, asid: bigint, given: Record<string, CellValue>) {
  const { columns } = service.dataset('eq_sec_master');
  const row: Record<string, CellValue> = { SecId: secId, ASID: asid, ListStatus: 'L', ...given };
  return columns.map(({ name }) => row[name] ?? null);
}

const publishMaster = (name: string) =>
  service.publish('eq_sec_master', [
    master(33n, 1_010_000_000_000_033n, {
      Ticker: ['FB', 'META'],
      TickerStartToEndDate: ['20120518:20220608', '20220609:20991231'],
      Name: [name],
      NameStartToEndDate: ['20120518:20991231'],
      ISIN: ['US30303M1027'],
      ISINStartToEndDate: ['20120518:20991231'],
      SEDOL: 'B7TL820',
    }),
    master(44n, 1_010_000_000_000_044n, {
      ListStatus: 'D',
      Ticker: ['META'],
      TickerStartToEndDate: ['20080102:20110630'],
      Name: ['Metals of Texas'],
      NameStartToEndDate: ['20080102:20110630'],
    }),
  ]);

beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

const asAccount = (key: string, url: string) =>
  service.app.inject({ url, headers: { 'x-api-key': key } });

/** The key of an account that may read the companies of one ticker. */
async function keyFor(universe: readonly string[] | null): Promise<string> {
  const { accountId, key } = await service.addAccount(`reader of ${universe}`);
  if (universe === null) return key;
  const { datasetId } = service.dataset('eq_sec_master');
  const window = { startDate: '1900-01-01', endDate: null };
  await writing(service.services.store).rules.add({ accountId, datasetId, ...window, universe });
  return key;
}

const RESOLVE = '/v1/symbology/resolve';
const SEARCH = '/v1/symbology/search';

describe('before anything is published', () => {
  it('no symbol is known', async () => {
    const answer = await service.get(`${RESOLVE}?symbols=FB`);
    expect(answer.json()).toEqual({
      dataset_version: null,
      type: 'Ticker',
      resolved: [],
      not_found: ['FB'],
    });
  });
});

describe('symbols', () => {
  beforeAll(() => publishMaster('Meta Platforms Inc'));

  it('are resolved to the securities that they meant, by dates', async () => {
    const { statusCode, json } = await service.get(`${RESOLVE}?symbols=META,FB,NOPE`);
    expect(statusCode).toBe(200);
    const answer = json();
    expect(answer).toMatchObject({ dataset_version: 1, not_found: ['NOPE'] });
    const [meta, fb] = answer.resolved;
    expect(
      meta.intervals.map((each: Record<string, unknown>) => [
        each.sec_id,
        each.start_date,
        each.end_date,
      ]),
    ).toEqual([
      [44, '2008-01-02', '2011-06-30'],
      [33, '2022-06-09', null],
    ]);
    expect(fb.intervals).toEqual([
      {
        start_date: '2012-05-18',
        end_date: '2022-06-08',
        ticker: 'FB',
        asid: 1_010_000_000_000_033,
        sec_id: 33,
        name: 'Meta Platforms Inc',
        primary_exchange: null,
        security_description: null,
        list_status: 'L',
        figi: null,
        isin: 'US30303M1027',
        cusip: null,
        sedol: 'B7TL820',
        previous: null,
        next: { ticker: 'META', date: '2022-06-09' },
      },
    ]);
  });

  it('are resolved by other identifiers, within dates', async () => {
    const query = 'symbols=US30303M1027&type=ISIN&start=2022-01-01&end=2022-12-31';
    const { resolved } = (await service.get(`${RESOLVE}?${query}`)).json();
    expect(resolved[0].intervals.map(({ ticker }: { ticker: string }) => ticker)).toEqual([
      'FB',
      'META',
    ]);
  });

  it('mean nothing at dates to come', async () => {
    const answer = await service.get(`${RESOLVE}?symbols=FB&start=2150-01-01`);
    expect(answer.json()).toMatchObject({ resolved: [], not_found: ['FB'] });
  });

  it('are searched by tickers, names and numbers', async () => {
    const found = async (q: string) =>
      (await service.get(`${SEARCH}?q=${encodeURIComponent(q)}`))
        .json()
        .securities.map(({ sec_id, matched }: Record<string, unknown>) => [sec_id, matched]);
    expect(await found('meta')).toEqual([
      [33, { field: 'Ticker', value: 'META' }],
      [44, { field: 'Ticker', value: 'META' }],
    ]);
    expect(await found('platf')).toEqual([[33, { field: 'Name', value: 'Meta Platforms Inc' }]]);
    expect(await found('10100000000000')).toHaveLength(2);
    const [first] = (await service.get(`${SEARCH}?q=me&limit=1`)).json().securities;
    expect(first).toMatchObject({ ticker: 'META', end_date: null, start_date: '2012-05-18' });
  });

  it('are those that the caller may read, and no others', async () => {
    const [texan, nobody] = [await keyFor(['1010000000000044']), await keyFor(null)];
    const { securities } = (await asAccount(texan, `${SEARCH}?q=meta`)).json();
    expect(securities.map(({ sec_id }: { sec_id: number }) => sec_id)).toEqual([44]);
    const resolved = (await asAccount(texan, `${RESOLVE}?symbols=FB,META`)).json();
    expect(resolved.not_found).toEqual(['FB']);
    expect(resolved.resolved[0].intervals).toHaveLength(1);
    expect((await asAccount(nobody, `${SEARCH}?q=meta`)).statusCode).toBe(403);
    expect((await service.app.inject({ url: `${SEARCH}?q=meta` })).statusCode).toBe(401);
  });

  it('keep their tag until the security master changes', async () => {
    const tagOf = async () => String((await service.get(`${SEARCH}?q=meta`)).headers.etag);
    const tag = await tagOf();
    const again = await service.get(`${SEARCH}?q=meta`, { 'if-none-match': tag });
    expect(again.statusCode).toBe(304);
    await publishMaster('Renamed Inc');
    expect(await tagOf()).not.toBe(tag);
    const { resolved } = (await service.get(`${RESOLVE}?symbols=FB`)).json();
    expect(resolved[0].intervals[0].name).toBe('Renamed Inc');
  });

  it.each([
    [`${RESOLVE}`, 'symbols', 'is missing'],
    [`${RESOLVE}?symbols=`, 'symbols', 'should be 1 to 100 symbols, separated by commas'],
    [`${RESOLVE}?symbols=${'A,'.repeat(100)}B`, 'symbols', 'should be 1 to 100 symbols'],
    [`${RESOLVE}?symbols=FB&type=Cusip`, 'type', 'should be one of Ticker, ASID, SecId, FIGI'],
    [`${RESOLVE}?symbols=FB&start=2022-02-30`, 'start', 'should be a calendar date'],
    [`${RESOLVE}?symbols=FB&start=2022-02-03&end=2022-02-02`, 'start', 'should be no later than'],
    [`${RESOLVE}?symbols=FB&day=1`, 'day', 'is unknown'],
    [`${SEARCH}?q=`, 'q', 'should be a string of 1 to 200 characters'],
    [`${SEARCH}?q=a&limit=101`, 'limit', 'should be a whole number from 1 to 100'],
  ])('refuse %s', async (url, name, complaint) => {
    const { statusCode, json } = await service.get(url);
    expect(statusCode).toBe(422);
    const [{ loc, msg }] = json().detail;
    expect([loc.slice(0, 2), msg]).toEqual([['query', name], expect.stringContaining(complaint)]);
  });
});

describe('OSI symbols', () => {
  const contract = (right: string): Record<string, CellValue> => ({
    ...{ ASID: 1_110_000_000_001_005n, OptionTicker: 'FB', UnderTicker: 'META', CallPut: right },
    ...{ Expiration: '2024-01-19', Strike: 190, OsiSymbol: `FB    240119${right}00190000` },
    ...{ FirstTradeDate: '2022-09-12', LastTradeDate: '2024-01-19', ListStatus: 'D' },
  });

  beforeAll(async () => {
    const { columns } = service.dataset('opt_contr_sec_master');
    const rows = ['C', 'P'].map((right) =>
      columns.map(({ name }) => contract(right)[name] ?? null),
    );
    await service.publish('opt_contr_sec_master', rows);
  });

  const contracts = `${RESOLVE}?type=OSI&symbols=`;
  const [PADDED, SHORT] = [encodeURIComponent('FB    240119C00190000'), 'FB240119P00190000'];

  it('are resolved with the root padded or not, to the underlying and the days of trading', async () => {
    const answer = (await service.get(`${contracts}${PADDED},${SHORT},FB240119C00195000`)).json();
    expect(answer).toMatchObject({ type: 'OSI', dataset_version: 1 });
    expect(answer.not_found).toEqual(['FB240119C00195000']);
    const symbols = answer.resolved.map(({ symbol }: { symbol: string }) => symbol);
    expect(symbols).toEqual(['FB    240119C00190000', SHORT]);
    expect(answer.resolved[1].intervals).toMatchObject([
      {
        ...{ start_date: '2022-09-12', end_date: '2024-01-19', ticker: 'META' },
        ...{ asid: 1_110_000_000_001_005, sec_id: null, list_status: 'D' },
      },
    ]);
  });

  it('are cut to the dates asked for', async () => {
    const between = async (dates: string) =>
      (await service.get(`${contracts}${SHORT}&${dates}`)).json().resolved[0]?.intervals[0];
    expect(await between('start=2023-01-01&end=2023-12-31')).toMatchObject({
      ...{ start_date: '2023-01-01', end_date: '2023-12-31' },
    });
    expect(await between('start=2024-01-20')).toBeUndefined();
  });

  it('are those that the account may read, and what is looked through counts as scanned', async () => {
    const { datasetId } = service.dataset('opt_contr_sec_master');
    const window = { startDate: '1900-01-01', endDate: null };
    for (const [universe, count] of [
      [['META'], 1],
      [['OTHER'], 0],
    ] as const) {
      const { accountId, key } = await service.addAccount(`options of ${universe}`);
      const rule = { accountId, datasetId, ...window, universe };
      await writing(service.services.store).rules.add(rule);
      expect((await asAccount(key, `${contracts}${SHORT}`)).json().resolved).toHaveLength(count);
      const usage = (await asAccount(key, '/v1/account/my/quotas')).json().quotas_usage.month;
      // Row groups that cannot match the rule are not scanned.
      expect(usage.data_scanned > 0).toBe(count > 0);
    }
    const { key } = await service.addAccount('without options');
    expect((await asAccount(key, `${contracts}${SHORT}`)).statusCode).toBe(403);
  });

  it('that are none are refused', async () => {
    for (const wrong of ['FB', 'FB240119X00190000', 'LONGROOT240119C00190000']) {
      const { statusCode, json } = await service.get(`${contracts}${SHORT},${wrong}`);
      expect(statusCode).toBe(422);
      expect(json().detail).toMatchObject([{ loc: ['query', 'symbols'], input: wrong }]);
      expect(json().detail[0].msg).toContain('yymmdd, C or P');
    }
  });
});

it('says so where the server has no security master', async () => {
  const other = await openTestService({ offeredDatasets: ['eq_taq'] });
  const answer = await other.get(`${SEARCH}?q=meta`);
  expect(answer.statusCode).toBe(404);
  expect(answer.json().detail).toContain('eq_sec_master');
  await other.close();
});
