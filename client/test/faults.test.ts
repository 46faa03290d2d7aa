import { hash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { repetitions } from '../../server/test/repetitions.ts';
import {
  APIError,
  IntegrityError,
  InternalServerError,
  QueryTimeoutError,
  QuotaExceededError,
  RateLimitError,
  type Row,
  Ticklake,
  TicklakeError,
  type TicklakeOptions,
  TransportError,
} from '../src/index.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type ServedRows, serveRows, silent } from './served-rows.ts';
import { controlSilence, SILENCE_MS, type Silence } from './silence.ts';

const ROWS = 60;
const PAGE_ROWS = 20;
let served: ServedRows;
let proxy: FaultProxy;
let silence: Silence;
let rows: Row[];

beforeAll(async () => {
  served = await serveRows(ROWS);
  proxy = await startFaultProxy(served.url);
  silence = controlSilence();
  proxy.onStall = silence.pass;
  rows = await read();
});
beforeEach(() => {
  proxy.faults.length = 0;
  proxy.requests.length = 0;
  proxy.among = '/v1/data/';
});
afterAll(async () => {
  silence.restore();
  await proxy.close();
  await served.service.close();
});

function read(options: Partial<TicklakeOptions> = {}): Promise<Row[]> {
  const own = { url: proxy.url, key: served.service.key, firstWaitMs: 1, timeoutMs: SILENCE_MS };
  const client = new Ticklake({ ...own, ...silent, ...options });
  const halts = client.dataset('eq_trading_halts').read({ pageRows: PAGE_ROWS });
  return halts.toArray({ limit: Infinity });
}

const failureOf = (promise: Promise<unknown>): Promise<TicklakeError> =>
  promise.then(
    () => {
      throw new Error('there was no error');
    },
    (error) => error,
  );

const refuse = (
  status: number,
  detail = 'refused',
  headers: Record<string, string> = {},
): Fault => ({ kind: 'refuse', status, detail, headers });

const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant<Fault>({ kind: 'none' }),
  fc.record({
    kind: fc.constantFrom('reset' as const, 'cut' as const, 'flip' as const),
    atByte: fc.oneof(fc.nat(30), fc.nat(1500)),
  }),
  fc.record({ kind: fc.constant('stall' as const), atByte: fc.nat(1500) }),
  fc.constantFrom(408, 500, 502, 503, 504, 404).map((status) => refuse(status)),
  fc.constant(refuse(429, 'Per-minute', { 'x-ratelimit-window': 'minute', 'retry-after': '0' })),
);

describe('the exact rows, or an error', () => {
  it('whatever happens to answers on their way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { maxLength: 8 }), async (faults) => {
        proxy.faults.splice(0, proxy.faults.length, ...faults);
        const outcome = await read().catch((error: unknown) => error);
        if (Array.isArray(outcome)) expect(outcome).toEqual(rows);
        else expect(outcome).toBeInstanceOf(TicklakeError);
      }),
      { numRuns: repetitions('TICKLAKE_CLIENT_FAULTS', 25) },
    );
  });

  it.each<[string, Fault[]]>([
    ['a reset connection', [{ kind: 'reset', atByte: 40 }]],
    ['a body that is cut off', [{ kind: 'cut', atByte: 40 }]],
    ['a body that falls silent', [{ kind: 'stall', atByte: 40 }]],
    ['a flipped bit', [{ kind: 'flip', atByte: 60 }]],
    ['a 503', [refuse(503)]],
    ['a run of 429', Array(3).fill(refuse(429, 'Per-minute', { 'retry-after': '0' }))],
    ['one 500', [refuse(500)]],
  ])('%s is made good', async (_, faults) => {
    for (const pagesBefore of [0, 1, 2]) {
      const untouched: Fault[] = Array(pagesBefore).fill({ kind: 'none' });
      proxy.faults.push(...untouched, ...faults);
      expect(await read()).toEqual(rows);
    }
  });

  it('an answer that never is whole is an error in the end, after as many attempts as allowed', async () => {
    proxy.faults.push(...Array<Fault>(9).fill({ kind: 'reset', atByte: 9 }));
    const error = await failureOf(read({ maxRetries: 2 }));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ attempts: 3 });
    proxy.faults.splice(0, 9, ...Array<Fault>(9).fill({ kind: 'flip', atByte: 60 }));
    expect(await failureOf(read())).toBeInstanceOf(IntegrityError);
  });

  it.each<[string, (path: string) => string, (client: Ticklake) => Promise<unknown>]>([
    [
      'a page',
      (path) => path.replace(/limit=\d+/, 'limit=7'),
      (client) =>
        client
          .dataset('eq_trading_halts')
          .read({ pageRows: PAGE_ROWS })
          .toArray({ limit: Infinity }),
    ],
    ['datasets', () => '/v1/status', (client) => client.datasets()],
    ['securities', () => '/v1/status', (client) => client.resolve(['AAA'])],
  ])('the answer to another request is not taken: %s', async (_, path, ask) => {
    const open = () =>
      new Ticklake({
        url: proxy.url,
        key: served.service.key,
        firstWaitMs: 1,
        maxRetries: 2,
        ...silent,
      });
    const right = await ask(open());
    proxy.among = '/v1/';
    const swapped: Fault = { kind: 'other', path };
    proxy.faults.push(swapped);
    expect(await ask(open())).toEqual(right);
    expect(proxy.faults).toEqual([]);
    proxy.faults.push(...Array<Fault>(9).fill(swapped));
    const error = await failureOf(ask(open()));
    expect(error).toBeInstanceOf(TransportError);
    expect(error.message).toContain('does not name this request');
  });

  it('JSON with another bit is asked for again', async () => {
    const client = new Ticklake({ url: proxy.url, key: served.service.key, firstWaitMs: 1 });
    const right = await client.resolve(['AAA']);
    proxy.among = '/v1/';
    proxy.faults.push({ kind: 'flip', atByte: 20 });
    expect(await client.resolve(['AAA'])).toEqual(right);
    proxy.faults.push(...Array<Fault>(3).fill({ kind: 'flip', atByte: 20 }));
    expect(await failureOf(client.resolve(['AAA']))).toBeInstanceOf(IntegrityError);
  });

  it('an answer of another version is an error', async () => {
    const client = new Ticklake({
      ...{ url: proxy.url, key: served.service.key, firstWaitMs: 1, ...silent },
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        const { searchParams } = new URL(String(input));
        if (searchParams.get('offset') === null) return answer;
        const headers = new Headers(answer.headers);
        headers.set('x-dataset-version', '99');
        return new Response(answer.body, { headers });
      },
    });
    const walked = client.dataset('eq_trading_halts').read({ pageRows: PAGE_ROWS });
    expect(await failureOf(walked.toArray({ limit: Infinity }))).toBeInstanceOf(IntegrityError);
  });

  it('a link to another origin gets no request, least of all with the key', async () => {
    const asked: string[] = [];
    const client = new Ticklake({
      ...{ url: proxy.url, key: served.service.key, firstWaitMs: 1, ...silent },
      fetch: async (input, init) => {
        asked.push(new URL(String(input)).host);
        const answer = await fetch(input, init);
        const headers = new Headers(answer.headers);
        const link = headers.get('link');
        if (link) headers.set('link', link.replace(proxy.url, 'http://elsewhere.example'));
        return new Response(answer.body, { headers });
      },
    });
    const walked = client.dataset('eq_trading_halts').read({ pageRows: PAGE_ROWS });
    const error = await failureOf(walked.toArray({ limit: Infinity }));
    expect(error.message).toContain('http://elsewhere.example');
    expect(new Set(asked)).toEqual(new Set([new URL(proxy.url).host]));
  });

  it('a redirect is not followed', async () => {
    proxy.faults.push({
      ...refuse(302),
      headers: { location: 'http://elsewhere.example/' },
    } as Fault);
    expect((await failureOf(read())).message).toContain('http://elsewhere.example/');
  });
});

