/** The lists that owners watch: publications, and running and refused requests. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { type AdminService, openAdminService } from '../admin/admin-service.ts';
import { eventually } from '../eventually.ts';
import { connectTo } from '../exchange-bytes.ts';
import { writing } from '../writing.ts';

interface Running {
  readonly request_id: string;
  readonly state: string;
  readonly elapsed_ms: number;
  readonly started_at: string;
  readonly path: string;
}

interface Refused {
  readonly request_id: string;
  readonly identity_id: number | null;
  readonly path: string;
  readonly status: number;
  readonly detail: string;
}

interface Board {
  readonly running: readonly Running[];
  readonly refused: readonly Refused[];
}

/** Larger than what the system keeps of an answer that nobody fetches. */
const PAGE_BYTES = 16 * 1024 * 1024;
const ROW_COUNT = 1000;
const HALTS = '/v1/data/us-equity-ref/eq-trading-halts';

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService({ queriesMax: 1, pageCacheBytes: 0 });
  const { columns } = service.dataset('eq_trading_halts');
  const long = 'n'.repeat(PAGE_BYTES / ROW_COUNT);
  const row = columns.map(({ name, dataType }): CellValue => {
    if (name === 'TradeDate') return '2025-06-18';
    if (name === 'Ticker') return 'AAA';
    return dataType === 'string' ? long : null;
  });
  await service.publish('eq_trading_halts', Array(ROW_COUNT).fill(row));
  const market = service.dataset('eq_daily_ohlc').columns.map(({ name, dataType }): CellValue => {
    if (name === 'TradeDate') return '2025-06-18';
    return dataType === 'string' ? 'AAA' : 1;
  });
  await service.publish('eq_daily_ohlc', [market, market.with(0, '2024-06-18')]);
});
afterAll(() => service.close());

const board = () => service.done<Board>('/requests');
const ofPath = async (path: string) => {
  const { refused } = await board();
  return refused.filter((each) => each.path.startsWith(path));
};

describe('GET /publication-status', () => {
  it('tells of every dataset how it is published', async () => {
    const list = await service.done<Record<string, unknown>[]>('/publication-status');
    expect(list).toHaveLength(service.services.catalog.datasets.length);
    const snapshot = await service.services.lake.snapshot('US1020');
    expect(list.find(({ dataset_id: id }) => id === 'US1020')).toEqual({
      dataset_id: 'US1020',
      dataset_name: 'US Equities Daily OHLC',
      data_group: 'Equity',
      status_code: 'current',
      last_update: '2025-06-20T16:00:00Z',
      next_expected_update: '2025-06-21T02:00:00Z',
      first_trade_date: '2024-06-18',
      last_trade_date: '2025-06-18',
      version: 1,
      row_count: 2,
      stored_bytes: snapshot?.byteCount,
      file_count: snapshot?.parts.length,
      ingest: {
        state: 'published',
        started_at: '2025-06-20T16:00:00Z',
        finished_at: '2025-06-20T16:00:00Z',
        message: null,
      },
    });
    expect(list.find(({ dataset_id: id }) => id === 'US5002')).toMatchObject({
      status_code: 'empty',
      version: 0,
      row_count: 0,
      stored_bytes: 0,
      file_count: 0,
      ingest: null,
    });
  });

  it('tells why an ingest failed', async () => {
    // A publisher that died.
    const database = new DatabaseSync(join(service.services.config.home, 'lake.db'));
    const startedAt = '2025-06-20T15:00:00Z';
    const { lastInsertRowid: id } = database
      .prepare(
        `INSERT INTO publication (state, kind, command, actor, life_mark, started_at)
         VALUES ('running', 'load', 'ingest', 'local:somebody', 'gone.lock', ?)`,
      )
      .run(startedAt);
    database
      .prepare('INSERT INTO publication_dataset (publication_id, dataset_id) VALUES (?, ?)')
      .run(id, 'US2004');
    database.close();
    const list = await service.done<Record<string, unknown>[]>('/publication-status');
    expect(list.find(({ dataset_id: id }) => id === 'US2004')).toMatchObject({
      status_code: 'failed',
      ingest: { state: 'failed', started_at: startedAt, finished_at: null, message: 'interrupted' },
    });
  });
});

describe.each(['/publication-status', '/requests'])('%s', (path) => {
  it('is for administrators alone', async () => {
    const { key } = await service.addAccount(`no administrator of ${path}`);
    const answer = await service.get(`/v1${path}`, { 'x-api-key': key });
    expect([answer.statusCode, answer.json()]).toEqual([
      403,
      { detail: 'Only an administrator may do this' },
    ]);
    expect((await service.app.inject(`/v1${path}`)).statusCode).toBe(401);
    expect((await service.ask(`${path}?a=1`)).statusCode).toBe(422);
    expect((await service.ask(path, {})).statusCode).toBe(405);
  });
});

