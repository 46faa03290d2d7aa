import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { anyMoment } from '../any-moment.ts';
import { TICK_PATH } from '../contract/fixture.ts';
import { drawsOf } from '../seed.ts';
import { writing } from '../writing.ts';
import { asNewAccount, openQuotaService, type QuotaService, sumOf } from './quota-service.ts';

const SORTED_PATH = `${TICK_PATH}?sort=-Price`;

/** Serves all tests without settings of their own. */
let shared: QuotaService;
let service: QuotaService;
let port: number;
beforeAll(async () => {
  shared = await open({});
});
afterEach(async () => {
  vi.restoreAllMocks();
  if (service.services !== shared.services) await service.close();
});
afterAll(() => shared.close());

async function open(settings: Partial<Config>): Promise<QuotaService> {
  const opened = await openQuotaService({ pageCacheBytes: 0, ...settings });
  await opened.app.listen({ host: '127.0.0.1', port: 0 });
  return opened;
}

/** Has a new account ask, of a service of its own if there are settings. */
async function listen(settings?: Partial<Config>): Promise<void> {
  service = await (settings ? open(settings) : asNewAccount(shared));
  port = (service.app.server.address() as AddressInfo).port;
}

async function ask(path: string): Promise<number> {
  const headers = { 'x-api-key': service.key };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends the head of a request and goes away when `leaving` resolves. */
async function askAndLeave(head: string, leaving: () => Promise<unknown>): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`${head}\r\nHost: x\r\nX-API-KEY: ${service.key}\r\n\r\n`);
  await leaving();
  socket.destroy();
}

const untilNothingRuns = () =>
  expect.poll(() => service.services.usage.counters.reservedCount).toBe(0);

