/**
 * The whole product over the plain engine: answers match the oracle, and nothing needs what only
 * the installed engine has.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRows } from '../oracle/random-rows.ts';
import type { Row } from '../oracle/read-rows.ts';
import { typedDefinitions } from '../oracle/typed-definition.ts';
import { SEED } from '../seed.ts';
import { plainEngine } from './plain-engine.ts';
import { describeOracleRequests, publishRandomRows, ROWS_PER_DATASET } from './service-suite.ts';

const { signal } = new AbortController();

const engine = plainEngine();
let service: TestService;
let rowsOf: Map<string, Row[]>;

beforeAll(async () => {
  service = await openTestService({ pageCacheBytes: 0, definitions: typedDefinitions() }, engine);
  rowsOf = await publishRandomRows(service);
});
afterAll(() => service.close());

describeOracleRequests(() => ({ service, rowsOf }));

it('tells a client that has a page of it that nothing has changed, until something has', async () => {
  const url = '/v1/data/us-equity/eq-daily-ohlc?limit=3';
  const first = await service.get(url);
  expect([first.statusCode, first.json().data.length]).toEqual([200, 3]);
  const etag = String(first.headers.etag);
  expect((await service.get(url, { 'if-none-match': etag })).statusCode).toBe(304);
  const others = { numRuns: 1, seed: SEED + 1 };
  const [rows = []] = fc.sample(
    anyRows(service.dataset('eq_daily_ohlc'), ROWS_PER_DATASET),
    others,
  );
  await service.publish('eq_daily_ohlc', rows);
  expect((await service.get(url, { 'if-none-match': etag })).statusCode).toBe(200);
});

it('leaves no file of rows in the home', () => {
  const { home } = service.services.config;
  const names = readdirSync(join(home, 'lake'), { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => name.endsWith('.parquet'))).toEqual([]);
  expect(existsSync(join(home, 'lake', 'eq_taq'))).toBe(false);
});

it('tells callers and operators that published rows are gone', async () => {
  const { lake, config } = service.services;
  const { datasetId } = service.dataset('opt_trades');
  const { parts = [] } = (await lake.snapshot(datasetId)) ?? {};
  await engine.openStorage(config, tryLockFile).remove(parts.map(({ location }) => location));
  await lake.damaged.watch();
  expect(lake.damaged.current()).toMatch(/^opt_trades .+ is missing$/);
  expect((await lake.publicationStatus(datasetId)).state).toBe('failed');
  const answer = await service.get('/v1/data/us-equity-opt/opt-trades/2024-11-01/AAA');
  expect([answer.statusCode, answer.body.includes('opt_trades ')]).toEqual([503, false]);
});

it('loads CSV with good and bad rows, and says that it takes no Parquet', async () => {
  const { lake, config } = service.services;
  const dataset = service.dataset('eq_taq');
  const load = (name: string, text: string) => {
    const file = join(config.home, name);
    writeFileSync(file, text);
    return ingestFiles({
      ...{ lake, dataset, files: [file], mode: 'replace', maxBadRows: 1, vendor: null },
      signal,
      onProgress: () => {},
    });
  };
  const lines = ['2025-03-11,AAB,2025-03-11T10:00:00.5,1.25', '2025-03-11,AAB,noon,1'];
  const report = await load(
    'rows.csv',
    `TradeDate,Ticker,EventDateTime,Price\n${lines.join('\n')}\n`,
  );
  expect(report).toMatchObject({ isPublished: true, rowCount: 1, badRowCount: 1 });
  expect(report.badValues).toMatchObject([{ line: 3, column: 'EventDateTime', value: 'noon' }]);
  const answer = await service.get('/v1/data/us-equity/eq-taq/2025-03-11/AAB?columns=Price');
  expect(answer.json().data).toEqual([{ Price: 1.25 }]);
  await expect(load('rows.parquet', 'PAR1 and more')).rejects.toThrow('load it as CSV');
});
