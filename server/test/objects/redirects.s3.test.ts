/** Clients get files from the lake's object storage over real connections to server and store. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Ticklake } from '@ticklake/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { loadExtension } from '../../src/engine/duckdb/objects/engine-access.ts';
import { INSTALLED_ENGINE } from '../../src/installed.ts';
import { storedLimits } from '../../src/store/accounts.ts';
import { newFolder } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { runWith } from '../mirror/remote-commands.ts';
import { until } from '../until.ts';
import { writing } from '../writing.ts';
import { COPIED_BYTES_MIN, GROUP_ROWS, numbersOf, ticksOf } from './large-ticks.ts';
import { BUCKET, objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const PREFIX = 'redirects/lake';
const BULK = '/v1/bulk/us-equity/eq-taq';
/**
 * Rows of one day; they compress so poorly that the part is large enough to copy within the store.
 */
const ROW_COUNT = 600_000;
/** Rows of the first ticker: whole row groups, which a file cut to it holds as they are stored. */
const FIRST_COUNT = 8 * GROUP_ROWS;
const LARGE_DAY = '2025-06-17';
const SMALL_DAY = '2025-06-18';
const DAY_MS = 24 * 3_600_000;

const dayTicks = (day: string, count: number) =>
  ticksOf(day, count, (row) => (row < FIRST_COUNT ? 0 : 1));

