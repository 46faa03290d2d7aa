import { readFileSync, truncateSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type OperationListener,
  openOperationListener,
} from '../../src/operation/operation-listener.ts';
import type { Readiness } from '../../src/operation/readiness.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let operation: OperationListener;
let state: Readiness['server'];
beforeEach(async () => {
  service = await openContractService({ operationPort: 0, queriesMax: 1, queueMax: 1 });
  state = 'ok';
  operation = (await openOperationListener(service.services, () => state)) as OperationListener;
});
afterEach(async () => {
  await operation.close();
  await service.close();
});

const page = (path: string, init?: RequestInit) => fetch(`${operation.url}${path}`, init);

/** The value of each series, by its text. */
async function metrics(): Promise<Map<string, number>> {
  const answer = await page('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await answer.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, series, value] = /^([a-z_]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (\S+)$/.exec(
        line,
      ) ?? [undefined, line, 'NaN'];
      expect(Number(value), line).not.toBeNaN();
      return [series as string, Number(value)];
    }),
  );
}

/** Takes the one turn that queries have, and the one place to wait for it. */
function takeTurns() {
  let finish = () => {};
  const busy = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { gate } = service.services;
  const never = new AbortController().signal;
  const turns = Promise.all([gate.run(1, never, () => busy), gate.run(1, never, () => busy)]);
  return { finish, turns };
}

const requestsOf = (endpoint: string, status: number) =>
  `ticklake_requests_total{endpoint="${endpoint}",status="${status}"}`;

