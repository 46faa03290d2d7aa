/** Tickers that stand for the companies that have them, through all the tickers those have had. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

const DAILY = '/us-equity/eq-daily-ohlc';
const DATES = 'TradeDate.ge=2008-01-01&TradeDate.le=2025-06-20';
const [OLD, NEW, THIRD] = [1_010_000_000_000_044n, 1_010_000_000_000_033n, 55n];

type Cells = Readonly<Record<string, CellValue>>;

/** One company was META before another one that had been FB, which is a third one's ticker now. */
const MASTER: readonly Cells[] = [
  { SecId: 1n, ASID: OLD, Ticker: ['META'], TickerStartToEndDate: ['20080102:20110630'] },
  {
    ...{ SecId: 2n, ASID: NEW, Ticker: ['FB', 'META'] },
    TickerStartToEndDate: ['20120518:20220608', '20220609:20991231'],
  },
  { SecId: 4n, ASID: THIRD, Ticker: ['FB'], TickerStartToEndDate: ['20240102:20991231'] },
  { SecId: 5n, ASID: null, Ticker: ['TEST'], TickerStartToEndDate: ['20070103:20991231'] },
];
const BARS: readonly Cells[] = [
  { TradeDate: '2009-03-02', Ticker: 'META', ASID: OLD },
  { TradeDate: '2019-03-01', Ticker: 'FB', ASID: NEW },
  { TradeDate: '2023-03-02', Ticker: 'META', ASID: NEW },
  { TradeDate: '2025-06-17', Ticker: 'FB', ASID: THIRD },
  { TradeDate: '2025-06-18', Ticker: 'META', ASID: NEW },
];

let service: TestService;

