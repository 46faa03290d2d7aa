/** Bulk requests: manifests, and the files that their links lead to, over HTTP. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, get, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoredBytes } from '../../src/base/stored-bytes.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import { openTestService, type TestService } from '../harness.ts';
import { partFiles } from '../part-files.ts';
import { arrowPage } from '../read-arrow.ts';
import { writing } from '../writing.ts';

const TICK = '2025-06-1';
const nanos = (iso: string) => BigInt(Date.parse(iso)) * 1_000_000n;

/** Rows of three tickers on each of three days. */
const TICKS: CellValue[][] = ['6', '7', '8'].flatMap((day) =>
  ['AAA', 'BBB', 'CCC'].flatMap((ticker, t) =>
    [0, 1, 2].map((n): CellValue[] => [
      ...[`${TICK}${day}`, nanos(`${TICK}${day}T13:3${n}:00Z`), 'TRADE', ticker, BigInt(11 + t)],
      ...[100 + n, 10, 'NYSE', 1],
    ]),
  ),
);

interface ManifestFile {
  readonly url: string;
  readonly name: string;
  readonly row_count: number;
  readonly byte_count: number;
  readonly sha256: string;
  readonly first_partition: string;
  readonly last_partition: string;
}

/** Warnings of the process from now on, such as of listeners that pile up. */
function warningsOf() {
  const names: string[] = [];
  const note = ({ name, message }: Error) => names.push(`${name}: ${message}`);
  process.on('warning', note);
  return {
    seen: async () => {
      await setImmediate();
      process.off('warning', note);
      return names;
    },
  };
}

let service: TestService;
const BULK = '/v1/bulk/us-equity/eq-taq';

beforeAll(async () => {
  service = await openTestService();
  await service.publish('eq_taq', TICKS);
});
afterAll(() => service.close());

/** An answer that nobody keeps, and that says nothing of the file that was asked for. */
function expectErrorAlone({ headers }: LightMyRequestResponse): void {
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  for (const name of ['etag', 'repr-digest', 'content-disposition']) {
    expect(headers).not.toHaveProperty(name);
  }
}

const pathOf = ({ url }: ManifestFile) => new URL(url).pathname;