describe('/metrics', () => {
  it('counts requests by endpoint and status, their time, rows and bytes', async () => {
    const before = await metrics();
    expect(before.get('ticklake_rows_total')).toBe(0);
    const bodies = [];
    for (let at = 0; at < 3; at += 1) bodies.push((await service.get(DAILY_PATH)).rawPayload);
    bodies.push((await service.get(`${DAILY_PATH}?Nothing=1`)).rawPayload);
    bodies.push((await service.get(TICK_PATH)).rawPayload);
    bodies.push((await service.get('/v1/%zz')).rawPayload);
    bodies.push((await service.app.inject('/v1/account/my')).rawPayload);
    const after = await metrics();
    const daily = '/v1/data/:group/:segment';
    expect(after.get(requestsOf(daily, 200))).toBe(3);
    expect(after.get(requestsOf(daily, 422))).toBe(1);
    expect(after.get(requestsOf(`${daily}/:trade_date/:identifier`, 200))).toBe(1);
    expect(after.get(requestsOf('/v1/account/my', 401))).toBe(1);
    expect(after.get(requestsOf('none', 404))).toBe(1);
    const durations = `ticklake_request_duration_seconds`;
    expect(after.get(`${durations}_count{endpoint="${daily}"}`)).toBe(4);
    expect(after.get(`${durations}_bucket{endpoint="${daily}",le="+Inf"}`)).toBe(4);
    expect(after.get(`${durations}_sum{endpoint="${daily}"}`)).toBeGreaterThan(0);
    expect(after.get('ticklake_rows_total')).toBe(3 * 4 + 3);
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    expect(after.get('ticklake_returned_bytes_total')).toBe(bytes);
    expect(after.get('ticklake_scanned_bytes_total')).toBeGreaterThan(0);
    expect(after.get('ticklake_engine_errors_total')).toBe(0);
  });

  it('has the metrics that docs/operation.md explains, and no others', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/operation.md'), 'utf8');
    const cells = [...docs.matchAll(/^\| (`(?:ticklake|process|nodejs)_.*?) \|/gm)].map(
      ([, cell]) => cell,
    );
    const documented = cells.flatMap((cell) => {
      const names = [...String(cell).matchAll(/`(\w+)`/g)].map(([, name]) => String(name));
      const stem = names[0]?.replace(/_[a-z]+$/, '');
      return names.map((name) => (name.startsWith('_') ? `${stem}${name}` : name));
    });
    const text = await (await page('/metrics')).text();
    const shown = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    expect(shown.sort()).toEqual(documented.sort());
  });

  it('has no more series however many paths, identifiers, keys and methods callers invent', async () => {
    const invent = async (from: number) => {
      for (let at = from; at < from + 40; at += 1) {
        await service.get(`/v1/data/us-equity/eq-taq/2025-06-18/T${at}`);
        await service.get(`/v1/data/us-equity/segment-${at}`);
        await service.get(`/v1/invented/${at}`);
        await service.get(`/${at}/v1?x=${at}`);
        await service.get('/v1/account/my', { 'x-api-key': `key-${at}` });
        service.addIdentity(`identity ${from}-${at}`);
      }
      return (await metrics()).size;
    };
    expect(await invent(1000)).toBe(await invent(2000));
  });

  it('shows what is published, what queries do, and how the process is', async () => {
    const values = await metrics();
    expect(values.get('ticklake_dataset_version{dataset="US1020"}')).toBe(1);
    expect(values.get('ticklake_dataset_rows{dataset="US1020"}')).toBe(4);
    expect(values.get('ticklake_queries{state="running"}')).toBe(0);
    expect(values.get('ticklake_queries{state="waiting"}')).toBe(0);
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(values.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(values.get('nodejs_eventloop_delay_seconds{quantile="0.99"}')).toBeGreaterThanOrEqual(0);
  });

  it('counts running, waiting and refused queries', async () => {
    const { finish, turns } = takeTurns();
    expect((await service.get(DAILY_PATH)).statusCode).toBe(503);
    const values = await metrics();
    expect(values.get('ticklake_queries{state="running"}')).toBe(1);
    expect(values.get('ticklake_queries{state="waiting"}')).toBe(1);
    expect(values.get('ticklake_queries_refused_total')).toBe(1);
    finish();
    await turns;
    expect((await metrics()).get('ticklake_queries{state="running"}')).toBe(0);
  });

  it('counts what the engine cannot do', async () => {
    const { lake } = service.services;
    const [partition] = lake.snapshot(service.dataset('eq_daily_ohlc').datasetId)?.partitions ?? [];
    truncateSync(partition?.file as string, 10);
    expect((await service.get(DAILY_PATH)).statusCode).toBe(500);
    const values = await metrics();
    expect(values.get('ticklake_engine_errors_total')).toBe(1);
    expect(values.get(requestsOf('/v1/data/:group/:segment', 500))).toBe(1);
  });

  it('counts a client that goes away as 499, and its query not as a failed one', async () => {
    const { gate } = service.services;
    await service.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = service.app.server.address() as AddressInfo;
    let finish = () => {};
    const busy = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const turn = gate.run(1, new AbortController().signal, () => busy);
    const sent = request({ port, path: DAILY_PATH, headers: { 'x-api-key': service.key } });
    sent.on('error', () => {});
    sent.end();
    await expect.poll(() => gate.waitingCount).toBe(1);
    sent.destroy();
    const gone = requestsOf('/v1/data/:group/:segment', 499);
    await expect.poll(async () => (await metrics()).get(gone)).toBe(1);
    await expect.poll(() => gate.waitingCount).toBe(0);
    expect((await metrics()).get('ticklake_engine_errors_total')).toBe(0);
    finish();
    await turn;
  });
});

describe('/healthz and /readyz', () => {
  const parts = { server: 'ok', store: 'ok', lake: 'ok', engine: 'ok' };

  it('say that the process lives and that every part answers', async () => {
    expect(await (await page('/healthz')).json()).toEqual({ alive: true });
    const ready = await page('/readyz');
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, ...parts });
  });

  it.each(['starting', 'stopping'] as const)(
    'tell readiness apart from life while %s',
    async (now) => {
      state = now;
      const ready = await page('/readyz');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toEqual({ ready: false, ...parts, server: now });
      expect((await page('/healthz')).status).toBe(200);
    },
  );

  it.each(['store', 'lake', 'engine'] as const)(
    'tell that the %s does not answer',
    async (part) => {
      const other = await openContractService({ operationPort: 0 });
      const listener = (await openOperationListener(
        other.services,
        () => 'ok',
      )) as OperationListener;
      await other.services[part].close();
      const ready = await fetch(`${listener.url}/readyz`);
      expect(await ready.json()).toEqual({ ready: false, ...parts, [part]: 'failed' });
      expect(ready.status).toBe(503);
      expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
      const text = await (await fetch(`${listener.url}/metrics`)).text();
      expect(text).toContain('process_resident_memory_bytes ');
      await listener.close();
      await other.app.close();
    },
  );

  it('answer many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => page('/readyz')));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe('the listener of operation pages', () => {
  it('has nothing else, and the interface has none of its pages', async () => {
    for (const path of ['/', '/v1/account/my', '/constructor', '/metrics/']) {
      expect((await page(path, { headers: { 'x-api-key': service.key } })).status, path).toBe(404);
    }
    expect((await page('/metrics', { method: 'POST' })).status).toBe(405);
    const head = await page('/healthz', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const path of ['/metrics', '/healthz', '/readyz', '/v1/metrics', '/api/v1/healthz']) {
      expect((await service.get(path)).statusCode, path).toBe(404);
    }
  });

  it('is not opened without a port', async () => {
    const services = {
      ...service.services,
      config: { ...service.services.config, operationPort: null },
    };
    expect(await openOperationListener(services, () => 'ok')).toBeNull();
  });
});
