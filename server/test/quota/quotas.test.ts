import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import type { QuotaSpan } from '../../src/store/quantities.ts';
import { DAILY_PATH, TICK_PATH } from '../contract/fixture.ts';
import { writing } from '../writing.ts';
import {
  asNewAccount,
  NOTHING,
  openQuotaService,
  type Quantity,
  type QuotaService,
} from './quota-service.ts';

const QUOTAS_PATH = '/v1/account/my/quotas';
const EXEMPT_PATHS = [
  '/v1/status',
  '/v1/account/my',
  '/v1/account/my/data-access-rules',
  '/v1/meta/datasets/my',
  '/v1/meta/datasets/US1001/info',
  '/v1/meta/datasets/US1001/columns',
];
const COUNTED_PATHS = [
  QUOTAS_PATH,
  '/v1/account/my/api-keys',
  '/v1/meta/datasets',
  '/v1/meta/datasets/US1001/status',
  TICK_PATH,
  DAILY_PATH,
];

let service: QuotaService;
beforeAll(async () => {
  service = await openQuotaService();
});
beforeEach(async () => {
  service = await asNewAccount(service);
});
afterAll(() => service.close());

function expectRefusal(answer: LightMyRequestResponse, status: number, detail: string): void {
  expect(answer.json()).toEqual({ detail });
  expect(answer.statusCode).toBe(status);
}

const RATE_HEADERS = ['limit', 'remaining', 'reset', 'window'].map((name) => `x-ratelimit-${name}`);

function rateHeaders(answer: LightMyRequestResponse) {
  return RATE_HEADERS.map((name) => answer.headers[name]);
}

describe('each of the six limits', () => {
  const WORDS: readonly [QuotaSpan, Quantity, text: string, unit: string][] = [
    ['month', 'requests', 'Monthly request', 'requests'],
    ['month', 'scannedBytes', 'Monthly data scanned', 'bytes'],
    ['month', 'returnedBytes', 'Monthly data returned', 'bytes'],
    ['minute', 'requests', 'Per-minute request', 'requests'],
    ['minute', 'scannedBytes', 'Per-minute data scanned', 'bytes'],
    ['minute', 'returnedBytes', 'Per-minute data returned', 'bytes'],
  ];

  for (const [span, quantity, text, unit] of WORDS) {
    it(`refuses with its own text once used up: ${text}`, async () => {
      await service.limit(span, { [quantity]: 1 });
      expect((await service.get(TICK_PATH)).statusCode).toBe(200);
      const used = (await service.used())[span][quantity];
      expect(used).toBeGreaterThanOrEqual(1);

      const refused = await service.get(TICK_PATH);
      expectRefusal(refused, 429, `${text} limit exceeded: ${used}/1 ${unit}.`);
      // 20 June, 16:00 UTC: ten days and eight hours are left of the month.
      const resetSeconds = span === 'month' ? (10 * 24 + 8) * 3600 : 60;
      expect(rateHeaders(refused)).toEqual(['1', '0', `${resetSeconds}`, span]);
      const clearsAt = span === 'month' ? '2025-07-01T00:00:00Z' : '2025-06-20T16:01:00Z';
      const hint = `The limit lets requests pass again in ${resetSeconds} seconds, at ${clearsAt}`;
      expect(refused.headers['x-hint']).toBe(hint);

      const usedThen = (await service.used())[span][quantity];
      const onCatalogue = await service.get('/v1/meta/datasets');
      if (span === 'month') {
        const detail = `${text} limit exceeded: ${usedThen} / 1 ${unit}.`;
        expectRefusal(onCatalogue, 403, detail);
        expect(onCatalogue.headers['x-hint']).toBe(hint);
        expect(rateHeaders(onCatalogue)).toEqual([undefined, undefined, undefined, undefined]);
        expect((await service.get('/v1/account/my')).statusCode).toBe(403);
      } else {
        const detail = `${text} limit exceeded: ${usedThen}/1 ${unit}.`;
        expectRefusal(onCatalogue, 429, detail);
        expect((await service.get(QUOTAS_PATH)).statusCode).toBe(429);
        expect((await service.get('/v1/account/my')).statusCode).toBe(200);
      }
    });
  }

  it('lets everything pass one below the limit', async () => {
    await service.limit('month', { requests: 2 });
    for (const status of [200, 200, 429]) {
      expect((await service.get(TICK_PATH)).statusCode).toBe(status);
    }
  });

  it('refuses everything where it is 0', async () => {
    await service.limit('minute', { requests: 0 });
    const refused = await service.get(TICK_PATH);
    expectRefusal(refused, 429, 'Per-minute request limit exceeded: 0/0 requests.');
    expect(rateHeaders(refused)).toEqual(['0', '0', '60', 'minute']);
  });

  it('is the month that is named when the minute is used up too', async () => {
    const one = { requests: 1, scannedBytes: 1, returnedBytes: 1 };
    const { store } = service.services;
    await writing(store).accounts.update(service.accountId, {
      limits: { month: one, minute: one },
    });
    await service.get(TICK_PATH);
    const refused = await service.get(TICK_PATH);
    expectRefusal(refused, 429, 'Monthly request limit exceeded: 1/1 requests.');
  });
});

