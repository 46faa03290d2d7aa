/** Symbols of the LEAN sample: its map files have tickers that several companies had in turn. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { checkTickers } from '../symbology/symbols-agree.ts';
import { importedSample, isSampleMissing } from './sample-home.ts';

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

describe.skipIf(isSampleMissing)('symbols of the LEAN sample', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await openTestService({}, undefined, (await importedSample()).home);
  });
  afterAll(() => service.close());

  test('mean the companies of the daily rows', async () => {
    const tickers = ['AAPL', 'SPY', 'TWX', 'AOL', 'FB', 'VXX', 'VXXB', 'AAA', 'SPWR', 'GOOG'];
    // GOOG was the class of shares that is GOOGL now.
    const reused = ['TWX', 'FB', 'VXX', 'AAA', 'GOOG'];
    expect(await checkTickers(service, tickers)).toEqual(reused);
  });

  test('are followed from one company to the next', async () => {
    const answer = await service.get('/v1/symbology/resolve?symbols=VXX,AOL');
    const [vxx, aol] = answer.json().resolved;
    expect(
      vxx.intervals.map((each: Record<string, unknown>) => [each.start_date, each.end_date]),
    ).toEqual([
      ['2009-01-30', '2019-01-29'],
      ['2019-05-02', null],
    ]);
    expect(vxx.intervals[1].previous).toEqual({ ticker: 'VXXB', date: '2019-05-01' });
    expect(aol.intervals.at(-1).next).toMatchObject({ ticker: 'TWX' });
  });

  test('are refused in strict mode if they meant several companies', async () => {
    const dates = 'TradeDate.ge=2018-01-02&TradeDate.le=2020-12-31&symbols=strict';
    const answer = await service.get(`${DAILY}?Ticker=VXX&${dates}`);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail[0].msg).toMatch(/'VXX' meant more than one company/);
    expect((await service.get(`${DAILY}?Ticker=SPY&${dates}`)).statusCode).toBe(200);
  });
});
