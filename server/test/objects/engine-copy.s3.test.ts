/** `ticklake engine copy` between a home and a real object store. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openLake } from '../../src/open-home.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const catalog = loadCatalog([join(import.meta.dirname, '../../../datasets')]);

describe.skipIf(objectStoreProblem() !== null)('engine copy', () => {
  const folder = newFolder();
  let store: TestObjectStore;

  const address = (prefix: string) => store.environment(prefix).TICKLAKE_LAKE as string;

  /** Null: parts lie in the home. */
  async function run(prefix: string | null, ...words: string[]) {
    vi.unstubAllEnvs();
    const environment = prefix === null ? {} : store.environment(prefix);
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    return await runCommand(folder.path, ...words);
  }

  async function done(prefix: string | null, ...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(prefix, ...words);
    expect([words, exitCode, stderr, stdout]).toEqual([words, 0, '', stdout]);
    return stdout;
  }

  /** Both places are named, whichever lake is the home's. */
  const copied = (...words: string[]) => done('any', 'engine', 'copy', ...words);

  async function refused(...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run('any', 'engine', 'copy', ...words);
    expect([exitCode, stdout]).toEqual([2, '']);
    return stderr;
  }

  async function ingest(day: string, price: number): Promise<void> {
    const rows = ['AAAA', 'BBBB'].map((ticker) => `${day},${ticker},7,${price}`);
    const path = join(folder.path, 'daily.csv');
    writeFileSync(path, ['TradeDate,Ticker,ASID,ClosePrice', ...rows, ''].join('\n'));
    await done(null, 'ingest', 'eq_daily_ohlc', path);
  }

  async function partPaths(): Promise<string[]> {
    const lake = await openLake({ home: folder.path }, fixedClock('2025-06-20T12:00:00Z'));
    const parts = await lake.publishedParts(catalog.byTextId('eq_daily_ohlc')?.datasetId ?? '');
    await lake.close();
    return parts.map(({ location }) => join(folder.path, 'lake', location));
  }

  beforeAll(async () => {
    store = await TestObjectStore.start();
    const password = join(folder.path, 'password');
    writeFileSync(password, 'a long password that nobody guesses\n');
    const names = ['--email', 'owner@example.com', '--account', 'First'];
    await done(null, 'init', ...names, '--password-file', password);
    await ingest('2024-06-18', 10);
    await ingest('2025-06-18', 11);
    // An earlier version keeps a part of its own.
    await ingest('2025-06-18', 12);
  }, 60_000);
  afterEach(() => vi.unstubAllEnvs());
  afterAll(async () => {
    await store.stop();
    folder.remove();
  });

  it('copies all versions to a bucket and back, where everything is as it was published', async () => {
    const text = await copied('home', address('moved'));
    expect(text).toMatch(/^Copied 3 parts, each compared by its digest; all 3 parts of /);
    expect(text).toContain(`Set TICKLAKE_LAKE=${address('moved')} for all servers and commands`);
    expect(await done(null, 'lake', 'verify', '--rows')).toMatch(/^3 parts .* row by row\.\n$/);
    renameSync(join(folder.path, 'lake'), join(folder.path, 'lake-moved'));
    expect(await done('moved', 'lake', 'verify', '--rows')).toMatch(/^3 parts .* row by row\.\n$/);
    const back = await copied(address('moved'), 'home');
    expect(back).toMatch(/^Copied 3 parts.*\nRun servers and commands without TICKLAKE_LAKE;/s);
    expect(await done(null, 'lake', 'verify', '--rows')).toMatch(/^3 parts .* row by row\.\n$/);
  });

  it('copies what is not there yet, and replaces what is not whole', async () => {
    await copied('home', address('again'));
    const nothing = await copied('home', address('again'));
    expect(nothing).toMatch(/^Copied 0 parts/);
    const [first = ''] = await partPaths();
    writeFileSync(first, 'PAR1');
    expect(await copied(address('again'), 'home')).toMatch(/^Copied 1 part,/);
    expect(await done(null, 'lake', 'verify')).toMatch(/^3 parts /);
  });

  it('names parts that are damaged, copies the others, and ends with exit code 2', async () => {
    const [first = ''] = await partPaths();
    appendFileSync(first, 'x');
    const told = await refused('home', address('damaged'));
    expect(told).toMatch(
      /^ticklake: some parts are damaged and cannot be copied:\n.* is altered\n$/,
    );
    writeFileSync(first, '');
    await copied(address('again'), 'home');
    expect(await copied('home', address('damaged'))).toMatch(/^Copied 1 part,/);
  });

  it('says what to set where no endpoint and no region is', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    vi.stubEnv('TICKLAKE_LAKE', 's3://lake/x');
    const { exitCode, stderr } = await runCommand(folder.path, 'datasets');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^ticklake: .*no region is set.* set TICKLAKE_S3_REGION, or .*\n$/);
  });

  it('is refused in one line for wrong places, two buckets, and a home that is used', async () => {
    expect(await refused()).toMatch(/^ticklake: name the lake to copy .*\n$/);
    expect(await refused('home', 'home')).toMatch(/another place to copy it to/);
    expect(await refused('home', '/srv/lake')).toMatch(
      /^ticklake: a lake must be home, or a bucket and a prefix .* not \/srv\/lake\n$/,
    );
    expect(await refused(address('x'), address('y'))).toMatch(/must be home or a cluster/);
    const lock = tryLockFile(join(folder.path, 'server.lock'));
    expect(await refused('home', address('x'))).toMatch(/a server uses .*; stop/);
    lock?.release();
  });
});
