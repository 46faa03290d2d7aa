/**
 * A server with its lake in object storage, while the store and publishers are killed: no wrong
 * row.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyMoment } from '../any-moment.ts';
import { runCommandNow } from '../command-line/run-command.ts';
import {
  type Home,
  makeHome,
  type ServerProcess,
  startServer,
  withLimits,
} from '../operation/server-process.ts';
import { PROGRAM } from '../program.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const DATES = ['2025-06-16', '2025-06-17', '2025-06-18'];
const PREFIX = 'failures/lake';
const ROWS_PER_DAY = 40_000;
const PAGE_ROWS = 10_000;
const KILLS = repetitions('TICKLAKE_S3_KILLS', sampledRuns(4));

describe.skipIf(objectStoreProblem() !== null)('a server over object storage', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-failures-'));
  let store: TestObjectStore;
  let home: Home;
  let server: ServerProcess;

  beforeAll(async () => {
    store = await TestObjectStore.start();
    Object.assign(process.env, store.environment(PREFIX));
    home = await makeHome(1, 5);
    for (const [day, date] of DATES.entries()) await done('ingest', 'eq_taq', ticks(date, day));
    // Cached parts would be readable without the store.
    server = await startServer(home, withLimits({ lakeCacheBytesMax: 0 }));
  });
  afterAll(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    await store.stop();
    home.remove();
    rmSync(folder, { recursive: true });
  });

  /** A file of ticks of a day, with prices of the day and version alone. */
  function ticks(date: string, version: number): string {
    const lines = Array.from({ length: ROWS_PER_DAY }, (_, row) => {
      const time = new Date(Date.parse(`${date}T14:30:00Z`) + row * 100).toISOString();
      return `${date},AAA,${time.slice(0, -1)},${priceOf(version, row)}`;
    });
    const file = join(folder, `${date}-${version}.csv`);
    writeFileSync(file, `TradeDate,Ticker,EventDateTime,Price\n${lines.join('\n')}\n`);
    return file;
  }

  const priceOf = (version: number, row: number) => version * 1_000_000 + row;

  async function done(...words: string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await runCommandNow(home.path, ...words);
    expect(exitCode, stdout + stderr).toBe(0);
    return stdout;
  }

  const ask = (path: string) =>
    fetch(new URL(path, server.url), { headers: { 'X-API-KEY': server.key } });

  /** The prices of a page; null: the server could not have them. */
  async function pricesOf(date: string, offset: number, columns = 'Price') {
    const page = `?columns=${columns}&limit=${PAGE_ROWS}&offset=${offset}`;
    const answer = await ask(`/v1/data/us-equity/eq-taq/${date}/AAA${page}`);
    if (answer.status === 503) return await answer.body?.cancel().then(() => null);
    expect(answer.status).toBe(200);
    const { data } = (await answer.json()) as { data: { Price: number }[] };
    return data.map(({ Price }) => Price);
  }

  const expected = (version: number, offset: number) =>
    Array.from({ length: PAGE_ROWS }, (_, at) => priceOf(version, offset + at));

  function objectNames(): string[] {
    const found = readdirSync(join(store.bucketFolder, PREFIX, 'eq_taq'), { recursive: true });
    return found.map(String).sort();
  }

  it('keeps all parts in the bucket, and none in the home', () => {
    expect(objectNames().filter((name) => name.endsWith('.parquet'))).toHaveLength(DATES.length);
    const local = readdirSync(join(home.path, 'lake'), { recursive: true }).map(String);
    const parts = local.filter((name) => name.endsWith('.parquet') && !name.startsWith('.cache/'));
    expect(parts).toEqual([]);
  });

  it('sends whole files of rows whose digests are those of the manifest', async () => {
    const { files } = (await (await ask('/v1/bulk/us-equity/eq-taq')).json()) as {
      files: { url: string; sha256: string; row_count: number }[];
    };
    expect(files.reduce((sum, { row_count }) => sum + row_count, 0)).toBe(3 * ROWS_PER_DAY);
    for (const { url, sha256 } of files) {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
    expect(await done('lake', 'verify', '--rows')).toContain('all as they were published');
  });

  it('answers 503 while the store is dead, and as before when it is back', async () => {
    const draws = drawsOf('killed object store');
    let [answeredCount, refusedCount] = [0, 0];
    for (let round = 0; round < KILLS; round++) {
      const columns = ['Price', 'Price,Ticker', 'Price,EventDateTime', 'Price,TradeDate'][
        round % 4
      ];
      const reading = DATES.flatMap((date, day) =>
        [0, 10_000, 20_000, 30_000].map(async (offset) => {
          await anyMoment(draws, 100);
          const prices = await pricesOf(date, offset, columns);
          if (prices === null) refusedCount++;
          else expect(prices).toEqual(expected(day, offset));
          if (prices !== null) answeredCount++;
        }),
      );
      await anyMoment(draws, 60);
      await store.kill();
      await Promise.all(reading);
      await store.run();
      for (const [day, date] of DATES.entries()) {
        await expect.poll(() => pricesOf(date, 20_000, columns)).toEqual(expected(day, 20_000));
      }
    }
    // How many came too late for the store to answer is a matter of chance.
    expect(answeredCount + refusedCount).toBe(KILLS * DATES.length * 4);
    await store.kill();
    expect((await ask('/v1/bulk/us-equity/eq-taq?columns=Ticker')).status).toBe(503);
    await store.run();
  });

  function publishing(file: string): ChildProcess {
    const { env } = process;
    return spawn(process.execPath, [PROGRAM, 'ingest', 'eq_taq', file, '--allow-loss'], {
      env: { ...env, TICKLAKE_HOME: home.path },
      stdio: 'ignore',
    });
  }

  it('has the old version or the new one, whole, after its publisher was killed', async () => {
    const [date = ''] = DATES;
    const draws = drawsOf('killed publisher');
    let version = 0;
    for (let round = 1; round <= KILLS; round++) {
      const child = publishing(ticks(date, round * 10));
      await anyMoment(draws, 1500);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      const prices = (await pricesOf(date, 0)) as number[];
      if (prices[0] !== priceOf(version, 0)) version = round * 10;
      expect(prices).toEqual(expected(version, 0));
    }
    await done('ingest', 'eq_taq', ticks(date, 1000), '--allow-loss');
    expect(await pricesOf(date, 0)).toEqual(expected(1000, 0));
    expect(await done('lake', 'verify')).toContain('all as they were published');
  });

  it('reads from its disk what it has read before or published, also while the store is dead', async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    server = await startServer(home);
    const cached = join(home.path, 'lake', '.cache', 'eq_taq');
    const [, second = '', third = ''] = DATES;
    // The first read finds the copy of the publication, and has it checked.
    for (const date of [second, third]) await pricesOf(date, 0);
    await expect.poll(() => readdirSync(cached).length).toBeGreaterThanOrEqual(DATES.length);
    const pageOf = async (date: string) => {
      const answer = await ask(`/v1/data/us-equity/eq-taq/${date}/AAA?offset=30000&limit=10000`);
      return answer.status === 200 ? ((await answer.json()) as { data: object[] }).data.length : 0;
    };
    await store.kill();
    for (const date of [second, third]) await expect.poll(() => pageOf(date)).toBe(PAGE_ROWS);
    // Without the folder it is as if there had never been one.
    await store.run();
    rmSync(join(home.path, 'lake', '.cache'), { recursive: true });
    for (const [day, date] of DATES.entries()) {
      if (day > 0) expect(await pricesOf(date, 0)).toEqual(expected(day, 0));
    }
  });

  it('fails a publication as a whole while the store is dead', async () => {
    const [date = ''] = DATES;
    await store.kill();
    const loading = runCommandNow(home.path, 'ingest', 'eq_taq', ticks(date, 2000), '--allow-loss');
    const { exitCode, stderr } = await loading;
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('it cannot be reached');
    await store.run();
    expect(await pricesOf(date, 0)).toEqual(expected(1000, 0));
  });

  const readiness = async () => {
    const answer = await fetch(`${server.operationUrl}/readyz`);
    const { problems, warnings } = (await answer.json()) as Record<string, string[]>;
    return { status: answer.status, problems, warnings };
  };
  const metrics = async () => await (await fetch(`${server.operationUrl}/metrics`)).text();

  it('says that the store is away, and nothing of damage, while it is dead and while it stands still', async () => {
    server.child.kill('SIGTERM');
    await server.ended;
    server = await startServer(home, withLimits({ lakeCacheBytesMax: 0 }));
    const [, second = '', third = ''] = DATES;
    let refusedCount = 0;
    const wholeOf = async (date: string) => {
      const { status } = await ask(`/v1/data/us-equity/eq-taq/${date}/AAA?limit=1`);
      if (status === 503) refusedCount++;
      return status;
    };
    // On a busy machine, any look may take longer than a server waits for it.
    await expect.poll(readiness).toEqual({ status: 200, problems: [], warnings: [] });
    await store.kill();
    expect(await wholeOf(second)).toBe(503);
    const told = `engine: s3://lake/${PREFIX} cannot be used: it cannot be reached; check the network and TICKLAKE_S3_ENDPOINT`;
    await expect.poll(readiness).toEqual({ status: 200, problems: [], warnings: [told] });
    await store.run();
    await expect.poll(() => wholeOf(second)).toBe(200);
    store.freeze();
    try {
      const silent = `engine: s3://lake/${PREFIX} does not answer`;
      // A machine that is busy as well may add that a part does not answer soon.
      await expect.poll(readiness).toEqual({
        ...{ status: 200, problems: [] },
        warnings: expect.arrayContaining([silent]),
      });
      await expect.poll(metrics).toMatch(/^ticklake_warnings\{part="engine"\} [12]$/m);
      await expect.poll(metrics).toContain(`ticklake_storage_errors_total ${refusedCount}\n`);
      expect(await metrics()).toContain('ticklake_engine_errors_total 0');
      // The request is given up even while the store hangs.
      expect(await wholeOf(third)).toBe(503);
    } finally {
      store.thaw();
    }
    await expect.poll(() => wholeOf(third)).toBe(200);
    await expect.poll(readiness).toEqual({ status: 200, problems: [], warnings: [] });
    const logged = () => {
      const lines = server.stderr().trim().split('\n');
      return lines.map((line) => JSON.parse(line) as { level: string; msg: string });
    };
    const levels = () => logged().map(({ level }) => level);
    await expect.poll(levels).toEqual(Array(refusedCount).fill('warn'));
    for (const { msg } of logged())
      expect(msg).toMatch(/^the file s3:.*parquet cannot be reached$/);
    expect(server.stderr()).not.toContain('stack');
  });
});
