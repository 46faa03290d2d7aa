/** `/data-scan` tells what the page then counts. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import type { DatasetSnapshot } from '../../src/lake/snapshots.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRequest } from '../oracle/random-request.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { type Row, readRows } from '../oracle/read-rows.ts';
import { selectRows } from '../oracle/select-rows.ts';
import { partFiles } from '../part-files.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';

const TEXT_IDS = ['eq_taq', 'eq_taq_1min', 'eq_daily_ohlc', 'eq_sec_master', 'fut_mult_depth'];
const ROWS_PER_DATASET = 300;
const REQUESTS_PER_DATASET = repetitions('TICKLAKE_SCANS', 5);

interface Scan {
  readonly dataset_id: string;
  readonly dataset_version: number | null;
  readonly rows_scanned: number;
  readonly bytes_scanned: number;
  readonly files_scanned: number;
  readonly row_count_max: number;
  readonly row_count_min: number;
  readonly formats: readonly {
    readonly response_format: string;
    readonly page_count_max: number;
    readonly byte_count_estimate: number;
    readonly seconds_estimate: number | null;
  }[];
  readonly allowance: { readonly fits: boolean; readonly requests_left: number | null };
}

let service: TestService;
const rowsOf = new Map<string, Row[]>();
beforeAll(async () => {
  service = await openTestService({ pageCacheBytes: 0 });
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 1);
    await service.publish(textId, rows);
    const files = await partFiles(service.services.lake, dataset.datasetId);
    rowsOf.set(textId, await readRows(dataset, files));
  }
});
afterAll(() => service.close());

/** A data path as that of its scan. */
const scanPath = (url: string) => url.replace(/^\/data\//, '/data-scan/');

async function scanOf(url: string): Promise<Scan> {
  const answer = await service.get(`/v1${scanPath(url)}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const used = async () => (await service.services.usage.counters.read(service.accountId)).month;

async function scannedBy(url: string): Promise<number> {
  const { scannedBytes } = await used();
  const answer = await service.get(`/v1${url}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return (await used()).scannedBytes - scannedBytes;
}

describe.each(TEXT_IDS)('the scan of %s', (textId) => {
  it('is what the page counts, for random requests', async () => {
    const dataset = service.dataset(textId);
    const rows = rowsOf.get(textId) as Row[];
    const snapshot = (await service.services.lake.snapshot(dataset.datasetId)) as DatasetSnapshot;
    // Files of so few rows have one row group each, whose rows and bytes count whole or not at all.
    const files = (await snapshot.rowGroups(snapshot.parts)).map((rowGroups) => {
      expect(rowGroups).toHaveLength(1);
      return rowGroups[0] as { rowCount: number; byteCount: number };
    });
    const rowsByBytes = new Map([[0, new Set([0])]]);
    for (const { rowCount, byteCount } of files) {
      for (const [bytes, counts] of [...rowsByBytes]) {
        const sums = rowsByBytes.get(bytes + byteCount) ?? new Set();
        for (const count of counts) sums.add(count + rowCount);
        rowsByBytes.set(bytes + byteCount, sums);
      }
    }
    let scannedCount = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest(dataset, rows), async ({ url }) => {
        const scan = await scanOf(url);
        expect(scan).toMatchObject({ dataset_id: dataset.datasetId, dataset_version: 1 });
        expect(await scannedBy(url)).toBe(scan.bytes_scanned);
        expect([...(rowsByBytes.get(scan.bytes_scanned) ?? [])]).toContain(scan.rows_scanned);
        expect(scan.files_scanned > 0).toBe(scan.bytes_scanned > 0);
        scannedCount += scan.rows_scanned;
      }),
      { numRuns: REQUESTS_PER_DATASET },
    );
    expectCameAcross({ rows: scannedCount });
  });
});

describe.each(TEXT_IDS)('the estimate of %s', (textId) => {
  it('has no more and no fewer rows than its bounds, for random requests', async () => {
    const dataset = service.dataset(textId);
    const rows = rowsOf.get(textId) as Row[];
    let foundCount = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest(dataset, rows), async (request) => {
        const [path = '', query] = request.url.split('?');
        const answer = await service.get(`/v1${path}/estimate${query ? `?${query}` : ''}`);
        expect(answer.statusCode, answer.body).toBe(200);
        const { row_count_min: least, row_count_max: most, minute: _, ...others } = answer.json();
        const count = selectRows(rows, request).length;
        expect([least <= count, count <= most], `${least} ${count} ${most}`).toEqual([true, true]);
        expect(await scanOf(request.url)).toMatchObject({ ...others, allowance: {} });
        foundCount += count;
      }),
      { numRuns: REQUESTS_PER_DATASET },
    );
    expectCameAcross({ rows: foundCount });
  });
});