it.each(['minute', 'month'] as const)(
  'ten of 60 parallel requests pass if the %s is limited to ten, and all count',
  async (span) => {
    await listen();
    await service.limit(span, { requests: 10 });
    const statuses = await Promise.all(Array.from({ length: 60 }, () => ask(SORTED_PATH)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(50);
    expect(await service.used()).toMatchObject({
      month: { requests: 60 },
      minute: { requests: 60 },
    });
  },
);

it('a request that is not answered yet counts, and is shown', async () => {
  await listen({ queriesMax: 1 });
  await service.limit('minute', { requests: 2 });
  const turn = Promise.withResolvers<void>();
  const { gate } = service.services;
  const holding = gate.run(0, new AbortController().signal, () => turn.promise);
  const waiting = ask(TICK_PATH);
  await expect.poll(() => gate.waitingCount).toBe(1);
  const headers = { 'x-api-key': service.key };
  const shown = await fetch(`http://127.0.0.1:${port}/v1/account/my/quotas`, { headers });
  const { quotas_usage } = (await shown.json()) as {
    quotas_usage: Record<'month' | 'minute', { requests: number }>;
  };
  expect([quotas_usage.month.requests, quotas_usage.minute.requests]).toEqual([1, 1]);
  const refused = await fetch(`http://127.0.0.1:${port}${TICK_PATH}`, { headers });
  expect(await refused.json()).toEqual({
    detail: 'Per-minute request limit exceeded: 2/2 requests.',
  });
  expect(refused.headers.get('x-ratelimit-reset')).toBe('60');
  turn.resolve();
  await holding;
  expect(await waiting).toBe(200);
  await untilNothingRuns();
});

it('nothing stays reserved, and the ledger has each request, however requests end', async () => {
  await listen({ queriesMax: 1, queueMax: 5, queryTimeoutMs: 150 });
  const heads = [
    `GET ${SORTED_PATH} HTTP/1.1`,
    'GET /v1/account/my HTTP/1.1',
    'GET /v1/account/my/quotas?no=1 HTTP/1.1',
    // The body never comes.
    'POST /v1/account/my/ip-subnets HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9',
    // Answers of which the first has to be waited for.
    `GET ${SORTED_PATH} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${service.key}\r\n\r\nGET /v1/account/my HTTP/1.1`,
  ];
  const turn = Promise.withResolvers<void>();
  const { gate, config, usage } = service.services;
  const holding = gate.run(0, new AbortController().signal, () => turn.promise);
  expect(await ask(SORTED_PATH)).toBe(504);
  // From here on what waits has time.
  Object.assign(config, { queryTimeoutMs: 600_000 });
  const waiting = [1, 2, 3].map(() => ask(SORTED_PATH));
  const queueIsFull = () => expect.poll(() => gate.waitingCount).toBe(5);
  const leaving = queueIsFull().then(() => ask(SORTED_PATH));
  await Promise.all(heads.map((head) => askAndLeave(head, () => leaving)));
  expect(await leaving).toBe(503);
  turn.resolve();
  await holding;
  expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
  const draws = drawsOf('clients that leave');
  for (let round = 0; round < 4; round++) {
    const left = heads.map((head) => askAndLeave(head, () => anyMoment(draws, 7)));
    await Promise.all([ask(SORTED_PATH), ask('/v1/data/us-equity/none'), ...left]);
  }
  await untilNothingRuns();
  await usage.flush();
  const ledger = await service.ledger();
  expect(ledger).toHaveLength((await service.used()).month.requests);
  expect(new Set(ledger.map(({ requestId }) => requestId)).size).toBe(ledger.length);
  const statuses = new Set(ledger.map(({ status }) => status));
  for (const status of [200, 404, 499, 503, 504]) expect(statuses).toContain(status);
});

it('a request whose work never ends counts until its client goes away, and once', async () => {
  await listen();
  const { gate, usage } = service.services;
  const work = Promise.withResolvers<never>();
  vi.spyOn(gate, 'run').mockReturnValue(work.promise);
  await askAndLeave(`GET ${SORTED_PATH} HTTP/1.1`, () =>
    expect.poll(() => usage.counters.reservedCount).toBe(1),
  );
  await untilNothingRuns();
  work.reject(new Error('too late'));
  expect(await ask('/v1/account/my')).toBe(200);
  await usage.flush();
  expect((await service.ledger()).map(({ status }) => status)).toEqual([499, 200]);
  expect((await service.used()).month.requests).toBe(2);
});

it('a large page counts as far as it was sent when its client goes away, and whole otherwise', async () => {
  await listen();
  const { pages, connections, usage } = service.services;
  const body = Buffer.alloc(40_000_000, ' ');
  const page = { body, rowCount: 1, nextOffset: null, contentType: 'text/csv', headers: {} };
  vi.spyOn(pages, 'get').mockReturnValue(page);
  await askAndLeave(`GET ${TICK_PATH} HTTP/1.1`, () =>
    expect.poll(() => connections.unsentAnswerCount).toBe(1),
  );
  await untilNothingRuns();
  await usage.flush();
  // A slow answer is counted in steps.
  const left = await service.ledger();
  expect(left.at(-1)?.status).toBe(499);
  expect(sumOf(left).returnedBytes).toBeLessThan(body.length / 2);
  expect(await ask(TICK_PATH)).toBe(200);
  await untilNothingRuns();
  await usage.flush();
  const whole = (await service.ledger()).slice(left.length);
  expect(whole.at(-1)?.status).toBe(200);
  expect(sumOf(whole).returnedBytes).toBe(body.length);
});

it('a client that goes away before its account is known reserves nothing', async () => {
  await listen();
  const { store, usage } = service.services;
  await writing(store).accounts.update(service.accountId, { isAdmin: true });
  const isRead = Promise.withResolvers<void>();
  const { counters } = usage;
  const { reserve } = counters;
  const reserving = vi.spyOn(counters, 'reserve').mockImplementationOnce(async (...words) => {
    await isRead.promise;
    return reserve.apply(counters, words);
  });
  await askAndLeave(
    'POST /v1/identities HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9',
    () => expect.poll(() => reserving.mock.calls.length).toBe(1),
  );
  await expect.poll(() => service.services.board.running()).toEqual([]);
  isRead.resolve();
  await reserving.mock.results[0]?.value;
  expect(await ask('/v1/account/my')).toBe(200);
  await untilNothingRuns();
  expect((await usage.counters.read(service.accountId)).month.requests).toBe(1);
});

it('nothing is read for a client that goes away while its request is planned', async () => {
  await listen();
  const { lake, engine, board } = service.services;
  const isPlanned = Promise.withResolvers<void>();
  const { snapshot } = lake;
  const planning = vi.spyOn(lake, 'snapshot').mockImplementationOnce(async (datasetId) => {
    await isPlanned.promise;
    return snapshot.call(lake, datasetId);
  });
  const scan = vi.spyOn(engine, 'scan');
  await askAndLeave(`GET ${TICK_PATH} HTTP/1.1`, () =>
    expect.poll(() => planning.mock.calls.length).toBe(1),
  );
  await expect.poll(() => board.running()).toEqual([]);
  isPlanned.resolve();
  await planning.mock.results[0]?.value;
  expect(await ask('/v1/account/my')).toBe(200);
  expect(scan).not.toHaveBeenCalled();
});
