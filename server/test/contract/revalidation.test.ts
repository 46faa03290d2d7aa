/** Tags of answers, and what clients are told that hold one already. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

const CATALOGUE = [
  '/v1/meta/datasets',
  '/v1/meta/datasets/my',
  '/v1/meta/datasets/US1032/info',
  '/v1/meta/datasets/US1032/columns',
  '/v1/meta/datasets/US1032/status',
];
const PAGES = [
  TICK_PATH,
  `${TICK_PATH}?response_format=csv`,
  `${TICK_PATH}?response_format=csv_gzip`,
  `${TICK_PATH}?limit=1`,
  `${DAILY_PATH}?offset=1000`,
];

const tagOf = async (url: string) => (await service.get(url)).headers.etag as string;
const ask = (url: string, tags: string) => service.get(url, { 'if-none-match': tags });

describe('an answer with a tag', () => {
  it.each([...PAGES, ...CATALOGUE])('is a 304 without a body to who holds it: %s', async (url) => {
    const whole = await service.get(url);
    expect(whole.statusCode).toBe(200);
    const tag = whole.headers.etag as string;
    expect(tag).toMatch(/^(W\/)?"[\w-]{43}"$/);
    const opaque = tag.replace('W/', '');
    for (const tags of [
      tag,
      opaque,
      `W/${opaque}`,
      '*',
      ' * ',
      `"other", ${tag}`,
      `W/"x,y" ,${tag},"z"`,
    ]) {
      const answer = await ask(url, tags);
      expect(answer.statusCode, tags).toBe(304);
      expect(answer.rawPayload.length).toBe(0);
      expect(answer.headers).toMatchObject({
        etag: tag,
        'cache-control': 'private, no-cache',
        vary: expect.stringMatching(/^Origin, X-API-KEY, Cookie(, Accept, Accept-Encoding)?$/),
      });
      expect(answer.headers['x-request-id']).toBeDefined();
      expect(answer.headers['content-length']).toBeUndefined();
      expect(answer.headers['content-type']).toBeUndefined();
    }
  });

  it.each([...PAGES, ...CATALOGUE])('comes whole to who holds another: %s', async (url) => {
    const whole = await service.get(url);
    const opaque = (whole.headers.etag as string).replace('W/', '');
    const held = [
      '"other"',
      opaque.slice(1, -1),
      `${opaque.slice(0, -2)}"`,
      `"${opaque.slice(1, -1)}x"`,
      '',
      '"*"',
      '*, "a"',
    ];
    for (const tags of held) {
      const answer = await ask(url, tags);
      expect(answer.statusCode, tags).toBe(200);
      expect(answer.rawPayload).toEqual(whole.rawPayload);
    }
  });

  it('has the tag that the same bytes have under every path', async () => {
    const tag = await tagOf(TICK_PATH);
    expect(await tagOf('/api/v1/data/us-equity/taq/2025-06-18/%41AA?offset=0')).toBe(tag);
    expect(await tagOf(`${TICK_PATH}?limit=999`)).not.toBe(tag);
  });

  it('has another tag once its rows are others, and keeps it when they are not', async () => {
    const other = await openContractService();
    const get = async (url: string, tag = '') => {
      const { statusCode, headers, body } = await other.get(url, { 'if-none-match': tag });
      return { statusCode, tag: headers.etag as string, body };
    };
    const filtered = `${DAILY_PATH}?TradeDate=2025-06-18&Ticker=AAA`;
    const info = '/v1/meta/datasets/US1020/status';
    const before = await get(filtered);
    const beforeInfo = await get(info);
    const [row] = JSON.parse((await get(filtered)).body).data as Record<string, CellValue>[];
    const columns = other.dataset('eq_daily_ohlc').columns;
    const cells = columns.map(({ name, dataType }): CellValue => {
      const value = (row as Record<string, CellValue>)[name] as CellValue;
      return dataType === 'integer' ? BigInt(value as number) : value;
    });
    await other.publish('eq_daily_ohlc', [cells.with(3, 999)]);
    const after = await get(filtered, before.tag);
    expect(after.statusCode).toBe(200);
    expect(after.tag).not.toBe(before.tag);
    expect(JSON.parse(after.body).data).toMatchObject([{ OpenPrice: 999 }]);
    expect((await get(filtered, after.tag)).statusCode).toBe(304);
    expect((await get(info, beforeInfo.tag)).statusCode).toBe(200);
    await other.close();
  });
});

describe('an answer without a tag', () => {
  it.each([
    `${TICK_PATH}?Nope=1`,
    '/v1/data/us-equity/nothing',
    '/v1/meta/datasets/US0000/info',
    '/v1/account/my/quotas',
  ])('comes whole whatever the client holds: %s', async (url) => {
    const answer = await ask(url, '*');
    expect(answer.statusCode).not.toBe(304);
    expect(answer.body).not.toBe('');
    expect(answer.headers.etag).toBeUndefined();
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('is what a failure of the engine gets', async () => {
    const broken = await openContractService();
    await broken.services.engine.close();
    const answer = await broken.get(DAILY_PATH);
    expect(answer.statusCode).toBe(500);
    expect(answer.headers.etag).toBeUndefined();
    await broken.close();
  });

  it('is what a caller gets who may not read the rows, or is not known', async () => {
    const { key } = await service.addAccount('without rules');
    for (const [caller, status] of [
      [key, 403],
      ['nobody', 401],
    ] as const) {
      const headers = { 'x-api-key': caller, 'if-none-match': '*' };
      const answer = await service.app.inject({ url: TICK_PATH, headers });
      expect(answer.statusCode).toBe(status);
      expect(answer.headers.etag).toBeUndefined();
    }
  });
});

describe('a 304', () => {
  it('counts as a request that scanned as much as ever and returned nothing', async () => {
    const { usage } = service.services;
    const tag = await tagOf(TICK_PATH);
    const counted = async (headers: Record<string, string>) => {
      const before = (await usage.counters.read(service.accountId)).month;
      await service.get(TICK_PATH, headers);
      const after = (await usage.counters.read(service.accountId)).month;
      return {
        requests: after.requests - before.requests,
        scanned: after.scannedBytes - before.scannedBytes,
        returned: after.returnedBytes - before.returnedBytes,
      };
    };
    const whole = await counted({});
    expect(whole.scanned).toBeGreaterThan(0);
    expect(whole.returned).toBeGreaterThan(0);
    expect(await counted({ 'if-none-match': tag })).toEqual({ ...whole, returned: 0 });
  });

  it('is refused like any other answer once a quota is used up', async () => {
    const { key, accountId } = await service.addAccount('limited');
    const { store } = service.services;
    const rule = { accountId, startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(store).rules.add({ ...rule, datasetId: 'US1032' });
    await writing(store).accounts.update(accountId, {
      limits: { ...UNLIMITED, month: { ...UNLIMITED.month, requests: 1 } },
    });
    const headers = { 'x-api-key': key, 'if-none-match': '*' };
    expect((await service.app.inject({ url: TICK_PATH, headers })).statusCode).toBe(304);
    expect((await service.app.inject({ url: TICK_PATH, headers })).statusCode).toBe(429);
  });
});
