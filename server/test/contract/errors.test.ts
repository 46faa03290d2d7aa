import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

const ORIGIN = 'https://app.example.com';
let service: TestService;
beforeAll(async () => {
  service = await openContractService({ corsOrigins: [ORIGIN] });
});
afterAll(() => service.close());

async function expectText(url: string, status: number, detail: string): Promise<void> {
  const answer = await service.get(url);
  expect(answer.json(), url).toEqual({ detail });
  expect(answer.statusCode, url).toBe(status);
  expect(answer.headers['x-request-id']).toBeTypeOf('string');
  expect(answer.headers['x-amzn-requestid']).toBeTypeOf('string');
}

/** The messages of a 422, whose entries all have their five fields. */
async function problemsOf(url: string) {
  const answer = await service.get(url);
  expect(answer.statusCode, `${url}: ${answer.body}`).toBe(422);
  const { detail } = answer.json() as { detail: Record<string, unknown>[] };
  for (const problem of detail) {
    expect(Object.keys(problem).sort()).toEqual(['ctx', 'input', 'loc', 'msg', 'type']);
  }
  return detail as { msg: string; loc: string[]; input: unknown }[];
}

describe('400', () => {
  it('answers an origin that is not listed', async () => {
    const answer = await service.get(DAILY_PATH, { origin: 'https://evil.example.com' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ detail: 'Disallowed CORS origin' });
  });
});

describe('401', () => {
  it('answers a missing key and an empty one', async () => {
    for (const headers of [{}, { 'x-api-key': '' }, { 'x-api-key': '  ' }]) {
      const answer = await service.app.inject({ url: DAILY_PATH, headers });
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toEqual({ detail: 'Not authenticated' });
    }
  });

  it('answers unknown, deleted and deactivated keys alike', async () => {
    const { store } = service.services;
    const deleted = await service.addAccount('deleted');
    await writing(store).keys.delete(
      (await store.keys.listOf(deleted.accountId))[0]?.keyId as number,
    );
    const deactivated = await service.addAccount('deactivated');
    await writing(store).keys.setActive(
      (await store.keys.listOf(deactivated.accountId))[0]?.keyId as number,
      false,
    );
    for (const key of ['nonsense', 'a'.repeat(35), deleted.key, deactivated.key]) {
      const answer = await service.get('/v1/account/my', { 'x-api-key': key });
      expect(answer.statusCode).toBe(401);
      expect(answer.json()).toEqual({ detail: 'Invalid API key' });
    }
  });

  it('is not answered to a key with spaces around it, nor to a header name in capitals', async () => {
    const answer = await service.app.inject({
      url: '/v1/account/my',
      headers: { 'X-API-KEY': `  ${service.key} ` },
    });
    expect(answer.statusCode).toBe(200);
  });
});

