/** Three servers with empty homes over one store in PostgreSQL and one lake in object storage. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { demoKeyFile } from '@ticklake/demo/demo-account.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandNow } from '../command-line/run-command.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
} from '../operation/server-process.ts';
import { useStore } from '../place-of-tests.ts';
import { isPostgresMissing, TestPostgres } from '../postgres/start-postgres.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

const isMissing = objectStoreProblem() !== null || isPostgresMissing();

describe.skipIf(isMissing)('three servers that have nothing of their own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-nodes-'));
  let objects: TestObjectStore;
  let postgres: TestPostgres;
  const homes: Home[] = [];
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    objects = await TestObjectStore.start();
    postgres = await TestPostgres.start();
    Object.assign(process.env, objects.environment('nodes/lake'));
    useStore(postgres.url(await postgres.newDatabase()));
    const first = await makeHome(50, 5);
    homes.push(first);
    for (const name of ['second', 'third']) {
      const path = join(folder, name);
      mkdirSync(path);
      // The client's own copy of the key, where the tool of the tests looks for it.
      copyFileSync(demoKeyFile(first.path), join(path, basename(demoKeyFile(path))));
      homes.push({ path, remove: () => undefined });
    }
    for (const home of homes) servers.push(await startServer(home));
  });
  afterAll(async () => {
    for (const server of servers) {
      server.child.kill('SIGTERM');
      await server.ended;
    }
    await objects?.stop();
    await postgres?.remove();
    homes[0]?.remove();
    rmSync(folder, { recursive: true });
  });

  /** What each of them answers. */
  const askAll = (path: string) =>
    Promise.all(
      servers.map(async ({ url, key }) => {
        const answer = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
        const version = answer.headers.get('x-dataset-version');
        return { status: answer.status, version, body: await answer.text() };
      }),
    );

  it('answer the same bytes, whichever published, at once', async () => {
    for (const [at, { path }] of homes.entries()) {
      const file = join(folder, `${at}.csv`);
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

  it('go on with a walk that another one began', async () => {
    const [first] = await askAll(`${ROWS_PATH}?period=20Y&limit=1000`);
    const whole = JSON.parse(String(first?.body)).data;
    const walked: unknown[] = [];
    let next: string | null = `${ROWS_PATH}?period=20Y&limit=7`;
    for (let at = 0; next !== null; at++) {
      const { url, key } = servers[at % servers.length] as ServerProcess;
      const { pathname, search } = new URL(next, url);
      const answer = await fetch(`${url}${pathname}${search}`, { headers: { 'x-api-key': key } });
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { data: unknown[]; next_page_url?: string | null };
      walked.push(...page.data);
      next = /<([^>]+)>; *rel="?next/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;
    }
    expect(walked).toEqual(whole);
  });
});
