/** Tools over HTTP, called by the protocol's own client, in both generations of the protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseSubnet, type Subnet } from '../../src/access/subnet.ts';
import { ApiError } from '../../src/base/errors.ts';
import type { TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { PROGRAM } from '../program.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

liftTimeLimits();

let service: TestService;
let origin: string;
let client: Client;

async function connect(key: string, mode: 'legacy' | { pin: string } = { pin: '2026-07-28' }) {
  const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { 'X-API-KEY': key } };
  const url = new URL(`${origin}/v1/mcp`);
  await made.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return made;
}

beforeAll(async () => {
  service = await openContractService();
  origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  client = await connect(service.key);
});
afterAll(async () => {
  await client.close();
  await service.close();
});

async function call(name: string, args: Record<string, unknown>, by = client) {
  const { content, isError = false } = await by.callTool({ name, arguments: args });
  const [block] = content;
  if (block?.type !== 'text') throw new Error(`${name} answered no text`);
  return { isError, text: block.text, answer: JSON.parse(block.text) };
}

const DAILY = 'eq_daily_ohlc';

describe('tools for language models', () => {
  it.each([{ pin: '2026-07-28' }, 'legacy'] as const)(
    'are listed and answer a client of the generation %o',
    async (mode) => {
      const own = await connect(service.key, mode);
      const { tools } = await own.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        ...['find_datasets', 'describe_dataset', 'resolve_symbols', 'estimate'],
        ...['query', 'aggregate', 'changes', 'save_query'],
      ]);
      expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
      const { answer } = await call('query', { dataset: DAILY, limit: 1 }, own);
      expect(answer.rows).toHaveLength(1);
      await own.close();
    },
  );

  it('find a dataset by words and describe what a key may read of it', async () => {
    const found = await call('find_datasets', { words: 'daily ohlc', readable_only: true });
    const ids = found.answer.datasets.map((each: { text_id: string }) => each.text_id);
    expect(ids).toContain(DAILY);
    const { answer } = await call('describe_dataset', { dataset: DAILY });
    expect(answer).toMatchObject({
      may_read: true,
      rules: [{ start_date: '1900-01-01', universe_identifiers: [] }],
      last_trade_date: '2025-06-18',
      path_parameters: [],
    });
    const ticker = answer.columns.find((each: { name: string }) => each.name === 'Ticker');
    expect(ticker).toMatchObject({ data_type: 'string', is_text: true });
  });

  it('answer rows that a request for rows has, with what their values are between', async () => {
    const parameters = { Ticker: 'AAA', columns: 'TradeDate,Ticker,ASID,OpenPrice' };
    const { answer } = await call('query', { dataset: DAILY, parameters, receipt: true });
    expect(answer).toMatchObject({ dataset_id: 'US1020', dataset_version: 1, row_count: 2 });
    expect(answer.receipt.split('.')).toHaveLength(3);
    const id = '1010000000000001';
    expect(answer.rows).toEqual([
      ['2025-06-17', 'AAA', id, 100],
      ['2025-06-18', 'AAA', id, 101],
    ]);
    expect(answer.columns.map((each: object) => Object.values(each))).toEqual([
      ['TradeDate', 'date', 0, '2025-06-17', '2025-06-18'],
      ['Ticker', 'string', 0, 'AAA', 'AAA', true],
      ['ASID', 'integer', 0, id, id],
      ['OpenPrice', 'number', 0, 100, 101],
    ]);
    const ticks = await call('query', {
      ...{ dataset: 'eq_taq', trade_date: '2025-06-18', identifier: 'AAA' },
      parameters: { 'EventType.like': 'TRADE*' },
    });
    const rest = await service.get(`${TICK_PATH}?EventType.like=TRADE*`);
    expect(ticks.answer.row_count).toBe(rest.json().data.length);
  });

  it('say how many rows were left out', async () => {
    const { answer } = await call('query', { dataset: DAILY, limit: 3 });
    expect(answer).toMatchObject({ row_count: 3, rows_left_out: { min: 1, max: 1 } });
    const parameters = { offset: 1 };
    const later = await call('query', { dataset: DAILY, parameters, limit: 1 });
    expect(later.answer).toMatchObject({ next_offset: 2, rows_left_out: { min: 2, max: 2 } });
    const all = await call('query', { dataset: DAILY });
    expect([all.answer.row_count, all.answer.rows_left_out]).toEqual([4, undefined]);
  });

  it('compute groups, estimate, list versions and changes, and look up symbols', async () => {
    const select = 'count,sum(DailyVolume)';
    const groups = await call('aggregate', { dataset: DAILY, by: 'Ticker', select });
    expect(groups.answer.rows).toEqual([
      ['AAA', '2', '2001'],
      ['BBB', '2', '4001'],
    ]);
    const estimate = await call('estimate', { dataset: DAILY });
    expect(estimate.answer).toMatchObject({ row_count_min: 4, row_count_max: 4 });
    const versions = await call('changes', { dataset: DAILY });
    expect(versions.answer.versions).toMatchObject([{ version: 1 }]);
    const changed = await call('changes', { dataset: DAILY, from: 1 });
    expect(changed.answer).toMatchObject({ row_count: 0, rows: [] });
    const symbols = await call('resolve_symbols', { symbols: 'AAO,NOPE' });
    expect(symbols.answer).toMatchObject({ not_found: ['NOPE'] });
    const found = await call('resolve_symbols', { search: 'Alpha' });
    expect(found.answer.securities).toMatchObject([{ ticker: 'AAA' }]);
  });

  it('save a query as a link without a key that answers the same rows', async () => {
    const parameters = { Ticker: 'AAA' };
    const { answer, text } = await call('save_query', { dataset: DAILY, parameters });
    expect(text).not.toContain(service.key);
    expect((await fetch(answer.link)).status).toBe(401);
    const saved = await fetch(answer.link, { headers: { 'X-API-KEY': service.key } });
    expect(saved.headers.get('x-dataset-version')).toBe('1');
    const rest = await service.get(`${DAILY_PATH}?Ticker=AAA`);
    expect(await saved.json()).toMatchObject({ data: rest.json().data });
  });

  it('save no query of a dataset without a version', async () => {
    const { answer } = await call('save_query', { dataset: 'eq_taq_1min', identifier: 'AAA' });
    expect(answer.detail).toBe('Nothing of this dataset is published yet');
  });

  it('tell rows that are missing by the hints of the interface', async () => {
    const lower = await call('query', { dataset: DAILY, parameters: { Ticker: 'aaa' } });
    expect(lower.answer).toMatchObject({ row_count: 0, hint_code: 'case AAA' });
    const other = await call('query', {
      dataset: DAILY,
      parameters: { TradeDate: '2025-06-16', Ticker: 'AAA' },
    });
    expect(other.answer).toMatchObject({ row_count: 0, hint_code: 'date' });
    const parameters = { 'Ticker.in': 'AAA,NOPE' };
    const listed = await call('query', { dataset: DAILY, parameters });
    expect(listed.answer).toMatchObject({ row_count: 2, missing: '1 of 2: NOPE' });
  });

  it('name the next call when they refuse', async () => {
    const unknown = await call('query', { dataset: 'nothing' });
    expect(unknown).toMatchObject({ isError: true, answer: { next: 'Call find_datasets.' } });
    const wrong = await call('query', { dataset: DAILY, parameters: { Tickr: 'AAA' } });
    expect(wrong).toMatchObject({ isError: true, answer: { status: 422 } });
    expect(wrong.answer.next).toContain('describe_dataset');
    const path = await call('query', { dataset: 'eq_taq', parameters: { Ticker: 'AAA' } });
    expect(path.answer).toMatchObject({ status: 404, hint: expect.stringContaining('identifier') });
    const twice = await call('query', { dataset: DAILY, parameters: { limit: 4 } });
    expect(twice.answer.status).toBe(422);
  });

  it('have answers of at most 8,500 characters, which say what was cut', async () => {
    const { answer, text } = await call('find_datasets', {});
    expect(text.length).toBeLessThanOrEqual(8500);
    expect(text.length).toBeGreaterThan(7500);
    const left = answer.dataset_count - answer.datasets.length;
    expect(answer.cut).toContain(`Of the ${answer.dataset_count} datasets, ${left} were left out`);
  });

  it('refuse a subscription, which would hold a connection', async () => {
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  });
});

/** A call of a tool as one message, without the protocol's client. */
function post(
  address: string,
  name: string,
  args: object,
  headers: Record<string, string>,
  { signal }: AbortController = new AbortController(),
) {
  const params = { name, arguments: { dataset: DAILY, ...args } };
  const accept = 'application/json, text/event-stream';
  return fetch(`${address}/v1/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { accept, 'content-type': 'application/json', ...headers },
    signal,
  });
}

describe('ticklake mcp', () => {
  const start = (key: string) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [PROGRAM, 'mcp'],
      env: {
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
        TICKLAKE_URL: origin,
        TICKLAKE_KEY: key,
      },
    });

  it.each([{ pin: '2026-07-28' }, 'legacy'] as const)(
    'gives the tools of a server to a client of the generation %o',
    async (mode) => {
      const own = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await own.connect(start(service.key));
      expect((await own.listTools()).tools).toHaveLength(8);
      const { answer } = await call('query', { dataset: DAILY }, own);
      expect(answer.row_count).toBe(4);
      await own.close();
    },
  );

  it('tells what the server says of a key that it refuses', async () => {
    const own = new Client({ name: 'test', version: '1' });
    await expect(own.connect(start('unknown'))).rejects.toThrow('401');
    await own.close();
  });
});

describe('a caller of tools', () => {
  it('ends what a tool asks by going away', async () => {
    const own = await openContractService();
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    own.app.addHook('preHandler', ({ url }, reply, done) => {
      if (url.includes('/aggregate')) {
        reply.raw.once('close', () => ended.resolve());
        asked.resolve();
      } else done();
    });
    const address = await own.app.listen({ host: '127.0.0.1', port: 0 });
    const leaving = new AbortController();
    const answer = post(
      address,
      'aggregate',
      { select: 'count' },
      { 'X-API-KEY': own.key },
      leaving,
    );
    await asked.promise;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await ended.promise;
    await own.close();
  });

  it.each([
    ['unavailable', 503, 1],
    ['too many requests', 429, 0],
  ] as const)('is told %s by a tool with %i, logged %i times', async (kind, status, count) => {
    const own = await openContractService();
    const told: unknown[][] = [];
    own.app.addHook('onRequest', (request, _reply, done) => {
      vi.spyOn(request.log, 'warn').mockImplementation((...args: unknown[]) => told.push(args));
      done();
    });
    const refused = new ApiError(kind, 'Not now');
    vi.spyOn(own.services.toolRate, 'count').mockRejectedValue(refused);
    const address = await own.app.listen({ host: '127.0.0.1', port: 0 });
    const answer = await post(address, 'query', {}, { 'X-API-KEY': own.key });
    expect(await answer.text()).toContain(`\\"status\\":${status},\\"detail\\":\\"Not now\\"`);
    const logged = [expect.objectContaining({ status }), 'Not now'];
    expect(told).toEqual(Array(count).fill(logged));
    await own.close();
  });

  it('is held to the addresses of the account, behind a trusted proxy, too', async () => {
    const trustedProxies = [parseSubnet('127.0.0.1/32') as Subnet];
    const own = await openContractService({ trustedProxies });
    const { accountId, key } = await own.addAccount('office');
    const store = writing(own.services.store);
    const rule = { accountId, datasetId: 'US1020', startDate: '1900-01-01', endDate: null };
    await store.rules.add({ ...rule, universe: [], columns: null });
    await store.accounts.update(accountId, { ipSubnets: ['192.0.2.0/24'] });
    const address = await own.app.listen({ host: '127.0.0.1', port: 0 });
    const rows = async (from: string) => {
      const answer = await post(
        address,
        'query',
        {},
        { 'X-API-KEY': key, 'X-Forwarded-For': from },
      );
      return [answer.status, (await answer.text()).includes('\\"row_count\\":4')];
    };
    expect(await rows('192.0.2.7')).toEqual([200, true]);
    expect(await rows('198.51.100.7')).toEqual([403, false]);
    await own.close();
  });

  it('is refused without a key, with an unknown one, and with a key in the address', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const statusOf = async (url: string, headers = {}) => {
      const more = { 'content-type': 'application/json', ...headers };
      return (await fetch(url, { method: 'POST', body, headers: more })).status;
    };
    const url = `${origin}/v1/mcp`;
    expect([
      await statusOf(url),
      await statusOf(url, { 'X-API-KEY': 'unknown' }),
      await statusOf(`${url}?key=${service.key}`),
      await statusOf(`${url}?key=${service.key}`, { 'X-API-KEY': service.key }),
    ]).toEqual([401, 401, 401, 422]);
  });

  it('may call tools so often in a minute, and its account other requests beside', async () => {
    const { key } = await service.addAccount('in circles');
    const own = await connect(key);
    const words = { words: 'nothing has these words' };
    for (let calls = 0; calls < 120; calls++) {
      expect((await call('find_datasets', words, own)).isError).toBe(false);
    }
    expect(await call('find_datasets', words, own)).toMatchObject({
      isError: true,
      answer: {
        status: 429,
        detail: expect.stringMatching(/^Too many tool calls by key \d+; try again in a minute$/),
        next: expect.stringMatching(/^Wait/),
      },
    });
    const beside = await connect((await service.addAccount('beside')).key);
    expect((await call('find_datasets', words, beside)).isError).toBe(false);
    expect((await service.get(`${DAILY_PATH}?limit=1`, { 'x-api-key': key })).statusCode).toBe(403);
    service.clock.set(new Date(service.clock.now() + 61_000).toISOString());
    expect((await call('find_datasets', words, own)).isError).toBe(false);
    await Promise.all([own.close(), beside.close()]);
  });

  it('gets only what the rules of the account allow, and each request is counted', async () => {
    const { accountId, key } = await service.addAccount('limited');
    const store = writing(service.services.store);
    const rule = { accountId, datasetId: 'US1020', startDate: '2025-06-18', endDate: null };
    await store.rules.add({ ...rule, universe: ['AAA'], columns: ['TradeDate', 'Ticker', 'ASID'] });
    const own = await connect(key);
    const { answer } = await call('query', { dataset: DAILY }, own);
    expect(answer.rows).toEqual([['2025-06-18', 'AAA', '1010000000000001']]);
    const refused = await call('query', { dataset: DAILY, parameters: { Ticker: 'BBB' } }, own);
    expect(refused.answer).toMatchObject({
      status: 403,
      next: expect.stringContaining('describe_dataset'),
    });
    const described = await call('describe_dataset', { dataset: DAILY }, own);
    expect(described.answer.columns).toHaveLength(3);
    expect(described.answer.rules).toMatchObject([{ universe_identifiers: ['AAA'] }]);
    const other = await call('query', { dataset: 'eq_trading_halts' }, own);
    expect(other).toMatchObject({ isError: true, answer: { status: 403 } });
    await own.close();
    const usage = await service.services.usage.counters.read(accountId);
    expect(usage.month).toMatchObject({ requests: expect.any(Number) });
    expect(usage.month.requests).toBeGreaterThanOrEqual(10);
  });
});