async function manifest(query: string, key = service.key) {
  const response = await service.get(`${BULK}${query}`, { 'x-api-key': key });
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

/** A request without a key. */
function fetchFile(file: ManifestFile, headers = {}, method: 'GET' | 'HEAD' = 'GET') {
  return service.app.inject({ method, url: pathOf(file), headers });
}

async function rowsOf(files: readonly ManifestFile[], textId = 'eq_taq') {
  const { columns } = service.dataset(textId);
  const rows: (readonly CellValue[])[] = [];
  for (const file of files) {
    const { rawPayload } = await fetchFile(file);
    rows.push(...(await readParquet(columns, rawPayload)).rows);
  }
  return rows;
}

function detailOf(response: LightMyRequestResponse): string {
  return response.json().detail;
}

describe('a manifest', () => {
  it('names files that together are all rows, in natural order', async () => {
    const { files, ...told } = await manifest('');
    const sorted = ['6', '7', '8'].flatMap((day) =>
      TICKS.filter(([date]) => date === `${TICK}${day}`),
    );
    const rows = await rowsOf(files);
    expect(rows.map(([date, , , ticker]) => [date, ticker])).toEqual(
      sorted.map(([date, , , ticker]) => [date, ticker]),
    );
    expect(told).toMatchObject({
      dataset_id: 'US1032',
      dataset_version: 1,
      response_format: 'parquet',
      row_count: 27,
      byte_count: files.reduce((sum: number, file: ManifestFile) => sum + file.byte_count, 0),
      expires_at: '2025-06-21T04:00:00Z',
      allowance: { fits: true, requests_left: null },
    });
    expect(files.map((file: ManifestFile) => file.first_partition)).toEqual([
      '2025-06-16',
      '2025-06-17',
      '2025-06-18',
    ]);
  });

  it('has the length and the SHA-256 of each file', async () => {
    const { files } = await manifest('?Ticker.in=AAA,CCC');
    for (const file of files) {
      const { rawPayload, headers } = await fetchFile(file);
      expect(rawPayload).toHaveLength(file.byte_count);
      expect(headers['content-length']).toBe(`${file.byte_count}`);
      expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(file.sha256);
      expect(headers.etag).toBe(`"${file.sha256}"`);
    }
  });

  it('takes filters on what the path of a page would name, and columns', async () => {
    const query = `?TradeDate.ge=${TICK}7&Ticker=BBB&columns=Ticker,Price`;
    const { files, row_count: rowCount } = await manifest(query);
    expect(rowCount).toBe(6);
    const { rawPayload } = await fetchFile(files[0]);
    const { metadata } = await readParquet([], rawPayload);
    expect(metadata.schema.slice(1).map(({ name }) => name)).toEqual(['Ticker', 'Price']);
  });

  it('puts the few rows of many partitions into one file', async () => {
    const { files } = await manifest('?Price=101');
    const total = files.reduce((sum: number, file: ManifestFile) => sum + file.row_count, 0);
    expect(total).toBe(9);
  });

  it('names files of Arrow and of gzip CSV with the same rows', async () => {
    const prices = async (format: string, read: (body: Buffer) => unknown[]) => {
      const { files } = await manifest(`?Ticker=BBB&response_format=${format}`);
      const bodies = [];
      for (const file of files) bodies.push((await fetchFile(file)).rawPayload);
      return bodies.flatMap(read);
    };
    const expected = TICKS.filter(([, , , ticker]) => ticker === 'BBB').map((row) => row[5]);
    const ofArrow = (body: Buffer) => arrowPage(body).rows.map((row) => row[5]);
    const ofCsv = (body: Buffer) => {
      const [header = '', ...lines] = gunzipSync(body).toString().trim().split('\n');
      expect(header.split(',')[5]).toBe('"Price"');
      return lines.map((line) => Number(line.split(',')[5]));
    };
    expect(await prices('arrow', ofArrow)).toEqual(expected);
    expect(await prices('csv_gzip', ofCsv)).toEqual(expected);
  });

  it('says the request in the one form that comes to the same manifest', async () => {
    const told = await manifest(`?Ticker.in=CCC,BBB&columns=Price&response_format=arrow`);
    expect(told.canonical_request).toBe(
      '/bulk/us-equity/eq-taq?Ticker.in=BBB,CCC&columns=Price&response_format=arrow',
    );
    const again = (await service.get(`/v1${told.canonical_request}`)).json();
    const hashes = ({ files }: { files: ManifestFile[] }) => files.map(({ sha256 }) => sha256);
    expect(hashes(again)).toEqual(hashes(told));
    // Pages of the dataset look back; files do not.
    const daily = (await service.get('/v1/bulk/us-equity/eq-daily-ohlc?Ticker=AAA')).json();
    expect(daily.canonical_request).not.toContain('period');
  });

  it('has no files where there are no rows', async () => {
    expect(await manifest('?Ticker=NOPE')).toMatchObject({ files: [], row_count: 0 });
  });

  it('has the types of Arrow files, also where there are none', async () => {
    const asked = 'columns=TradeDate,Ticker,Price&response_format=arrow';
    const typesOf = ({ names, types }: ReturnType<typeof arrowPage>) => ({ names, types });
    const some = await manifest(`?Ticker=BBB&${asked}`);
    const file = arrowPage((await fetchFile(some.files[0])).rawPayload);
    for (const told of [some, await manifest(`?Ticker=NOPE&${asked}`)]) {
      const bytes = Buffer.from(told.rowless_stream, 'base64');
      const stream = arrowPage(bytes);
      // Without it, other readers take a stream for cut off.
      expect(bytes.subarray(-8).toString('hex')).toBe('ffffffff00000000');
      expect(typesOf(stream)).toEqual(typesOf(file));
      expect(stream.rows).toEqual([]);
      expect(stream.labels['ticklake.dataset_version']).toBe(`${told.dataset_version}`);
    }
    expect((await manifest('?Ticker=NOPE')).rowless_stream).toBeNull();
  });

  it.each([
    ['?sort=Price', 'sort does not apply to bulk requests'],
    ['?limit=10', 'limit does not apply to bulk requests'],
    ['?offset=10', 'offset does not apply to bulk requests'],
    ['?receipt=true', 'receipt does not apply to bulk requests'],
    ['?response_format=json', "Input should be 'parquet', 'arrow' or 'csv_gzip'"],
    ['?response_format=xml', "Input should be 'parquet', 'arrow' or 'csv_gzip'"],
    ['?Nope=1', 'The following columns do not exist in the dataset: Nope'],
  ])('refuses %s in words', async (query, text) => {
    const response = await service.get(`${BULK}${query}`);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail[0].msg).toContain(text);
  });

  it('refuses more files than the limit, which it names', async () => {
    const small = await openTestService({ bulkFilesMax: 2 });
    await small.publish('eq_taq', TICKS);
    const response = await small.get(BULK);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail[0].msg).toBe(
      'The request comes to 3 files, more than 2: ask for fewer dates',
    );
    await small.close();
  });
});