describe('403', () => {
  it('names the dataset that the account has no rule for', async () => {
    const { key } = await service.addAccount('nothing');
    const data = await service.get(TICK_PATH, { 'x-api-key': key });
    expect(data.statusCode).toBe(403);
    expect(data.json()).toEqual({
      detail: 'The account is not authorized to access the dataset US Equities Trade and Quote',
    });
    const status = await service.get('/v1/meta/datasets/US1032/status', { 'x-api-key': key });
    expect(status.statusCode).toBe(403);
    expect(status.json()).toEqual({
      detail: 'This identity does not have access to dataset US1032',
    });
  });

  it('is decided for the variant that the parameters choose', async () => {
    const { key, accountId } = await service.addAccount('adjusted only');
    const rule = { startDate: '2020-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId: 'US1022', ...rule });
    const raw = await service.get(DAILY_PATH, { 'x-api-key': key });
    expect(raw.statusCode).toBe(403);
    expect(raw.json().detail).toContain('US Equities Daily OHLC');
    const adjusted = await service.get(`${DAILY_PATH}?adjusted=true`, { 'x-api-key': key });
    expect(adjusted.statusCode).toBe(200);
  });

  it('names the identifier outside the universe, in the path and in a filter', async () => {
    const { key, accountId } = await service.addAccount('one ticker');
    const rule = { startDate: '2020-01-01', endDate: null, universe: ['AAA'] };
    for (const datasetId of ['US1032', 'US1020']) {
      await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    }
    const headers = { 'x-api-key': key };
    const path = await service.get('/v1/data/us-equity/eq-taq/2025-06-18/BBB', headers);
    expect(path.statusCode).toBe(403);
    expect(path.json()).toEqual({
      detail:
        'The account is not authorized to access the identifier BBB in dataset US Equities Trade and Quote',
    });
    const filter = await service.get(`${DAILY_PATH}?Ticker=BBB`, headers);
    expect([filter.statusCode, filter.json()]).toEqual([
      403,
      {
        detail:
          'The account is not authorized to access the identifier BBB in dataset US Equities Daily OHLC',
      },
    ]);
    const open = await service.get(`${DAILY_PATH}?columns=Ticker`, headers);
    expect(open.json().data).toEqual([{ Ticker: 'AAA' }, { Ticker: 'AAA' }]);
  });
});

describe('404', () => {
  it.each([
    '/v1',
    '/status',
    '/data/us-equity/eq-taq/2025-06-18/AAA',
    '/v2/status',
    '/v1/status/',
    '/v1/nothing',
    '/v1/data/us-equity',
    '/v1/data/us-equity/nothing',
    '/v1/data/nothing/eq-taq/2025-06-18/AAA',
    '/v1/data/us-equity/EQ-TAQ/2025-06-18/AAA',
    '/v1/data/us-equity/eq-taq',
    '/v1/data/us-equity/eq-taq/2025-06-18',
    '/v1/data/us-equity/eq-taq/2025-06-18/AAA/more',
    '/v1/data/us-equity/eq-daily-ohlc/AAA',
    '/v1/meta/datasets/US1032/nothing',
    '/v1/%zz',
  ])('answers the unknown path %s', (url) => expectText(url, 404, 'Not Found'));

  it.each([
    ['/v1/data/us-equity/EQ_TAQ/2025-06-18/AAA', '{trade_date}/{identifier}'],
    ['/v1/data/us-futures/US1032/2025-06-18/AAA', '{trade_date}/{identifier}'],
    ['/v1/bulk/us-equity-ref/taq', '{trade_date}/{identifier}'],
    ['/v1/data-scan/us-equity/eq-taq', '{trade_date}/{identifier}'],
  ])('hints at the path of the dataset that %s may mean', async (url, parameters) => {
    const { statusCode, headers } = await service.get(url);
    const hint = `The path of this dataset is /data/us-equity/eq-taq/${parameters}`;
    expect([statusCode, headers['x-hint']]).toEqual([404, hint]);
  });

  it('answers an unknown path before it asks for a key', async () => {
    const answer = await service.app.inject('/v1/nothing');
    expect(answer.statusCode).toBe(404);
  });

  it.each([
    ...['info', 'columns', 'query', 'status', 'coverage'],
    ...['versions', 'versions/1', 'changes?from=1'],
  ])('answers ids that are not catalog ids on %s', async (what) => {
    for (const id of ['US9999', 'us1032', 'eq_taq', '%27', ' US1032']) {
      const url = `/v1/meta/datasets/${encodeURI(id)}/${what}`;
      await expectText(url, 404, 'The dataset with the specified id is not found');
    }
    const { headers } = await service.get(`/v1/meta/datasets/eq_taq/${what}`);
    expect(headers['x-hint']).toBe('The id of this dataset is US1032');
  });
});

describe('405', () => {
  it.each(['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'] as const)(
    'answers %s on a GET path, without a key, and names GET',
    async (method) => {
      for (const url of ['/v1/status', '/v1/account/my', TICK_PATH]) {
        const answer = await service.app.inject({ method: method as 'GET', url });
        expect(answer.statusCode).toBe(405);
        expect(answer.headers.allow).toBe('GET');
        if (method !== 'HEAD') expect(answer.json()).toEqual({ detail: 'Method Not Allowed' });
      }
    },
  );

  it('answers a POST with a body of any type before it reads it', async () => {
    const answer = await service.app.inject({
      method: 'POST',
      url: TICK_PATH,
      headers: { 'content-type': 'text/strange' },
      payload: '{not json',
    });
    expect(answer.statusCode).toBe(405);
  });

  it('stays 404 on a path that does not exist', async () => {
    const answer = await service.app.inject({ method: 'POST', url: '/v1/nothing' });
    expect(answer.statusCode).toBe(404);
  });
});

describe('410', () => {
  it('answers an expired key, from the moment of its expiry', async () => {
    const { key, accountId } = await service.addAccount('expiring');
    const [record] = await service.services.store.keys.listOf(accountId);
    const before = service.clock.now();
    const expiry = new Date(record?.expiresAtMs as number).toISOString();
    const justBefore = new Date((record?.expiresAtMs as number) - 1).toISOString();
    service.clock.set(justBefore);
    expect((await service.get('/v1/account/my', { 'x-api-key': key })).statusCode).toBe(200);
    service.clock.set(expiry);
    const answer = await service.get('/v1/account/my', { 'x-api-key': key });
    service.clock.set(new Date(before).toISOString());
    expect(answer.statusCode).toBe(410);
    expect(answer.json()).toEqual({ detail: 'The API key access has expired' });
  });

  it('answers a deactivated account', async () => {
    const { key, accountId } = await service.addAccount('gone');
    await writing(service.services.store).accounts.update(accountId, { isActive: false });
    const answer = await service.get('/v1/account/my', { 'x-api-key': key });
    expect(answer.statusCode).toBe(410);
    expect(answer.json()).toEqual({ detail: 'The account is deactivated' });
  });
});

describe('414', () => {
  it('answers a URL that is longer than the limit', async () => {
    const url = `${TICK_PATH}?Exchange=${'A'.repeat(16_384)}`;
    await expectText(url, 414, 'The URL is longer than 16384 bytes');
  });
});

describe('422', () => {
  it.each([
    ['/v1/data/us-equity/eq-taq/2025-02-30/AAA', '2025-02-30', ['path', 'trade_date']],
    ['/v1/data/us-equity/eq-taq/20250618/AAA', '20250618', ['path', 'trade_date']],
    [`${DAILY_PATH}?TradeDate.ge=yesterday`, 'yesterday', ['query', 'TradeDate.ge']],
  ])('says which date it cannot parse in %s', async (url, value, loc) => {
    const [problem] = await problemsOf(url);
    expect(problem?.msg).toBe(`Cannot parse the filter value '${value}' as Date`);
    expect(problem?.loc).toEqual(loc);
    expect(problem?.input).toBe(value);
  });

  it.each([
    ['parameters that an endpoint does not take', '/v1/status?', 'a&'],
    ['parameters that cannot be decoded', `${DAILY_PATH}?`, '%&'],
  ])('tells the first hundred of many %s', async (_, path, part) => {
    const url = path + part.repeat(1024);
    expect(await problemsOf(url)).toHaveLength(100);
    expect((await service.get(url)).body.length).toBeLessThan(64 * 1024);
    const [problem, ...others] = await problemsOf(url + part);
    expect(problem?.msg).toBe('A request should have at most 1024 parameters, not 1025');
    expect(others).toEqual([]);
  });

  it('lists all unknown columns of filters, sort and projection in one message', async () => {
    const problems = await problemsOf(`${DAILY_PATH}?Nope=1&sort=-Neither&columns=Ticker,Nor`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.msg).toBe(
      'The following columns do not exist in the dataset: Nope, Neither, Nor',
    );
  });

  it.each([
    [
      'Ticker.between',
      'unknown_operator',
      "The filter operator 'between' does not exist; it should be ",
      "'eq', 'gt', 'ge', 'lt', 'le', 'in', 'like' or 'ilike'",
    ],
    [
      'OpenPrice.like',
      'unfit_operator',
      "The filter operator 'like' does not fit the column 'OpenPrice' of type number; it should be ",
      "'eq', 'gt', 'ge', 'lt', 'le' or 'in'",
    ],
  ])('names the operator of %s and those that are legal', async (name, type, msg, expected) => {
    const [, input] = name.split('.');
    expect(await problemsOf(`${DAILY_PATH}?${name}=1`)).toEqual([
      { type, loc: ['query', name], msg: `${msg}${expected}`, input, ctx: { expected } },
    ]);
  });

  it('names the required filter that is missing', async () => {
    const [problem] = await problemsOf('/v1/data/us-equity/eq-trades-1min');
    expect(problem?.msg).toBe("The filter expression for the field 'Ticker' should be specified");
    expect(problem?.loc).toEqual(['query', 'Ticker']);
  });

  it('names the date outside of the entitlement window, wherever it stands', async () => {
    const { key, accountId } = await service.addAccount('windowed');
    const rule = { startDate: '2025-06-01', endDate: '2025-06-17', universe: [] };
    for (const datasetId of ['US1032', 'US1020']) {
      await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    }
    for (const [url, date] of [
      [TICK_PATH, '2025-06-18'],
      [`${DAILY_PATH}?TradeDate=2025-05-31`, '2025-05-31'],
      [`${DAILY_PATH}?TradeDate.in=2025-06-17,2025-06-18`, '2025-06-18'],
      [`${DAILY_PATH}?TradeDate.le=2025-06-18`, '2025-06-18'],
    ] as const) {
      const answer = await service.get(url, { 'x-api-key': key });
      expect(answer.statusCode, url).toBe(422);
      expect(answer.json().detail[0].msg).toBe(
        `The date value '${date}' is outside of the allowed range for this account`,
      );
    }
    const open = await service.get(`${DAILY_PATH}?columns=TradeDate`, { 'x-api-key': key });
    expect(open.json().data).toEqual([{ TradeDate: '2025-06-17' }, { TradeDate: '2025-06-17' }]);
  });

  it('refuses a range of dates that is wider than the period', async () => {
    const [problem] = await problemsOf(
      `${DAILY_PATH}?TradeDate.ge=2025-01-01&TradeDate.le=2025-06-18&period=1W`,
    );
    expect(problem?.msg).toMatch(/history limit/);
    expect(problem?.loc).toEqual(['query', 'TradeDate']);
  });

  it.each([
    ['limit=10001', 'limit', /10000/],
    ['limit=30001&response_format=csv', 'limit', /30000/],
    ['limit=80001&response_format=csv_gzip', 'limit', /80000/],
    ['limit=0', 'limit', /greater than or equal to 1/],
    ['limit=1.5', 'limit', /integer/],
    ['offset=-1', 'offset', /0/],
    ['offset=1000000000001', 'offset', /1000000000000/],
    ['response_format=xml', 'response_format', /'json', 'csv', 'csv_gzip', 'arrow' or 'parquet'/],
    ['aggregation_logic=other', 'aggregation_logic', /'algoseek' or 'industry_std'/],
    ['adjusted=perhaps', 'adjusted', /true/],
    ['period=5M', 'period', /Y, W or D/],
    ['Ticker.neq=A', 'Ticker.neq', /eq/],
    ['Ticker.gt=A', 'Ticker.gt', /eq.*in.*like/],
    ['OpenPrice.like=1*', 'OpenPrice.like', /gt/],
    ['sample=0', 'sample', /0.01 or 1.100/],
    ['sample=0.000000', 'sample', /from 0.000001 to 1/],
    ['sample=2', 'sample', /0.01 or 1.100/],
    ['sample=1.01', 'sample', /from 0.000001 to 1/],
    ['sample=1/0', 'sample', /0.01 or 1.100/],
    ['sample=1e-2', 'sample', /0.01 or 1.100/],
    ['interval=1w&sample=0.5', 'sample', /does not apply to bars of an interval/],
    ['limit=1&limit=2', 'limit', /once/],
    ['ASID=9223372036854775808', 'ASID', /Cannot parse the filter value/],
    ['OpenPrice=1e999', 'OpenPrice', /Cannot parse the filter value/],
    ['Ticker=%00', 'Ticker', /^Input should not contain control characters$/],
    ['Ticker=%ff', 'Ticker', /^Input should be valid percent-encoding of UTF-8 text$/],
    ['Ticker=%', 'Ticker', /^Input should be valid percent-encoding of UTF-8 text$/],
  ])('explains %s at its place', async (query, name, message) => {
    const [problem] = await problemsOf(`${DAILY_PATH}?${query}`);
    expect(problem?.msg).toMatch(message);
    expect(problem?.loc).toEqual(['query', name]);
  });

  it('refuses to filter again by what the path names', async () => {
    for (const name of ['TradeDate', 'Ticker']) {
      const [problem] = await problemsOf(`${TICK_PATH}?${name}=2025-06-18`);
      expect(problem?.msg).toContain(name);
    }
  });

  it('names a parameter that an endpoint without parameters does not take', async () => {
    const [problem] = await problemsOf('/v1/account/my?verbose=1');
    expect(problem?.loc).toEqual(['query', 'verbose']);
  });

  it('is one plain text that names the parameter when the setting says so', async () => {
    const texts = {
      [`${DAILY_PATH}?Nope=1`]: 'The following columns do not exist in the dataset: Nope',
      [`${DAILY_PATH}?TradeDate.ge=18-11-2026&limit=x`]:
        "Input should be a valid integer (in 'limit')",
      [`${DAILY_PATH}?TradeDate.ge=18-11-2026&ClosePrice.gt=ten`]:
        "Cannot parse the filter value '18-11-2026' as Date (in 'TradeDate.ge'); " +
        "Cannot parse the filter value 'ten' as Number (in 'ClosePrice.gt')",
      '/v1/data/us-equity/eq-taq/yesterday/AAA':
        "Cannot parse the filter value 'yesterday' as Date (in 'trade_date')",
      '/v1/data/us-equity/eq-trades-1min':
        "The filter expression for the field 'Ticker' should be specified",
    };
    const plain = await openContractService({ validationDetail: 'string' });
    const answers = await Promise.all(Object.keys(texts).map((url) => plain.get(url)));
    await plain.close();
    expect(answers.map((answer) => [answer.statusCode, answer.json().detail])).toEqual(
      Object.values(texts).map((text) => [422, text]),
    );
  });
});

describe('500', () => {
  it('shows nothing internal when the engine fails', async () => {
    const broken = await openContractService();
    await broken.services.engine.close();
    const answer = await broken.get(DAILY_PATH);
    expect(answer.statusCode).toBe(500);
    expect(answer.body).toBe('{"detail":"Internal server error"}');
    await broken.close();
  });
});

describe('503', () => {
  it('answers past the queue of queries', async () => {
    const full = await openContractService({ queriesMax: 1, queueMax: 0 });
    let finish = () => {};
    const running = full.services.gate.run(
      1,
      new AbortController().signal,
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const answer = await full.get(DAILY_PATH);
    finish();
    await running;
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toBe('{"detail":"Service unavailable"}');
    expect((await full.get(DAILY_PATH)).statusCode).toBe(200);
    await full.close();
  });
});

describe('504', () => {
  it('answers a query that runs longer than the limit, and stops it', async () => {
    const slow = await openContractService({ queriesMax: 1, queryTimeoutMs: 50 });
    const { config, engine, gate } = slow.services;
    const { scan } = engine;
    // This scan ends only when it is stopped.
    engine.scan = async function* (plan, signal) {
      if (!signal.aborted) await once(signal, 'abort');
      yield* scan.call(engine, plan, signal);
    };
    const answer = await slow.get(DAILY_PATH);
    expect(answer.statusCode).toBe(504);
    expect(answer.body).toBe('{"detail":"Gateway timeout"}');
    expect(gate.runningCount).toBe(0);
    engine.scan = scan;
    // From here on a query has time.
    Object.assign(config, { queryTimeoutMs: 600_000 });
    await eventually(async () => expect((await slow.get(DAILY_PATH)).statusCode).toBe(200));
    await slow.close();
  });

  it('answers a query that waits for its turn longer than the limit', async () => {
    const slow = await openContractService({ queriesMax: 1, queryTimeoutMs: 50 });
    let finish = () => {};
    const running = slow.services.gate.run(
      1,
      new AbortController().signal,
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const answer = await slow.get(DAILY_PATH);
    finish();
    await running;
    expect(answer.statusCode).toBe(504);
    expect(answer.body).toBe('{"detail":"Gateway timeout"}');
    await slow.close();
  });
});

describe('406', () => {
  const NOT_ACCEPTABLE =
    'The header Accept should allow one of application/json, text/csv, application/gzip, ' +
    'application/vnd.apache.arrow.stream, application/vnd.apache.parquet; or choose with the parameter ' +
    'response_format';

  it.each([TICK_PATH, '/v1/meta/datasets/US1032/changes?from=1'])(
    'answers an Accept that allows no format: %s',
    async (url) => {
      const answer = await service.get(url, { accept: 'text/html' });
      expect(answer.json()).toEqual({ detail: NOT_ACCEPTABLE });
      expect(answer.statusCode).toBe(406);
      expect(answer.headers.vary).toContain('Accept, Accept-Encoding');
    },
  );

  it('answers nothing else: what is wrong with the query goes before', async () => {
    const answer = await service.get(`${TICK_PATH}?limit=0`, { accept: 'text/html' });
    expect(answer.statusCode).toBe(422);
  });

  it('is not for requests that name a format', async () => {
    const answer = await service.get(`${TICK_PATH}?response_format=csv`, { accept: 'text/html' });
    expect(answer.headers['content-type']).toBe('text/csv');
  });

  it('is not for scans, whose own answer is JSON', async () => {
    const scan = await service.get(TICK_PATH.replace('/data/', '/data-scan/'), {
      accept: 'text/html',
    });
    expect(scan.statusCode).toBe(200);
  });
});

describe('browsers', () => {
  it('are told by a preflight what a listed origin may do', async () => {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: TICK_PATH,
      headers: { origin: ORIGIN, 'access-control-request-method': 'GET' },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET',
      'access-control-allow-headers':
        'X-API-KEY, Content-Type, If-None-Match, If-Range, Prefer, Range, Want-Repr-Digest',
      vary: 'Origin',
    });
  });

  it('read answers and errors alike from a listed origin', async () => {
    for (const url of [TICK_PATH, `${TICK_PATH}?Nope=1`]) {
      const answer = await service.get(url, { origin: ORIGIN });
      expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN);
    }
  });

  it('are refused a preflight from another origin', async () => {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: TICK_PATH,
      headers: { origin: 'null' },
    });
    expect(answer.statusCode).toBe(400);
  });
});
