import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openControlStore } from '../../src/open-home.ts';
import { daysOf, utcMonth } from '../../src/quota/quota-excess.ts';
import { UsageMeter } from '../../src/quota/usage-meter.ts';
import type { Config } from '../../src/settings/config.ts';
import { anyMoment } from '../any-moment.ts';
import { DAILY_PATH, TICK_PATH } from '../contract/fixture.ts';
import { partFiles } from '../part-files.ts';
import { drawsOf } from '../seed.ts';
import { writing } from '../writing.ts';
import { openQuotaService, type QuotaService, sumOf } from './quota-service.ts';

let service: QuotaService;
afterEach(() => service.close());

async function listen(settings: Partial<Config> = {}): Promise<number> {
  service = await openQuotaService(settings);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  return (service.app.server.address() as AddressInfo).port;
}

async function ask(port: number, path: string): Promise<number> {
  const headers = { 'x-api-key': service.key, connection: 'close' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

const draws = drawsOf('clients that leave before the ledger is read');

/** Sends a request and goes away at any moment, whether or not an answer came. */
async function askAndLeave(port: number, path: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${service.key}\r\n\r\n`);
  await anyMoment(draws, 7);
  socket.destroy();
}

/** Until everything that was sent is answered, or was found to have nobody waiting. */
async function settle(port: number): Promise<void> {
  const { usage, connections, board } = service.services;
  // Connections are accepted in their order.
  await ask(port, '/v1/account/my');
  await expect
    .poll(() => [connections.count, board.running().length, usage.counters.reservedCount])
    .toEqual([0, 0, 0]);
  await usage.flush();
}

async function expectSumsToAgree(): Promise<void> {
  const { services, accountId, clock } = service;
  const { month } = await service.used();
  expect(sumOf(await service.ledger())).toEqual(month);
  expect(await services.store.usage.total(accountId, daysOf(utcMonth(clock.now())))).toEqual(month);
}

/** Reading the dataset fails from here on. */
async function breakFiles(textId: string): Promise<void> {
  const { lake } = service.services;
  for (const file of await partFiles(lake, service.dataset(textId).datasetId)) rmSync(file);
}

it('sums up to the counters after all kinds of ends, at once and after a restart', async () => {
  const port = await listen({ queriesMax: 1, queueMax: 0 });
  await breakFiles('eq_trades');
  const urls = [
    TICK_PATH,
    DAILY_PATH,
    `${TICK_PATH}?response_format=csv_gzip`,
    `${TICK_PATH}?Nothing=1`,
    '/v1/data/us-equity/no-such-dataset',
    '/v1/account/my',
    '/v1/account/my/quotas',
    '/v1/meta/datasets',
  ];
  const statuses: number[] = [];
  for (let round = 0; round < 4; round++) {
    const asked = urls.map((url) => ask(port, url));
    const left = urls.map((url) => askAndLeave(port, url));
    statuses.push(...(await Promise.all(asked)));
    await Promise.all(left);
  }
  await settle(port);
  statuses.push(await ask(port, '/v1/data/us-equity/eq-trades/2025-06-18/AAA'));
  await service.limit('minute', { requests: 1 });
  statuses.push(await ask(port, TICK_PATH), await ask(port, '/v1/account/my/quotas'));
  await service.limit('month', { returnedBytes: 1 });
  statuses.push(await ask(port, '/v1/account/my'));
  await settle(port);

  expect(new Set(statuses)).toEqual(new Set([200, 403, 404, 422, 429, 503]));
  await expectSumsToAgree();
  const answered = (await service.ledger()).filter(({ status }) => status !== 499);
  expect(answered.length).toBeGreaterThanOrEqual(statuses.length);

  const store = await openControlStore({ home: service.services.config.home });
  const restarted = await UsageMeter.open({ store, clock: service.clock, ledgerDays: 90 });
  expect(await restarted.counters.read(service.accountId)).toEqual(await service.used());
  await restarted.close();
  await store.close();
});

it('counts a request once whose client went away while it waited or ran', async () => {
  const port = await listen({ queriesMax: 1, queueMax: 100 });
  await Promise.all(Array.from({ length: 40 }, () => askAndLeave(port, TICK_PATH)));
  await settle(port);
  await expectSumsToAgree();
  const ledger = await service.ledger();
  expect(new Set(ledger.map(({ requestId }) => requestId)).size).toBe(ledger.length);
  for (const { status, returnedBytes } of ledger) {
    if (status === 499) expect(returnedBytes).toBe(0);
  }
});

it('has a row for each request that tells what it was', async () => {
  const port = await listen();
  const headers = { 'x-api-key': service.key };
  const answer = await fetch(`http://127.0.0.1:${port}${TICK_PATH}`, { headers });
  const body = await answer.arrayBuffer();
  const plain = await fetch(`http://127.0.0.1:${port}/v1/account/my`, { headers });
  await service.services.usage.flush();
  const [data, account] = await service.ledger();
  const [key] = await service.services.store.keys.listOf(service.accountId);
  expect(data).toMatchObject({
    answeredAtMs: service.clock.now(),
    requestId: answer.headers.get('x-request-id'),
    accountId: service.accountId,
    keyId: key?.keyId,
    datasetId: service.dataset('eq_taq').datasetId,
    datasetVersion: 1,
    countsInMinute: true,
    rowCount: JSON.parse(Buffer.from(body).toString()).data.length,
    scannedBytes: data?.scannedBytes,
    returnedBytes: body.byteLength,
    durationMs: data?.durationMs,
    status: 200,
    symbols: ['AAA'],
  });
  expect(data?.scannedBytes).toBeGreaterThan(0);
  expect(data?.durationMs).toBeGreaterThan(0);
  expect(account).toMatchObject({
    requestId: plain.headers.get('x-request-id'),
    datasetId: '',
    datasetVersion: null,
    countsInMinute: false,
    rowCount: 0,
    scannedBytes: 0,
  });
  expect(key?.lastUsedAtMs).toBe(service.clock.now());
});

it('keeps rows for the set number of days and day sums for good', async () => {
  service = await openQuotaService();
  const { services, clock, accountId } = service;
  const { store } = services;
  await service.get(TICK_PATH);
  await services.usage.flush();
  const [row] = await service.ledger();
  if (!row) throw new Error('no row');
  // More than a batch of them.
  await writing(store).usage.add(Array.from({ length: 1700 }, () => row));
  clock.set('2025-06-25T16:00:00Z');
  await writing(store).usage.add([{ ...row, answeredAtMs: clock.now() }]);

  clock.set('2025-06-27T16:00:00.001Z');
  const meter = await UsageMeter.open({ store, clock, ledgerDays: 7 });
  await expect.poll(async () => (await service.ledger()).length).toBe(1);
  expect((await meter.counters.read(accountId)).month.requests).toBe(1702);
  // When it has ended what it was doing.
  await meter.close();
  expect(await service.ledger()).toHaveLength(1);
});

it('puts requests on both sides of midnight on days of their own', async () => {
  service = await openQuotaService();
  const { services, clock, accountId } = service;
  for (const moment of ['2025-06-30T23:59:59.999Z', '2025-07-01T00:00:00Z']) {
    clock.set(moment);
    await service.get('/v1/account/my');
  }
  await services.usage.flush();
  const range = { firstDay: '2025-06-01', lastDay: '2025-07-31' };
  const days = await services.store.usage.listDays(accountId, range);
  expect(days.map(({ day, requests }) => [day, requests])).toEqual([
    ['2025-06-30', 1],
    ['2025-07-01', 1],
  ]);
});