describe('the headers of each limit', () => {
  const ASKING = { prefer: 'respond-async, Rate-Limit' };

  function limitHeaders({ headers }: LightMyRequestResponse) {
    const names = Object.keys(headers).filter((name) => /^x-ratelimit-m.*-/.test(name));
    return Object.fromEntries(
      names.map((name) => [name.slice('x-ratelimit-'.length), headers[name]]),
    );
  }

  it('are on each answer to a request that asks for them, for the limits that there are', async () => {
    const none = { requests: null, scannedBytes: null, returnedBytes: null };
    const month = { ...none, requests: 4, scannedBytes: 1_000_000 };
    await writing(service.services.store).accounts.update(service.accountId, {
      limits: { month, minute: { ...none, requests: 2 } },
    });
    const monthSeconds = (10 * 24 + 8) * 3600;
    const first = await service.get(TICK_PATH, ASKING);
    expect([first.statusCode, limitHeaders(first)]).toEqual([
      200,
      {
        'month-requests': `limit=4, remaining=3, reset=${monthSeconds}`,
        'month-data-scanned': `limit=1000000, remaining=1000000, reset=${monthSeconds}`,
        'minute-requests': 'limit=2, remaining=1, reset=60',
      },
    ]);
    const { scannedBytes } = (await service.used()).month;
    const exempt = await service.get('/v1/account/my', ASKING);
    expect(limitHeaders(exempt)).toEqual({
      'month-requests': `limit=4, remaining=2, reset=${monthSeconds}`,
      'month-data-scanned': `limit=1000000, remaining=${1_000_000 - scannedBytes}, reset=${monthSeconds}`,
      'minute-requests': 'limit=2, remaining=1, reset=60',
    });
    const wrong = await service.get(`${TICK_PATH}?limit=x`, ASKING);
    expect([wrong.statusCode, limitHeaders(wrong)['minute-requests']]).toEqual([
      422,
      'limit=2, remaining=0, reset=60',
    ]);
    const refused = await service.get(TICK_PATH, ASKING);
    expect([refused.statusCode, rateHeaders(refused)]).toEqual([429, ['2', '0', '60', 'minute']]);
    expect(limitHeaders(refused)['month-requests']).toBe(
      `limit=4, remaining=0, reset=${monthSeconds}`,
    );
  });

  it('are on no other answer', async () => {
    await service.limit('minute', { requests: 2 });
    const answers = [
      await service.get(TICK_PATH),
      await service.get(TICK_PATH, { prefer: 'rate-limits' }),
      await service.app.inject({ url: TICK_PATH, headers: ASKING }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 401]);
    expect(answers.map(limitHeaders)).toEqual([{}, {}, {}]);
  });

  it('are in the OpenAPI document, and may be read by pages of other origins', async () => {
    const document = (await service.app.inject('/v1/openapi.json')).json();
    const { parameters, responses } = document.paths['/data/us-equity/eq-daily-ohlc'].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('Prefer');
    for (const status of [200, 304]) {
      expect(Object.keys(responses[status].headers)).toEqual(
        expect.arrayContaining(['X-RateLimit-Month-Requests', 'X-RateLimit-Minute-Data-Returned']),
      );
    }
  });
});

