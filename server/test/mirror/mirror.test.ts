/** `ticklake mirror` against a server that listens. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startFaultProxy } from '../../../client/test/fault-proxy.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { readParquet } from '../../src/engine/conformance/read-parquet.ts';
import type { MirrorNote } from '../../src/mirror/mirror-folder.ts';
import { runCommand } from '../command-line/run-command.ts';
import { openTestService, type TestService } from '../harness.ts';
import { runRemote, urlOf } from './remote-commands.ts';

const PROGRAM = join(import.meta.dirname, '../../src/cli.ts');
const DAYS = ['2025-06-16', '2025-06-17', '2025-06-18'];

/** Rows of each day, which is a partition. */
function ticks(days: readonly string[], price = 100, each = 5): CellValue[][] {
  return days.flatMap((day) =>
    ['AAA', 'BBB'].flatMap((ticker, t) =>
      Array.from({ length: each }, (_, n): CellValue[] => [
        ...[day, BigInt(Date.parse(`${day}T14:00:00Z`)) * 1_000_000n + BigInt(n), 'TRADE', ticker],
        ...[BigInt(11 + t), price + ((n * 7919) % 104_729) / 8, 10, 'NYSE', 1],
      ]),
    ),
  );
}

/** Of tests that publish nothing more. */
let shared: TestService;
let service: TestService;
let dir: string;

async function openService(): Promise<TestService> {
  const opened = await openTestService();
  await opened.publish('eq_taq', ticks(DAYS));
  return opened;
}

/** Has the test go on with a service of its own. */
async function openOwnService(): Promise<void> {
  service = await openService();
}

beforeAll(async () => {
  shared = await openService();
});
afterAll(() => shared.close());
beforeEach(() => {
  service = shared;
  dir = mkdtempSync(join(tmpdir(), 'ticklake-mirror-'));
});
afterEach(async () => {
  if (service !== shared) await service.close();
  rmSync(dir, { recursive: true });
});

const current = (...names: string[]) => join(dir, 'eq_taq', 'current', ...names);
const note = () => JSON.parse(readFileSync(current('manifest.json'), 'utf8')) as MirrorNote;
const sha256Of = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

async function mirror(...words: string[]) {
  const { exitCode, stdout, stderr } = await runRemote(
    service,
    ...['mirror', dir, 'eq_taq', ...words, '--json'],
  );
  expect(stderr).toBe('');
  expect(exitCode, stdout.toString()).toBe(0);
  const { datasets } = JSON.parse(stdout.toString()) as { datasets: Record<string, unknown>[] };
  return datasets[0] as Record<string, unknown>;
}

async function withdraw(day: string): Promise<void> {
  const dates = { start: day, end: day };
  const withdrawal = { dates, partitions: null, identifiers: null };
  await service.services.lake.publisher.withdraw(service.dataset('eq_taq'), withdrawal);
}

/** Every file as the note has it, and the rows of all. */
async function mirroredRows(): Promise<(readonly CellValue[])[]> {
  const { columns } = service.dataset('eq_taq');
  const { files } = note();
  expect(readdirSync(current()).sort()).toEqual(
    [...files.map(({ name }) => name), 'manifest.json'].sort(),
  );
  const rows: (readonly CellValue[])[] = [];
  for (const { name, sha256 } of files) {
    expect(sha256Of(current(name))).toBe(sha256);
    rows.push(...(await readParquet(columns, readFileSync(current(name)))).rows);
  }
  return rows;
}

const plain = (rows: readonly (readonly CellValue[])[]) =>
  rows.map((row) => [row[0], row[3], row[5]].join(' '));

