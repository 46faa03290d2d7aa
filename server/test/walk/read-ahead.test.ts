/** Reading ahead shows in nothing but time: answers, counts and refusals are the same without it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { connectTo } from '../exchange-bytes.ts';
import { openTestService, type TestService } from '../harness.ts';

const PATH = '/v1/data/us-equity/eq-daily-ohlc';
const TEXT_ID = 'eq_daily_ohlc';
const ROWS = 100;
/** Of a walk; the last one is not full. */
const PAGES = 6;
const LIMIT = 18;
const FORMATS = ['json', 'csv', 'csv_gzip'];

function rowsOf(service: TestService, firstPrice: number): CellValue[][] {
  const { columns } = service.dataset(TEXT_ID);
  return Array.from({ length: ROWS }, (_, n) =>
    columns.map(({ name, dataType }): CellValue => {
      if (name === 'TradeDate') return '2025-06-18';
      if (name === 'Ticker') return `T${1000 + n}`;
      if (name === 'ASID') return 1010000000000001n + BigInt(n);
      return dataType === 'integer' ? BigInt(n) : firstPrice + ((n * 37) % 100);
    }),
  );
}

let ahead: TestService;
let plain: TestService;
beforeAll(async () => {
  ahead = await openTestService({ pageCacheBytes: 0 });
  plain = await openTestService({ pageCacheBytes: 0, readAheadBytes: 0 });
  for (const service of [ahead, plain]) await service.publish(TEXT_ID, rowsOf(service, 1));
});
afterAll(async () => {
  await ahead.close();
  await plain.close();
});

const pageUrl = (query: string, page: number) =>
  `${PATH}?${query}limit=${LIMIT}&offset=${page * LIMIT}`;

async function walk(service: TestService, query: string, pages: readonly number[]) {
  const answers = [];
  for (const page of pages) {
    const answer = await service.get(pageUrl(query, page), { host: 'h.example' });
    const {
      date: _,
      etag: tag,
      'x-request-id': __,
      'x-amzn-requestid': ___,
      ...steady
    } = answer.headers;
    const body = answer.rawPayload.toString('base64');
    answers.push({ status: answer.statusCode, steady, hasTag: tag !== undefined, body });
  }
  return answers;
}

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('reading ahead', () => {
  it('changes no byte or header of an answer, and nothing that is counted', async () => {
    const sorts = ['', 'sort=-OpenPrice&', 'OpenPrice.ge=20&', 'columns=Ticker&sort=ClosePrice&'];
    for (const format of FORMATS) {
      for (const sort of sorts) {
        const query = `${sort}response_format=${format}&`;
        for (const pages of [range(PAGES + 1), [0, 1, 2, 2, 1, 5, 3, 4, 5]]) {
          expect(await walk(ahead, query, pages), query).toEqual(await walk(plain, query, pages));
        }
      }
    }
    expect(ahead.services.readAhead.usedCount).toBeGreaterThan(FORMATS.length * sorts.length * 3);
    expect(plain.services.readAhead.usedCount).toBe(0);
    const [usage, plainUsage] = [ahead, plain].map(({ services, identityId }) =>
      services.usage.used(identityId),
    );
    expect(usage).toEqual(plainUsage);
    const countsOf = ({ services: { metrics } }: TestService) =>
      Promise.all(
        [metrics.scannedBytes, metrics.returnedBytes, metrics.rows, metrics.requests].map(
          (metric) => metric.get(),
        ),
      ).then((metrics) => metrics.map(({ name, values }) => ({ name, values })));
    expect(await countsOf(ahead)).toEqual(await countsOf(plain));
  });
});

