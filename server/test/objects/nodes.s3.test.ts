/** Three servers with empty homes over one store in PostgreSQL and one lake in object storage. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLakeIndex } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import { anyMoment } from '../any-moment.ts';
import { runCommandNow } from '../command-line/run-command.ts';
import { ROWS_PATH } from '../operation/server-process.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { PROGRAM } from '../program.ts';
import { repetitions } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { areSharedPlacesMissing } from './shared-places.ts';
import { ThreeNodes } from './three-nodes.ts';

const ROWS_OF_KILLED = 30_000;
const KILLS = repetitions('TICKLAKE_KILL_ROUNDS', 8);
/** From before it has the lock until after it has published. */
const PUBLISH_MS = 3000;

describe.skipIf(areSharedPlacesMissing)('three servers that have nothing of their own', () => {
  let nodes: ThreeNodes;

  beforeAll(async () => {
    nodes = await ThreeNodes.start();
  });
  afterAll(() => nodes?.stop());

  /** The answer of each server. */
  const askAll = (path: string) =>
    Promise.all(
      nodes.servers.map(async (_, at) => {
        const answer = await nodes.fetch(at, path);
        const version = answer.headers.get('x-dataset-version');
        return { status: answer.status, version, body: await answer.text() };
      }),
    );

  it('answer the same bytes, whichever published, at once', async () => {
    for (const [at, { path }] of nodes.homes.entries()) {
      const file = join(nodes.folder, `${at}.csv`);
      const rows = [0, 1, 2].map((second) => `2025-06-19,R${at},2025-06-19T10:00:0${second}`);
      writeFileSync(file, ['TradeDate,Ticker,HaltDateTime', ...rows, ''].join('\n'));
      const words = ['ingest', 'eq_trading_halts', '--replace', 'identifiers', file];
      const { exitCode, stderr } = await runCommandNow(path, ...words);
      expect(exitCode, stderr).toBe(0);
      const [first, ...others] = await askAll(`${ROWS_PATH}?period=20Y`);
      expect(first).toMatchObject({ status: 200, version: `${at + 2}` });
      expect(first?.body.match(new RegExp(`"R${at}"`, 'g'))).toHaveLength(3);
      expect(others).toEqual([first, first]);
    }
  });

  it('publish two datasets at once from two machines, and one dataset in turns', async () => {
    const files = {
      eq_taq: join(nodes.folder, 'ticks.csv'),
      eq_trading_halts: join(nodes.folder, 'halts.csv'),
    };
    writeFileSync(
      files.eq_taq,
      'TradeDate,Ticker,EventDateTime,Price\n2025-06-18,AAA,2025-06-18T10:00:00,1\n',
    );
    writeFileSync(
      files.eq_trading_halts,
      'TradeDate,Ticker,HaltDateTime\n2025-06-17,AT1,2025-06-17T10:00:00\n',
    );
    const ingest = async (at: number, dataset: keyof typeof files) => {
      const home = nodes.homes[at]?.path as string;
      const words = [dataset, '--append', '--again', files[dataset]];
      const { exitCode, stderr } = await runCommandNow(home, 'ingest', ...words);
      expect(exitCode, stderr).toBe(0);
    };
    const config = { ...readConfig(placeEnvironment()), home: nodes.folder };
    const index = await openLakeIndex(config);
    const versionOf = async (id: string) => (await index.versions.dataset(id))?.version ?? 0;
    const before = [await versionOf('US1032'), await versionOf('US2013')] as const;
    const timeoutError = () => new Error('somebody publishes');
    const held = await index.publishers.lock({ timeoutMs: 300_000, timeoutError }, ['US1032']);
    const waiting = ingest(1, 'eq_taq');
    await ingest(0, 'eq_trading_halts');
    expect([await versionOf('US1032'), await versionOf('US2013')]).toEqual([
      before[0],
      before[1] + 1,
    ]);
    await held.release();
    await waiting;
    const all = [0, 1, 2, 0, 1, 2].map((at, i) =>
      ingest(at, i % 2 === 0 ? 'eq_taq' : 'eq_trading_halts'),
    );
    await Promise.all(all);
    expect([await versionOf('US1032'), await versionOf('US2013')]).toEqual([
      before[0] + 4,
      before[1] + 4,
    ]);
    expect((await index.space.leftovers(0)).pending).toEqual([]);
    await index.close();
  });

  it('lose the lock of a dataset with a killed publisher, whose machine disturbs no other one', async () => {
    const ticks = join(nodes.folder, 'many-ticks.csv');
    const rows = Array.from({ length: ROWS_OF_KILLED }, (_, at) => {
      const [minute, second] = [Math.floor(at / 60) % 60, at % 60].map((n) =>
        `${n}`.padStart(2, '0'),
      );
      return `2025-06-16,K${at % 50},2025-06-16T10:${minute}:${second},${at % 9}`;
    });
    writeFileSync(ticks, ['TradeDate,Ticker,EventDateTime,Price', ...rows, ''].join('\n'));
    const halts = join(nodes.folder, 'other-halts.csv');
    writeFileSync(halts, 'TradeDate,Ticker,HaltDateTime\n2025-06-16,OT1,2025-06-16T10:00:00\n');
    const config = { ...readConfig(placeEnvironment()), home: nodes.folder };
    const index = await openLakeIndex(config);
    const rowsOf = async (id: string) =>
      (await index.versions.records(id, { limit: 1 }))[0]?.rowCount ?? 0;
    const [before, otherBefore] = [await rowsOf('US1032'), await rowsOf('US2013')];
    const draws = drawsOf('killed node');
    for (let kill = 0; kill < KILLS; kill++) {
      const home = nodes.homes[0]?.path as string;
      const words = ['ingest', 'eq_taq', '--append', '--again', ticks];
      const killed = spawn(process.execPath, [PROGRAM, ...words], {
        env: { ...process.env, ...placeEnvironment(), TICKLAKE_HOME: home },
        stdio: 'ignore',
      });
      const ended = once(killed, 'exit');
      const killing = anyMoment(draws, PUBLISH_MS).then(() => killed.kill('SIGKILL'));
      const other = ['ingest', 'eq_trading_halts', '--append', '--again', halts];
      const { exitCode, stderr } = await runCommandNow(nodes.homes[1]?.path as string, ...other);
      expect(exitCode, stderr).toBe(0);
      await killing;
      await ended;
      expect(((await rowsOf('US1032')) - before) % ROWS_OF_KILLED).toBe(0);
    }
    expect(await rowsOf('US2013')).toBe(otherBefore + KILLS);
    const after = await rowsOf('US1032');
    const words = ['ingest', 'eq_taq', '--append', '--again', ticks];
    const next = await runCommandNow(nodes.homes[2]?.path as string, ...words);
    expect(next.exitCode, next.stderr).toBe(0);
    expect(await rowsOf('US1032')).toBe(after + ROWS_OF_KILLED);
    // Whoever opens the lake next, while nobody publishes, removes what they have left.
    const verified = await runCommandNow(nodes.homes[2]?.path as string, 'lake', 'verify');
    expect(verified.exitCode, verified.stdout + verified.stderr).toBe(0);
    expect((await index.space.leftovers(0)).pending).toEqual([]);
    await index.close();
  });

  it('go on with a walk that another one began', async () => {
    const [first] = await askAll(`${ROWS_PATH}?period=20Y&limit=1000`);
    const whole = JSON.parse(String(first?.body)).data;
    const walked: unknown[] = [];
    let next: string | null = `${ROWS_PATH}?period=20Y&limit=7`;
    for (let at = 0; next !== null; at++) {
      const { pathname, search } = new URL(next, nodes.servers[0]?.url);
      const answer = await nodes.fetch(at, `${pathname}${search}`);
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { data: unknown[]; next_page_url?: string | null };
      walked.push(...page.data);
      next = /<([^>]+)>; *rel="?next/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(walked).toEqual(whole);
  });

  it('let in ten wrong passwords together', async () => {
    const tries = Array.from({ length: 30 }, (_, at) => {
      const { url = '' } = nodes.servers[at % nodes.servers.length] ?? {};
      return fetch(`${url}/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: url },
        body: JSON.stringify({ email: `somebody-${at}@example.com`, password: 'a guess' }),
      });
    });
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });
});