describe('a mirror', () => {
  it('has all rows of a version, as files that its note names', async () => {
    expect(await mirror()).toMatchObject({
      ...{ name: 'eq_taq', dataset_version: 1, previous_version: null, is_changed: true },
      ...{ file_count: 3, fetched_file_count: 3, row_count: 30 },
    });
    expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS)));
    expect(note()).toMatchObject({ dataset_id: 'US1032', dataset_version: 1, row_count: 30 });
  });

  it('fetches nothing when nothing has changed', async () => {
    await mirror();
    const before = statSync(current()).ino;
    expect(await mirror()).toMatchObject({ is_changed: false, fetched_file_count: 0 });
    expect(statSync(current()).ino).toBe(before);
  });

  it('fetches the files that a new version changed alone, and drops what it has no more', async () => {
    await openOwnService();
    await mirror();
    const kept = statSync(current(note().files[0]?.name as string)).ino;
    await service.publish('eq_taq', ticks(['2025-06-17', '2025-06-20'], 200));
    expect(await mirror()).toMatchObject({
      ...{ dataset_version: 2, previous_version: 1, fetched_file_count: 2, file_count: 4 },
    });
    expect(statSync(current(note().files[0]?.name as string)).ino).toBe(kept);
    const expected = [
      ...ticks(['2025-06-16']),
      ...ticks(['2025-06-17'], 200),
      ...ticks(['2025-06-18']),
      ...ticks(['2025-06-20'], 200),
    ];
    expect(plain(await mirroredRows())).toEqual(plain(expected));
    await mirror('--where', 'Ticker=AAA', '--where', 'TradeDate.ge=2025-06-18');
    expect(plain(await mirroredRows())).toEqual([
      ...plain(ticks(['2025-06-18']).slice(0, 5)),
      ...plain(ticks(['2025-06-20'], 200).slice(0, 5)),
    ]);
    const folders = readdirSync(join(dir, 'eq_taq')).filter((name) => /^v\d/.test(name));
    expect(folders).toHaveLength(2);
  });

  it('fetches what is missing or cut off, and with --verify what was altered', async () => {
    await mirror();
    const [first, second, third] = note().files.map(({ name }) => current(name)) as string[];
    rmSync(first as string);
    appendFileSync(second as string, 'x');
    expect(await mirror()).toMatchObject({ fetched_file_count: 2, is_changed: true });
    const altered = readFileSync(current(note().files[2]?.name as string));
    altered[40] = (altered[40] as number) ^ 1;
    writeFileSync(third as string, altered);
    expect(await mirror()).toMatchObject({ is_changed: false });
    expect(await mirror('--verify')).toMatchObject({ fetched_file_count: 1 });
    expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS)));
  });

  it('of a dataset without rows is a note without files', async () => {
    const { exitCode } = await runRemote(service, 'mirror', dir, 'eq_daily_ohlc');
    expect(exitCode).toBe(0);
    expect(readdirSync(join(dir, 'eq_daily_ohlc', 'current'))).toEqual(['manifest.json']);
  });

  it('is refused for a dataset that is not there, and leaves nothing', async () => {
    const { exitCode, stderr } = await runRemote(service, 'mirror', dir, 'nothing');
    expect([exitCode, readdirSync(dir)]).toEqual([2, []]);
    expect(stderr).toContain('the server has no dataset nothing');
  });

  it('can be loaded into another home, with the same digest of its rows', async () => {
    await mirror();
    const home = join(dir, 'home');
    const files = globSync(join(current(), '*.parquet'));
    const loaded = await runCommand(home, 'ingest', 'eq_taq', ...files, '--json');
    expect(loaded.exitCode, loaded.stdout).toBe(0);
    const shown = await runCommand(home, 'publication', 'list', '--json');
    const digestOf = (text: string) => /"content_digest":"(\w+)"/.exec(text)?.[1];
    const versions = await service.get('/v1/meta/datasets/US1032/versions');
    expect(digestOf(shown.stdout)).toBeTruthy();
    expect(digestOf(shown.stdout)).toBe(digestOf(versions.body));
  });

  it('is served by another home, which follows it when days go and others come', async () => {
    await openOwnService();
    const home = join(dir, 'home');
    const load = async (...more: string[]) => {
      await mirror();
      return await runCommand(home, 'ingest', 'eq_taq', current(), '--replace', 'dataset', ...more);
    };
    expect((await load()).exitCode).toBe(0);
    await withdraw('2025-06-16');
    await service.publish('eq_taq', ticks(['2025-06-20'], 250));
    const refused = await load();
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringContaining('partition 2025-06-16 of eq_taq would have 0 rows in place of 10'),
    ]);
    const tried = await load('--dry-run', '--allow-loss');
    expect(tried.stdout).toContain('2025-06-16');
    const { exitCode, stderr } = await load('--allow-loss');
    expect([exitCode, stderr]).toEqual([0, '']);

    const other = await openTestService(undefined, undefined, home);
    const path = '/v1/data/us-equity/eq-taq';
    for (const day of [...DAYS, '2025-06-20']) {
      const ask = (from: TestService) => from.get(`${path}/${day}/AAA?response_format=csv`);
      expect((await ask(other)).body).toBe((await ask(service)).body);
    }
    expect((await other.get(`${path}/2025-06-16/AAA`)).json().data).toEqual([]);
    await other.close();
  });
});

