/**
 * The work of pages and walks, in counts that are the same on any machine. One that grows makes
 * every such page slower; one that shrinks is written down here.
 */
import { readFileSync } from 'node:fs';
import { DuckDBConnection, DuckDBListValue } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { BLOCK_BYTES } from '../../src/formats/byte-sink.ts';
import { openTestService, type TestService } from '../harness.ts';

const ROWS_PER_DAY = 20_000;
const DAYS = 3;
const YEARS = [2021, 2022, 2023, 2024];
const BARS_PER_YEAR = 20_000;
const TICKERS = 2000;
const FIRST_NANOS = BigInt(Date.parse('2025-06-02T13:30:00Z')) * 1_000_000n;
const DAY_NANOS = 86_400_000_000_000n;

function tick(day: number, row: number): CellValue[] {
  const time = FIRST_NANOS + BigInt(day) * DAY_NANOS + BigInt(row) * 1_000_000n;
  return [`2025-06-0${2 + day}`, time, 'TRADE', 'AAA', 11n, row / 100, BigInt(row % 7), 'NYSE', 1n];
}

function bar(year: number, row: number): CellValue[] {
  const ticker = row % TICKERS;
  const date = `${year}-06-${10 + Math.floor(row / TICKERS)}`;
  return [date, `T${ticker}`, BigInt(ticker), 1.5, 2.5, 0.5, 1, 1n, 2n, 3n, 4n, 1.25, 1.25];
}

const rowsOf = (count: number, row: (at: number) => CellValue[]) =>
  Array.from({ length: count }, (_, at) => row(at));

/** A page of ticks reads 81 kB. */
const PAGE_BYTES_MAX = 100_000;

/** Counts since the last look. */
const counted = { queries: 0, files: 0 };

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ pageCacheBytes: 0 });
  for (let day = 0; day < DAYS; day++) {
    await service.publish(
      'eq_taq',
      rowsOf(ROWS_PER_DAY, (row) => tick(day, row)),
    );
  }
  for (const year of YEARS) {
    await service.publish(
      'eq_daily_ohlc',
      rowsOf(BARS_PER_YEAR, (row) => bar(year, row)),
    );
  }
  watchQueries();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await service.close();
});

/** Each query is prepared and bound once; the files that it reads are among its bound values. */
function watchQueries(): void {
  const { prepare } = DuckDBConnection.prototype;
  const watched = async function (this: DuckDBConnection, sql: string) {
    counted.queries++;
    const prepared = await prepare.call(this, sql);
    const bind = prepared.bind.bind(prepared);
    prepared.bind = (values, types) => {
      const lists = Object.values(values).filter((value) => value instanceof DuckDBListValue);
      counted.files += lists.flatMap(({ items }) => items).filter(isFile).length;
      bind(values, types);
    };
    return prepared;
  };
  vi.spyOn(DuckDBConnection.prototype, 'prepare').mockImplementation(watched);
}

const isFile = (value: unknown) => `${value}`.startsWith(service.services.config.home);

/** Bytes that the process has read so far. */
const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

interface Page {
  readonly queries: number;
  readonly files: number;
  readonly next: string | undefined;
}

async function pageOf(path: string): Promise<Page> {
  Object.assign(counted, { queries: 0, files: 0 });
  const { statusCode, headers } = await service.get(path);
  expect(statusCode, path).toBe(200);
  const [, next] = /<[^/]*\/\/[^/]*(.*)>; rel="next"/.exec(`${headers.link}`) ?? [];
  return { ...counted, next };
}

/** The pages of a walk from its first page on. */
async function walk(first: string): Promise<Page[]> {
  const pages = [await pageOf(first)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await pageOf(next));
  return pages;
}

const TICKS = '/v1/data/us-equity/eq-taq/2025-06-03/AAA?response_format=csv&limit=4000';
const BARS = `/v1/data/us-equity/eq-daily-ohlc?TradeDate.ge=${YEARS[0]}-01-01`;

describe('engine queries and files', () => {
  it.each([
    ['walk', TICKS, [1, 1, 1, 1, 1]],
    ['filtered walk', `${TICKS}&Quantity.ge=2`, [1, 1, 1, 1]],
    ['deep page', `${TICKS}&Price.ge=1&offset=16000`, [2]],
    ['sorted walk', `${TICKS}&sort=-Price`, [2, 1, 1, 1, 1]],
  ])('stay as few as they are on each page: a %s', async (_, path, each) => {
    const pages = await walk(path);
    expect(pages.map(({ queries }) => queries)).toEqual(each);
    expect(pages.map(({ files }) => files)).toEqual(each);
  });

  it('come to one query and a file of each partition for the history of a ticker', async () => {
    const { queries, files } = await pageOf(`${BARS}&Ticker=T77`);
    expect({ queries, files }).toEqual({ queries: 1, files: YEARS.length });
  });

  it('stay as few as they are on each page of all tickers', async () => {
    const pages = await walk(`${BARS}&limit=10000`);
    expect(pages.map(({ queries }) => queries)).toEqual([1, 2, 1, 2, 1, 2, 1, 1]);
  });
});

it.skipIf(process.platform !== 'linux')('a page reads few bytes but its own', async () => {
  const path = `${TICKS}&Price.ge=2`;
  const byteCounts: number[] = [];
  for (let page: string | undefined = path; page; ) {
    const before = readBytes();
    page = (await pageOf(page)).next;
    byteCounts.push(readBytes() - before);
  }
  // Others read now and then, but not with every page.
  expect(Math.min(...byteCounts)).toBeLessThan(PAGE_BYTES_MAX);
});

it('a walk is written into memory that was written to before', async () => {
  let blockCount = 0;
  class CountedBuffer extends ArrayBuffer {
    constructor(byteCount: number) {
      super(byteCount);
      if (byteCount === BLOCK_BYTES) blockCount++;
    }
  }
  await walk(TICKS);
  vi.stubGlobal('ArrayBuffer', CountedBuffer);
  await walk(`${TICKS}&Quantity.ge=1`);
  vi.unstubAllGlobals();
  expect(blockCount).toBe(0);
});
