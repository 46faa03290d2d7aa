import { once } from 'node:events';
import { readFileSync, truncateSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Readiness } from '../../src/operation/readiness.ts';
import {
  type OperationListener,
  openOperationListener,
} from '../../src/routes/operation-listener.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from '../contract/fixture.ts';
import type { TestService } from '../harness.ts';
import { partFiles } from '../part-files.ts';

let service: TestService;
let operation: OperationListener;
let state: Readiness['server'];
beforeAll(async () => {
  service = await openContractService({ operationPort: 0, queriesMax: 1, queueMax: 1 });
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  state = 'ok';
  operation = (await openOperationListener(service.services, () => state)) as OperationListener;
});
afterEach(() => {
  state = 'ok';
  vi.restoreAllMocks();
});
afterAll(async () => {
  await operation.close();
  await service.close();
});

const page = (path: string, init?: RequestInit) => fetch(`${operation.url}${path}`, init);

/** The value of each series, by its text. */
async function metrics(url = operation.url): Promise<Map<string, number>> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = (await answer.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [, series, value] =
        /^([a-z_\d]+(?:\{[a-z]+="[^"]*"(?:,[a-z]+="[^"]*")*\})?) (\S+)$/.exec(line) ?? [
          undefined,
          line,
          'NaN',
        ];
      // The mean of nothing, where the page is read twice at once, is written so.
      if (value !== 'Nan') expect(Number(value), line).not.toBeNaN();
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
    const bodies = [];
    for (let at = 0; at < 3; at += 1) bodies.push((await service.get(DAILY_PATH)).rawPayload);
    bodies.push((await service.get(`${DAILY_PATH}?Nothing=1`)).rawPayload);
    bodies.push((await service.get(TICK_PATH)).rawPayload);
    bodies.push((await service.get('/v1/%zz')).rawPayload);
    bodies.push((await service.app.inject('/v1/account/my')).rawPayload);
    const after = await metrics();
    const added = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
    const daily = '/v1/data/:group/:segment';
    expect(added(requestsOf(daily, 200))).toBe(3);
    expect(added(requestsOf(daily, 422))).toBe(1);
    expect(added(requestsOf(`${daily}/:trade_date/:identifier`, 200))).toBe(1);
    expect(added(requestsOf('/v1/account/my', 401))).toBe(1);
    expect(added(requestsOf('none', 404))).toBe(1);
    const durations = `ticklake_request_duration_seconds`;
    expect(added(`${durations}_count{endpoint="${daily}",class="2xx"}`)).toBe(3);
    expect(added(`${durations}_count{endpoint="${daily}",class="4xx"}`)).toBe(1);
    expect(added(`${durations}_bucket{le="+Inf",endpoint="${daily}",class="2xx"}`)).toBe(3);
    expect(added(`${durations}_sum{endpoint="${daily}",class="2xx"}`)).toBeGreaterThan(0);
    expect(added('ticklake_rows_total')).toBe(3 * 4 + 3);
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    expect(added('ticklake_returned_bytes_total')).toBe(bytes);
    expect(added('ticklake_scanned_bytes_total')).toBeGreaterThan(0);
    expect(added('ticklake_engine_errors_total')).toBe(0);
  });

  it('has the metrics that docs/operation.md explains, and no others', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/operation.md'), 'utf8');
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

  it('has every metric of the rules for alerts in docs/operation.md', async () => {
    const docs = readFileSync(join(import.meta.dirname, '../../../docs/operation.md'), 'utf8');
    const [, rules = ''] = /```yaml\n([\s\S]*?)```/.exec(docs) ?? [];
    const used = [...new Set(rules.match(/ticklake_\w+/g))];
    expect(used.length).toBeGreaterThan(5);
    const text = await (await page('/metrics')).text();
    const shown = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name));
    expect(used.filter((name) => !shown.has(name.replace(/_bucket$/, '')))).toEqual([]);
  });

  it('has no more series however many paths, identifiers, keys and methods callers invent', async () => {
    const invent = async (from: number) => {
      for (let at = from; at < from + 10; at += 1) {
        await service.get(`/v1/data/us-equity/eq-taq/2025-06-18/T${at}`);
        await service.get(`/v1/data/us-equity/segment-${at}`);
        await service.get(`/v1/invented/${at}`);
        await service.get(`/${at}/v1?x=${at}`);
        await service.get('/v1/account/my', { 'x-api-key': `key-${at}` });
        await service.addAccount(`identity ${from}-${at}`);
      }
      return [...(await metrics()).keys()].filter((series) => series.startsWith('ticklake_'))
        .length;
    };
    expect(await invent(1000)).toBe(await invent(2000));
  });

  it('shows what is published, what queries do, and how the process is', async () => {
    const values = await metrics();
    expect(values.get('ticklake_dataset_version{dataset="US1020"}')).toBe(1);
    expect(values.get('ticklake_dataset_rows{dataset="US1020"}')).toBe(4);
    expect(values.get('ticklake_dataset_published_age_seconds{dataset="US1020"}')).toBe(0);
    expect(values.has('ticklake_dataset_published_age_seconds{dataset="US2004"}')).toBe(false);
    const refuse = (datasetId: string) =>
      service.services.lake.publication(
        { datasets: [service.services.catalog.byId(datasetId)!], command: 'ingest' },
        async (publication) => publication.refuse('bad rows'),
      );
    await refuse('US1020');
    await refuse('US1020');
    const after = await metrics();
    for (const [id, failed, count] of [
      ['US1020', 1, 2],
      ['US2004', 0, 0],
    ]) {
      expect(after.get(`ticklake_dataset_last_load_failed{dataset="${id}"}`)).toBe(failed);
      expect(after.get(`ticklake_dataset_failed_loads_total{dataset="${id}"}`)).toBe(count);
    }
    expect(values.get('ticklake_queries{state="running"}')).toBe(0);
    expect(values.get('ticklake_queries{state="waiting"}')).toBe(0);
    expect(values.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(values.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  it('shows how late the event loop was since the page was read before', async () => {
    const latest = async () => (await metrics()).get('nodejs_eventloop_lag_max_seconds') ?? 0;
    // Blocks the thread, which is seen where the time has been looked at before and after.
    const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    await expect.poll(() => block() && latest()).toBeGreaterThan(0.3);
    await expect.poll(latest).toBeLessThan(0.3);
  });

  it('tells pages that were kept from those that were not', async () => {
    const lookups = async (result: string) =>
      (await metrics()).get(`ticklake_page_cache_lookups_total{result="${result}"}`) ?? 0;
    const [hits, misses] = [await lookups('hit'), await lookups('miss')];
    const bytes = (await metrics()).get('ticklake_page_cache_bytes') ?? 0;
    const path = `${DAILY_PATH}?columns=Ticker,TradeDate&limit=2`;
    const { body } = await service.get(path);
    for (let count = 0; count < 2; count++) await service.get(path);
    expect([await lookups('hit'), await lookups('miss')]).toEqual([hits + 2, misses + 1]);
    const added = ((await metrics()).get('ticklake_page_cache_bytes') ?? 0) - bytes;
    expect(added).toBeGreaterThanOrEqual(body.length);
    expect(added).toBeLessThan(body.length + 10_000);
  });

  it('counts running, waiting and refused queries', async () => {
    const refused = async () => (await metrics()).get('ticklake_queries_refused_total') ?? 0;
    const before = await refused();
    const { finish, turns } = takeTurns();
    // No page that has been kept.
    expect((await service.get(`${DAILY_PATH}?limit=41`)).statusCode).toBe(503);
    const values = await metrics();
    expect(values.get('ticklake_queries{state="running"}')).toBe(1);
    expect(values.get('ticklake_queries{state="waiting"}')).toBe(1);
    expect(await refused()).toBe(before + 1);
    finish();
    await turns;
    expect((await metrics()).get('ticklake_queries{state="running"}')).toBe(0);
  });

  it('counts what the engine cannot do', async () => {
    const other = await openContractService({ operationPort: 0 });
    const pages = (await openOperationListener(other.services, () => 'ok')) as OperationListener;
    const { lake } = other.services;
    const [file] = await partFiles(lake, other.dataset('eq_daily_ohlc').datasetId);
    truncateSync(file as string, 10);
    expect((await other.get(DAILY_PATH)).statusCode).toBe(503);
    const values = await metrics(pages.url);
    expect(values.get('ticklake_engine_errors_total')).toBe(1);
    expect(values.get(requestsOf('/v1/data/:group/:segment', 503))).toBe(1);
    await pages.close();
    await other.close();
  });

  it('counts a client that goes away as 499, and its query not as a failed one', async () => {
    const { gate } = service.services;
    const { port } = service.app.server.address() as AddressInfo;
    let finish = () => {};
    const busy = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const turn = gate.run(1, new AbortController().signal, () => busy);
    const failed = async () => (await metrics()).get('ticklake_engine_errors_total');
    const failedBefore = await failed();
    const sent = request({
      port,
      path: `${DAILY_PATH}?limit=42`,
      headers: { 'x-api-key': service.key },
    });
    sent.on('error', () => {});
    sent.end();
    await expect.poll(() => gate.waitingCount).toBe(1);
    sent.destroy();
    const gone = requestsOf('/v1/data/:group/:segment', 499);
    await expect.poll(async () => (await metrics()).get(gone)).toBe(1);
    await expect.poll(() => gate.waitingCount).toBe(0);
    expect(await failed()).toBe(failedBefore);
    finish();
    await turn;
  });
});

describe('a client that goes away', () => {
  it('is no timeout, however long its query takes to end', async () => {
    const { engine, board } = service.services;
    const timeout = new AbortController();
    const isRead = Promise.withResolvers<void>();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(timeout.signal);
    vi.spyOn(engine, 'scan').mockImplementationOnce(async function* (_plan, signal) {
      isRead.resolve();
      await once(signal, 'abort');
      timeout.abort();
      yield* [];
      signal.throwIfAborted();
    });
    const { port } = service.app.server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const path = `${DAILY_PATH}?columns=Ticker&limit=3`;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${service.key}\r\n\r\n`);
    await isRead.promise;
    const refusalCount = board.refusals().length;
    socket.destroy();
    // The next request gets its turn after the first.
    expect((await service.get(`${path}&offset=1`)).statusCode).toBe(200);
    expect(timeout.signal.aborted).toBe(true);
    expect(board.refusals()).toHaveLength(refusalCount);
  });
});

describe('/healthz and /readyz', () => {
  const parts = { server: 'ok', store: 'ok', lake: 'ok', engine: 'ok' };
  const readiness = async (url = operation.url) => {
    const ready = await fetch(`${url}/readyz`);
    return [ready.status, await ready.json()];
  };
  /** Asked until all parts have answered in time, as they may not on a busy machine. */
  const expectReadiness = (status: number, given: object, url?: string) =>
    expect
      .poll(() => readiness(url))
      .toEqual([status, { ...parts, warnings: [], notes: [], ...given }]);

  it('say that the process lives and that every part answers', async () => {
    expect(await (await page('/healthz')).json()).toEqual({ alive: true });
    await expectReadiness(200, { ready: true, problems: [] });
  });

  it.each(['starting', 'stopping'] as const)(
    'tell readiness apart from life while %s',
    async (now) => {
      state = now;
      const problems = [`server: it is ${now}`];
      await expectReadiness(503, { ready: false, server: now, problems });
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
      const problems = [expect.stringMatching(`^${part}: it`)];
      await expectReadiness(503, { ready: false, [part]: 'failed', problems }, listener.url);
      expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
      const text = await (await fetch(`${listener.url}/metrics`)).text();
      expect(text).toContain('process_resident_memory_bytes ');
      await listener.close();
      await other.app.close();
    },
  );

  it('answer many at once', async () => {
    const all = async () =>
      (await Promise.all(Array.from({ length: 50 }, () => readiness()))).map(([status]) => status);
    await expect.poll(all).toEqual(Array(50).fill(200));
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
