/**
 * Tickers that meant several companies on the requested dates: reported in a header, or refused.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const DAILY = '/us-equity/eq-daily-ohlc';
const DATES = 'TradeDate.ge=2008-01-01&TradeDate.le=2025-06-20';
const YEARS = `${DATES}&period=20Y`;
const [OLD, NEW, THIRD] = [1_010_000_000_000_044n, 1_010_000_000_000_033n, 55n];

let service: TestService;

type Cells = Readonly<Record<string, CellValue>>;

function publish(textId: string, rows: readonly Cells[]): Promise<void> {
  const { columns } = service.dataset(textId);
  return service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

/**
 * One company was META, then another took it over under two SecIds; a third shares a ticker with
 * it.
 */
const MASTER: readonly Cells[] = [
  { SecId: 1n, ASID: OLD, Ticker: ['META'], TickerStartToEndDate: ['20080102:20110630'] },
  {
    ...{ SecId: 2n, ASID: NEW, Ticker: ['FB', 'META'] },
    TickerStartToEndDate: ['20120518:20220608', '20220609:20230630'],
  },
  { SecId: 3n, ASID: NEW, Ticker: ['META'], TickerStartToEndDate: ['20230701:29991231'] },
  { SecId: 4n, ASID: THIRD, Ticker: ['FB'], TickerStartToEndDate: ['20240102:20991231'] },
  { SecId: 5n, ASID: null, Ticker: ['FB'], TickerStartToEndDate: ['20070103:20070105'] },
];

const BARS: readonly Cells[] = [
  { TradeDate: '2009-03-02', Ticker: 'META', ASID: OLD },
  { TradeDate: '2023-03-02', Ticker: 'META', ASID: NEW },
  { TradeDate: '2025-06-18', Ticker: 'META', ASID: NEW },
];

beforeAll(async () => {
  service = await openTestService();
  await publish('eq_daily_ohlc', BARS);
  await publish('eq_sec_master', MASTER);
});
afterAll(() => service.close());

async function symbolsOf(path: string, key = service.key) {
  const answer = await service.get(path, { 'x-api-key': key });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.headers['x-symbols'];
}

let readerCount = 0;

/** The universe of a rule for each dataset, and the columns that the rule for the master names. */
async function keyWith(
  rules: Readonly<Record<string, readonly string[]>>,
  ofMaster?: readonly string[],
): Promise<string> {
  const { accountId, key } = await service.addAccount(`reader ${readerCount++}`);
  for (const [textId, universe] of Object.entries(rules)) {
    const { datasetId } = service.dataset(textId);
    const window = { startDate: '1900-01-01', endDate: null };
    const columns = textId === 'eq_sec_master' ? ofMaster : undefined;
    const rule = { accountId, datasetId, ...window, universe, columns };
    await writing(service.services.store).rules.add(rule);
  }
  return key;
}

const META = `META ${OLD} 2008-01-02/2011-06-30, META ${NEW} 2022-06-09/2025-06-20`;

describe('X-Symbols', () => {
  it.each([
    ['Ticker=META', META],
    ['Ticker.in=META,AAPL', META],
    ['Ticker=FB', `FB ${NEW} 2012-05-18/2022-06-08, FB ${THIRD} 2024-01-02/2025-06-20`],
    ['Ticker=AAPL', undefined],
    [`Ticker=META&ASID=${OLD}`, undefined],
    [`ASID=${OLD}`, undefined],
    ['', undefined],
  ])('names the companies of %s, once however many SecIds they had', async (filter, expected) => {
    expect(await symbolsOf(`/v1/data${DAILY}?${YEARS}&${filter}`)).toBe(expected);
  });

  it('goes by the dates that are read, and those are cut to them', async () => {
    const between = (start: string, end: string) =>
      symbolsOf(
        `/v1/data${DAILY}?Ticker=META&TradeDate.ge=${start}&TradeDate.le=${end}&period=20Y`,
      );
    expect(await between('2012-01-01', '2025-06-20')).toBeUndefined();
    expect(await between('2011-06-30', '2022-06-09')).toBe(
      `META ${OLD} 2011-06-30/2011-06-30, META ${NEW} 2022-06-09/2022-06-09`,
    );
    expect(await between('2011-06-30', '2022-06-08')).toBeUndefined();
    // The look-back period ends before the first company's last day.
    expect(await symbolsOf(`/v1/data${DAILY}?Ticker=META`)).toBeUndefined();
  });

  it('is on the pages of bars, manifests, what is told of a scan, and a 304', async () => {
    expect(await symbolsOf(`/v1/bulk${DAILY}?${DATES}&Ticker=META`)).toBe(META);
    expect(await symbolsOf(`/v1/data-scan${DAILY}?${YEARS}&Ticker=META`)).toBe(META);
    const bars = await symbolsOf(
      '/v1/data/us-equity/eq-taq-1min/META?TradeDate.ge=2008-01-01&TradeDate.le=2023-01-01&period=20Y',
    );
    expect(bars).toContain(`META ${OLD}`);
    const url = `/v1/data${DAILY}?${YEARS}&Ticker=META`;
    const held = await service.get(url, { 'if-none-match': '*' });
    expect([held.statusCode, held.headers['x-symbols']]).toEqual([304, META]);
  });

  it('tells what the account may read of the security master, and nothing without rules for it', async () => {
    const url = `/v1/data${DAILY}?${YEARS}&Ticker=META`;
    expect(await symbolsOf(url, await keyWith({ eq_daily_ohlc: [] }))).toBeUndefined();
    const one = await keyWith({ eq_daily_ohlc: [], eq_sec_master: [`${OLD}`] });
    expect(await symbolsOf(url, one)).toBeUndefined();
    const both = await keyWith({ eq_daily_ohlc: [], eq_sec_master: [`${OLD}`, `${NEW}`] });
    expect(await symbolsOf(url, both)).toBe(META);
  });

  it('has so many entries and a count of the rest', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `T${i}É`);
    const had = (asid: bigint, dates: string) =>
      names.map((name, i) => ({
        ...{ SecId: asid * 100n + BigInt(i), ASID: asid, Ticker: [name] },
        TickerStartToEndDate: [dates],
      }));
    const reused = [...had(7n, '20100104:20101231'), ...had(8n, '20110103:20991231')];
    await publish('eq_sec_master', reused);
    const filter = `Ticker.in=${names.map(encodeURIComponent)}`;
    const entries = String(await symbolsOf(`/v1/data${DAILY}?${YEARS}&${filter}`)).split(', ');
    expect(entries).toHaveLength(31);
    expect(entries[0]).toBe('T0%C3%89 7 2010-01-04/2010-12-31');
    expect(entries[30]).toBe('10 more');
    await publish('eq_sec_master', MASTER);
  });

  it('counts the request for the dataset that it is of', async () => {
    const key = await keyWith({ eq_daily_ohlc: [], eq_sec_master: [] });
    const url = `/v1/data${DAILY}?${YEARS}&Ticker=META`;
    const scanned = async () =>
      (await service.get('/v1/account/my/quotas', { 'x-api-key': key })).json().quotas_usage.month
        .data_scanned;
    expect(await symbolsOf(url, key)).toBe(META);
    const { bytes_scanned: bytes } = (
      await service.get(`/v1/data-scan${DAILY}?${YEARS}&Ticker=META`)
    ).json();
    expect(await scanned()).toBe(bytes);
  });
});