describe('a scan', () => {
  it('has the very number of rows of whole days, where the account may know it', async () => {
    const path = '/data/us-equity/eq-daily-ohlc?TradeDate.ge=2024-01-01';
    const { row_count_min: least, row_count_max: most } = await scanOf(path);
    const count = (rowsOf.get('eq_daily_ohlc') as Row[]).length;
    expect([least, most]).toEqual([count, count]);
    const { accountId, key } = await service.addAccount('some of them');
    const rule = { startDate: '1900-01-01', endDate: null, universe: ['AAA'] };
    await writing(service.services.store).rules.add({ accountId, datasetId: 'US1032', ...rule });
    const url = '/v1/data/us-equity/eq-taq/2025-01-02/AAA/estimate';
    const coarse = (await service.get(url, { 'x-api-key': key })).json();
    expect(coarse).toMatchObject({ is_exact: false, row_count_min: 0, row_count_max: 131_072 });
    expect(coarse.minute).toEqual({
      ...{ requests_left: null, data_returned_left: null, data_scanned_left: null },
    });
  });

  it('for one day reads the rows of that day', async () => {
    const dataset = service.dataset('eq_taq');
    const { parts } = (await service.services.lake.snapshot(dataset.datasetId)) as DatasetSnapshot;
    for (const { key, rowCount } of parts) {
      const scan = await scanOf(`/data/us-equity/taq/${key}/AAB`);
      expect(scan).toMatchObject({ rows_scanned: rowCount, files_scanned: 1 });
    }
    expect(await scanOf('/data/us-equity/taq/1999-01-04/AAB')).toMatchObject({
      dataset_id: dataset.datasetId,
      dataset_version: 1,
      canonical_request:
        '/data/us-equity/eq-taq/1999-01-04/AAB?offset=0&limit=1000&response_format=json',
      rows_scanned: 0,
      bytes_scanned: 0,
      files_scanned: 0,
    });
  });

  it('counts the row groups that may match, not the whole file', async () => {
    const dataset = service.dataset('eq_trades');
    const rowOf = (ticker: string, at: number): CellValue[] =>
      dataset.columns.map(({ name, dataType }): CellValue => {
        if (name === 'TradeDate') return '2025-06-18';
        if (name === 'Ticker') return ticker;
        if (dataType === 'date-time') return 1_750_000_000_000_000_000n + BigInt(at);
        return dataType === 'string' ? 'x' : at;
      });
    // More of the first than a row group holds, so that the second is in another one.
    const counts = { AAA: 62_000, BBB: 13_000 };
    const rows = Object.entries(counts).flatMap(([ticker, length]) =>
      Array.from({ length }, (_, at) => rowOf(ticker, at)),
    );
    await service.publish('eq_trades', rows);
    const snapshot = (await service.services.lake.snapshot(dataset.datasetId)) as DatasetSnapshot;
    const [rowGroups = []] = await snapshot.rowGroups(snapshot.parts);
    expect(rowGroups.length).toBeGreaterThan(1);
    const groups = rowGroups.filter(({ bounds }) => bounds.Ticker?.max === 'BBB');
    const sum = (name: 'rowCount' | 'byteCount') =>
      groups.reduce((total, group) => total + group[name], 0);
    expect(await scanOf('/data/us-equity/eq-trades/2025-06-18/BBB')).toMatchObject({
      rows_scanned: sum('rowCount'),
      bytes_scanned: sum('byteCount'),
      files_scanned: 1,
    });
    expect(sum('rowCount')).toBeLessThan(rows.length);
  });

  it('tells the most rows and pages of a walk, and about its bytes', async () => {
    const path = '/us-equity/eq-trades/2025-06-18/BBB';
    const { row_count_max: rowCount, formats } = await scanOf(`/data${path}?offset=1000`);
    expect(rowCount).toBe((await scanOf(`/data${path}`)).rows_scanned - 1000);
    expect(rowCount).toBeGreaterThanOrEqual(12_000);
    for (const format of ['json', 'csv', 'csv_gzip', 'parquet']) {
      const told = formats.find(({ response_format: name }) => name === format);
      if (!told) continue;
      const limit = Math.ceil(rowCount / told.page_count_max);
      const page = await service.get(`/v1/data${path}?response_format=${format}&limit=${limit}`);
      const share = page.rawPayload.length / limit / (told.byte_count_estimate / rowCount);
      expect(share, format).toBeGreaterThan(0.1);
      expect(share, format).toBeLessThan(3);
    }
  });

  it('tells the seconds of a walk by the latest pages of the format', async () => {
    const path = '/data/us-equity/eq-trades/2025-06-18/BBB';
    const { pageRates } = service.services;
    const secondsOf = async (format: string) => {
      const { formats } = await scanOf(path);
      return formats.find((each) => each.response_format === format)?.seconds_estimate;
    };
    const { row_count_max: rowCount } = await scanOf(path);
    for (let page = 0; page < 500; page++) pageRates.note('csv', 1000, 2000);
    expect(await secondsOf('csv')).toBeCloseTo(2 * (rowCount / 1000), 2);
    pageRates.note('csv', 999, 1_000_000);
    expect(await secondsOf('csv')).toBeCloseTo(2 * (rowCount / 1000), 2);
    for (let page = 0; page < 500; page++) pageRates.note('csv', 2000, 1000);
    expect(await secondsOf('csv')).toBeCloseTo(rowCount / 2000, 2);
    const format = 'arrow';
    const url = `/v1${path}?response_format=${format}`;
    for (const rest of ['&sort=-Price', '&Price.lt=1500', '']) {
      expect(await secondsOf(format)).toBeNull();
      expect((await service.get(url + rest, { 'accept-encoding': 'gzip' })).statusCode).toBe(200);
    }
    expect(await secondsOf(format)).not.toBeNull();
  });

  it('says whether the walk fits into what is left of the quotas', async () => {
    const path = '/data/us-equity/eq-trades/2025-06-18/BBB';
    expect((await scanOf(path)).allowance.fits).toBe(true);
    const limits = (requests: number) =>
      writing(service.services.store).accounts.update(service.accountId, {
        limits: { ...UNLIMITED, month: { ...UNLIMITED.month, requests } },
      });
    await limits((await used()).requests + 2);
    expect((await scanOf(path)).allowance).toMatchObject({ fits: false, requests_left: 1 });
    await writing(service.services.store).accounts.update(service.accountId, {
      limits: UNLIMITED,
    });
  });

  it('for an unpublished dataset reads nothing and has no version', async () => {
    expect(await scanOf('/data/us-equity-opt/opt-trades/2025-06-18/AAA')).toMatchObject({
      dataset_id: 'US5002',
      dataset_version: null,
      canonical_request:
        '/data/us-equity-opt/opt-trades/2025-06-18/AAA?offset=0&limit=1000&response_format=json',
      rows_scanned: 0,
      bytes_scanned: 0,
      files_scanned: 0,
    });
  });

  it.each([
    '/data/us-equity/eq-taq/2025-06-18/AAA?Nope=1',
    '/data/us-equity/eq-taq/2025-06-18/AAA?limit=0&sort=,&Price.foo=1',
    '/data/us-equity/eq-taq/2025-06-18/AAA?limit=10001',
    '/data/us-equity/eq-taq/18-06-2025/AAA',
    '/data/us-equity/eq-taq/2025-06-18/%FF',
    '/data/us-equity/nothing/2025-06-18/AAA',
    '/data/us-equity/eq-taq',
    '/data/us-equity/eq-taq/2025-06-18',
    '/data/us-equity/eq-daily-ohlc?TradeDate.ge=1990-01-01&TradeDate.le=2024-01-01',
  ])('is refused like the page for %s', async (url) => {
    const page = await service.get(`/v1${url}`);
    const scan = await service.get(`/v1${scanPath(url)}`);
    expect(page.statusCode).toBeGreaterThan(400);
    expect([scan.statusCode, scan.json()]).toEqual([page.statusCode, page.json()]);
  });

  it('is refused like the page where rules do not allow it', async () => {
    const { accountId, key } = await service.addAccount('one window');
    const rule = { startDate: '2025-01-01', endDate: '2025-01-31', universe: ['AAA'] };
    await writing(service.services.store).rules.add({ accountId, datasetId: 'US1032', ...rule });
    const ask = (url: string) => service.get(url, { 'x-api-key': key });
    for (const [path, status] of [
      ['us-equity/eq-taq/2025-01-02/AAA', 200],
      ['us-equity/eq-taq/2025-01-02/BBB', 403],
      ['us-equity/eq-taq/2025-03-10/AAA', 422],
      ['us-equity/eq-trades/2025-01-02/AAA', 403],
    ] as const) {
      const page = await ask(`/v1/data/${path}`);
      const scan = await ask(`/v1/data-scan/${path}`);
      expect([page.statusCode, scan.statusCode], path).toEqual([status, status]);
      if (status !== 200) expect(scan.json()).toEqual(page.json());
    }
  });

  it('needs a key, counts as one request, scans nothing and is of no dataset', async () => {
    const url = '/v1/data-scan/us-equity/eq-taq/2025-01-02/AAA';
    expect((await service.app.inject(url)).statusCode).toBe(401);
    const { accountId, key } = await service.addAccount('counted');
    await writing(service.services.store).rules.add({
      ...{ accountId, datasetId: 'US1032', startDate: '1900-01-01', endDate: null, universe: [] },
    });
    const answer = await service.get(url, { 'x-api-key': key });
    expect(answer.statusCode).toBe(200);
    const { month, minute } = await service.services.usage.counters.read(accountId);
    const returnedBytes = answer.body.length;
    expect(month).toEqual({ requests: 1, scannedBytes: 0, returnedBytes });
    expect(minute).toEqual({ requests: 1, scannedBytes: 0, returnedBytes });
  });
});
