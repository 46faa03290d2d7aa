/** Clients that send or fetch too slowly cost a bounded amount of memory, for a bounded time. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import type { Config } from '../../src/settings/config.ts';
import { eventually } from '../eventually.ts';
import { connectTo, liftArrivalLimits } from '../exchange-bytes.ts';
import { openTestService, type TestService, WITH_WORKERS } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { until } from '../until.ts';
import { writing } from '../writing.ts';

/** More than the system's own buffers of a connection hold. */
const PAGE_BYTES = 32 * 1024 * 1024;
const ROW_COUNT = 1000;
const PATH = '/v1/data/us-equity-ref/eq-trading-halts';
const HASTY = { queryTimeoutMs: 10, stallTimeoutMs: 10 };
/** Longer than any test. */
const HOUR_MS = 3_600_000;
const PATIENT = { queryTimeoutMs: HOUR_MS, stallTimeoutMs: HOUR_MS, requestTimeoutMs: HOUR_MS };

let service: TestService;

/** Opens a service with a page of about `PAGE_BYTES`, which holds so many of them at most. */
async function open(settings: Partial<Config>): Promise<void> {
  service = await openTestService({
    ...WITH_WORKERS,
    unsentBytesMax: 3 * PAGE_BYTES,
    unsentBytesPerAccountMax: 2 * PAGE_BYTES,
    ...PATIENT,
    ...settings,
  });
  const nothing = service
    .dataset('eq_trading_halts')
    .columns.map(({ name }): CellValue => (name === 'TradeDate' ? '2025-06-18' : null));
  const nameAt = service
    .dataset('eq_trading_halts')
    .columns.findIndex(({ dataType, name }) => dataType === 'string' && name !== 'Ticker');
  const name = 'n'.repeat(PAGE_BYTES / ROW_COUNT);
  const rows = Array.from({ length: ROW_COUNT }, () => nothing.with(nameAt, name));
  await service.publish('eq_trading_halts', rows);
}

/** The service of a group of tests. */
function serve(settings: Partial<Config>): void {
  beforeAll(() => open(settings));
  afterAll(() => service.close());
}

/** Asks for a page of about `PAGE_BYTES` and reads nothing of it. */
async function askAndStall(key = service.key): Promise<Socket> {
  const socket = await connectTo(service);
  socket.pause();
  socket.write(`GET ${PATH} HTTP/1.1\r\nhost: h\r\nx-api-key: ${key}\r\n\r\n`);
  return socket;
}

/** Another account that may read the page. */
async function addReader(): Promise<string> {
  const { key, accountId } = await service.addAccount('another');
  const { datasetId } = service.dataset('eq_trading_halts');
  const rule = { accountId, datasetId, startDate: '2020-01-01', endDate: null, universe: [] };
  await writing(service.services.store).rules.add(rule);
  return key;
}

const unsent = () => service.services.unsent.byteCount;

describe('clients that do not read', () => {
  serve({});
  it('are held so many bytes for, each account and all; further queries wait until they read', async () => {
    const { gate } = service.services;
    const readers = await Promise.all([askAndStall(), askAndStall()]);
    await eventually(() => expect(unsent()).toBeGreaterThan(2 * PAGE_BYTES));
    // Once more the same page, which is kept in memory, and another one.
    const waiting = [service.get(PATH), service.get(`${PATH}?limit=1`)];
    await eventually(() => expect(gate.waitingCount).toBe(2));
    expect((await service.get('/v1/account/my')).statusCode).toBe(200);
    const other = await addReader();
    const small = () => service.get(`${PATH}?limit=1`, { 'x-api-key': other });
    expect((await small()).statusCode).toBe(200);
    readers.push(await askAndStall(other));
    await eventually(() => expect(unsent()).toBeGreaterThan(3 * PAGE_BYTES));
    waiting.push(small());
    await eventually(() => expect(gate.waitingCount).toBe(3));
    for (const reader of readers) reader.destroy();
    const answers = await Promise.all(waiting);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    await eventually(() => expect(unsent()).toBe(0));
  });

  it('get the whole page when they read late', async () => {
    const reader = await askAndStall();
    await eventually(() => expect(unsent()).toBeGreaterThan(PAGE_BYTES));
    let byteCount = 0;
    reader.on('data', (chunk) => {
      byteCount += chunk.length;
    });
    reader.resume();
    await eventually(() => expect(unsent()).toBe(0));
    await eventually(() => expect(byteCount).toBeGreaterThan(PAGE_BYTES));
    reader.destroy();
  });
});