interface ManifestFile {
  readonly url: string;
  readonly name: string;
  readonly byte_count: number;
  readonly row_count: number;
  readonly sha256: string;
}

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe.skipIf(objectStoreProblem() !== null)('files of a lake in object storage', () => {
  let store: TestObjectStore;
  let service: TestService;
  /** Lines of the log. */
  const lines: string[] = [];
  /** An account whose keys are created today, as its requests are. */
  let reader: { readonly accountId: number; readonly key: string };
  let origin: string;

  const setClock = (ms = Date.now()) => service.clock.set(new Date(ms).toISOString());
  const settings = () => ({
    ...store.settings(PREFIX),
    fileSender: 'object-storage' as const,
    linkLifetimeMs: 7 * DAY_MS,
    logLevel: 'info' as const,
  });

  async function filesOf(query: string, key = reader.key): Promise<ManifestFile[]> {
    const answer = await fetch(`${origin}${BULK}${query}`, { headers: { 'X-API-KEY': key } });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return JSON.parse(text).files;
  }

  async function onlyFileOf(query: string, key = reader.key): Promise<ManifestFile> {
    const files = await filesOf(query, key);
    expect(files).toHaveLength(1);
    return files[0] as ManifestFile;
  }

  const largeFile = () => onlyFileOf(`?TradeDate=${LARGE_DAY}`);

  /** Asks the server, and goes nowhere else. */
  const ask = (file: ManifestFile, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(file.url, { method, headers, redirect: 'manual' });

  /** The URL that the server leads to. */
  async function targetOf(file: ManifestFile) {
    const answer = await ask(file);
    await answer.body?.cancel();
    expect(answer.status).toBe(307);
    return answer.headers.get('location') ?? '';
  }

  /** The server sends a file itself as long as the store is slow to copy it. */
  async function untilCopied({ url }: Pick<ManifestFile, 'url'>): Promise<void> {
    await until(async () => {
      const answer = await fetch(url, { redirect: 'manual' });
      await answer.body?.cancel();
      return answer.status === 307;
    });
  }

  const returnedBytes = async (accountId: number) =>
    (await service.services.usage.counters.read(accountId)).month.returnedBytes;

  /** A new account that may read the dataset, as far as the tickers go. */
  async function addReader(universe: readonly string[] = []) {
    const account = await service.addAccount(`reader ${randomUUID()}`);
    const { datasetId } = service.dataset('eq_taq');
    const rule = { datasetId, startDate: '1900-01-01', endDate: null, universe };
    const ruleId = await tables().rules.add({ accountId: account.accountId, ...rule });
    return { ...account, ruleId };
  }

  const tables = () => writing(service.services.store);

  const objectsFolder = () => join(store.bucketFolder, PREFIX, '.files');

  beforeAll(async () => {
    store = await TestObjectStore.start();
    vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
    service = await openTestService(settings());
    setClock();
    reader = await addReader();
    await service.publish('eq_taq', dayTicks(LARGE_DAY, ROW_COUNT));
    await service.publish('eq_taq', dayTicks(SMALL_DAY, 1000));
    origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
    await untilCopied(await largeFile());
  });
  // Links into the store are valid for a minute.
  beforeEach(() => setClock());
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.close();
    await store.stop();
  });

  it('come from the store, with the bytes, the name and the type that the server would send', async () => {
    const file = await largeFile();
    expect(file.byte_count).toBeGreaterThan(COPIED_BYTES_MIN);
    expect(file.row_count).toBe(ROW_COUNT);
    const answer = await ask(file);
    expect(answer.status).toBe(307);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('etag')).toBe(`"${file.sha256}"`);
    const digest = Buffer.from(file.sha256, 'hex').toString('base64');
    expect(answer.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const target = answer.headers.get('location') ?? '';
    expect(target.startsWith(`${store.endpoint}/${BUCKET}/${PREFIX}/.files/`)).toBe(true);
    expect(target).not.toContain('secret-of-tests');
    const sent = await fetch(target);
    expect(sent.status).toBe(200);
    expect(sent.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    expect(sent.headers.get('content-disposition')).toBe(`attachment; filename="${file.name}"`);
    const bytes = await bytesOf(sent);
    expect(bytes).toHaveLength(file.byte_count);
    expect(sha256Of(bytes)).toBe(file.sha256);
  });

  it('come from the server where the setting is off, and then make no object', async () => {
    const off = await openTestService({ ...store.settings('redirects/off'), linkLifetimeMs: 1e8 });
    await off.publish('eq_taq', dayTicks(LARGE_DAY, ROW_COUNT));
    const [file] = (await off.get(BULK)).json().files;
    const answer = await off.app.inject({ url: new URL(file.url).pathname });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers.location).toBeUndefined();
    expect(sha256Of(answer.rawPayload)).toBe(file.sha256);
    expect(existsSync(join(store.bucketFolder, 'redirects/off/.files'))).toBe(false);
    await off.close();
  });

  it.each([
    ['few rows', `?TradeDate=${SMALL_DAY}`],
    ['a filter that cuts', `?TradeDate=${LARGE_DAY}&Ticker=AAA`],
    ['some of the columns', `?TradeDate=${LARGE_DAY}&columns=TradeDate,EventDateTime,Price`],
    ['another format', `?TradeDate=${SMALL_DAY}&response_format=csv_gzip`],
  ])('come from the server with %s', async (_, query) => {
    const file = await onlyFileOf(query);
    const answer = await ask(file);
    expect(answer.status).toBe(200);
    expect(sha256Of(await bytesOf(answer))).toBe(file.sha256);
  });

  it('that a rule cuts come from the server, cut', async () => {
    const { key } = await addReader(['AAA']);
    const file = await onlyFileOf(`?TradeDate=${LARGE_DAY}`, key);
    expect(file.row_count).toBe(FIRST_COUNT);
    // So large that the store could have sent it, as it lies in the part.
    expect(file.byte_count).toBeGreaterThan(COPIED_BYTES_MIN);
    const answer = await ask(file);
    expect(answer.status).toBe(200);
    expect(sha256Of(await bytesOf(answer))).toBe(file.sha256);
  });

  it('are led to by no answer to an account that is refused', async () => {
    const { accountId, key, ruleId } = await addReader();
    const { accounts, rules } = tables();
    const file = await onlyFileOf(`?TradeDate=${LARGE_DAY}`, key);
    const refusal = async () => {
      const answer = await ask(file);
      expect(answer.headers.get('location')).toBeNull();
      return answer.status;
    };
    expect(await targetOf(file)).not.toBe('');
    await accounts.update(accountId, { ipSubnets: ['192.0.2.0/24'] });
    expect(await refusal()).toBe(403);
    await accounts.update(accountId, { ipSubnets: [], isActive: false });
    expect(await refusal()).toBe(410);
    await accounts.update(accountId, { isActive: true });
    expect(await targetOf(file)).not.toBe('');
    await rules.delete(ruleId);
    expect(await refusal()).toBe(403);
    const forged = { ...file, url: file.url.replace('/files/', '/files/x') };
    expect((await ask(forged)).status).toBe(403);
  });

  it('count as if all of them was sent, and end with the quota', async () => {
    const { accountId, key } = await addReader();
    const file = await onlyFileOf(`?TradeDate=${LARGE_DAY}`, key);
    const before = await returnedBytes(accountId);
    await targetOf(file);
    await expect.poll(() => returnedBytes(accountId)).toBe(before + file.byte_count);
    const limits = storedLimits(
      JSON.stringify({ month: { returnedBytes: before + file.byte_count } }),
    );
    await tables().accounts.update(accountId, { limits });
    const refused = await ask(file);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('location')).toBeNull();
  });

  it('come in ranges from the server, so that DuckDB reads them over HTTP', async () => {
    const file = await largeFile();
    const ranges = [
      ['bytes=0-', 206],
      ['bytes=1000-1999', 206],
      ['bytes=-8', 206],
      [`bytes=${file.byte_count}-`, 416],
    ] as const;
    for (const [range, status] of ranges) {
      const answer = await ask(file, { range });
      await answer.body?.cancel();
      expect(answer.status, range).toBe(status);
    }
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await loadExtension(connection, process.env.TICKLAKE_EXTENSIONS ?? '');
    const sql = `SELECT count(*), count(DISTINCT Ticker) FROM read_parquet('${file.url}')`;
    const [row] = (await connection.runAndReadAll(sql)).getRows();
    expect(row).toEqual([BigInt(ROW_COUNT), 2n]);
    connection.closeSync();
    instance.closeSync();
  });

  it('are resumed at the server, which alone knows their tags', async () => {
    const file = await largeFile();
    const rest = { range: 'bytes=1000-1999' };
    const same = await ask(file, { ...rest, 'if-range': `"${file.sha256}"` });
    expect(same.status).toBe(206);
    expect(await bytesOf(same)).toHaveLength(1000);
    const other = await ask(file, { ...rest, 'if-range': '"another"' });
    expect(other.status).toBe(200);
    expect(sha256Of(await bytesOf(other))).toBe(file.sha256);
    const held = await ask(file, { 'if-none-match': `"${file.sha256}"` });
    expect(held.status).toBe(304);
    const head = await ask(file, {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers.get('content-length')).toBe(`${file.byte_count}`);
    expect(head.headers.get('location')).toBeNull();
  });

  it('are led to by URLs of one object, one method and one minute', async () => {
    const file = await largeFile();
    const target = await targetOf(file);
    expect(new URL(target).searchParams.get('X-Amz-Expires')).toBe('60');
    for (const method of ['HEAD', 'PUT', 'DELETE']) {
      expect((await fetch(target, { method })).status, method).toBe(403);
    }
    const other = target.replace(/\.files\/[^?]+/, '.deployment');
    expect(other).not.toBe(target);
    expect((await fetch(other)).status).toBe(403);
    expect((await fetch(target.replace('X-Amz-Expires=60', 'X-Amz-Expires=600'))).status).toBe(403);
    setClock(Date.now() - 61_000);
    const expired = await fetch(await targetOf(file));
    setClock();
    expect(expired.status).toBe(403);
    expect(await expired.text()).toContain('expired');
  });

  it('come from the server while the store takes no copy', async () => {
    const file = await largeFile();
    const tomorrowMs = Date.now() + DAY_MS;
    setClock(tomorrowMs);
    // A file stands where the day's folder would be.
    const place = join(objectsFolder(), dayOf(tomorrowMs));
    mkdirSync(objectsFolder(), { recursive: true });
    lines.length = 0;
    writeFileSync(place, 'in the way');
    for (let attempt = 0; attempt < 2; attempt++) {
      const answer = await ask(file);
      expect(answer.status).toBe(200);
      expect(sha256Of(await bytesOf(answer))).toBe(file.sha256);
    }
    rmSync(place);
    setClock();
    // Not tried again at once.
    const warnings = lines.filter((line) => line.includes('not sent by the object storage'));
    expect(warnings).toHaveLength(1);
  });

  it('reach the client, the command line and a mirror through the store', async () => {
    const file = await largeFile();
    const client = new Ticklake({ url: origin, key: reader.key });
    const { files } = await client
      .dataset('eq_taq')
      .read({ where: { TradeDate: LARGE_DAY } })
      .files();
    const folder = newFolder();
    const shaOf = (path: string) => sha256Of(readFileSync(path));
    const redirectCount = () => lines.filter((line) => line.includes('"status":307')).length;
    lines.length = 0;
    const own = join(folder.path, 'own.parquet');
    await files[0]?.download(own);
    expect(shaOf(own)).toBe(file.sha256);
    await expect.poll(redirectCount).toBe(1);
    const environment = { TICKLAKE_URL: origin, TICKLAKE_KEY: reader.key };
    const run = (...words: string[]) => {
      setClock();
      return runWith(environment, ...words);
    };
    const got = join(folder.path, 'got.parquet');
    const getting = await run('get', 'eq_taq', `TradeDate=${LARGE_DAY}`, '--output', got);
    expect(getting.exitCode, getting.stderr).toBe(0);
    expect(shaOf(got)).toBe(file.sha256);
    await expect.poll(redirectCount).toBe(2);
    const mirrored = join(folder.path, 'mirror');
    const mirroring = await run('mirror', mirrored, 'eq_taq');
    expect(mirroring.exitCode, mirroring.stderr).toBe(0);
    const names = readdirSync(join(mirrored, 'eq_taq', 'current'));
    const kept = names.filter((name) => name.endsWith('.parquet'));
    const digests = kept.map((name) => shaOf(join(mirrored, 'eq_taq', 'current', name)));
    expect(digests).toContain(file.sha256);
    expect(kept).toHaveLength(2);
    await expect.poll(redirectCount).toBe(3);
    folder.remove();
  });

  it('are those of tables of Delta Sharing, too, where the lake stores them as they are shared', async () => {
    const rows = Array.from({ length: 150_000 }, (_, row): CellValue[] => {
      const { price, quantity } = numbersOf(row);
      const prices = [1, 2, 3, 4, 5, 6].map((factor) => price / factor);
      const volumes = [quantity, quantity ^ row, quantity >> 1, row].map((each) => BigInt(each));
      const day = `2024-${row < 75_000 ? '03-01' : '06-03'}`;
      const ticker = `T${row}`.padEnd(8, 'X');
      return [day, ticker, BigInt(row), ...prices.slice(0, 4), ...volumes, ...prices.slice(4)];
    });
    await service.publish('eq_daily_ohlc', rows);
    const { accountId, key } = await addReader();
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const window = { startDate: '1900-01-01', endDate: null };
    await tables().rules.add({ accountId, datasetId, ...window, universe: [] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    // By now a minute may be over.
    setClock();
    const asked = async (path: string, init: RequestInit = {}) => {
      const answer = await fetch(`${origin}/v1/delta-sharing${path}`, { headers, ...init });
      const text = await answer.text();
      expect(answer.status, text).toBe(200);
      return text;
    };
    const [share] = JSON.parse(await asked('/shares')).items;
    const table = `/shares/${share.name}/schemas/equity/tables/eq_daily_ohlc/query`;
    const lines = (await asked(table, { method: 'POST', body: '{}' })).trim().split('\n');
    const [file] = lines.flatMap((line) => JSON.parse(line).file ?? []);
    await untilCopied(file);
    // The store had to begin within a minute.
    setClock();
    const answer = await fetch(file.url, { redirect: 'manual' });
    expect(answer.status).toBe(307);
    const bytes = await bytesOf(await fetch(answer.headers.get('location') ?? ''));
    expect(bytes).toHaveLength(file.size);
    expect(`"${sha256Of(bytes)}"`).toBe(answer.headers.get('etag'));
  });

  it('are a request and its bytes in the log, without the URL', async () => {
    const file = await largeFile();
    lines.length = 0;
    await targetOf(file);
    const found = () => lines.find((line) => line.includes('"status":307')) ?? '{}';
    await expect.poll(() => JSON.parse(found()).bytes).toBe(file.byte_count);
    for (const line of lines) expect(line).not.toMatch(/X-Amz|Signature|secret-of-tests/);
  });

  it('are removed from the store when their day is over for a day, and are no parts', async () => {
    await targetOf(await largeFile());
    const dayBefore = (days: number) => dayOf(Date.now() - days * DAY_MS);
    for (const days of [1, 2, 30]) {
      mkdirSync(join(objectsFolder(), dayBefore(days)), { recursive: true });
      writeFileSync(join(objectsFolder(), dayBefore(days), 'a.parquet'), 'old');
    }
    const config = { home: service.services.config.home, ...store.settings(PREFIX) };
    const storage = INSTALLED_ENGINE.openStorage(config, () => null);
    const locations = await Array.fromAsync(storage.locations());
    expect(locations.every((location) => /^eq_\w+\/[^.]/.test(location))).toBe(true);
    expect(locations.filter((location) => location.startsWith('eq_taq/'))).toHaveLength(2);
    await storage.sweep();
    const days = readdirSync(objectsFolder()).filter(
      (day) => readdirSync(join(objectsFolder(), day)).length > 0,
    );
    expect(days.toSorted()).toEqual([dayBefore(1), dayBefore(0)]);
  });
});

describe.skipIf(objectStoreProblem() !== null)('the setting', () => {
  it('is refused where the lake lies in no object storage', async () => {
    const opening = openTestService({ fileSender: 'object-storage' });
    await expect(opening).rejects.toThrow(/TICKLAKE_FILE_SENDER=object-storage needs a lake/);
  });
});