/** What has come of each file that is not whole. */
function arrivedBytes(): number[] {
  const paths = globSync(join(dir, 'eq_taq', '.arrived', '*.partial'));
  return paths.map((path) => statSync(path).size);
}

describe('a mirror that is killed', () => {
  const running: ChildProcess[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  it('is the version before or the one after, and goes on where it ended', async () => {
    await openOwnService();
    await mirror();
    await service.publish('eq_taq', ticks(DAYS, 300, 3000));
    const proxy = await startFaultProxy(await urlOf(service));
    proxy.among = '/v1/files/';
    const env = { PATH: process.env.PATH, TICKLAKE_KEY: service.key, TICKLAKE_URL: proxy.url };
    try {
      // Each process gets some more bytes of the files, and then nothing until it is killed.
      for (let round = 1; round <= 2; round++) {
        // More than there are files, in case one is asked for again.
        const stalls = Array.from(
          { length: 100 },
          () => ({ kind: 'stall', atByte: 1500 }) as const,
        );
        proxy.faults.splice(0, proxy.faults.length, ...stalls);
        proxy.requests.length = 0;
        const child = spawn(process.execPath, [PROGRAM, 'mirror', dir, 'eq_taq'], { env });
        running.push(child);
        const ended = once(child, 'close');
        const fileRequests = () => proxy.requests.filter(({ path }) => path.includes('/files/'));
        await expect.poll(arrivedBytes).toEqual(Array(3).fill(1500 * round));
        if (round > 1) {
          for (const { headers } of fileRequests()) expect(headers.range).toMatch(/^bytes=\d+-$/);
        }
        child.kill('SIGKILL');
        await ended;
        expect(note().dataset_version).toBe(1);
        expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS)));
      }
    } finally {
      await proxy.close();
    }
    expect(await mirror()).toMatchObject({ dataset_version: 2, previous_version: 1 });
    expect(plain(await mirroredRows())).toEqual(plain(ticks(DAYS, 300, 3000)));
    expect(readdirSync(join(dir, 'eq_taq')).sort()).toEqual(['.lock', 'current', 'v1', 'v2']);
  });

  it('has no second process beside it', async () => {
    await mirror();
    const proxy = await startFaultProxy(await urlOf(service));
    proxy.among = '/v1/bulk/';
    proxy.faults.push({ kind: 'stall', atByte: 0 });
    const env = { PATH: process.env.PATH, TICKLAKE_KEY: service.key, TICKLAKE_URL: proxy.url };
    const child = spawn(process.execPath, [PROGRAM, 'mirror', dir, 'eq_taq'], { env });
    running.push(child);
    const ended = once(child, 'close');
    await expect.poll(() => proxy.requests.some(({ path }) => path.includes('/bulk/'))).toBe(true);
    const { exitCode, stderr } = await runRemote(service, 'mirror', dir, 'eq_taq');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('another process')]);
    child.kill('SIGKILL');
    await ended;
    await proxy.close();
    await mirror();
  });
});
