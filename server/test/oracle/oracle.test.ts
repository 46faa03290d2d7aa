/**
 * The service against a plain program: random requests over random rows, all pages of each, have to
 * equal the rows that `select-rows.ts` finds in the same Parquet files, as an exact sequence.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAKE_INDEX_FILE } from '../../src/base/home-layout.ts';
import type { Column } from '../../src/catalog/dataset.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import type { Config } from '../../src/settings/config.ts';
import { openTestService, type TestService } from '../harness.ts';
import { partFiles } from '../part-files.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { anyRequest, FORMATS, identifyingColumns } from './random-request.ts';
import { anyRows } from './random-rows.ts';
import { readPages } from './read-pages.ts';
import { type Row, readRows } from './read-rows.ts';
import { selectRows, shownCell } from './select-rows.ts';
import { TYPED_TEXT_ID, typedDefinitions } from './typed-definition.ts';

const TEXT_IDS = [
  'eq_taq',
  'eq_taq_1min',
  'eq_daily_ohlc',
  'eq_trades_1min',
  'eq_sec_master',
  'eq_trading_halts',
  'opt_trades',
  'fut_mult_depth',
  TYPED_TEXT_ID,
];
const ROWS_PER_DATASET = 250;
const REQUESTS_PER_DATASET = repetitions('TICKLAKE_ORACLE_REQUESTS', 4);

/** Each fast path with the others and without them, and the slow path. */
const FAST_PATHS: readonly (readonly [string, Partial<Config>, number])[] = [
  ['with all that makes pages fast', {}, 1],
  ['without the page cache', { pageCacheBytes: 0 }, 1 / 3],
  ['without page cache and files of walks', { pageCacheBytes: 0, walkDiskBytesMax: 0 }, 1 / 3],
];

/** The lake of all services. */
const home = mkdtempSync(join(tmpdir(), 'ticklake-oracle-'));
const rowsOf = new Map<string, Row[]>();
beforeAll(async () => {
  const service = await openTestService({ definitions: typedDefinitions() });
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const [rows] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 1);
    await service.publish(textId, rows ?? []);
    const files = await partFiles(service.services.lake, dataset.datasetId);
    rowsOf.set(textId, await readRows(dataset, files));
  }
  await service.close((made) => {
    for (const name of ['lake', LAKE_INDEX_FILE]) {
      cpSync(join(made, name), join(home, name), { recursive: true });
    }
  });
});
afterAll(() => rmSync(home, { recursive: true }));

it.each(TEXT_IDS)('every published row of %s is kept', (textId) => {
  expect(rowsOf.get(textId)).toHaveLength(ROWS_PER_DATASET);
});

/** Counts rows found by an identifier, over all fast paths, since a single one has few requests. */
const foundBy = new Map<string, number>();

function countIdentifier(textId: string, column: string, times: 0 | 1): void {
  if (!/^(Ticker|ASID)$/.test(column)) return;
  const key = `${textId} by ${column}`;
  foundBy.set(key, (foundBy.get(key) ?? 0) + times);
}

describe.each(FAST_PATHS)('the service %s', (_, settings, part) => {
  const requestCount = Math.ceil(REQUESTS_PER_DATASET * part);
  let service: TestService;

  beforeAll(async () => {
    const own = { ...settings, definitions: typedDefinitions() };
    service = await openTestService(own, INSTALLED_ENGINE, home);
  });
  afterAll(() => service.close());

  it.each(TEXT_IDS)(
    "answers random requests for %s with exactly the oracle's rows, in its order",
    async (textId) => {
      const dataset = service.dataset(textId);
      const rows = rowsOf.get(textId) as Row[];
      let foundCount = 0;
      for (const column of identifyingColumns(dataset)) countIdentifier(textId, column, 0);
      await fc.assert(
        fc.asyncProperty(anyRequest(dataset, rows), async (request) => {
          const columns = (request.columns ?? dataset.columns.map(({ name }) => name)).map(
            (name) => dataset.columnByName.get(name) as Column,
          );
          const expected = selectRows(rows, request).map((row) =>
            columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
          );
          foundCount += expected.length;
          if (expected.length > 0 && request.identifiedBy) {
            countIdentifier(textId, request.identifiedBy, 1);
          }
          const actual = await readPages(service, request.url, request.format, columns);
          expect(actual).toEqual(expected);
        }),
        { numRuns: requestCount },
      );
      expectCameAcross({ [`rows of ${textId}`]: foundCount });
    },
  );

  it.each(FORMATS)('gives every row of a walk once, in natural order, as %s', async (format) => {
    const dataset = service.dataset('eq_daily_ohlc');
    const rows = rowsOf.get('eq_daily_ohlc') as Row[];
    const url = `/data/us-equity/eq-daily-ohlc?limit=17&response_format=${format}`;
    const actual = await readPages(service, url, format, dataset.columns);
    expect(actual).toEqual(rows.map((row) => dataset.columns.map(({ name }) => row[name])));
  });

  it('had them all take part, and no other', () => {
    const { pages } = service.services;
    const isCached = settings.pageCacheBytes === undefined;
    expect(pages.hitCount > requestCount).toBe(isCached);
  });
});

it('has found rows by each identifier of each dataset', () => {
  expect(foundBy.size).toBeGreaterThan(0);
  expectCameAcross(Object.fromEntries(foundBy));
});
