import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readParquet } from '../../server/src/engine/conformance/read-parquet.ts';
import { repetitions } from '../../server/test/repetitions.ts';
import {
  IntegrityError,
  Ticklake,
  TicklakeError,
  TransportError,
  type Where,
} from '../src/index.ts';
import { joinFiles } from '../src/joined-files.ts';
import type { RemoteFile } from '../src/remote-file.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { haltRows, type ServedRows, serveRows, silent } from './served-rows.ts';
import { controlSilence, SILENCE_MS, type Silence } from './silence.ts';

const ROWS = 400;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-client-'));
let served: ServedRows;
let proxy: FaultProxy;
let silence: Silence;
let client: Ticklake;
let whole: Buffer;

beforeAll(async () => {
  served = await serveRows(ROWS);
  proxy = await startFaultProxy(served.url);
  silence = controlSilence();
  proxy.onStall = silence.pass;
  const { key } = served.service;
  client = new Ticklake({ url: proxy.url, key, firstWaitMs: 1, timeoutMs: SILENCE_MS, ...silent });
  const [file] = await filesOf('eq_trading_halts');
  whole = await bytesOf(file as RemoteFile);
});
beforeEach(() => {
  proxy.faults.length = 0;
  proxy.requests.length = 0;
  proxy.among = '/v1/files/';
});
afterAll(async () => {
  silence.restore();
  await proxy.close();
  await served.service.close();
  rmSync(folder, { recursive: true });
});

async function filesOf(name: string): Promise<readonly RemoteFile[]> {
  return (await client.dataset(name).read().files()).files;
}

const bytesOf = (file: RemoteFile) => buffer(file.stream() as never);
const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

async function haltsFile(): Promise<RemoteFile> {
  const [file] = await filesOf('eq_trading_halts');
  proxy.requests.length = 0;
  return file as RemoteFile;
}

function inChunks(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.slice(at, at + size));
      else controller.close();
      at += size;
    },
  });
}

let pathCount = 0;
const newPath = () => join(folder, `${++pathCount}.parquet`);
const ranges = () => proxy.requests.map(({ headers }) => headers.range);

