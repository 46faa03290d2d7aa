/** Three servers with empty homes over one store in PostgreSQL and one lake in object storage. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandNow } from '../command-line/run-command.ts';
import { ROWS_PATH } from '../operation/server-process.ts';
import { areNodesMissing, ThreeNodes } from './three-nodes.ts';

describe.skipIf(areNodesMissing)('three servers that have nothing of their own', () => {
  let nodes: ThreeNodes;

  beforeAll(async () => {
    nodes = await ThreeNodes.start();
  });
  afterAll(() => nodes?.stop());

  /** What each of them answers. */
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