describe('the minute', () => {
  it('rolls: a request leaves it when it is 60 seconds old', async () => {
    await service.limit('minute', { requests: 2 });
    await service.get(TICK_PATH);
    service.clock.set('2025-06-20T16:00:30Z');
    await service.get(TICK_PATH);
    service.clock.set('2025-06-20T16:00:59.999Z');
    expect((await service.used()).minute.requests).toBe(2);
    service.clock.set('2025-06-20T16:01:00Z');
    expect((await service.used()).minute.requests).toBe(1);
    expect((await service.get(TICK_PATH)).statusCode).toBe(200);
    const refused = await service.get(TICK_PATH);
    expectRefusal(refused, 429, 'Per-minute request limit exceeded: 2/2 requests.');
  });

  it('is clear when the last of the limits is that are used up', async () => {
    await service.limit('minute', { requests: 1, returnedBytes: 1 });
    // This request's bytes count; the request itself does not.
    await service.get('/v1/account/my');
    service.clock.set('2025-06-20T16:00:20Z');
    await service.get(TICK_PATH);
    service.clock.set('2025-06-20T16:00:30Z');
    const exact = await service.get(TICK_PATH);
    expectRefusal(exact, 429, 'Per-minute request limit exceeded: 1/1 requests.');
    expect(rateHeaders(exact)).toEqual(['1', '0', '60', 'minute']);

    // The month ends ten seconds before the minute is clear.
    service = await asNewAccount(service);
    service.clock.set('2025-06-30T23:59:50Z');
    const one = { requests: 1, scannedBytes: null, returnedBytes: null };
    const { store } = service.services;
    await writing(store).accounts.update(service.accountId, {
      limits: { month: one, minute: one },
    });
    await service.get(TICK_PATH);
    const refused = await service.get(TICK_PATH);
    expectRefusal(refused, 429, 'Monthly request limit exceeded: 1/1 requests.');
    expect(rateHeaders(refused)).toEqual(['1', '0', '60', 'month']);
  });

  it('says after how many seconds a request passes, and keeps its word', async () => {
    await service.limit('minute', { requests: 2 });
    await service.get(TICK_PATH);
    service.clock.set('2025-06-20T16:00:10Z');
    await service.get(TICK_PATH);
    service.clock.set('2025-06-20T16:00:20.500Z');
    const refused = await service.get(TICK_PATH);
    // The refused call counts too: the two before it have to leave.
    expect(refused.headers['x-ratelimit-reset']).toBe('50');
    service.clock.set('2025-06-20T16:01:09.999Z');
    const early = await service.get(TICK_PATH);
    expect(early.statusCode).toBe(429);
    const seconds = Number(early.headers['x-ratelimit-reset']);
    service.clock.set(new Date(service.clock.now() + seconds * 1000).toISOString());
    expect((await service.get(TICK_PATH)).statusCode).toBe(200);
  });

  it('counts refused calls, also of the quotas endpoint', async () => {
    await service.limit('minute', { requests: 1 });
    await service.get(TICK_PATH);
    for (const used of [1, 2, 3]) {
      const refused = await service.get(QUOTAS_PATH);
      expectRefusal(refused, 429, `Per-minute request limit exceeded: ${used}/1 requests.`);
    }
    expect((await service.used()).month.requests).toBe(4);
  });

  it('neither refuses nor counts the exempt endpoints, whose bytes count', async () => {
    await service.limit('minute', { requests: 1, scannedBytes: 1, returnedBytes: 1 });
    for (const path of EXEMPT_PATHS) {
      expect((await service.get(path)).statusCode, path).toBe(200);
      expect((await service.used()).minute.requests, path).toBe(0);
    }
    expect((await service.used()).minute.returnedBytes).toBeGreaterThan(0);
    expect((await service.get(TICK_PATH)).statusCode).toBe(429);
    for (const path of EXEMPT_PATHS) {
      expect((await service.get(path)).statusCode, path).toBe(200);
    }
  });

  it('counts and refuses every other endpoint', async () => {
    for (const path of COUNTED_PATHS) {
      const before = (await service.used()).minute.requests;
      expect((await service.get(path)).statusCode, path).toBe(200);
      expect((await service.used()).minute.requests, path).toBe(before + 1);
    }
    await service.limit('minute', { requests: 1 });
    for (const path of COUNTED_PATHS) {
      expect((await service.get(path)).statusCode, path).toBe(429);
    }
  });
});