describe('files', () => {
  it('are all rows of the query, of the version that it pins', async () => {
    const query = client.dataset('eq_trading_halts').read();
    const manifest = await query.files();
    expect(manifest).toMatchObject({ datasetId: 'US2013', rowCount: ROWS, format: 'parquet' });
    expect(query.version).toBe(manifest.version);
    const { columns } = served.service.dataset('eq_trading_halts');
    const [file] = manifest.files;
    const { rows } = await readParquet(columns, await bytesOf(file as RemoteFile));
    expect(rows.map((row) => row[1])).toEqual(haltRows(ROWS).map((row) => row[1]));
    const cut = await client
      .dataset('eq_trading_halts')
      .read({ where: { 'Ticker.in': ['T00001', 'T00002'] }, columns: ['Ticker'] })
      .files();
    expect(cut.rowCount).toBe(2);
  });

  it('come in the format that is asked for, each with all of the rows', async () => {
    const query = client.dataset('eq_trading_halts').read({ columns: ['Ticker', 'SecId'] });
    const bodyOf = async (format: 'csv_gzip' | 'arrow') => {
      const set = await query.files({ format });
      expect(set).toMatchObject({ format, rowCount: ROWS });
      return await bytesOf(set.files[0] as RemoteFile);
    };
    const [header, ...lines] = gunzipSync(await bodyOf('csv_gzip'))
      .toString()
      .trimEnd()
      .split('\n');
    const tickers = haltRows(ROWS).map((row) => row[1]);
    expect([header, lines.map((line) => line.split(',')[0])]).toEqual([
      '"Ticker","SecId"',
      tickers,
    ]);
    const table = tableFromIPC(await bodyOf('arrow'));
    expect(Array.from(table.getChild('Ticker') ?? [])).toEqual(tickers);
    await expect(query.files({ format: 'xml' as never })).rejects.toThrow(/response_format/);
  });

  it('give the rows of questions that name no day or no identifier, in order', async () => {
    const ticks = client.dataset('eq_taq');
    const all = await ticks.read().toArray({ limit: Number.POSITIVE_INFINITY });
    const keys = all.map(({ TradeDate, Ticker }) => `${TradeDate} ${Ticker}`);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(keys).size).toBeGreaterThan(2);
    const named = { Ticker: [...new Set(all.map(({ Ticker }) => String(Ticker)))] };
    const days = [...new Set(all.map(({ TradeDate }) => String(TradeDate)))];
    const byPath = await ticks
      .read({ where: { ...named, TradeDate: days } })
      .toArray({ limit: Number.POSITIVE_INFINITY });
    expect(all).toEqual(byPath);
    expect(await ticks.read().toArray({ limit: 3 })).toEqual(all.slice(0, 3));
    const [one = ''] = named.Ticker;
    const rows = await ticks
      .read({ where: { Ticker: one }, columns: ['Ticker'] })
      .toArray({ limit: 9 });
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toEqual({ Ticker: one });
    const none = ticks.read({ where: { Ticker: 'NONE' } });
    expect(await none.toArray({ limit: 9 })).toEqual([]);
    await expect(ticks.read({ sort: ['Price'] }).toArray({ limit: 9 })).rejects.toThrow(
      /without 'sort'/,
    );
  });

  it('can be asked for ticks of any number of days and identifiers', async () => {
    const ticks = client.ticks(['AAA', 'BBB'], { from: '2025-06-17', to: '2025-06-18' });
    expect((await ticks.files()).rowCount).toBe(4);
    expect(
      await client
        .dataset('eq_taq')
        .read({ where: { Ticker: 'NONE' } })
        .files(),
    ).toMatchObject({ rowCount: 0, files: [] });
  });

  it('are one body of a format where no pages have the rows', async () => {
    const ticks = (day: string, n: number) => [
      ...[day, BigInt(Date.parse(`${day}T14:00:00Z`)) * 1_000_000n + BigInt(n), 'TRADE', 'AAA'],
      ...[11n, n / 8, 10n, 'NYSE', 1n],
    ];
    const days = ['2025-06-11', '2025-06-12', '2025-06-13'];
    const rows = days.flatMap((day) => Array.from({ length: 50 }, (_, n) => ticks(day, n)));
    await served.service.publish('eq_taq', rows);
    const read = (where: Where) =>
      client.dataset('eq_taq').read({ where, columns: ['TradeDate', 'Price'] });
    const some = { 'TradeDate.in': days };
    expect((await read(some).files()).files.length).toBeGreaterThan(1);
    const lines = rows.map((row) => `${row[0]},${row[5]}\n`).join('');
    const csv = await buffer(read(some).bytes('csv'));
    expect(csv.toString()).toBe(`"TradeDate","Price"\n${lines}`);
    expect(gunzipSync(await buffer(read(some).bytes('csv_gzip')))).toEqual(csv);
    const listed = { TradeDate: days, Ticker: ['AAA', 'BBB'] };
    expect(gunzipSync(await buffer(read(listed).bytes('csv_gzip')))).toEqual(csv);
    const table = await tableFromIPC(read(some).arrow());
    expect(Array.from(table.getChild('Price') ?? [])).toEqual(rows.map((row) => row[5]));

    const none = { 'TradeDate.ge': '2025-06-18', Ticker: 'aaa' };
    const header = await buffer(read(none).bytes('csv'));
    expect(header.toString()).toBe('"TradeDate","Price"\n');
  });

  it('without any rows are an Arrow stream that has the types of the columns', async () => {
    const columns = ['TradeDate', 'EventDateTime', 'Ticker', 'Price'];
    const ticks = client.dataset('eq_taq');
    const some = await ticks.read({ where: { TradeDate: '2025-06-18', Ticker: 'AAA' } }).files();
    expect(some.rowCount).toBeGreaterThan(0);
    const version = some.version as number;
    const page = ticks.read({ where: { TradeDate: '2025-06-18', Ticker: 'AAA' }, columns });
    const { schema } = await tableFromIPC(page.bytes('arrow'));
    for (const where of [
      { 'EventDateTime.ge': '2031-01-01' },
      { Ticker: 'NONE' },
      { ASID: 9_999n },
      { 'Ticker.in': 'NONE,NEITHER', 'Price.ge': 1 },
      { TradeDate: '2025-06-18', 'Ticker.like': 'NO*' },
    ] satisfies Where[]) {
      const query = ticks.read({ where, columns, version });
      const table = await tableFromIPC(query.bytes('arrow'));
      expect([table.numRows, `${table.schema}`]).toEqual([0, `${schema}`]);
      expect(table.schema.metadata.get('ticklake.dataset_version')).toBe(`${version}`);
      expect(query.version).toBe(version);
    }
    const all = await tableFromIPC(ticks.read({ where: { Ticker: 'NONE' } }).arrow());
    const names = served.service.dataset('eq_taq').columns.map(({ name }) => name);
    expect(all.schema.fields.map(({ name }) => name)).toEqual(names);
    const refused = ticks.read({ where: { 'TradeDate.ge': '2031-01-01' } });
    await expect(tableFromIPC(refused.bytes('arrow'))).rejects.toThrow(/outside of the allowed/);
    const none = ticks.read({ where: { Ticker: 'aaa', 'TradeDate.ge': '2025-06-18' } });
    await expect(buffer(none.bytes('parquet'))).rejects.toThrow(/no rows.*'AAA'/);
  });

  it('joined to one body are so wherever their chunks end', async () => {
    const mark = [255, 255, 255, 255];
    const [schema, end] = [
      [...mark, 4, 0, 0, 0, 1, 1, 1, 1],
      [...mark, 0, 0, 0, 0],
    ];
    const fileOf = (bytes: readonly number[], size: number) =>
      ({ stream: () => inChunks(Uint8Array.from(bytes), size) }) as unknown as RemoteFile;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array()),
        fc.integer({ min: 1, max: 30 }),
        async (rows, size) => {
          const files = rows.map((each) => fileOf([...schema, ...each, ...end], size));
          const body = await buffer(joinFiles('arrow', files, []));
          const all = rows.flatMap((each) => [...each]);
          expect([...body]).toEqual([...(rows.length > 0 ? schema : []), ...all, ...end]);
        },
      ),
    );
    const cut = fileOf([...schema, 7, ...end.slice(1)], 3);
    await expect(buffer(joinFiles('arrow', [cut], []))).rejects.toBeInstanceOf(IntegrityError);
  });

  it('are fetched without the key', async () => {
    const file = await haltsFile();
    await bytesOf(file);
    expect(proxy.requests[0]?.headers['x-api-key']).toBeUndefined();
  });

  it('have links that are asked for anew when they have expired', async () => {
    const file = await haltsFile();
    const { clock } = served.service;
    clock.set('2025-06-21T16:00:00Z');
    expect(await bytesOf(file)).toEqual(whole);
    clock.set('2025-06-20T16:00:00Z');
  });
});

const anyFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.constant<Fault>({ kind: 'none' }),
  fc.record({
    kind: fc.constantFrom('reset' as const, 'cut' as const, 'flip' as const),
    atByte: fc.nat(12_000),
  }),
  fc.record({ kind: fc.constant('stall' as const), atByte: fc.nat(12_000) }),
  fc.constant<Fault>({ kind: 'no range' }),
  fc
    .constantFrom(500, 502, 503, 429, 416, 404)
    .map((status): Fault => ({ kind: 'refuse', status, headers: { 'retry-after': '0' } })),
);

describe('the exact bytes, or an error', () => {
  it('whatever happens on the way, streamed or to disk, from any beginning', async () => {
    const file = await haltsFile();
    const anyStart = fc.option(fc.tuple(fc.nat(whole.length + 5), fc.boolean()));
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { maxLength: 7 }), anyStart, async (faults, start) => {
        proxy.faults.splice(0, proxy.faults.length, ...faults);
        const streamed = await bytesOf(file).catch((error: unknown) => error);
        if (Buffer.isBuffer(streamed)) expect(streamed.equals(whole)).toBe(true);
        else expect(streamed).toBeInstanceOf(TicklakeError);

        proxy.faults.splice(0, proxy.faults.length, ...faults);
        const path = newPath();
        if (start) {
          const held = Buffer.concat([whole, Buffer.alloc(5)]).subarray(0, start[0]);
          if (start[1] && held.length > 0) held[0] = (held[0] as number) ^ 1;
          writeFileSync(`${path}.partial`, held);
        }
        const failure = await file.download(path).catch((error: unknown) => error);
        if (failure) expect(failure).toBeInstanceOf(TicklakeError);
        expect(existsSync(path)).toBe(!failure);
        if (!failure) expect(readFileSync(path).equals(whole)).toBe(true);
      }),
      { numRuns: repetitions('TICKLAKE_CLIENT_FAULTS', 25) },
    );
  });

  it('a broken download asks for what it lacks alone', async () => {
    const file = await haltsFile();
    proxy.faults.push({ kind: 'cut', atByte: 3000 }, { kind: 'stall', atByte: 100 });
    const path = newPath();
    const told: number[] = [];
    await file.download(path, { onProgress: (byteCount) => told.push(byteCount) });
    expect(sha256Of(readFileSync(path))).toBe(file.sha256);
    const [first, ...others] = ranges();
    expect(first).toBeUndefined();
    expect(others.length).toBeGreaterThan(0);
    for (const range of others) expect(range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(file.byteCount);
  });

  it('a download goes on where another process ended', async () => {
    const file = await haltsFile();
    const path = newPath();
    writeFileSync(`${path}.partial`, whole.subarray(0, 1000));
    await file.download(path);
    expect(ranges()).toEqual(['bytes=1000-']);
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  it('altered bytes on disk are thrown away, and the file is fetched anew', async () => {
    const file = await haltsFile();
    const path = newPath();
    writeFileSync(`${path}.partial`, Buffer.alloc(1000, 7));
    await file.download(path);
    expect(ranges()).toEqual(['bytes=1000-', undefined]);
    expect(readFileSync(path).equals(whole)).toBe(true);
  });

  it('bytes that are altered each time are an error, and nothing is left of them', async () => {
    const file = await haltsFile();
    proxy.faults.push(...Array<Fault>(100).fill({ kind: 'flip', atByte: 99 }));
    const path = newPath();
    await expect(file.download(path)).rejects.toBeInstanceOf(IntegrityError);
    expect([path, `${path}.partial`].filter(existsSync)).toEqual([]);
    await expect(bytesOf(file)).rejects.toBeInstanceOf(IntegrityError);
  });

  it('a file that never comes is an error, and what has come stays', async () => {
    const file = await haltsFile();
    proxy.faults.push(
      { kind: 'reset', atByte: 500 },
      ...Array<Fault>(100).fill({ kind: 'reset', atByte: 0 }),
    );
    const path = newPath();
    await expect(file.download(path)).rejects.toBeInstanceOf(TransportError);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.partial`)).toBe(true);
  });
});

describe('a file to which the service leads at another place', () => {
  let store: FaultProxy;

  beforeAll(async () => {
    store = await startFaultProxy(served.url);
  });
  beforeEach(() => {
    store.faults.length = 0;
    store.requests.length = 0;
  });
  afterAll(() => store.close());

  /** A file whose link redirects to the store, once for each of the requests. */
  async function movedFile(redirectCount = 1): Promise<RemoteFile> {
    const file = await haltsFile();
    proxy.faults.push(...Array<Fault>(redirectCount).fill({ kind: 'move', to: store.url }));
    return file;
  }

  it('comes from there, without the key', async () => {
    expect(await bytesOf(await movedFile())).toEqual(whole);
    expect(proxy.requests).toHaveLength(1);
    expect(store.requests).toHaveLength(1);
    for (const { headers } of [...proxy.requests, ...store.requests]) {
      expect(JSON.stringify(headers)).not.toContain(served.service.key);
    }
    const path = newPath();
    await (await movedFile()).download(path);
    expect(readFileSync(path)).toEqual(whole);
  });

  it('is held to its digest and its length', async () => {
    const file = await movedFile();
    store.faults.push({ kind: 'flip', atByte: 100 });
    await expect(bytesOf(file)).rejects.toThrow(IntegrityError);
    const path = newPath();
    const again = await movedFile();
    store.faults.push({ kind: 'flip', atByte: 100 });
    await again.download(path);
    expect(readFileSync(path)).toEqual(whole);
  });

  it('is resumed at the service where it broke off', async () => {
    const file = await movedFile();
    store.faults.push({ kind: 'reset', atByte: 1000 });
    const path = newPath();
    await file.download(path);
    expect(readFileSync(path)).toEqual(whole);
    expect(store.requests).toHaveLength(1);
    expect(proxy.requests.map(({ headers }) => headers['if-range'])).toEqual([
      undefined,
      `"${file.sha256}"`,
    ]);
  });

  it('is whole where the other place sends all of it for a range', async () => {
    const file = await movedFile(2);
    store.faults.push({ kind: 'reset', atByte: 1000 }, { kind: 'no range' });
    expect(await bytesOf(file)).toEqual(whole);
    expect(store.requests).toHaveLength(2);
  });

  it('is asked for again at the service where the other place refuses it', async () => {
    const file = await movedFile();
    store.faults.push({ kind: 'refuse', status: 403, detail: 'Request has expired' });
    expect(await bytesOf(file)).toEqual(whole);
    expect(proxy.requests).toHaveLength(2);
    const lost = await movedFile(100);
    store.faults.push(...Array<Fault>(100).fill({ kind: 'refuse', status: 403 }));
    const failure = await bytesOf(lost).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(TransportError);
    expect(`${failure}`).toContain('answered 403');
    expect(`${failure}`).not.toContain('/files/');
  });
});