describe('the requests that run', () => {
  const sockets: Socket[] = [];
  beforeEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    return eventually(async () => expect((await board()).running).toEqual([]));
  });

  async function write(text: string): Promise<void> {
    const socket = await connectTo(service);
    sockets.push(socket.pause());
    socket.write(text);
  }

  const runningIn = (state: string) =>
    eventually(async () => {
      const { running } = await board();
      expect(running.map((each) => each.state)).toEqual([state]);
      return running[0] as Running;
    });

  it('are none, but for the one that asks', async () => {
    expect((await board()).running).toEqual([]);
  });

  it('are shown while they wait for their turn', async () => {
    const { gate } = service.services;
    let finish = () => {};
    const busy = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const turn = gate.run(1, new AbortController().signal, () => busy);
    const path = `${HALTS}?limit=1&columns=Ticker`;
    const asked = service.get(path);
    const running = await runningIn('waiting');
    expect(running).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      identity_id: service.accountId,
      identity_name: 'everything',
      key_id: (await service.services.store.keys.listOf(service.accountId))[0]?.keyId,
      person_id: null,
      method: 'GET',
      path,
      dataset_id: 'US2013',
      state: 'waiting',
      started_at: expect.stringMatching(/^2025-06-20T1[56]:/),
      elapsed_ms: expect.any(Number),
    });
    finish();
    await turn;
    const answer = await asked;
    expect([answer.statusCode, answer.headers['x-request-id']]).toEqual([200, running.request_id]);
    expect((await board()).running).toEqual([]);
  });

  it('are shown while their body arrives', async () => {
    const head = `x-api-key: ${service.admin.key}\r\ncontent-type: application/json`;
    await write(`POST /v1/identities HTTP/1.1\r\nhost: h\r\n${head}\r\ncontent-length: 9\r\n\r\n{`);
    expect(await runningIn('reading')).toMatchObject({
      identity_name: 'owner',
      method: 'POST',
      path: '/v1/identities',
      dataset_id: null,
    });
  });

  it('are shown until their client has fetched the answer or is gone', async () => {
    await write(`GET ${HALTS} HTTP/1.1\r\nhost: h\r\nx-api-key: ${service.key}\r\n\r\n`);
    const running = await runningIn('sending');
    expect(running).toMatchObject({ path: HALTS, dataset_id: 'US2013' });
    const [socket] = sockets as [Socket];
    socket.resume();
    await eventually(async () => expect((await board()).running).toEqual([]));
    expect(await ofPath(HALTS)).toEqual([]);
  });
});

describe('the requests that were refused', () => {
  it('are shown with what their callers read', async () => {
    const { key, accountId } = await service.addAccount('no rules');
    const path = '/v1/data/us-equity/eq-taq/2025-06-18/AAA?limit=3';
    const answer = await service.app.inject({
      url: path,
      headers: { 'x-api-key': key },
      remoteAddress: '203.0.113.9',
    });
    expect(answer.statusCode).toBe(403);
    const { refused } = await board();
    expect(refused[0]).toEqual({
      request_id: answer.headers['x-request-id'],
      at: '2025-06-20T16:00:00Z',
      identity_id: accountId,
      identity_name: 'no rules',
      source_address: '203.0.113.9',
      method: 'GET',
      path,
      status: 403,
      detail: answer.json().detail,
    });
  });

  it('are shown whoever asks, with every problem, and without what leads nowhere', async () => {
    await service.get('/v1/refused-nowhere');
    await service.get('/console/refused-nowhere.js');
    await service.app.inject('/v1/account/my?refused=1');
    await service.get('/v1/account/my?refused=1');
    await service.get(`${HALTS}?refused=1&limit=0`);
    await service.app.inject({ method: 'PUT', url: '/v1/account/my?refused=1' });
    const { refused } = await board();
    const known = refused.filter(({ path }) => path.includes('refused'));
    expect(known.map(({ status, identity_id: id }) => [status, id])).toEqual([
      [405, null],
      [422, service.accountId],
      [422, service.accountId],
      [401, null],
    ]);
    expect(known[1]?.detail).toContain('greater than or equal to 1');
  });

  it('name the account of a key that may not be used from where it is', async () => {
    const { key, accountId } = await service.addAccount('elsewhere');
    await writing(service.services.store).accounts.update(accountId, {
      ipSubnets: ['10.0.0.0/8'],
    });
    await service.get('/v1/account/my?from=elsewhere', { 'x-api-key': key });
    expect((await board()).refused[0]).toMatchObject({
      identity_id: accountId,
      source_address: '127.0.0.1',
      status: 403,
      detail: 'Forbidden: IP address not allowed',
    });
  });

  it('hold no header, no key and no password', async () => {
    const { key } = await service.addAccount('careless');
    const secrets = [key, 'hunter2'];
    const headers = { 'x-api-key': key, cookie: `a=${key}` };
    const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    for (const url of [
      `/v1/account/my?X-API-KEY=${key}`,
      `/v1/account/my?a=${encoded}`,
      `/v1/data/us-equity/eq-taq/2025-06-18/${key}`,
      `/v1/data/us-equity/eq-taq/${key}/AAA`,
      `${HALTS}?${key}=1`,
      `${HALTS}?Ticker=a&TradeDate=x${key}y`,
      '/v1/account/my?password=hunter2',
    ]) {
      expect((await service.app.inject({ url, headers })).statusCode, url).toBeGreaterThan(399);
    }
    const text = JSON.stringify(await board());
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain(encoded);
    expect(text).toContain('/v1/account/my?X-API-KEY=*');
  });

  it('are cut to 2,000 characters', async () => {
    const url = `/v1/account/my?${'a,'.repeat(6000)}`;
    await service.get(url);
    const [first] = (await board()).refused;
    expect(first?.path).toBe(url.slice(0, 2000));
    expect(first?.detail).toHaveLength(2000);
  });

  it('are the last 200, the newest first', async () => {
    for (let serial = 0; serial < 230; serial++) await service.get(`/v1/account/my?n=${serial}`);
    const { refused } = await board();
    expect(refused.map(({ path }) => path)).toEqual(
      Array.from({ length: 200 }, (_, at) => `/v1/account/my?n=${229 - at}`),
    );
  });
});
