/** Uploads over HTTP to three servers, of which any may get the next bytes, and any may die. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLakeIndex } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import { eventually } from '../eventually.ts';
import { ROWS_PATH } from '../operation/server-process.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { areSharedPlacesMissing } from './shared-places.ts';
import { ThreeNodes } from './three-nodes.ts';

const INGEST = '/v1/ingest/eq_trading_halts';
const MORE = { 'upload-complete': '?0' };

/** A file of trading halts with a day of its own. */
function fileOf(day: string, rowCount: number): Buffer {
  const rows = Array.from({ length: rowCount }, (_, at) => {
    const time = new Date(Date.parse(`${day}T10:00:00Z`) + at * 1000).toISOString().slice(0, 19);
    return `${day},U${at},${time}`;
  });
  return Buffer.from(['TradeDate,Ticker,HaltDateTime', ...rows, ''].join('\n'));
}

describe.skipIf(areSharedPlacesMissing)('uploads to three servers', () => {
  let nodes: ThreeNodes;

  beforeAll(async () => {
    nodes = await ThreeNodes.start();
  });
  afterAll(() => nodes?.stop());

  const begin = async (at: number, query = '?mode=append'): Promise<string> => {
    const begun = await nodes.fetch(at, `${INGEST}${query}`, { method: 'POST', headers: MORE });
    expect(begun.status).toBe(201);
    return begun.headers.get('location') as string;
  };
  const patch = (at: number, path: string, offset: number, bytes: Uint8Array, isLast = false) =>
    nodes.fetch(at, path, {
      method: 'PATCH',
      body: bytes as Uint8Array<ArrayBuffer>,
      headers: { 'upload-offset': `${offset}`, ...(isLast ? {} : MORE) },
    });
  const shown = async (at: number, path: string) => {
    const answer = await nodes.fetch(at, path);
    return (await answer.json()) as { state: string; offset: number; error: string | null };
  };
  /** How an upload stands once its load has ended, for which the answer to the last bytes waits only so long. */
  const ended = async (at: number, answer: Response) => {
    expect([200, 202], await answer.clone().text()).toContain(answer.status);
    const path = answer.headers.get('location') as string;
    await expect
      .poll(async () => (await shown(at, path)).state)
      .not.toMatch(/^(receiving|waiting|loading)$/);
    return await shown(at, path);
  };
  const rowsOf = async (at: number, day: string) => {
    const answer = await nodes.fetch(
      at,
      `${ROWS_PATH}?TradeDate=${day}&limit=10000&columns=Ticker`,
    );
    expect(answer.status, await answer.clone().text()).toBe(200);
    return ((await answer.json()) as { data: unknown[] }).data.length;
  };

  it('go on with any server, and the one that gets the last bytes loads them', async () => {
    const bytes = fileOf('2025-05-05', 9000);
    const path = await begin(0);
    const step = Math.ceil(bytes.length / 7);
    for (let at = 0; at * step < bytes.length; at++) {
      const start = at * step;
      const end = Math.min(start + step, bytes.length);
      const answer = await patch(
        at + 1,
        path,
        start,
        bytes.subarray(start, end),
        end === bytes.length,
      );
      if (end === bytes.length) await ended(at, answer);
      else expect(answer.status, await answer.clone().text()).toBe(200);
      for (const other of [0, 1, 2]) {
        const head = await nodes.fetch(other, path, { method: 'HEAD' });
        expect(head.headers.get('upload-offset')).toBe(`${end}`);
      }
    }
    for (const at of [0, 1, 2]) {
      expect(await shown(at, path)).toMatchObject({ state: 'published', error: null });
      expect(await rowsOf(at, '2025-05-05')).toBe(9000);
    }
  });

  it('keep the bytes of one of those that send to the same offset at once', async () => {
    const bytes = fileOf('2025-05-06', 500);
    const half = bytes.length >> 1;
    const path = await begin(0);
    for (const [start, end] of [
      [0, half],
      [half, bytes.length],
    ] as const) {
      const answers = await Promise.all(
        [0, 1, 2].map((at) => patch(at, path, start, bytes.subarray(start, end))),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    }
    const ends = await Promise.all(
      [0, 1, 2].map((at) => patch(at, path, bytes.length, Buffer.of(), true)),
    );
    const [first, ...others] = ends.toSorted((a, b) => a.status - b.status) as [Response];
    expect(others.map(({ status }: Response) => status)).toEqual([409, 409]);
    expect(await ended(1, first)).toMatchObject({ state: 'published' });
    expect(await rowsOf(1, '2025-05-06')).toBe(500);
  });

  it('count together for whoever sends them', async () => {
    const paths = [];
    for (let at = 0; at < 8; at++) paths.push(await begin(at));
    const ninth = await nodes.fetch(1, INGEST, { method: 'POST', headers: MORE });
    expect(ninth.status).toBe(429);
    for (const [at, path] of paths.entries()) {
      expect((await nodes.fetch(at + 1, path, { method: 'DELETE' })).status).toBe(200);
      expect((await nodes.fetch(at + 2, path)).status).toBe(404);
    }
  });

  it('lose nothing that a killed server has taken, before the load and in the midst of it', async () => {
    const bytes = fileOf('2025-05-07', 700);
    const path = await begin(0, '?mode=append&again=true');
    expect((await patch(0, path, 0, bytes.subarray(0, 5000))).status).toBe(200);
    await nodes.kill(0);
    expect(await shown(1, path)).toMatchObject({ state: 'receiving', offset: 5000 });
    // While somebody else publishes, a load waits where it can be met.
    const config = { ...readConfig(placeEnvironment()), home: nodes.folder };
    const index = await openLakeIndex(config);
    const lock = await index.publishers.lock({
      timeoutMs: 300_000,
      onWait: undefined,
      signal: undefined,
      timeoutError: () => new Error('somebody publishes'),
    });
    const last = patch(1, path, 5000, bytes.subarray(5000), true).catch(() => null);
    await eventually(async () => {
      expect(await shown(2, path)).toMatchObject({ state: 'loading', offset: bytes.length });
      expect(await index.ledger.running()).toHaveLength(1);
    });
    await nodes.kill(1);
    expect(await last).toBeNull();
    await lock.release();
    await index.close();
    await expect
      .poll(async () => (await shown(2, path)).state, { interval: 500 })
      .toBe('published');
    expect(await rowsOf(2, '2025-05-07')).toBe(700);
    for (const at of [0, 1]) await nodes.startAgain(at);
    for (const at of [0, 1, 2]) expect(await rowsOf(at, '2025-05-07')).toBe(700);
  });

  it('are loaded into a publication that another server began, and a third one commits', async () => {
    const change = async (at: number, path: string, body: object) => {
      const answer = await nodes.fetch(at, `/v1/admin/publications${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      expect(answer.status, await answer.clone().text()).toBe(200);
      return (await answer.json()) as { publication_id: number };
    };
    const { publication_id: id } = await change(0, '', { dataset_ids: ['eq_trading_halts'] });
    for (const [at, day] of ['2025-05-08', '2025-05-09'].entries()) {
      const body = fileOf(day, 20) as Uint8Array<ArrayBuffer>;
      const staged = await nodes.fetch(at + 1, `${INGEST}?mode=append&into=${id}`, {
        method: 'POST',
        body,
      });
      expect(await ended(at, staged)).toMatchObject({
        state: 'published',
        report: { is_staged: true },
      });
    }
    expect(await rowsOf(0, '2025-05-09')).toBe(0);
    await change(2, '/commit', { publication_id: id });
    for (const at of [0, 1, 2]) expect(await rowsOf(at, '2025-05-09')).toBe(20);
  });
});
