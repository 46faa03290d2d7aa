/** `ticklake engine copy` between a home and a real object store. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openHomeIndex } from '../../src/open-home.ts';
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
    const index = openHomeIndex(folder.path);
    const datasetId = catalog.byTextId('eq_daily_ohlc')?.datasetId ?? '';
    const { parts = [] } = (await index.versions.version(datasetId)) ?? {};
    await index.close();
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
  });
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

  it('has every command name the place of the parts from then on', async () => {
    await copied('home', address('one'));
    const parts = 'its parts are in';
    const rows = join(folder.path, 'daily.csv');
    const ingested = (prefix: string | null) => run(prefix, 'ingest', 'eq_daily_ohlc', rows);
    for (const [prefix, name] of [
      [null, 'the home'],
      ['two', address('two')],
    ] as const) {
      const { exitCode, stderr } = await ingested(prefix);
      const told = `ticklake: the lake cannot be opened: ${parts} ${address('one')}, not in ${name}; `;
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
    }
    // Between two buckets, only a lake is taken over that is there already.
    const missing = await refused(address('one'), address('two'));
    expect(missing).toMatch(/^ticklake: .* is not there yet; between two buckets, .*\n$/);
    expect(await refused('home', address('two'))).toContain(`the lake is in ${address('one')}`);
    await copied(address('one'), 'home');
    await copied('home', address('two'));
    expect(await copied(address('two'), address('one'))).toMatch(/^Copied 0 parts/);
    // The copy already holds these rows.
    expect(await ingested('one')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('unchanged'),
    });
    await copied(address('one'), 'home');
  });

  it('is not what a restored home needs: its parts are in the home again', async () => {
    await copied('home', address('saved'));
    const [backups, restored] = [newFolder(), newFolder()];
    await done('saved', 'backup', backups.path);
    vi.unstubAllEnvs();
    expect(await runCommand(restored.path, 'restore', backups.path)).toMatchObject({ exitCode: 0 });
    expect(await runCommand(restored.path, 'datasets')).toMatchObject({ exitCode: 0, stderr: '' });
    for (const made of [backups, restored]) made.remove();
    await copied(address('saved'), 'home');
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
    await copied(address('damaged'), 'home');
  });

  it('says what to set where no endpoint and no region is', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    vi.stubEnv('TICKLAKE_LAKE', 's3://lake/x');
    const { exitCode, stderr } = await runCommand(folder.path, 'datasets');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^ticklake: .*no region is set.* set TICKLAKE_S3_REGION, or .*\n$/);
  });

  it('is refused in one line for wrong places, two buckets, and a home that is used', async () => {
    expect(await refused()).toMatch(/takes <from> <to>, but was given nothing\n$/);
    expect(await refused('home', 'home')).toMatch(/another place to copy it to/);
    expect(await refused('home', '/srv/lake')).toMatch(
      /^ticklake: a lake must be home, or a bucket and a prefix .* not \/srv\/lake\n$/,
    );
    expect(await refused(address('x'), address('y'))).toBe(
      'ticklake: the lake is in the home; copy it from there\n',
    );
    const lock = tryLockFile(join(folder.path, 'server.lock'));
    expect(await refused('home', address('x'))).toMatch(/a server uses .*; stop/);
    lock?.release();
  });
});
