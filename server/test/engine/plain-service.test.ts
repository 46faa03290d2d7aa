/**
 * The whole product over the plain engine: real requests are answered as the oracle says, and nothing
 * asks for what only the installed engine has.
 */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { type Row as Cells, rowsOfBatch } from '../../src/engine/conformance/select-rows.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { tryLockFile } from '../../src/installed.ts';
import { operatorPlan } from '../../src/plan/operator-plan.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRequest } from '../oracle/random-request.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { readPages } from '../oracle/read-pages.ts';
import type { Row } from '../oracle/read-rows.ts';
import { selectRows, shownCell } from '../oracle/select-rows.ts';
import { TYPED_TEXT_ID, typedDefinitions } from '../oracle/typed-definition.ts';
import { plainEngine } from './plain-engine.ts';

const TEXT_IDS = ['eq_taq', 'eq_daily_ohlc', 'eq_sec_master', 'opt_trades', TYPED_TEXT_ID];
const ROWS_PER_DATASET = 200;
const REQUESTS_PER_DATASET = 25;
const { signal } = new AbortController();

const engine = plainEngine();
let service: TestService;
const rowsOf = new Map<string, Row[]>();

/** All that is published, as an operator reads it. */
async function publishedRows({ engine: reader, lake }: TestService['services'], dataset: Dataset) {
  const snapshot = await lake.snapshot(dataset.datasetId);
  if (!snapshot) throw new Error(`${dataset.textId}: nothing published`);
  const rows: Cells[] = [];
  for await (const batch of reader.scan(operatorPlan(dataset, snapshot), signal)) {
    rows.push(...rowsOfBatch(batch));
  }
  return rows.map((row) => {
    return Object.fromEntries(dataset.columns.map(({ name }, c) => [name, row[c] ?? null])) as Row;
  });
}

beforeAll(async () => {
  service = await openTestService({ pageCacheBytes: 0, definitions: typedDefinitions() }, engine);
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 1);
    await service.publish(textId, rows);
    rowsOf.set(textId, await publishedRows(service.services, dataset));
  }
});
afterAll(() => service.close());

it.each(TEXT_IDS)("answers requests for %s with exactly the oracle's rows", async (textId) => {
  const dataset = service.dataset(textId);
  const rows = rowsOf.get(textId) as Row[];
  expect(rows).toHaveLength(ROWS_PER_DATASET);
  let foundCount = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest(dataset, rows), async (request) => {
      const names = request.columns ?? dataset.columns.map(({ name }) => name);
      const columns = names.map((name) => dataset.columnByName.get(name) as Column);
      const expected = selectRows(rows, request).map((row) =>
        columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
      );
      foundCount += expected.length;
      expect(await readPages(service, request.url, request.format, columns)).toEqual(expected);
    }),
    { numRuns: REQUESTS_PER_DATASET },
  );
  expect(foundCount).toBeGreaterThan(0);
});

it('tells a client that has a page of it that nothing has changed, until something has', async () => {
  const url = '/v1/data/us-equity/eq-daily-ohlc?limit=3';
  const first = await service.get(url);
  expect([first.statusCode, first.json().data.length]).toEqual([200, 3]);
  const etag = String(first.headers.etag);
  expect((await service.get(url, { 'if-none-match': etag })).statusCode).toBe(304);
  const [rows = []] = fc.sample(anyRows(service.dataset('eq_daily_ohlc'), ROWS_PER_DATASET), 1);
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
  await lake.watchParts();
  expect(lake.damage()).toMatch(/^opt_trades .+ is missing$/);
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
