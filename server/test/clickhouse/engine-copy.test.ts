/**
 * `ticklake engine copy` between a home and a real cluster: afterwards all read the same rows of
 * the same versions.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { INSTALLED_ENGINE, type LakePlace, tryLockFile } from '../../src/installed.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { eachKeptPart } from '../../src/store/kept-parts.ts';
import type { LakeIndex } from '../../src/store/lake-index.ts';
import { runWithSettings } from '../command-line/run-command.ts';
import { publishedRows, publishRandomRows } from '../engine/service-suite.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { typedDefinitions } from '../oracle/typed-definition.ts';
import { ClickHouseCluster, missingClickHouse } from './cluster.ts';

const COMMAND = fileURLToPath(new URL('../../bin/ticklake.js', import.meta.url));
const DAILY = '/v1/data/us-equity/eq-daily-ohlc?limit=1000';

describe.skipIf(missingClickHouse() !== null)('engine copy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-engine-copy-'));
  const [first, home] = [join(folder, 'first'), join(folder, 'home')];
  const definitions = typedDefinitions();
  const cluster = new ClickHouseCluster();
  let textIds: readonly string[];
  let published: unknown;

  const environment = () => cluster.environment;
  const place = () => `${cluster.environment.TICKLAKE_LAKE}`;

  const run = (...words: string[]) => runWithSettings(home, environment(), ...words);

  async function done(...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(...words);
    expect([words, exitCode, stderr, stdout]).toEqual([words, 0, '', stdout]);
    return stdout;
  }

  /** Versions and rows as clients and operators read them. */
  async function readAll(service: TestService) {
    const rows: Record<string, unknown> = {};
    for (const textId of textIds) {
      rows[textId] = await publishedRows(service.services, service.dataset(textId));
    }
    const pages = [];
    for (const version of ['', '&dataset_version=1', '&dataset_version=2']) {
      const { statusCode, body, headers } = await service.get(`${DAILY}${version}`);
      pages.push([statusCode, headers['x-dataset-version'], body]);
    }
    return { rows, pages };
  }

  /** Rows that a service over a copy of the home reads, with its own accounts. */
  async function readFrom(engine = INSTALLED_ENGINE, lakeAddress: LakePlace | null = null) {
    const start = mkdtempSync(join(folder, 'start-'));
    const filter = (path: string) => !basename(path).startsWith('control.db');
    cpSync(home, start, { recursive: true, filter });
    const service = await openTestService({ pageCacheBytes: 0, lakeAddress }, engine, start);
    try {
      return await readAll(service);
    } finally {
      await service.close();
    }
  }

  async function withIndex<T>(work: (index: LakeIndex) => Promise<T>): Promise<T> {
    const index = openHomeIndex(home);
    try {
      return await work(index);
    } finally {
      await index.close();
    }
  }

  const partsOf = () => withIndex((index) => Array.fromAsync(eachKeptPart(index.space)));

  beforeAll(async () => {
    await cluster.start(2, 2);
    const service = await openTestService({ pageCacheBytes: 0, definitions });
    textIds = [...(await publishRandomRows(service)).keys()];
    const [more = []] = fc.sample(anyRows(service.dataset('eq_daily_ohlc'), 100), 1);
    await service.publish('eq_daily_ohlc', more);
    published = await readAll(service);
    await service.close((made) => cpSync(made, first, { recursive: true }));
    cpSync(first, home, { recursive: true });
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const IN_CLUSTER = `the ClickHouse database ${cluster.options.database}`;
  const movedTo = (partId: number) =>
    withIndex(async ({ moves }) => (await moves.begunMove(IN_CLUSTER, partId))?.isWhole ?? false);

  it('changes nothing when it is killed', async () => {
    const parts = await partsOf();
    const [one, last] = [parts[0]?.id ?? 0, parts.at(-1)?.id ?? 0];
    const lastFile = join('lake', parts.at(-1)?.location ?? '');
    // Nobody ever writes into it, so that whoever reads the last part waits to be killed.
    rmSync(join(home, lastFile));
    execFileSync('mkfifo', [join(home, lastFile)]);
    const words = [COMMAND, 'engine', 'copy', 'home', place(), '--home', home];
    const env = { ...process.env, ...environment() };
    const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
    const exited = once(child, 'exit');
    await expect.poll(() => movedTo(one), { interval: 10 }).toBe(true);
    child.kill('SIGKILL');
    await exited;
    rmSync(join(home, lastFile));
    cpSync(join(first, lastFile), join(home, lastFile));
    expect(await movedTo(last)).toBe(false);
    expect(await partsOf()).toEqual(parts);
  });

  it('changes nothing while a part is damaged, and keeps what it has copied', async () => {
    const parts = await partsOf();
    const last = parts.at(-1);
    truncateSync(join(home, 'lake', last?.location ?? ''), 10);
    const { exitCode, stdout, stderr } = await run('engine', 'copy', 'home', place());
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^ticklake: some parts are damaged and cannot be copied:\n.*\n$/);
    expect(await partsOf()).toEqual(parts);
    for (const { id } of parts) expect(await movedTo(id)).toBe(id !== last?.id);

    // Rows of the same dataset that can be read, but are not those of the part.
    const another = parts.find(({ datasetId }) => datasetId === last?.datasetId);
    expect(another?.id).not.toBe(last?.id);
    cpSync(join(first, 'lake', another?.location ?? ''), join(home, 'lake', last?.location ?? ''));
    const other = await run('engine', 'copy', 'home', place());
    expect([other.exitCode, other.stderr]).toEqual([
      2,
      expect.stringContaining('are not those that were published'),
    ]);
    expect(await partsOf()).toEqual(parts);
    cpSync(join(first, 'lake'), join(home, 'lake'), { recursive: true });
    expect(await readFrom()).toEqual(published);
  });

  it('goes on where it ended, and has a cluster answer as the home did', async () => {
    const text = await done('engine', 'copy', 'home', place());
    expect(text).toMatch(/^Copied 1 part, each compared by its digest; all \d+ parts of /);
    expect(text).toContain(`Set TICKLAKE_LAKE=${place()} for all servers and commands`);
    renameSync(join(home, 'lake'), join(folder, 'lake-before'));
    const { options } = cluster;
    expect(await readFrom(clickHouseEngine(options), options)).toEqual(published);
    await expect(readFrom()).rejects.toThrow(`its parts are in ${IN_CLUSTER}, not in the home`);
    expect(await done('lake', 'verify', '--rows')).toMatch(/row by row\.\n$/);
    const { exitCode, stderr } = await run('engine', 'copy', 'home', place());
    expect([exitCode, stderr]).toEqual([2, `ticklake: the lake is in ${IN_CLUSTER} already\n`]);
  });

  it('copies back, and has the home answer as the cluster did', async () => {
    const before = await partsOf();
    const text = await done('engine', 'copy', place(), 'home');
    expect(text).toMatch(/\nRun servers and commands without TICKLAKE_LAKE;/);
    expect(await readFrom()).toEqual(published);
    const after = await partsOf();
    expect(after.map(({ id, key }) => [id, key])).toEqual(before.map(({ id, key }) => [id, key]));
    for (const { location } of after) {
      expect(readdirSync(join(home, 'lake', location, '..')).length).toBeGreaterThan(0);
    }
  });

  it('is refused in one line for the same place twice and a home that is used', async () => {
    const refusal = async (...words: string[]) => {
      const { exitCode, stderr } = await run('engine', 'copy', ...words);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refusal(place(), place())).toMatch(/^ticklake: name the lake to copy .*\n$/);
    const lock = tryLockFile(join(home, 'server.lock'));
    expect(await refusal('home', place())).toMatch(/a server uses .*; stop/);
    lock?.release();
  });
});