async function publish(textId: string, rows: readonly Cells[]): Promise<void> {
  const { columns } = service.dataset(textId);
  await service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

beforeAll(async () => {
  service = await openTestService();
  await publish('eq_daily_ohlc', BARS);
});
afterAll(() => service.close());

async function rowsOf(url: string, key = service.key) {
  const answer = await service.get(`/v1/data${url}`, { 'x-api-key': key });
  expect(answer.statusCode, answer.body).toBe(200);
  const { data } = answer.json() as { data: Record<string, unknown>[] };
  const rows = data.map(({ TradeDate, Ticker }) => `${Ticker} ${TradeDate}`);
  return { rows, symbols: answer.headers['x-symbols'], link: answer.headers.link as string };
}

async function refusalOf(url: string, key = service.key) {
  const { statusCode, body } = await service.get(url, { 'x-api-key': key });
  return { statusCode, body };
}

const ASKED = `${DAILY}?${DATES}&period=20Y&continuous=true`;

it('asks for what names companies before it is published', async () => {
  const { statusCode, body } = await refusalOf(`/v1/data${ASKED}&Ticker=META`);
  expect([statusCode, body]).toEqual([404, expect.stringContaining('not published yet')]);
  await publish('eq_sec_master', MASTER);
});

describe('continuous=true', () => {
  it('follows the company that has the ticker on the last of the dates', async () => {
    expect(await rowsOf(`${ASKED}&Ticker=META`)).toMatchObject({
      rows: ['FB 2019-03-01', 'META 2023-03-02', 'META 2025-06-18'],
      symbols: `FB ${NEW} 2012-05-18/2022-06-08, META ${NEW} 2022-06-09/2025-06-20`,
    });
    expect((await rowsOf(`${ASKED}&Ticker=FB`)).rows).toEqual(['FB 2025-06-17']);
    const before = `${DAILY}?TradeDate.ge=2008-01-01&TradeDate.le=2023-12-31&period=20Y`;
    expect((await rowsOf(`${before}&continuous=true&Ticker=FB`)).rows).toEqual([
      ...['FB 2019-03-01', 'META 2023-03-02'],
    ]);
  });

  it('follows the one that had it last before, and many at once', async () => {
    const gap = `${DAILY}?TradeDate.ge=2008-01-01&TradeDate.le=2012-01-01&period=20Y`;
    expect((await rowsOf(`${gap}&continuous=true&Ticker=META`)).rows).toEqual(['META 2009-03-02']);
    const { rows } = await rowsOf(`${ASKED}&Ticker.in=META,FB`);
    expect(rows).toEqual([
      ...['FB 2019-03-01', 'META 2023-03-02', 'FB 2025-06-17', 'META 2025-06-18'],
    ]);
  });

  it.each(['1w', '1mo'])(
    'has one bar of %s of a company whose ticker changes in it',
    async (interval) => {
      const at = (date: string) => BigInt(Date.parse(`${date}T14:00:00Z`)) * 1_000_000n;
      await publish(
        'eq_trades_1min',
        [
          { TradeDate: '2022-06-08', Ticker: 'FB', ASID: NEW, Volume: 1n },
          { TradeDate: '2022-06-08', Ticker: 'META', ASID: OLD, Volume: 2n },
          { TradeDate: '2022-06-09', Ticker: 'META', ASID: NEW, Volume: 4n },
        ].map((row) => ({ ...row, BarDateTime: at(row.TradeDate) })),
      );
      const bars = '/us-equity/eq-trades-1min?columns=TradeDate,Ticker,ASID,Volume&period=20Y';
      const volumes = async (query: string) => {
        const answer = await service.get(`/v1/data${bars}&interval=${interval}&${query}`);
        return answer.json().data.map((row: Record<string, unknown>) => [row.Ticker, row.Volume]);
      };
      expect(await volumes('Ticker=META&continuous=true')).toEqual([['META', 5]]);
      // Rows with equal date and ticker keep the order of their first rows.
      expect(await volumes(`ASID.in=${NEW},${OLD}`)).toEqual([
        ['META', 5],
        ['META', 2],
      ]);
      // Rows of a ticker are that ticker's.
      expect(await volumes('Ticker.in=FB,META')).toEqual([
        ['FB', 1],
        ['META', 2],
        ['META', 4],
      ]);
    },
  );

  it('stays with the companies on the next page, and in the one text of the request', async () => {
    const { link } = await rowsOf(`${ASKED}&Ticker=META&limit=1`);
    const url = new URL(/<(.*)>/.exec(link)?.[1] ?? '', 'http://x');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ 'ASID.in': `${NEW}` });
    expect([...url.searchParams.keys()]).not.toContain('continuous');
    expect((await rowsOf(url.pathname.slice('/v1/data'.length) + url.search)).rows).toEqual([
      'META 2023-03-02',
    ]);
    const scan = await service.get(`/v1/data-scan${ASKED}&Ticker=META`);
    expect(scan.json().canonical_request).toContain(`ASID.in=${NEW}`);
    expect(scan.headers['x-symbols']).toContain(`FB ${NEW}`);
  });

  it('holds for paths and for files', async () => {
    const { columns } = service.dataset('eq_taq_1min');
    const bars = BARS.map((bar) => columns.map(({ name }) => bar[name] ?? null));
    await service.publish('eq_taq_1min', bars);
    const path = `/us-equity/eq-taq-1min/META?${DATES}&period=20Y&continuous=true`;
    expect((await rowsOf(path)).rows).toHaveLength(3);
    const { link } = await rowsOf(`${path}&limit=1`);
    const next = new URL(/<(.*)>/.exec(link)?.[1] ?? '', 'http://x');
    expect(next.pathname).toBe(`/v1/data/us-equity/eq-taq-1min/${NEW}`);
    const groups = path.replace('META?', 'META/aggregate?');
    const ofGroups = await service.get(`/v1/data${groups}&select=count&by=TradeDate&limit=1`);
    const linked = new URL(/<(.*)>/.exec(`${ofGroups.headers.link}`)?.[1] ?? '', 'http://x');
    expect(linked.pathname).toBe(`/v1/data/us-equity/eq-taq-1min/${NEW}/aggregate`);
    const second = await service.get(linked.pathname + linked.search);
    expect(second.json().data).toEqual([{ TradeDate: '2023-03-02', count: 1 }]);
    expect([...next.searchParams.keys()]).not.toContain('continuous');
    expect((await rowsOf(next.pathname.slice('/v1/data'.length) + next.search)).rows).toEqual([
      'META 2023-03-02',
    ]);
    const manifest = await service.get(`/v1/bulk${DAILY}?${DATES}&Ticker=META&continuous=true`);
    expect(manifest.statusCode, manifest.body).toBe(200);
    const { row_count, files } = manifest.json() as { row_count: number; files: { url: string }[] };
    expect(row_count).toBe(3);
    const { pathname, search } = new URL(files[0]?.url ?? '', 'http://x');
    const file = await service.get(pathname + search);
    expect(file.statusCode).toBe(200);
  });

  it.each([
    [`/v1/data${ASKED}&Ticker.in=NOPE,META`, 422, "had the ticker 'NOPE' on or before 2025-06-20"],
    [`/v1/data${ASKED}&Ticker=TEST`, 422, "had the ticker 'TEST' on or before"],
    [`/v1/data/us-futures/fut-trades-1min?Ticker=ESH5&continuous=true`, 422, 'does not apply here'],
    [`/v1/data${ASKED}`, 422, "name some with 'Ticker' or 'Ticker.in'"],
    [`/v1/data${ASKED}&Ticker.like=ME*`, 422, "name some with 'Ticker' or 'Ticker.in'"],
    [`/v1/data${ASKED}&Ticker=META&continuous=yes`, 422, 'continuous'],
    [`/v1/meta/datasets/US1001/changes?from=1&continuous=true`, 422, 'does not apply to changes'],
  ])('refuses %s with %i', async (url, status, text) => {
    const { statusCode, body } = await refusalOf(
      url.replace('US1001', service.dataset('eq_daily_ohlc').datasetId),
    );
    expect(body).toContain(text);
    expect(statusCode).toBe(status);
  });
});