describe('a link', () => {
  let file: ManifestFile;
  beforeAll(async () => {
    [file] = (await manifest('')).files;
  });

  it.each([
    ['bytes=0-3', 0, 4],
    ['bytes=4-', 4, null],
    ['bytes=-4', -4, null],
  ])('leads to the range %s', async (range, start, end) => {
    const whole = (await fetchFile(file)).rawPayload;
    const response = await fetchFile(file, { range });
    expect(response.statusCode).toBe(206);
    expect(response.rawPayload).toEqual(whole.subarray(start, end ?? undefined));
    const from = start < 0 ? whole.length + start : start;
    const last = (end ?? whole.length) - 1;
    expect(response.headers['content-range']).toBe(`bytes ${from}-${last}/${whole.length}`);
  });

  it('leads to the whole file where If-Range names another one', async () => {
    const response = await fetchFile(file, { range: 'bytes=0-3', 'if-range': '"other"' });
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload).toHaveLength(file.byte_count);
    const same = { range: 'bytes=0-3', 'if-range': `"${file.sha256}"` };
    expect((await fetchFile(file, same)).statusCode).toBe(206);
  });

  it('answers a range outside of the file with 416 and its length', async () => {
    const response = await fetchFile(file, { range: `bytes=${file.byte_count}-` });
    expect(response.statusCode).toBe(416);
    expect(response.headers['content-range']).toBe(`bytes */${file.byte_count}`);
    expect(detailOf(response)).toBe(`The file has ${file.byte_count} bytes`);
    expectErrorAlone(response);
  });

  it('answers HEAD with the headers of GET and no body', async () => {
    const { headers, rawPayload, statusCode } = await fetchFile(file, {}, 'HEAD');
    expect(statusCode).toBe(200);
    expect(rawPayload).toHaveLength(0);
    expect(headers).toMatchObject({
      'content-length': `${file.byte_count}`,
      'accept-ranges': 'bytes',
      'content-type': 'application/vnd.apache.parquet',
      'cache-control': expect.stringContaining('private, immutable'),
      'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    });
  });

  it('answers 304 to a client that holds the file', async () => {
    const response = await fetchFile(file, { 'if-none-match': `"${file.sha256}"` });
    expect(response.statusCode).toBe(304);
  });

  it('that was changed is refused, and so is one that has expired', async () => {
    const [ticket = ''] = pathOf(file).split('/').slice(-2);
    const forged = ticket.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    const url = pathOf(file).replace(ticket, forged);
    const refused = await service.app.inject({ url });
    expect(refused.statusCode).toBe(403);
    expect(detailOf(refused)).toBe("The file's link is not valid");
    service.clock.set('2025-06-21T04:00:00Z');
    const late = await fetchFile(file);
    service.clock.set('2025-06-20T16:00:00Z');
    expect(late.statusCode).toBe(403);
    expect(detailOf(late)).toBe("The file's link has expired: ask for a new manifest");
  });
});

it('a download counts as unsent and as returned from its begin, and finds no room past the limit', async () => {
  const small = await openTestService({ unsentBytesPerAccountMax: 20_000 });
  await small.publish(
    'eq_taq',
    TICKS.flatMap((row) => Array.from({ length: 50 }, () => row)),
  );
  const [file] = (await small.get(`${BULK}?response_format=arrow`)).json().files;
  const { unsent, usage } = small.services;
  const reserving = vi.spyOn(usage.counters, 'reserveBytes');
  const heldBytes: number[] = [];
  const { lentChunks } = StoredBytes.prototype;
  vi.spyOn(StoredBytes.prototype, 'lentChunks').mockImplementation(function (
    this: StoredBytes,
    ...at
  ) {
    heldBytes.push(unsent.byteCount);
    return lentChunks.apply(this, at);
  });
  const url = pathOf(file);
  expect((await small.app.inject({ url })).statusCode).toBe(200);
  expect(heldBytes).toEqual([file.byte_count]);
  expect(reserving.mock.calls).toEqual([[small.accountId, file.byte_count]]);
  expect(unsent.byteCount).toBe(0);
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  unsent.hold(small.accountId, 20_000, response);
  const refused = await small.app.inject({ url });
  expect(refused.statusCode).toBe(503);
  expectErrorAlone(refused);
  vi.restoreAllMocks();
  await small.close();
});

it('a manifest may name more files than there is disk space for, one after the other', async () => {
  const small = await openTestService({ bulkDiskBytesMax: 30_000 });
  await small.publish(
    'eq_taq',
    TICKS.flatMap((row) => Array.from({ length: 50 }, () => row)),
  );
  const response = await small.get(`${BULK}?response_format=arrow`);
  expect(response.statusCode).toBe(200);
  const { files, byte_count: byteCount } = response.json();
  expect(byteCount).toBeGreaterThan(60_000);
  expect(small.services.files.byteCount).toBeLessThanOrEqual(30_000);
  for (const file of files) {
    const { statusCode, rawPayload } = await small.app.inject({ url: pathOf(file) });
    expect(statusCode).toBe(200);
    expect(createHash('sha256').update(rawPayload).digest('hex')).toBe(file.sha256);
  }
  await small.close();
});

it('a link whose stored file is gone is a 503 that nobody keeps', async () => {
  const damaged = await openTestService();
  await damaged.publish('eq_taq', TICKS);
  const [file] = (await damaged.get(BULK)).json().files;
  const parts = await partFiles(damaged.services.lake, damaged.dataset('eq_taq').datasetId);
  for (const part of parts) rmSync(part);
  const warnings = warningsOf();
  for (const range of ['', 'bytes=4-9']) {
    const response = await damaged.app.inject({ url: pathOf(file), headers: { range } });
    expect(response.statusCode).toBe(503);
    expect(response.json()).toEqual({ detail: 'Service unavailable' });
    expectErrorAlone(response);
    expect(response.headers['content-range']).toBeUndefined();
  }
  // Waiting for the end of the file and of the error at once causes no warning.
  expect(await warnings.seen()).toEqual([]);
  await damaged.close();
});

it('files that a connection fetches one after the other leave nothing behind on it', async () => {
  const many = await openTestService();
  await many.publish('eq_taq', TICKS);
  await many.app.listen({ host: '127.0.0.1', port: 0 });
  const sockets: Socket[] = [];
  many.app.server.on('connection', (socket) => sockets.push(socket));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = many.app.server.address() as AddressInfo;
  const { files } = (await many.get(BULK)).json();
  const fetchAll = async () => {
    for (const file of files) {
      const [response] = await once(get({ agent, port, path: pathOf(file) }), 'response');
      expect((await buffer(response)).length).toBe(file.byte_count);
    }
  };
  const warnings = warningsOf();
  const rounds = 5;
  for (let round = 0; round < rounds; round++) await fetchAll();
  const [socket, ...others] = sockets as [Socket, ...Socket[]];
  expect(others).toEqual([]);
  // One more for each file would be as many as these; the last answer may not have ended yet.
  for (const name of socket.eventNames()) {
    expect(socket.listenerCount(name), String(name)).toBeLessThan(rounds * files.length);
  }
  expect(await warnings.seen()).toEqual([]);
  agent.destroy();
  await many.close();
});

describe('a link of an account', () => {
  async function accountWithLink() {
    const { accountId, key } = await service.addAccount(randomUUID());
    const window = { startDate: '1900-01-01', endDate: null, universe: [] };
    const ruleId = await service.services.store.transaction(({ rules }) =>
      rules.add({ accountId, datasetId: 'US1032', ...window }),
    );
    const [file] = (await manifest('', key)).files;
    expect((await fetchFile(file)).statusCode).toBe(200);
    return { accountId, key, ruleId, file };
  }

  it('stops at the next request when the rules have changed', async () => {
    const { accountId, ruleId, file } = await accountWithLink();
    const store = writing(service.services.store);
    await store.rules.delete(ruleId);
    expect((await fetchFile(file)).statusCode).toBe(403);
    const narrow = { startDate: '1900-01-01', endDate: null, universe: ['BBB'] };
    await store.rules.add({ accountId, datasetId: 'US1032', ...narrow });
    const response = await fetchFile(file);
    expect(response.statusCode).toBe(403);
    expect(detailOf(response)).toBe(
      'The rules of the account have changed: ask for a new manifest',
    );
  });

  it('stops when its key is gone, its account deactivated, or its address no longer allowed', async () => {
    const { accountId, file } = await accountWithLink();
    const store = writing(service.services.store);
    await store.accounts.update(accountId, { ipSubnets: ['10.0.0.0/8'] });
    expect((await fetchFile(file)).statusCode).toBe(403);
    await store.accounts.update(accountId, { ipSubnets: [], isActive: false });
    expect((await fetchFile(file)).statusCode).toBe(410);
  });

  it('counts the bytes that were sent, and scans in their share', async () => {
    const { key, file } = await accountWithLink();
    const used = async () => {
      const { quotas_usage: usage } = (
        await service.get('/v1/account/my/quotas', { 'x-api-key': key })
      ).json();
      return usage.month;
    };
    const before = await used();
    await fetchFile(file, { range: 'bytes=0-9' });
    const after = await used();
    expect(after.requests - before.requests).toBe(2);
    // The difference includes the bytes of the usage request itself.
    const whole = await fetchFile(file);
    const last = await used();
    expect(last.data_returned - after.data_returned).toBeGreaterThanOrEqual(
      whole.rawPayload.length,
    );
    expect(last.data_scanned).toBeGreaterThan(after.data_scanned);
  });
});

describe('behind a proxy that sends files', () => {
  it.each([
    ['x-accel-redirect', 'x-accel-redirect', /^\/ticklake-files\/([\da-f]{64}-\d+)$/],
    ['x-sendfile', 'x-sendfile', /\/files\/([\da-f]{64}-\d+)$/],
  ] as const)('%s names the whole file and sends nothing itself', async (sender, header, place) => {
    const behind = await openTestService({ fileSender: sender });
    await behind.publish('eq_taq', TICKS);
    const [file] = (await behind.get(BULK)).json().files;
    const url = pathOf(file);
    const usedBytes = async () =>
      (await behind.services.usage.counters.read(behind.accountId)).month.returnedBytes;
    const before = await usedBytes();
    const response = await behind.app.inject({ url });
    expect(response.statusCode).toBe(200);
    expect(response.rawPayload).toHaveLength(0);
    const [, name = ''] = place.exec(String(response.headers[header])) ?? [];
    const sent = readFileSync(join(behind.services.config.home, 'files', name));
    expect(createHash('sha256').update(sent).digest('hex')).toBe(file.sha256);
    await expect.poll(usedBytes).toBe(before + file.byte_count);
    const part = await behind.app.inject({ url, headers: { range: 'bytes=0-9' } });
    // The proxy cuts the range.
    expect(part.statusCode).toBe(200);
    await expect.poll(usedBytes).toBe(before + file.byte_count + 10);
    // A proxy would answer it with the whole file.
    const same = { range: 'bytes=0-9', 'if-range': `"${file.sha256}"` };
    const resumed = await behind.app.inject({ url, headers: same });
    expect(resumed.headers[header]).toBeUndefined();
    expect(resumed.statusCode).toBe(206);
    expect(resumed.rawPayload).toEqual(sent.subarray(0, 10));
    await expect.poll(usedBytes).toBe(before + file.byte_count + 20);
    const head = await behind.app.inject({ method: 'HEAD', url });
    expect(head.headers[header]).toBeUndefined();
    expect(head.headers['content-length']).toBe(`${file.byte_count}`);
    await writing(behind.services.store).accounts.update(behind.accountId, { isActive: false });
    const refused = await behind.app.inject({ url });
    expect(refused.statusCode).toBe(410);
    expect(refused.headers[header]).toBeUndefined();
    await behind.close();
  });
});