describe('clients that read slowly or not at all', () => {
  liftTimeLimits();
  serve(HASTY);

  /** Asks for a page and reads nothing of it. No time passes at the server's end. */
  async function stall() {
    let served: Socket | null = null;
    service.app.server.once('connection', (socket: Socket) => {
      served = socket.setTimeout(0);
    });
    const socket = await askAndStall();
    await eventually(() => expect(unwritten(served)).toBeGreaterThan(0));
    return { socket, served: served as unknown as Socket };
  }

  /** Bytes of an answer that the system does not take before the client has read some. */
  function unwritten(served: Socket | null): number {
    return (
      (served as { _handle?: { writeQueueSize: number } } | null)?._handle?.writeQueueSize ?? 0
    );
  }

  /** Lets the time pass after which a connection is cut unless bytes have moved meanwhile. */
  async function passTime(served: Socket): Promise<void> {
    served.setTimeout(1);
    // Allowed: timers of the same time end in the order of their beginning.
    await sleep(1);
    served.setTimeout(0);
  }

  it('get the whole page over a slow line, though others are cut off that stall', async () => {
    expect(service.app.server.timeout).toBe(HASTY.queryTimeoutMs + HASTY.stallTimeoutMs);
    const [slow, stalled] = [await stall(), await stall()];
    let byteCount = 0;
    slow.socket.on('data', (chunk) => {
      byteCount += chunk.length;
      slow.socket.pause();
    });
    expect(unsent()).toBeGreaterThan(2 * PAGE_BYTES);
    while (!stalled.served.destroyed) {
      const before = unwritten(slow.served);
      await until(() => {
        slow.socket.resume();
        return unwritten(slow.served) < before;
      });
      await passTime(slow.served);
      await passTime(stalled.served);
    }
    await eventually(() => expect(unsent()).toBeLessThan(2 * PAGE_BYTES));
    expect(unsent()).toBeGreaterThan(PAGE_BYTES);
    stalled.socket.on('error', () => undefined).resume();
    await once(stalled.socket, 'close');
    slow.socket.on('data', () => slow.socket.resume()).resume();
    await eventually(() => expect(unsent()).toBe(0));
    await eventually(() => expect(byteCount).toBeGreaterThan(PAGE_BYTES));
    slow.socket.destroy();
  });
});

describe('clients that do not finish their request', () => {
  serve({});
  it.each([
    ['/v1/nothing', 200_000, '404 Not Found'],
    ['/nothing', 200_000, '404 Not Found'],
    ['/console/', 200_000, '405 Method Not Allowed'],
    ['/v1/status', 200_000, '405 Method Not Allowed'],
    ['/v1/identities', 200_000, '401 Unauthorized'],
    ['/v1/session', 16_385, '422 Unprocessable Entity'],
  ])(
    'are answered before a long body to %s, if nobody knows them',
    async (path, length, status) => {
      const socket = await connectTo(service);
      const head = `POST ${path} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n`;
      socket.write(`${head}content-length: ${length}\r\n\r\n{`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).toContain(`HTTP/1.1 ${status}\r\n`);
      if (path === '/v1/session') expect(String(answer)).toContain('at most 16384 bytes');
      socket.destroy();
    },
  );
});

describe('clients whose request does not arrive in time', () => {
  serve({ requestTimeoutMs: 500 });

  it.each([
    ['head', 'GET /v1/status HTTP/1.1\r\nhost: h\r\n'],
    [
      'body',
      'POST /v1/identities HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    ],
  ])('get a 408 in the common envelope for a %s that does not end', async (_, bytes) => {
    await writing(service.services.store).accounts.update(service.accountId, { isAdmin: true });
    const limitArrivals = liftArrivalLimits(service);
    const connected = once(service.app.server, 'connection');
    const socket = await connectTo(service);
    const key = bytes.startsWith('POST') ? `\r\nx-api-key: ${service.key}\r\n` : '\r\n';
    const request = bytes.replace('\r\n', key);
    socket.write(request);
    const [served] = await connected;
    await eventually(() => expect(served.bytesRead).toBe(request.length));
    limitArrivals();
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}/);
    expect(answer).toContain('{"detail":"The request took too long to arrive"}');
  });
});
