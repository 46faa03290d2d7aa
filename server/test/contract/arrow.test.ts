/** Arrow pages over HTTP: how they are chosen, tagged, compressed and kept within limits. */
import { connect } from 'node:net';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { arrowPage } from '../read-arrow.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

const ARROW = 'application/vnd.apache.arrow.stream';
const URL = `${TICK_PATH}?response_format=arrow`;

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

const ask = (acceptEncoding: string, url = URL) =>
  service.get(url, { 'accept-encoding': acceptEncoding });

describe('an Arrow page', () => {
  it('has exact values, and says what it is', async () => {
    const { headers, rawPayload } = await service.get(URL);
    const page = arrowPage(rawPayload);
    expect(headers).toMatchObject({
      'content-type': ARROW,
      'content-disposition': 'attachment; filename="eq_taq_2025-06-18_AAA.arrows"',
      'x-pagination-limit': '1000000',
      'x-pagination-next-offset': '',
    });
    expect(page.types).toEqual([
      'Date32<DAY>',
      'Timestamp<NANOSECOND, America/New_York>',
      'Dictionary<Int32, Utf8>',
      'Dictionary<Int32, Utf8>',
      'Int64',
      'Float64',
      'Int64',
      'Dictionary<Int32, Utf8>',
      'Int64',
    ]);
    const second = 1_750_253_400_000_000_000n;
    const asid = 1010000000000001n;
    expect(page.rows).toEqual([
      ['2025-06-18', second + 1n, 'QUOTE BID', 'AAA', asid, 146.18, 300n, 'EDGX', 1n],
      ['2025-06-18', second + 1n, 'TRADE', 'AAA', asid, 146.19, 100n, 'NASDAQ', 1n],
      [
        '2025-06-18',
        second + 999_999_999n,
        'TRADE NB',
        'AAA',
        asid,
        146.2,
        7n,
        'FINRA',
        2147484673n,
      ],
    ]);
    expect(page.labels).toEqual({
      'ticklake.dataset_id': 'US1032',
      'ticklake.dataset_version': '1',
      'ticklake.window': '2025-06-18/2025-06-18',
    });
  });

  it('has its schema without rows, the same as with them', async () => {
    const [some, none] = await Promise.all([
      service.get(`${DAILY_PATH}?response_format=arrow`),
      service.get(`${DAILY_PATH}?response_format=arrow&Ticker=NOPE`),
    ]);
    const [full, empty] = [arrowPage(some.rawPayload), arrowPage(none.rawPayload)];
    expect(full.rows.length).toBeGreaterThan(0);
    expect(empty).toEqual({ ...full, rows: [] });
  });

  it('is what Accept may ask for, too', async () => {
    const chosen = await service.get(TICK_PATH, { accept: `${ARROW}, */*;q=0.1` });
    expect(chosen.headers['content-type']).toBe(ARROW);
    expect(chosen.headers.etag).toBe((await service.get(URL)).headers.etag);
  });

  it('leads to the next one by its headers', async () => {
    const { headers, rawPayload } = await service.get(`${URL}&limit=2`);
    expect(arrowPage(rawPayload).rows).toHaveLength(2);
    expect(headers['x-pagination-next-offset']).toBe('2');
    expect(headers.link).toContain('offset=2');
  });
});

describe('Content-Encoding', () => {
  const UNPACK = { zstd: zstdDecompressSync, gzip: gunzipSync };

  it.each([
    ['zstd', 'zstd'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['zstd;q=0.5, gzip', 'gzip'],
    ['zstd;q=0, *;q=0, gzip;q=0.1', 'gzip'],
  ] as const)('is what the client wants most: %s', async (acceptEncoding, encoding) => {
    const [plain, packed] = await Promise.all([service.get(URL), ask(acceptEncoding)]);
    expect(packed.headers['content-encoding']).toBe(encoding);
    expect(packed.headers['content-length']).toBe(`${packed.rawPayload.length}`);
    expect(UNPACK[encoding](packed.rawPayload).equals(plain.rawPayload)).toBe(true);
  });

  it.each(['identity', 'br', 'gzip;q=0', 'zstd;q=0.5, identity', ''])(
    'is none where the client wants none of them: %j',
    async (acceptEncoding) => {
      const answer = await ask(acceptEncoding);
      expect(answer.headers['content-encoding']).toBeUndefined();
      expect(answer.headers.etag).toBe((await service.get(URL)).headers.etag);
    },
  );

  it.each(['json', 'csv', 'csv_gzip'])('is none for other formats: %s', async (format) => {
    const answer = await ask('zstd, gzip', `${TICK_PATH}?response_format=${format}`);
    expect(answer.headers['content-encoding']).toBeUndefined();
  });

  it('is none with a receipt', async () => {
    const answer = await ask('zstd', `${URL}&receipt=true`);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers['x-receipt']).toBeTypeOf('string');
  });

  it('has a weak tag for each, by which the client has its page again', async () => {
    const answers = await Promise.all(['identity', 'gzip', 'zstd'].map((each) => ask(each)));
    const tags = answers.map(({ headers }) => String(headers.etag));
    expect(new Set(tags).size).toBe(3);
    expect(tags.map((tag) => tag.startsWith('W/'))).toEqual([false, true, true]);
    const held = (acceptEncoding: string, tag = '') =>
      service.get(URL, { 'accept-encoding': acceptEncoding, 'if-none-match': tag });
    expect((await held('zstd', tags[2])).statusCode).toBe(304);
    expect((await held('zstd', tags[1])).statusCode).toBe(200);
  });
});