describe('a page that was read ahead', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await openTestService({ pageCacheBytes: 0 });
    await service.publish(TEXT_ID, rowsOf(service, 1));
  });
  afterEach(() => service.close());

  /** Two pages of a walk are asked for; the third one is read when this resolves. */
  async function begin(query = '') {
    const { readAhead } = service.services;
    await walk(service, query, [0, 1]);
    await expect.poll(() => readAhead.readyCount).toBe(1);
    return { readAhead, third: () => service.get(pageUrl(query, 2)) };
  }

  it('is begun when a page follows another one, and not before', async () => {
    const { readAhead } = service.services;
    await walk(service, '', [0, 2, 4]);
    expect(readAhead.byteCount).toBe(0);
    await walk(service, 'limit=2&', [0]);
    await begin();
    expect(readAhead.usedCount).toBe(0);
    await walk(service, '', [2]);
    expect(readAhead.usedCount).toBe(1);
  });

  it('is not begun after the last page', async () => {
    const { readAhead } = service.services;
    await walk(service, '', range(PAGES));
    await expect.poll(() => readAhead.pendingCount).toBe(0);
    expect(readAhead).toMatchObject({ byteCount: 0, readyCount: 0, usedCount: PAGES - 2 });
  });

  it('is not begun after a last page that was read ahead itself', async () => {
    const { readAhead } = service.services;
    await walk(service, '', range(PAGES - 1));
    await expect.poll(() => readAhead.readyCount).toBe(1);
    await walk(service, '', [PAGES - 1]);
    await expect.poll(() => readAhead.pendingCount).toBe(0);
    const { byteCount, usedCount, unusedCount } = readAhead;
    expect({ byteCount, usedCount, unusedCount }).toEqual({
      byteCount: 0,
      usedCount: PAGES - 2,
      unusedCount: 0,
    });
  });

  it('costs nothing until it is asked for', async () => {
    await begin();
    const { usage } = service.services;
    expect(usage.used(service.identityId).month.requests).toBe(2);
    await service.get(pageUrl('', 2));
    expect(usage.used(service.identityId).month.requests).toBe(3);
  });

  it('is not given to another identity', async () => {
    const { readAhead } = await begin();
    const { key, identityId } = service.addIdentity('another');
    const { datasetId } = service.dataset(TEXT_ID);
    const rule = { identityId, datasetId, startDate: '1900-01-01', endDate: null, universe: [] };
    service.services.store.rules.add(rule);
    const answer = await service.get(pageUrl('', 2), { 'x-api-key': key });
    expect(answer.statusCode).toBe(200);
    expect(readAhead.usedCount).toBe(0);
  });

  it('is not what is sent when the dataset has a new version', async () => {
    const { third, readAhead } = await begin();
    await service.publish(TEXT_ID, rowsOf(service, 5000));
    const prices = (await third()).json().data.map((row: { OpenPrice: number }) => row.OpenPrice);
    expect(Math.min(...prices)).toBeGreaterThanOrEqual(5000);
    expect(readAhead.usedCount).toBe(0);
  });

  it('is not what is sent when the rules have changed', async () => {
    const { third, readAhead } = await begin();
    const { datasetId } = service.dataset(TEXT_ID);
    const { rules } = service.services.store;
    const { identityId } = service;
    for (const { ruleId } of rules.listOf(identityId)) rules.delete(ruleId);
    expect((await third()).statusCode).toBe(403);
    const universe = ['T1000', 'T1001'];
    rules.add({ identityId, datasetId, startDate: '1900-01-01', endDate: null, universe });
    expect((await third()).json().data).toEqual([]);
    expect(readAhead.usedCount).toBe(0);
  });

  it('is the last one while another account has its share of the turns', async () => {
    const { readAhead, third } = await begin();
    const { signal } = new AbortController();
    const another = service.addIdentity('another').identityId;
    await service.services.gate.run(another, signal, async () => {
      expect((await third()).statusCode).toBe(200);
      // Beside another account, this one's share is the turn that its request has.
      expect(readAhead).toMatchObject({ usedCount: 1, byteCount: 0 });
    });
  });
});

describe('a client that goes away', () => {
  /** More than the system's own buffers of a connection hold. */
  const UNSENT_BYTES = 16 * 1024 * 1024;
  const HALTS = '/v1/data/us-equity-ref/eq-trading-halts';

  it('takes the page with it that was read ahead for it', async () => {
    const service = await openTestService({ pageCacheBytes: 0 });
    const { columns } = service.dataset('eq_trading_halts');
    // The second page is too large to be sent to a client that does not read.
    const rows = ['A', 'B', 'C'].map((ticker) =>
      columns.map(({ name }): CellValue => {
        if (name === 'TradeDate') return '2025-06-18';
        if (name === 'Ticker') return ticker;
        return name === 'Name' && ticker === 'B' ? 'n'.repeat(UNSENT_BYTES) : null;
      }),
    );
    await service.publish('eq_trading_halts', rows);
    const { readAhead } = service.services;
    expect((await service.get(`${HALTS}?limit=1`)).statusCode).toBe(200);
    const socket = await connectTo(service);
    socket.pause();
    const head = `GET ${HALTS}?limit=1&offset=1 HTTP/1.1\r\nhost: h\r\n`;
    socket.write(`${head}x-api-key: ${service.key}\r\n\r\n`);
    await expect.poll(() => readAhead.readyCount).toBe(1);
    socket.destroy();
    // A page that nobody asks for is dropped after five seconds anyway.
    await expect.poll(() => readAhead.readyCount, { timeout: 3000 }).toBe(0);
    expect(readAhead).toMatchObject({ byteCount: 0, unusedCount: 1 });
    await service.close();
  });
});
