/** One identifier's history in a dataset ordered by date: the rows of the walk, and few bytes. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { dateOfDays, daysOfDate } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { partFiles } from '../part-files.ts';
import { writing } from '../writing.ts';

const DAILY = '/us-equity/eq-daily-ohlc';
const FIRST_DAY = daysOfDate('2024-07-01');
/** Into the next year. */
const DAY_COUNT = 300;
const TICKERS = ['abc', 'ABC', null, ...Array.from({ length: 297 }, (_, i) => `T${i}`)];
const DATES = 'TradeDate.ge=2024-01-01';

/** Numbers below a million without a pattern. */
function scatter(n: number): number {
  const mixed = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d);
  return (Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) >>> 0) % 1_000_000;
}

interface Found {
  readonly TradeDate: string;
  readonly Ticker: string | null;
  readonly DailyVolume: number;
}

let service: TestService;
let rows: Found[];

beforeAll(async () => {
  service = await openTestService({ pageCacheBytes: 0 });
  const { columns } = service.dataset('eq_daily_ohlc');
  rows = Array.from({ length: DAY_COUNT }, (_, day) =>
    [...TICKERS]
      .sort((a, b) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
      .map((Ticker, t) => ({
        TradeDate: dateOfDays(FIRST_DAY + day),
        Ticker,
        DailyVolume: (day * 7 + t * 3) % 101,
      })),
  ).flat();
  // All other values differ, so that the stored bytes are those of real rows.
  const cellsOf = (row: Found, r: number) =>
    columns.map(({ name, dataType }, c): CellValue => {
      const value = (row as unknown as Record<string, CellValue>)[name];
      const filling = scatter(r * 31 + c);
      if (dataType === 'integer') return BigInt((value ?? filling) as number);
      return value === undefined ? filling / 100 : value;
    });
  await service.publish('eq_daily_ohlc', rows.map(cellsOf));
});
afterAll(() => service.close());

type Get = (url: string) => ReturnType<TestService['get']>;

/** The pages of a walk, one after the other. */
async function walk(query: string, limit: number, get: Get = service.get): Promise<Found[]> {
  const found: Found[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const answer = await get(
      `/v1/data${DAILY}?${query}&columns=TradeDate,Ticker,DailyVolume&limit=${limit}&offset=${offset}`,
    );
    expect(answer.statusCode, answer.body).toBe(200);
    const { data, pagination } = answer.json();
    found.push(...data);
    offset = pagination.next_offset;
  }
  return found;
}

async function scannedBytes(query: string): Promise<number> {
  const answer = await service.get(`/v1/data-scan${DAILY}?${query}`);
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().bytes_scanned;
}

describe('the history of an identifier', () => {
  it.each<[string, string, (row: Found) => boolean]>([
    ['one', 'Ticker=T17', ({ Ticker }) => Ticker === 'T17'],
    ['one, and its case', 'Ticker=abc', ({ Ticker }) => Ticker === 'abc'],
    ['nobody', 'Ticker=nobody', () => false],
    [
      'a list',
      'Ticker.in=T17,ABC,abc,nobody',
      ({ Ticker }) => ['T17', 'ABC', 'abc'].includes(`${Ticker}`),
    ],
    [
      'one, with a filter',
      'Ticker=T5&DailyVolume.ge=50',
      ({ Ticker, DailyVolume }) => Ticker === 'T5' && DailyVolume >= 50,
    ],
    [
      'one, of some days',
      'Ticker=T5&TradeDate.lt=2025-01-10',
      ({ Ticker, TradeDate }) => Ticker === 'T5' && TradeDate < '2025-01-10',
    ],
  ])('is that of %s, in natural order, on pages of any size', async (_, query, isWanted) => {
    const expected = rows.filter(isWanted);
    for (const limit of [7000, 41]) {
      expect(await walk(`${DATES}&${query}`, limit)).toEqual(expected);
    }
  });

  it('is sorted as it is asked, equal keys in natural order', async () => {
    const expected = rows
      .filter(({ Ticker }) => Ticker === 'T17' || Ticker === 'T9')
      .sort((a, b) => b.DailyVolume - a.DailyVolume);
    const found = await walk(`${DATES}&Ticker.in=T9,T17&sort=-DailyVolume`, 130);
    expect(found).toEqual(expected);
  });

  it('is all that an account for some identifiers reads', async () => {
    const { accountId, key } = await service.addAccount('two tickers');
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const rule = { startDate: '2024-12-01', endDate: null, universe: ['T3', 'ABC'] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    const get: Get = (url) => service.get(url, { 'x-api-key': key });
    const expected = rows.filter(
      ({ Ticker, TradeDate }) => (Ticker === 'T3' || Ticker === 'ABC') && TradeDate >= '2024-12-01',
    );
    expect(await walk('TradeDate.ge=2024-12-01', 100, get)).toEqual(expected);
  });

  it('scans a few groups of rows of it, and always the same', async () => {
    const all = await scannedBytes(DATES);
    const one = await scannedBytes(`${DATES}&Ticker=T17`);
    expect(one).toBeLessThan(all / 4);
    expect(await scannedBytes(`${DATES}&Ticker=T17&sort=-DailyVolume&limit=3&columns=Ticker`)).toBe(
      one,
    );
    // Nobody is named by a pattern, so all rows have to be looked at.
    expect(await scannedBytes(`${DATES}&Ticker.like=T17`)).toBe(all);
  });

  it('is known to be damaged when its files are gone', async () => {
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const [file = ''] = await partFiles(service.services.lake, datasetId);
    const folder = file.replace(/\.parquet$/, '.by-identifier');
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    const answer = await service.get(`/v1/data${DAILY}?${DATES}&Ticker=abc`);
    expect(answer.statusCode).toBeGreaterThanOrEqual(500);
    await service.services.lake.damaged.watch();
    expect(service.services.lake.damaged.current()).toContain('are cut off or missing');
    expect(await walk(DATES, 10_000)).toHaveLength(rows.length);
  });
});
