/**
 * A data owner's story, told to a real server over HTTP: two clients with different rights, a key
 * that is rotated and one that expires, each limit hit once, and a server that is killed midway.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import { openServices } from '../../src/open-services.ts';
import { readConfig } from '../../src/settings/config.ts';
import { type Service, startService } from '../nodes/start-service.ts';
import { type Home, makeHome } from '../operation/server-process.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { PROGRAM } from '../program.ts';
import { publishBatches } from '../publish-batches.ts';
import { until } from '../until.ts';

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const HALTS = '/v1/data/us-equity-ref/eq-trading-halts';
const DATES = ['2025-06-16', '2025-06-17', '2025-06-18'];
const TICKERS = ['AAA', 'BBB', 'CCC'];

let home: Home;
let server: Service;
let ownerKey = '';

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the test expects them to be
  readonly body: any;
}

/** One request, from a local address of one's choice. */
function call(
  key: string,
  path: string,
  options: { body?: object; localAddress?: string } = {},
): Promise<Answer> {
  const { body, localAddress = '127.0.0.1' } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${path}`,
      {
        method: body ? 'POST' : 'GET',
        localAddress,
        agent: false,
        headers: {
          'X-API-KEY': key,
          ...(body ? { 'Content-Type': 'application/json' } : {}),
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body ? JSON.stringify(body) : undefined);
  });
}

async function administer(path: string, body: object): Promise<Answer['body']> {
  const answer = await call(ownerKey, path, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

function commandLine(...words: string[]) {
  const { PATH } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [PROGRAM, ...words, '--json'], {
    env: { PATH, TICKLAKE_HOME: home.path, ...placeEnvironment() },
    encoding: 'utf8',
  });
  expect(status, stdout).toBe(0);
  return JSON.parse(stdout);
}

/** Rows follow one pattern per date and ticker, so the answers reveal what may be read. */
async function publishDaily(): Promise<void> {
  const services = await openServices(
    { ...readConfig(placeEnvironment()), home: home.path },
    systemClock,
  );
  const dataset = services.catalog.byTextId('eq_daily_ohlc');
  if (!dataset) throw new Error('the catalogue has no daily prices');
  const rows = DATES.flatMap((date) =>
    TICKERS.map((ticker, at): CellValue[] => [date, ticker, at + 1, ...Array(10).fill(100 + at)]),
  );
  async function* batches() {
    yield batchOfRows(dataset?.columns ?? [], rows);
  }
  await publishBatches(services.lake, {
    dataset,
    mode: 'replace',
    vendor: 'Test',
    batches: batches(),
  });
  await services.close();
}

interface Client {
  readonly id: number;
  key: string;
}
const clients: Record<'first' | 'second', Client> = {
  first: { id: 0, key: '' },
  second: { id: 0, key: '' },
};

async function createClient(name: string, subnets: string[]): Promise<Client> {
  const { identity_id: id } = await administer('/v1/identities', { name, ip_subnets: subnets });
  const { api_key: key } = await administer(`/v1/identities/${id}/api-keys`, {
    name: 'production',
    expires_in: '90d',
  });
  return { id, key };
}

beforeAll(async () => {
  home = await makeHome(20, 10);
  await publishDaily();
  const owner = commandLine('identity', 'create', '--name', 'owner', '--admin');
  const id = String(owner.identity_id);
  const file = join(home.path, 'owner-key');
  const lifetime = ['--expires-in', '1d', '--secret-file', file];
  commandLine('key', 'create', '--identity', id, '--name', 'o', ...lifetime);
  ownerKey = readFileSync(file, 'utf8').trim();
  server = await startService(home);
});
afterAll(async () => {
  await server.end('SIGKILL');
  home.remove();
});

const seen = (answer: Answer) =>
  answer.body.data.map((row: Record<string, unknown>) => `${row.TradeDate} ${row.Ticker}`);

describe('a data owner', () => {
  it('creates two accounts with datasets, windows, universes, subnets and limits of their own', async () => {
    clients.first = await createClient('First Fund', ['127.0.0.1/32']);
    clients.second = await createClient('Second Fund', ['127.0.0.2/32']);
    await administer(`/v1/identities/${clients.first.id}/data-access-rules`, {
      dataset_id: 'eq_daily_ohlc',
      start_date: '2025-06-17',
    });
    await administer(`/v1/identities/${clients.second.id}/data-access-rules`, {
      dataset_id: 'US1020',
      start_date: '2025-06-01',
      end_date: '2025-06-17',
      universe_identifiers: ['BBB'],
    });
    await administer(`/v1/identities/${clients.second.id}/data-access-rules`, {
      dataset_id: 'eq_trading_halts',
    });
    await administer(`/v1/identities/${clients.first.id}/quotas`, { month: { requests: 1000 } });
  });

  it('sees each account read exactly its own', async () => {
    const first = await call(clients.first.key, DAILY);
    expect(seen(first)).toEqual(
      ['2025-06-17', '2025-06-18'].flatMap((date) => TICKERS.map((ticker) => `${date} ${ticker}`)),
    );
    const from = { localAddress: '127.0.0.2' };
    const second = await call(clients.second.key, DAILY, from);
    expect(seen(second)).toEqual(['2025-06-16 BBB', '2025-06-17 BBB']);
    expect((await call(clients.second.key, HALTS, from)).body.data).toHaveLength(20);
    expect((await call(clients.first.key, HALTS)).status).toBe(403);
    const mine = await call(clients.first.key, '/v1/meta/datasets/my');
    expect(mine.body.map((row: { dataset_id: string }) => row.dataset_id)).toEqual(['US1020']);
    const outside = await call(clients.first.key, `${DAILY}?TradeDate=2025-06-16`);
    expect(outside.status).toBe(422);
    const other = await call(clients.second.key, `${DAILY}?Ticker=AAA`, from);
    expect(other.body.detail).toBe(
      'The account is not authorized to access the identifier AAA in dataset US Equities Daily OHLC',
    );
  });

  it('sees each account come in from its own addresses only', async () => {
    const refused = await call(clients.second.key, '/v1/account/my');
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe('Forbidden: IP address not allowed');
    const allowed = await call(clients.second.key, '/v1/account/my', { localAddress: '127.0.0.2' });
    expect(allowed.body.name).toBe('Second Fund');
  });

  it('lets no client administer', async () => {
    const answer = await call(clients.first.key, '/v1/identities', { body: { name: 'Mine' } });
    expect(answer.status).toBe(403);
  });

  it('rotates a key: both work for a while, then only the new one', async () => {
    const { first } = clients;
    const { api_key: next } = await administer(`/v1/identities/${first.id}/api-keys`, {
      name: 'rotated',
      expires_in: '90d',
    });
    expect((await call(first.key, '/v1/account/my')).status).toBe(200);
    expect((await call(next, '/v1/account/my')).status).toBe(200);
    const keys = (await call(next, '/v1/account/my/api-keys')).body;
    const old = keys.find((key: { name: string }) => key.name === 'production');
    await administer(`/v1/api-keys/${old.key_id}/delete`, {});
    const gone = await call(first.key, '/v1/account/my');
    expect([gone.status, gone.body.detail]).toEqual([401, 'Invalid API key']);
    expect((await call(next, '/v1/account/my')).status).toBe(200);
    first.key = next;
  });

  /** A key that expires so many seconds from now, or later where that is over before it is made. */
  async function briefKey(seconds: number): Promise<{ key: string; expiresAtMs: number }> {
    const expiresAt = new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
    const body = { name: 'brief', expires_at: expiresAt };
    const made = await call(ownerKey, `/v1/identities/${clients.first.id}/api-keys`, { body });
    if (made.status >= 300) return await briefKey(2 * seconds);
    return { key: made.body.api_key, expiresAtMs: Date.parse(expiresAt) };
  }

  it('sees a key expire', async () => {
    const { key, expiresAtMs } = await briefKey(2);
    const ask = async () => {
      const { status, body } = await call(key, '/v1/account/my');
      return [status, body.detail];
    };
    const early = await ask();
    if (Date.now() < expiresAtMs) expect(early).toEqual([200, undefined]);
    // Not by asking, which uses up the limit.
    await until(() => Date.now() >= expiresAtMs);
    expect(await ask()).toEqual([410, 'The API key access has expired']);
  });
});

describe('a server that is killed', () => {
  it('has lost nothing that was granted or counted when it is back', async () => {
    const { first, second } = clients;
    await call(first.key, DAILY);
    await server.settled();
    const account = `/v1/identities/${first.id}`;
    const state = async () => ({
      accounts: (await call(ownerKey, '/v1/identities')).body.data,
      rules: (await call(ownerKey, `${account}/data-access-rules`)).body,
      limits: (await call(ownerKey, `${account}/quotas`)).body,
      usage: (await call(ownerKey, `${account}/usage`)).body,
      changes: (await call(ownerKey, '/v1/audit-log')).body.data.length,
    });
    const before = await state();
    const readBefore = seen(await call(second.key, DAILY, { localAddress: '127.0.0.2' }));
    await server.end('SIGKILL');
    server = await startService(home);
    expect(await state()).toEqual(before);
    expect(seen(await call(second.key, DAILY, { localAddress: '127.0.0.2' }))).toEqual(readBefore);
    expect(before.usage.total.requests).toBeGreaterThan(0);
  });
});

describe('each limit', () => {
  const NONE = { requests: null, scanned: null, returned: null };
  const fields = { requests: 'requests', scanned: 'data_scanned', returned: 'data_returned' };
  const words = { requests: 'request', scanned: 'data scanned', returned: 'data returned' };

  it.each([
    ['month', 'requests'],
    ['month', 'scanned'],
    ['month', 'returned'],
    ['minute', 'requests'],
    ['minute', 'scanned'],
    ['minute', 'returned'],
  ] as const)(
    'for the %s on %s refuses with its text, and lets in again once raised',
    async (span, kind) => {
      const { first } = clients;
      const named = (amounts: Record<string, number | null>) =>
        Object.fromEntries(
          Object.entries(amounts).map(([k, v]) => [fields[k as keyof typeof fields], v]),
        );
      const set = (limits: object) => administer(`/v1/identities/${first.id}/quotas`, limits);
      await set({ month: named(NONE), minute: named(NONE) });
      expect((await call(first.key, DAILY)).status).toBe(200);
      await set({ [span]: named({ ...NONE, [kind]: 1 }) });
      const refused = await call(first.key, DAILY);
      expect(refused.status).toBe(429);
      const start = span === 'month' ? 'Monthly' : 'Per-minute';
      const unit = kind === 'requests' ? 'requests' : 'bytes';
      expect(refused.body.detail).toMatch(
        new RegExp(`^${start} ${words[kind]} limit exceeded: \\d+/1 ${unit}\\.$`),
      );
      expect(refused.headers).toMatchObject({
        'x-ratelimit-limit': '1',
        'x-ratelimit-remaining': '0',
      });
      expect(Number(refused.headers['x-ratelimit-reset'])).toBeGreaterThan(0);
      await set({ month: named(NONE), minute: named(NONE) });
      expect((await call(first.key, DAILY)).status).toBe(200);
    },
  );
});