describe('the rules of an account', () => {
  async function keyWith(rules: Readonly<Record<string, readonly string[]>>): Promise<string> {
    const { accountId, key } = await service.addAccount(crypto.randomUUID());
    for (const [textId, universe] of Object.entries(rules)) {
      const { datasetId } = service.dataset(textId);
      const window = { startDate: '1900-01-01', endDate: null };
      await writing(service.services.store).rules.add({
        accountId,
        datasetId,
        ...window,
        universe,
      });
    }
    return key;
  }
  const url = `${ASKED}&Ticker=META`;

  it('hold for the security master: without it nobody is followed', async () => {
    const key = await keyWith({ eq_daily_ohlc: [] });
    expect((await refusalOf(`/v1/data${url}`, key)).statusCode).toBe(403);
    const other = await keyWith({ eq_daily_ohlc: [], eq_sec_master: [`${THIRD}`] });
    const refused = await refusalOf(`/v1/data${url}`, other);
    expect(refused.statusCode).toBe(422);
    expect(refused.body).not.toContain(`${NEW}`);
  });

  it('hold for the rows: none is shown that the request for the number would not show', async () => {
    const inside = await keyWith({ eq_daily_ohlc: [`${NEW}`, 'META'], eq_sec_master: [] });
    expect((await rowsOf(url, inside)).rows).toHaveLength(3);
    const tickerOnly = await keyWith({ eq_daily_ohlc: [`${OLD}`, 'META'], eq_sec_master: [] });
    expect((await rowsOf(url, tickerOnly)).rows).toEqual(['META 2023-03-02', 'META 2025-06-18']);
    const other = await keyWith({ eq_daily_ohlc: [`${OLD}`], eq_sec_master: [] });
    const byNumber = `/v1/data${DAILY}?${DATES}&period=20Y&ASID.in=${NEW}`;
    expect(await refusalOf(`/v1/data${url}`, other)).toEqual(await refusalOf(byNumber, other));
    expect((await refusalOf(`/v1/data${url}`, other)).body).not.toContain('FB');
  });
});
