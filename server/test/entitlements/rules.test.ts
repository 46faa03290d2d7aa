/** Single rules, told as stories: what each of them lets an account see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import type { Rule } from './permitted-rows.ts';

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const MASTER = '/v1/data/us-equity-ref/eq-sec-master';
const OFFERINGS = '/v1/data/us-equity-ref/eq-ipo';

let service: TestService;
let accountCount = 0;

/** Rows of the given cells, everything else null. */
async function publish(textId: string, rows: readonly Readonly<Record<string, CellValue>>[]) {
  const { columns } = service.dataset(textId);
  await service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

beforeAll(async () => {
  service = await openTestService();
  const days = ['2024-06-03', '2025-01-02', '2025-06-19'];
  const tickers = [
    ['AAA', 11n],
    ['BBB', 12n],
  ] as const;
  await publish(
    'eq_daily_ohlc',
    days.flatMap((TradeDate) => tickers.map(([Ticker, ASID]) => ({ TradeDate, Ticker, ASID }))),
  );
  await publish('eq_sec_master', [
    { SecId: 1n, ASID: 11n, Ticker: ['OLD', 'AAA'] },
    { SecId: 2n, ASID: 12n, Ticker: ['BBB'] },
    { SecId: 3n, ASID: 13n, Ticker: ['AAA'] },
  ]);
  await publish('eq_ipo', [
    { FirstTradeDate: '2024-06-03', Ticker: 'AAA' },
    { FirstTradeDate: null, Ticker: 'BBB' },
  ]);
});
afterAll(() => service.close());

/** A GET by a new account with the rules for the dataset. */
async function accountOf(textId: string, ...rules: readonly Partial<Rule>[]) {
  accountCount += 1;
  const { accountId, key } = await service.addAccount(`account ${accountCount}`);
  const { datasetId } = service.dataset(textId);
  for (const rule of rules) {
    const open = { startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...open, ...rule });
  }
  return (url: string) => service.get(url, { 'x-api-key': key });
}

