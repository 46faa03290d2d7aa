/** Uploads over HTTP to three servers that share a store. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROWS_PATH } from '../operation/server-process.ts';
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
  /** The upload's state once its load has ended; the answer to the last bytes may come earlier. */
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

  it('an upload goes on with the server that began it, and the others say that they do not have it', async () => {
    const bytes = fileOf('2025-05-05', 900);
    const half = bytes.length >> 1;
    const path = await begin(0);
    expect((await patch(0, path, 0, bytes.subarray(0, half))).status).toBe(200);
    for (const other of [1, 2]) {
      const answer = await patch(other, path, half, bytes.subarray(half), true);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('the server that began it');
    }
    await ended(0, await patch(0, path, half, bytes.subarray(half), true));
    expect(await shown(0, path)).toMatchObject({ state: 'published', error: null });
    for (const at of [0, 1, 2]) expect(await rowsOf(at, '2025-05-05')).toBe(900);
  });

  it('an upload is loaded into a publication that another server began and a third one commits', async () => {
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
      expect(await ended(at + 1, staged)).toMatchObject({
        state: 'published',
        report: { is_staged: true },
      });
    }
    expect(await rowsOf(0, '2025-05-09')).toBe(0);
    await change(2, '/commit', { publication_id: id });
    for (const at of [0, 1, 2]) expect(await rowsOf(at, '2025-05-09')).toBe(20);
  });
});
