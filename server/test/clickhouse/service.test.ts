/** The whole product over a ClickHouse cluster: real requests are answered as the oracle says. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { readinessProbe } from '../../src/operation/readiness.ts';
import {
  describeOracleRequests,
  publishRandomRows,
  ROWS_PER_DATASET,
  TEXT_IDS,
} from '../engine/service-suite.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRows } from '../oracle/random-rows.ts';
import type { Row } from '../oracle/read-rows.ts';
import { typedDefinitions } from '../oracle/typed-definition.ts';
import { sampleOf } from '../repetitions.ts';
import { SEED } from '../seed.ts';
import { ClickHouseCluster, type ClickHouseServer, missingClickHouse } from './cluster.ts';

const cluster = new ClickHouseCluster();
let service: TestService;
let rowsOf: Map<string, Row[]>;

const isMissing = missingClickHouse() !== null;

describe.skipIf(isMissing)('a service over a ClickHouse cluster', () => {
  beforeAll(async () => {
    await cluster.start(2, 2);
    const settings = { pageCacheBytes: 0, definitions: typedDefinitions() };
    service = await openTestService(settings, clickHouseEngine(cluster.options));
    rowsOf = await publishRandomRows(service);
  });
  afterAll(async () => {
    await service?.close();
    await cluster.close();
  });

  describeOracleRequests(() => ({ service, rowsOf }), sampleOf(TEXT_IDS));

  it('tells a client that nothing has changed, until something was published', async () => {
    const url = '/v1/data/us-equity/eq-daily-ohlc?limit=3';
    const etag = String((await service.get(url)).headers.etag);
    expect((await service.get(url, { 'if-none-match': etag })).statusCode).toBe(304);
    const dataset = service.dataset('eq_daily_ohlc');
    const others = { numRuns: 1, seed: SEED + 1 };
    const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), others);
    await service.publish('eq_daily_ohlc', rows);
    expect((await service.get(url, { 'if-none-match': etag })).statusCode).toBe(200);
  });

  it('is ready, and warns, while a shard has one replica left', async () => {
    const readiness = readinessProbe(service.services, () => 'ok');
    const [first, second] = cluster.shards[1] as [ClickHouseServer, ClickHouseServer];
    await expect.poll(readiness).toMatchObject({ ready: true, warnings: [] });
    await first.kill();
    const left = `shard 2 has one replica left, ${second.url}; ${first.url} does not answer`;
    await expect
      .poll(readiness)
      .toMatchObject({ ready: true, warnings: [{ part: 'engine', text: left }] });
    await second.kill();
    await expect.poll(readiness).toMatchObject({ ready: false, warnings: [] });
    await Promise.all([first.start(), second.start()]);
    await expect.poll(readiness).toMatchObject({ ready: true, warnings: [] });
  });

  it('answers 503 while all servers are gone, and the same rows once it is back', async () => {
    const url = '/v1/data/us-equity/eq-daily-ohlc?limit=1000';
    const before = await service.get(url);
    expect(before.statusCode).toBe(200);
    for (const server of cluster.servers) await server.kill();
    const gone = await service.get(url);
    expect([gone.statusCode, /127\.0\.0\.1|ECONN/.test(gone.body)]).toEqual([503, false]);
    await Promise.all(cluster.servers.map((server) => server.start()));
    expect((await service.get(url)).json()).toEqual(before.json());
  });
});