describe('the month', () => {
  it('ends at 00:00 UTC on the first', async () => {
    service.clock.set('2025-06-30T23:59:59Z');
    await service.limit('month', { requests: 1 });
    await service.get(TICK_PATH);
    const refused = await service.get(TICK_PATH);
    expect(rateHeaders(refused)).toEqual(['1', '0', '1', 'month']);
    service.clock.set('2025-06-30T23:59:59.999Z');
    expect((await service.get(TICK_PATH)).statusCode).toBe(429);
    service.clock.set('2025-07-01T00:00:00Z');
    expect((await service.get(TICK_PATH)).statusCode).toBe(200);
    expect((await service.used()).month.requests).toBe(1);
    expect((await service.get(TICK_PATH)).statusCode).toBe(429);
  });

  it('does not take the rolling minute with it', async () => {
    service.clock.set('2025-06-30T23:59:50Z');
    await service.get(TICK_PATH);
    service.clock.set('2025-07-01T00:00:10Z');
    expect(await service.used()).toMatchObject({ month: NOTHING, minute: { requests: 1 } });
  });
});

describe('usage', () => {
  async function addKey(): Promise<string> {
    const key = generateKey();
    await writing(service.services.store).keys.create({
      accountId: service.accountId,
      name: 'second',
      hash: hashKey(key),
      reference: keyReference(key),
      createdAtMs: service.clock.now(),
      expiresAtMs: service.clock.now() + 1e9,
    });
    return key;
  }

  it('is shared by all keys of an identity, and by no other identity', async () => {
    await service.limit('month', { requests: 2 });
    const second = await addKey();
    const other = await service.addAccount('other');
    const ask = (key: string) => service.get('/v1/account/my', { 'x-api-key': key });
    expect((await ask(service.key)).statusCode).toBe(200);
    expect((await ask(other.key)).statusCode).toBe(200);
    expect((await ask(second)).statusCode).toBe(200);
    for (const key of [service.key, second]) {
      expect((await ask(key)).statusCode).toBe(403);
    }
    expect((await ask(other.key)).statusCode).toBe(200);
  });

  it('is shown with limits of null where there are none', async () => {
    const page = await service.get(TICK_PATH);
    await service.limit('minute', { scannedBytes: 1e12 });
    const month = (await service.used()).month;
    expect(month.requests).toBe(1);
    expect(month.returnedBytes).toBe(page.rawPayload.byteLength);
    expect(month.scannedBytes).toBeGreaterThan(0);
    const amounts = {
      requests: 1,
      data_scanned: month.scannedBytes,
      data_returned: month.returnedBytes,
    };
    const none = { requests: null, data_scanned: null, data_returned: null };
    expect((await service.get(QUOTAS_PATH)).json()).toEqual({
      quotas_usage: { month: amounts, minute: amounts },
      quotas_limit: { month: none, minute: { ...none, data_scanned: 1e12 } },
    });
  });

  it('beyond the byte limit is a 429 even for a client that holds the page', async () => {
    const { etag = '' } = (await service.get(TICK_PATH)).headers;
    await service.limit('month', { returnedBytes: 1 });
    const answer = await service.get(TICK_PATH, { 'if-none-match': `${etag}` });
    expect(answer.statusCode).toBe(429);
    await service.limit('month', { returnedBytes: null });
  });

  it('has the bytes of a body as it is sent, in each format', async () => {
    for (const format of ['json', 'csv', 'csv_gzip', 'arrow', 'parquet']) {
      const before = (await service.used()).month.returnedBytes;
      const page = await service.get(`${TICK_PATH}?response_format=${format}`);
      const returned = (await service.used()).month.returnedBytes - before;
      expect(returned, format).toBe(page.rawPayload.byteLength);
      expect(returned, format).toBe(Number(page.headers['content-length']));
    }
  });

  it('scans the same for the same request, and as much for fewer columns', async () => {
    const scanned = async (url: string) => {
      const before = (await service.used()).month.scannedBytes;
      await service.get(url);
      return (await service.used()).month.scannedBytes - before;
    };
    const whole = await scanned(TICK_PATH);
    expect(whole).toBeGreaterThan(0);
    expect(await scanned(TICK_PATH)).toBe(whole);
    expect(await scanned(`${TICK_PATH}?columns=Price&limit=1`)).toBe(whole);
    expect(await scanned('/v1/data/us-equity/eq-taq/2025-06-17/AAA')).toBe(0);
  });

  it('scans nothing for a request that is refused before its query runs', async () => {
    for (const [url, status] of [
      [`${TICK_PATH}?Nothing=1`, 422],
      ['/v1/data/us-equity/no-such-dataset', 404],
    ] as const) {
      expect((await service.get(url)).statusCode).toBe(status);
    }
    expect((await service.used()).month).toMatchObject({ requests: 2, scannedBytes: 0 });
  });

  it('has no request of a caller who is not let in', async () => {
    const { store } = service.services;
    await service.get(TICK_PATH, { 'x-api-key': '' });
    await service.get(TICK_PATH, { 'x-api-key': 'unknown' });
    await writing(store).accounts.update(service.accountId, { ipSubnets: ['10.0.0.0/8'] });
    expect((await service.get(TICK_PATH)).statusCode).toBe(403);
    await writing(store).accounts.update(service.accountId, { ipSubnets: [], isActive: false });
    expect((await service.get(TICK_PATH)).statusCode).toBe(410);
    await writing(store).accounts.update(service.accountId, { isActive: true });
    expect((await service.get('/v1/no-such-path')).statusCode).toBe(404);
    expect((await service.get('/v1/status')).statusCode).toBe(200);
    expect((await service.used()).month.requests).toBe(0);
  });

  it('comes before the grammar: a request that is not valid is refused for its quota', async () => {
    await service.limit('minute', { requests: 1 });
    await service.get(TICK_PATH);
    expect((await service.get(`${TICK_PATH}?limit=none`)).statusCode).toBe(429);
  });
});