async function valuesOf(get: Awaited<ReturnType<typeof accountOf>>, url: string, column: string) {
  const answer = await get(`${url}${url.includes('?') ? '&' : '?'}columns=${column}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data.map((row: Record<string, unknown>) => row[column]);
}

describe('an account without a rule for a dataset', () => {
  it('reads its description and columns, but neither its status nor its rows', async () => {
    const get = await accountOf('eq_ipo', {});
    const catalogue = '/v1/meta/datasets/US1020';
    expect((await get(`${catalogue}/info`)).statusCode).toBe(200);
    expect((await get(`${catalogue}/columns`)).statusCode).toBe(200);
    const status = await get(`${catalogue}/status`);
    expect([status.statusCode, status.json()]).toEqual([
      403,
      { detail: 'This identity does not have access to dataset US1020' },
    ]);
    const rows = await get(DAILY);
    expect([rows.statusCode, rows.json()]).toEqual([
      403,
      { detail: 'The account is not authorized to access the dataset US Equities Daily OHLC' },
    ]);
  });
});

describe('a rule whose window has ended', () => {
  it('still lets its rows be read, the last of them by default', async () => {
    const get = await accountOf('eq_daily_ohlc', { endDate: '2024-12-31' });
    const year = `${DAILY}?TradeDate.gt=2023-12-31&TradeDate.lt=2025-01-01`;
    expect(await valuesOf(get, year, 'TradeDate')).toEqual(['2024-06-03', '2024-06-03']);
    const days = ['2024-06-03', '2024-06-03'];
    expect(await valuesOf(get, DAILY, 'TradeDate')).toEqual(days);
    expect(await valuesOf(get, `${DAILY}?period=1Y`, 'TradeDate')).toEqual(days);
    expect((await get(`${DAILY}?TradeDate=2025-01-02`)).statusCode).toBe(422);
    expect((await get('/v1/meta/datasets/US1020/status')).statusCode).toBe(200);
  });
});

describe('a rule without an end', () => {
  it('takes the date of UTC for today, which in the evening is ahead of the market', async () => {
    const get = await accountOf('eq_daily_ohlc', { startDate: '2024-01-01' });
    service.clock.set('2025-06-21T01:00:00Z');
    const statuses = async (...dates: string[]) => {
      const answers = await Promise.all(dates.map((date) => get(`${DAILY}?TradeDate.${date}`)));
      return answers.map(({ statusCode }) => statusCode);
    };
    expect(await statuses('eq=2025-06-21', 'le=2025-06-21', 'lt=2025-06-22')).toEqual([
      200, 200, 200,
    ]);
    expect(await statuses('eq=2025-06-22', 'le=2025-06-22', 'lt=2025-06-23')).toEqual([
      422, 422, 422,
    ]);
    service.clock.set('2025-06-20T16:00:00Z');
    expect(await statuses('le=2025-06-20', 'le=2025-06-21')).toEqual([200, 422]);
  });
});

describe('a rule that starts in the future', () => {
  it.each([
    ['eq_daily_ohlc', DAILY],
    ['eq_ipo', OFFERINGS],
    ['eq_sec_master', MASTER],
  ])('has no rows of %s yet', async (textId, url) => {
    const get = await accountOf(textId, { startDate: '2025-07-01' });
    const answer = await get(url);
    expect([answer.statusCode, answer.json().data]).toEqual([200, []]);
  });

  it('refuses the dates of today', async () => {
    const get = await accountOf('eq_daily_ohlc', { startDate: '2025-07-01' });
    const answer = await get(`${DAILY}?TradeDate=2025-06-19`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail[0].msg).toBe(
      "The date value '2025-06-19' is outside of the allowed range for this account",
    );
  });

  it('begins by itself when its day comes', async () => {
    const get = await accountOf('eq_sec_master', { startDate: '2025-06-21' });
    expect(await valuesOf(get, MASTER, 'SecId')).toEqual([]);
    service.clock.set('2025-06-21T16:00:00Z');
    expect(await valuesOf(get, MASTER, 'SecId')).toEqual([1, 2, 3]);
  });
});

describe('two rules for one dataset', () => {
  it('give each span of dates its own universe', async () => {
    const get = await accountOf(
      'eq_daily_ohlc',
      { endDate: '2024-12-31', universe: ['AAA'] },
      { startDate: '2025-01-02', universe: ['12'] },
    );
    const shown = await get(`${DAILY}?columns=TradeDate,Ticker`);
    expect(shown.json().data).toEqual([
      { TradeDate: '2024-06-03', Ticker: 'AAA' },
      { TradeDate: '2025-01-02', Ticker: 'BBB' },
      { TradeDate: '2025-06-19', Ticker: 'BBB' },
    ]);
    expect(await valuesOf(get, `${DAILY}?Ticker=AAA`, 'TradeDate')).toEqual(['2024-06-03']);
    const refused = await get(`${DAILY}?Ticker=BBB&TradeDate=2024-06-03`);
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      {
        detail:
          'The account is not authorized to access the identifier BBB in dataset US Equities Daily OHLC',
      },
    ]);
    expect((await get(`${DAILY}?TradeDate=2025-01-01`)).statusCode).toBe(422);
  });
});

describe('a universe', () => {
  it('with a ticker holds every security that has had it; with a permanent id, the one', async () => {
    const byTicker = await accountOf('eq_sec_master', { universe: ['AAA'] });
    expect(await valuesOf(byTicker, MASTER, 'SecId')).toEqual([1, 3]);
    const byId = await accountOf('eq_sec_master', { universe: ['11'] });
    expect(await valuesOf(byId, MASTER, 'SecId')).toEqual([1]);
    expect(await valuesOf(byId, `${MASTER}?Ticker=AAA`, 'SecId')).toEqual([1]);
  });

  it('lets the rows decide where the request names securities by their other identifier', async () => {
    const byTicker = await accountOf('eq_daily_ohlc', { universe: ['AAA'] });
    expect(await valuesOf(byTicker, `${DAILY}?ASID=11`, 'Ticker')).toEqual(['AAA', 'AAA', 'AAA']);
    expect(await valuesOf(byTicker, `${DAILY}?ASID=12`, 'Ticker')).toEqual([]);
    expect((await byTicker(`${DAILY}?Ticker=BBB`)).statusCode).toBe(403);
    const byId = await accountOf('eq_daily_ohlc', { universe: ['11'] });
    expect(await valuesOf(byId, `${DAILY}?Ticker=AAA`, 'ASID')).toEqual([11, 11, 11]);
    expect(await valuesOf(byId, `${DAILY}?Ticker=BBB`, 'ASID')).toEqual([]);
    expect((await byId(`${DAILY}?ASID=12`)).statusCode).toBe(403);
  });

  it('holds for rows without a date too', async () => {
    const get = await accountOf('eq_ipo', { universe: ['BBB'] });
    expect(await valuesOf(get, OFFERINGS, 'Ticker')).toEqual(['BBB']);
    const other = await accountOf('eq_ipo', { universe: ['AAA'], startDate: '2025-06-01' });
    expect(await valuesOf(other, OFFERINGS, 'Ticker')).toEqual([]);
  });

  it.each([
    ['eq_ipo', `${OFFERINGS}?Ticker=BBB`],
    ['eq_sec_master', MASTER],
  ])('has nothing of %s without a date once it has ended', async (textId, url) => {
    const ended = await accountOf(textId, { endDate: '2025-06-18' });
    expect((await ended(url)).json().data).toEqual([]);
    const current = await accountOf(textId, { endDate: '2025-06-30' });
    expect((await current(url)).json().data).not.toEqual([]);
  });
});
