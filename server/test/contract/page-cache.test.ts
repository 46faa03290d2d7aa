/**
 * The page cache changes nothing but time: answers, counts and refusals are the same without it.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

let cached: TestService;
let plain: TestService;
beforeAll(async () => {
  cached = await openContractService();
  plain = await openContractService({ pageCacheBytes: 0 });
});
afterAll(async () => {
  await cached.close();
  await plain.close();
});

const URLS = [
  TICK_PATH,
  `${TICK_PATH}?limit=2`,
  `${TICK_PATH}?limit=2&offset=2`,
  `${TICK_PATH}?response_format=csv&limit=2`,
  `${TICK_PATH}?response_format=csv&limit=2&offset=0`,
  `${TICK_PATH}?response_format=csv&limit=2&offset=2`,
  `${TICK_PATH}?response_format=csv_gzip`,
  TICK_PATH.replace('AAA', '1010000000000001'),
  `${TICK_PATH.replace('AAA', '1010000000000001')}?response_format=csv_gzip`,
  `${TICK_PATH.replace('eq-taq', 'eq-trades')}?response_format=csv_gzip`,
  `${TICK_PATH.replace('/v1', '/api/v1')}?limit=2`,
  `${DAILY_PATH}?columns=Ticker,OpenPrice&sort=-OpenPrice&limit=1`,
  `${DAILY_PATH}?sort=-OpenPrice&columns=Ticker,OpenPrice&limit=1`,
  `${DAILY_PATH}?Ticker=NOPE`,
  `${DAILY_PATH}?Nope=1`,
];

/** All that a client sees but what differs at each request. */
async function answerOf(service: TestService, url: string) {
  const { statusCode, headers, rawPayload } = await service.get(url, { host: 'h.example' });
  const { date: _, etag: tag, 'x-request-id': __, 'x-amzn-requestid': ___, ...steady } = headers;
  return { statusCode, steady, hasTag: tag !== undefined, body: rawPayload.toString('base64') };
}

describe('the page cache', () => {
  it('changes no byte or header of an answer, and nothing that is counted', async () => {
    for (let round = 0; round < 3; round++) {
      for (const url of URLS) {
        expect(await answerOf(cached, url), url).toEqual(await answerOf(plain, url));
      }
    }
    expect(cached.services.pages.hitCount).toBeGreaterThanOrEqual(2 * (URLS.length - 1));
    expect(plain.services.pages.hitCount).toBe(0);

    const [usage, plainUsage] = [cached, plain].map(({ services, accountId }) =>
      services.usage.counters.read(accountId),
    );
    expect(usage).toEqual(plainUsage);
    const countsOf = ({ services: { metrics } }: TestService) =>
      Promise.all(
        [metrics.scannedBytes, metrics.returnedBytes, metrics.rows, metrics.requests].map(
          (metric) => metric.get(),
        ),
      ).then((metrics) => metrics.map(({ name, values }) => ({ name, values })));
    expect(await countsOf(cached)).toEqual(await countsOf(plain));
  });

  it('names the host and path of each request in its link, not those of an earlier one', async () => {
    const link = async (url: string, host: string) =>
      (await cached.get(url, { host })).headers.link as string;
    const path = `${TICK_PATH}?limit=1`;
    expect(await link(path, 'one.example')).toContain(`<http://one.example${path}`);
    const hits = cached.services.pages.hitCount;
    expect(await link(path, 'two.example')).toContain(`<http://two.example${path}`);
    const api = path.replace('/v1', '/api/v1');
    expect(await link(api, 'two.example')).toContain(`<http://two.example${api}`);
    expect(cached.services.pages.hitCount).toBe(hits + 2);
  });

  it('shows the rows of a new version at once', async () => {
    const service = await openContractService();
    const rows = async () => (await service.get('/v1/data/us-equity/eq-daily-ohlc')).json().data;
    expect(await rows()).toHaveLength(4);
    expect(await rows()).toHaveLength(4);
    const columns = service.dataset('eq_daily_ohlc').columns;
    const row = columns.map(({ name }) => (name === 'TradeDate' ? '2025-06-19' : null));
    await service.publish('eq_daily_ohlc', [row]);
    expect(await rows()).toHaveLength(1);
    await service.close();
  });

  it('hands no row to an account that may not read it', async () => {
    const { store } = cached.services;
    const { datasetId } = cached.dataset('eq_daily_ohlc');
    expect((await cached.get(DAILY_PATH)).json().data).toHaveLength(4);
    const reader = await cached.addAccount('reader');
    const ask = () => cached.app.inject({ url: DAILY_PATH, headers: { 'x-api-key': reader.key } });
    expect((await ask()).statusCode).toBe(403);
    const rule = { accountId: reader.accountId, datasetId, startDate: '2020-01-01' };
    const ruleId = await writing(store).rules.add({ ...rule, endDate: null, universe: ['AAA'] });
    const tickers = (await ask()).json().data.map((row: { Ticker: string }) => row.Ticker);
    expect(tickers).toEqual(['AAA', 'AAA']);
    await writing(store).rules.delete(ruleId);
    expect((await ask()).statusCode).toBe(403);
    await writing(store).rules.add({ ...rule, endDate: '2025-06-17', universe: [] });
    const dates = (await ask()).json().data.map((row: { TradeDate: string }) => row.TradeDate);
    expect(dates).toEqual(['2025-06-17', '2025-06-17']);
  });

  it('keeps no answer that failed', async () => {
    const service = await openContractService({ queriesMax: 1, queueMax: 0 });
    let finish = () => {};
    const busy = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const turn = service.services.gate.run(1, new AbortController().signal, () => busy);
    expect((await service.get(DAILY_PATH)).statusCode).toBe(503);
    finish();
    await turn;
    expect((await service.get(DAILY_PATH)).json().data).toHaveLength(4);
    expect(service.services.pages.hitCount).toBe(0);
    await service.close();
  });

  it('needs no turn for a page that it has', async () => {
    const service = await openContractService({ queriesMax: 1, queueMax: 0 });
    const { gate } = service.services;
    const first = await service.get(DAILY_PATH);
    // A turn may end after its answer.
    await expect.poll(() => gate.runningCount).toBe(0);
    let finish = () => {};
    const busy = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const turn = gate.run(1, new AbortController().signal, () => busy);
    expect((await service.get(DAILY_PATH)).body).toBe(first.body);
    finish();
    await turn;
    await service.close();
  });
});