describe('the rows of an Arrow page', () => {
  it('are limited by settings', async () => {
    const small = await openTestService({ columnarRowsMax: 7 });
    const { datasetId } = small.dataset('eq_taq');
    const form = await small.get(`/v1/meta/datasets/${datasetId}/query`);
    expect(form.json().limits.arrow).toEqual({ default: 7, maximum: 7 });
    const refused = await small.get(`${URL}&limit=8`);
    expect(refused.json().detail[0].msg).toBe(
      "Input should be less than or equal to 7 for response_format 'arrow'",
    );
    await small.close();
  });
});

/** More than the engine finds at once. */
const ROWS = 102_000;

describe('a page that is too large for memory', () => {
  const PATH = '/v1/data/us-equity/eq-daily-ohlc?response_format=arrow&period=200Y';
  let large: TestService;
  let origin: string;
  beforeAll(async () => {
    large = await openTestService();
    const { dataset, publish } = large;
    const columns = dataset('eq_daily_ohlc').columns;
    const rowOf = (i: number) =>
      columns.map(({ name, dataType }) => {
        if (name === 'TradeDate') return '2025-06-18';
        return dataType === 'string' ? `T${i}` : dataType === 'integer' ? BigInt(i) : i / 4;
      });
    await publish(
      'eq_daily_ohlc',
      Array.from({ length: ROWS }, (_, i) => rowOf(i)),
    );
    origin = await large.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => large.close());

  const ALL_MEMORY = 64 * 1024 * 1024;
  /** As if other pages had taken up all memory. */
  beforeEach(() => {
    large.services.spool.takeMemory(ALL_MEMORY);
  });
  afterEach(() => large.services.spool.giveMemory(ALL_MEMORY));

  const fetchPage = (acceptEncoding: string) =>
    fetch(`${origin}${PATH}`, {
      headers: { 'x-api-key': large.key, 'accept-encoding': acceptEncoding },
    });

  const bytesOf = async (acceptEncoding: string) =>
    Buffer.from(await (await fetchPage(acceptEncoding)).arrayBuffer());

  it('lies in a file until it is sent, and is the same from memory, also one after the other', async () => {
    const fromFiles: Buffer[] = [];
    for (const encoding of ['identity', 'zstd', 'gzip']) {
      fromFiles.push(await bytesOf(encoding));
      await expect.poll(() => large.services.spool.byteCount).toBe(0);
    }
    large.services.spool.giveMemory(ALL_MEMORY);
    const atOnce = await Promise.all(['identity', 'zstd'].map(bytesOf));
    const later = await bytesOf('identity');
    const [page = later, ...others] = [...fromFiles, ...atOnce, later];
    expect(tableFromIPC(page).numRows).toBe(ROWS);
    expect(others.map((bytes) => bytes.equals(page))).toEqual([true, true, true, true, true]);
    await expect.poll(() => large.services.spool.takeMemory(ALL_MEMORY)).toBe(true);
  });

  describe('while there is memory', () => {
    beforeEach(() => large.services.spool.giveMemory(ALL_MEMORY));
    afterEach(async () => {
      await expect.poll(() => large.services.spool.takeMemory(ALL_MEMORY)).toBe(true);
    });
    const fetchWith = (headers: Record<string, string>, query = '') =>
      fetch(`${origin}${PATH}${query}`, {
        headers: { 'x-api-key': large.key, 'accept-encoding': 'identity', ...headers },
      });

    it('is sent while it is written, with the same bytes and headers', async () => {
      const early = await fetchWith({});
      const whole = await fetchWith({ 'want-repr-digest': 'sha-256=1' });
      const [first, second] = await Promise.all(
        [early, whole].map(async (each) => Buffer.from(await each.arrayBuffer())),
      );
      expect(first?.equals(second as Buffer)).toBe(true);
      expect(early.headers.get('content-length')).toBeNull();
      expect(whole.headers.get('content-length')).toBe(`${first?.length}`);
      const kept = ['etag', 'x-pagination-next-offset', 'x-dataset-version', 'content-type'];
      for (const name of kept) expect(early.headers.get(name)).toBe(whole.headers.get(name));
    });

    it('says where the next one begins before its rows are read', async () => {
      const page = await fetchWith({}, '&columns=Ticker&limit=101000');
      expect(page.headers.get('x-pagination-next-offset')).toBe('101000');
      expect(page.headers.get('link')).toContain('offset=101000');
      expect(tableFromIPC(Buffer.from(await page.arrayBuffer())).numRows).toBe(101_000);
      const rest = await fetchWith({}, '&columns=Ticker&limit=101000&offset=101000');
      expect(tableFromIPC(Buffer.from(await rest.arrayBuffer())).numRows).toBe(1000);
    });

    it('counts its rows and bytes', async () => {
      const used = () => large.services.usage.counters.read(large.accountId);
      const before = await used();
      const { returnedBytes } = large.services.metrics;
      const count = async () => (await returnedBytes.get()).values[0]?.value ?? 0;
      const countBefore = await count();
      const bytes = await (await fetchWith({}, '&columns=Ticker')).arrayBuffer();
      const returned = async () => (await used()).month.returnedBytes - before.month.returnedBytes;
      await expect.poll(returned).toBe(bytes.byteLength);
      // The metric counts an answer when it has ended.
      await expect.poll(async () => (await count()) - countBefore).toBe(bytes.byteLength);
    });

    it('has its length before HTTP/1.1, where nobody would notice that it breaks off', async () => {
      const { port } = new globalThis.URL(origin);
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET ${PATH} HTTP/1.0\r\nX-API-KEY: ${large.key}\r\n\r\n`);
      const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>));
      expect(answer.toString('latin1', 0, 2000)).toMatch(/^HTTP\/1.1 200 .*content-length: \d/is);
    });

    it('breaks the connection where its rows break off', async () => {
      const { engine } = large.services;
      const { scan } = engine;
      engine.scan = async function* (plan, signal) {
        let count = 0;
        for await (const batch of scan.call(engine, plan, signal)) {
          if (++count === 40) throw new Error('the disk is gone');
          yield batch;
        }
      };
      try {
        const page = await fetchWith({});
        expect(page.status).toBe(200);
        await expect(page.arrayBuffer()).rejects.toThrow();
      } finally {
        engine.scan = scan;
      }
    });

    it('stops being read when its client goes away', async () => {
      const abort = new AbortController();
      const page = await fetch(`${origin}${PATH}`, {
        headers: { 'x-api-key': large.key, 'accept-encoding': 'identity' },
        signal: abort.signal,
      });
      expect(page.status).toBe(200);
      abort.abort();
      await expect.poll(() => large.services.gate.runningCount).toBe(0);
    });
  });

  it('is a 503 where the disk may hold no more, and then works again', async () => {
    const { spool, config } = large.services;
    const room = config.answerDiskBytesMax;
    spool.reserve(room - 1);
    expect((await fetchPage('identity')).status).toBe(503);
    spool.remove('', room - 1);
    await expect.poll(() => spool.byteCount).toBe(0);
    const response = await fetchPage('identity');
    expect(response.status).toBe(200);
    // The page stays in its file until it is fetched.
    await response.arrayBuffer();
    await expect.poll(() => spool.byteCount).toBe(0);
  });

  it('is removed when its client goes away', async () => {
    const abort = new AbortController();
    const response = await fetch(`${origin}${PATH}`, {
      headers: { 'x-api-key': large.key, 'accept-encoding': 'identity' },
      signal: abort.signal,
    });
    expect(response.status).toBe(200);
    expect(large.services.spool.byteCount).toBeGreaterThan(0);
    abort.abort();
    await expect.poll(() => large.services.spool.byteCount).toBe(0);
  });
});

describe('a page with many rows of many columns', () => {
  const PATH = '/v1/data/us-equity/eq-taq-1min/AAA?response_format=arrow';
  const WIDE_ROWS = 33_000;
  let wide: TestService;
  beforeAll(async () => {
    wide = await openTestService();
    const { columns } = wide.dataset('eq_taq_1min');
    const rowOf = (i: number) => {
      const key = new Map<string, CellValue>([
        ['TradeDate', '2025-06-18'],
        ['Ticker', 'AAA'],
        ['BarDateTime', BigInt(i)],
      ]);
      return columns.map(({ name }) => key.get(name) ?? null);
    };
    await wide.publish(
      'eq_taq_1min',
      Array.from({ length: WIDE_ROWS }, (_, i) => rowOf(i)),
    );
  });
  afterAll(() => wide.close());

  it('waits for another one without a turn, beside small ones, until its client goes away', async () => {
    const { engine, gate } = wide.services;
    const { scan } = engine;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    engine.scan = async function* (plan, signal) {
      if (plan.limit > WIDE_ROWS) await released;
      yield* scan.call(engine, plan, signal);
    };
    try {
      const pages = [wide.get(PATH), wide.get(`${PATH}&limit=999999`)];
      const left = new AbortController();
      const headers = { 'x-api-key': wide.key };
      const gone = wide.app.inject({ url: PATH, headers, signal: left.signal });
      await expect.poll(() => gate.waitingCount).toBe(2);
      expect(gate.runningCount).toBe(1);
      const small = await wide.get(`${PATH}&limit=10`);
      expect(tableFromIPC(small.rawPayload).numRows).toBe(10);
      left.abort();
      await expect(gone).rejects.toThrow();
      await expect.poll(() => gate.waitingCount).toBe(1);
      release();
      for (const page of await Promise.all(pages)) {
        expect(tableFromIPC(page.rawPayload).numRows).toBe(WIDE_ROWS);
      }
    } finally {
      release();
      engine.scan = scan;
    }
  });
});