describe('a limit', () => {
  it('counts from the next request on when another process changes it', async () => {
    const { openControlStore } = await import('../../src/open-home.ts');
    const elsewhere = await openControlStore({ home: service.services.config.home });
    try {
      await service.get(TICK_PATH);
      const month = { requests: 1, scannedBytes: null, returnedBytes: null };
      const { limits } = (await elsewhere.accounts.find(service.accountId)) ?? { limits: null };
      if (!limits) throw new Error('no identity');
      await writing(elsewhere).accounts.update(service.accountId, {
        limits: { ...limits, month },
      });
      expect((await service.get(TICK_PATH)).statusCode).toBe(429);
      await writing(elsewhere).accounts.update(service.accountId, { limits });
      expect((await service.get(TICK_PATH)).statusCode).toBe(200);
    } finally {
      await elsewhere.close();
    }
  });
});

describe('Retry-After', () => {
  it('is not sent unless a setting turns it on', async () => {
    await service.limit('minute', { requests: 0 });
    expect((await service.get(TICK_PATH)).headers['retry-after']).toBeUndefined();
  });

  it('is the reset and a few seconds that differ from key to key', async () => {
    const own = await openQuotaService({ retryAfter: 'on' });
    try {
      await own.limit('minute', { requests: 0 });
      const [mine] = await own.services.store.keys.listOf(own.accountId);
      const refused = await own.get(TICK_PATH);
      const spread = Number(refused.headers['retry-after']) - 60;
      expect(spread).toBe((mine?.keyId ?? 0) % 10);
    } finally {
      await own.close();
    }
  });
});