describe('requests that are not retried', () => {
  const dataRequests = () => proxy.requests.filter(({ path }) => path.includes('/v1/data/')).length;

  it.each<[string, Fault, new (...values: never[]) => Error, number]>([
    ['a 504', refuse(504), QueryTimeoutError, 1],
    ['a second 500', refuse(500), InternalServerError, 2],
    ['a 422', refuse(422), APIError, 1],
    [
      'the limit of the month, by its header',
      refuse(429, 'used up', { 'x-ratelimit-window': 'month', 'x-ratelimit-reset': '1' }),
      QuotaExceededError,
      1,
    ],
    [
      'the limit of the month, by its text',
      refuse(429, 'Monthly request limit exceeded: 100/100 requests.'),
      QuotaExceededError,
      1,
    ],
    [
      'a wait that is too long',
      refuse(429, 'Per-minute', { 'x-ratelimit-window': 'minute', 'retry-after': '3600' }),
      RateLimitError,
      1,
    ],
  ])('%s', async (_, fault, Class, count) => {
    proxy.faults.push(...Array<Fault>(4).fill(fault));
    const error = await failureOf(read());
    expect(error).toBeInstanceOf(Class);
    expect(dataRequests()).toBe(count);
  });

  it('has the next step that the service names in its text', async () => {
    proxy.faults.push(refuse(422, 'refused', { 'x-hint': 'The account may read US1032' }));
    const error = await failureOf(read());
    expect(error).toMatchObject({ hint: 'The account may read US1032' });
    expect(error.message).toContain('422: refused. The account may read US1032');
  });
});

const statusAnswer = () => {
  const digestOf = (text: string) => `sha-256=:${hash('sha256', text, 'base64')}:`;
  const headers = { 'x-request-digest': digestOf('/status'), 'repr-digest': digestOf('{}') };
  return new Response('{}', { headers });
};

it('a request that is never settled, even if aborted, is sent again', async () => {
  let sentCount = 0;
  const client = new Ticklake({
    ...{ url: 'http://service.example', key: 'key', timeoutMs: 1, firstWaitMs: 1 },
    fetch: () =>
      ++sentCount === 1 ? new Promise(() => undefined) : Promise.resolve(statusAnswer()),
  });
  expect(await client.status()).toEqual({});
  expect(sentCount).toBe(2);
});

it('a 429 holds all requests of the client until the limit is reset', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  try {
    let sentCount = 0;
    const refusal = new Response('{"detail":"Per-minute"}', {
      status: 429,
      headers: { 'retry-after': '1' },
    });
    const client = new Ticklake({
      ...{ url: 'http://service.example', key: 'key' },
      fetch: async () => (++sentCount === 1 ? refusal : statusAnswer()),
    });
    const first = client.status();
    await vi.advanceTimersByTimeAsync(0);
    expect(sentCount).toBe(1);
    const second = client.status();
    await vi.advanceTimersByTimeAsync(999);
    expect(sentCount).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    expect(sentCount).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});