describe('symbols=strict', () => {
  const strict = (path: string, key = service.key) =>
    service.get(`${path}&symbols=strict`, { 'x-api-key': key });

  it.each(['/v1/data', '/v1/data-scan', '/v1/bulk'])('refuses on %s', async (first) => {
    const dates = first === '/v1/bulk' ? DATES : YEARS;
    const answer = await strict(`${first}${DAILY}?${dates}&Ticker.in=META,FB,AAPL`);
    expect(answer.statusCode).toBe(422);
    expect(answer.headers['x-symbols']).toBeUndefined();
    const { detail } = answer.json();
    expect(detail).toHaveLength(2);
    expect(detail[0]).toMatchObject({
      ...{ type: 'ambiguous_ticker', loc: ['query', 'symbols'], input: 'META' },
      msg: expect.stringContaining(`${OLD} 2008-01-02/2011-06-30, ${NEW} 2022-06-09/2025-06-20`),
    });
  });

  it('lets pass what means one company, and changes no row of it', async () => {
    const url = `/v1/data${DAILY}?${YEARS}&Ticker=META&ASID=${OLD}`;
    const [plain, judged] = [await service.get(url), await strict(url)];
    expect(judged.statusCode).toBe(200);
    expect(judged.body).toBe(plain.body);
    expect(judged.headers.etag).toBe(plain.headers.etag);
    expect((await strict(`/v1/data${DAILY}?TradeDate=2009-03-02&Ticker=META`)).statusCode).toBe(
      200,
    );
  });

  it('refuses where it cannot be judged', async () => {
    const url = `/v1/data${DAILY}?${YEARS}&Ticker=META`;
    expect((await strict(url, await keyWith({ eq_daily_ohlc: [] }))).statusCode).toBe(403);
    const futures = await strict('/v1/data/us-futures/fut-trades-1min?BaseSymbol=ES');
    expect(futures.statusCode).toBe(422);
    expect(futures.json().detail).toMatchObject([{ loc: ['query', 'symbols'], input: 'strict' }]);
    const wrong = await service.get(`${url}&symbols=sure`);
    expect(wrong.json().detail[0].msg).toBe("Input should be 'any' or 'strict'");
    const empty = await openTestService();
    const unpublished = await empty.get(`${url}&symbols=strict`);
    expect(unpublished.statusCode).toBe(404);
    expect(unpublished.json().detail).toContain('not published');
    await empty.close();
  });
});

describe('an account that may not read when a company had its ticker', () => {
  const columns = ['SecId', 'ASID', 'Ticker', 'ListStatus'];
  const keyWithout = () => keyWith({ eq_daily_ohlc: [], eq_sec_master: [] }, columns);
  const url = `/v1/data${DAILY}?${YEARS}&Ticker=META`;

  it.each([
    '/v1/symbology/resolve?symbols=META',
    '/v1/symbology/search?q=META',
    `${url}&continuous=true`,
    `${url}&symbols=strict`,
  ])('is refused %s', async (asked) => {
    const answer = await service.get(asked, { 'x-api-key': await keyWithout() });
    const detail = 'The account may not read all that this needs of US Equities Security Master';
    expect([answer.statusCode, answer.json().detail]).toEqual([403, detail]);
  });

  it('gets rows by ticker without X-Symbols', async () => {
    expect(await symbolsOf(url, await keyWithout())).toBeUndefined();
  });
});
