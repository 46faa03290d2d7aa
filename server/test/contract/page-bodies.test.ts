/** Bodies of pages are written into memory that is used again; no client ever notices. */
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { until } from '../until.ts';

const TICKERS = ['AAA', 'BBB', 'CCC'];
const ROWS_PER_TICKER = 6000;
const FIRST_NANOS = BigInt(Date.parse('2025-06-18T13:30:00Z')) * 1_000_000n;

function tick(ticker: string, t: number, row: number): CellValue[] {
  const time = FIRST_NANOS + BigInt(row) * 1_000_000n;
  return ['2025-06-18', time, 'TRADE', ticker, BigInt(11 + t), 100 + row / 100, row, 'NYSE', 1];
}

let service: TestService;
let address: string;
beforeAll(async () => {
  // Few of the pages fit into the cache at once.
  service = await openTestService({ pageCacheBytes: 3_000_000 });
  const rows = TICKERS.flatMap((ticker, t) =>
    Array.from({ length: ROWS_PER_TICKER }, (_, row) => tick(ticker, t, row)),
  );
  await service.publish('eq_taq', rows);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  address = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`;
});
afterAll(() => service.close());

const PATHS = TICKERS.flatMap((ticker) =>
  ['json&limit=6000', 'csv&limit=6000', 'csv&limit=1700', 'csv_gzip&limit=6000'].map(
    (query) => `/v1/data/us-equity/eq-taq/2025-06-18/${ticker}?response_format=${query}`,
  ),
);

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${address}${path}`, { ...init, headers: { 'x-api-key': service.key, ...init.headers } });

interface Whole {
  readonly body: Buffer;
  readonly tag: string;
  readonly digest: string;
}

async function whole(path: string): Promise<Whole> {
  const answer = await ask(path, { headers: { 'Want-Repr-Digest': 'sha-256=1' } });
  expect(answer.status).toBe(200);
  const [tag, digest] = ['etag', 'repr-digest'].map((name) => `${answer.headers.get(name)}`);
  return { body: Buffer.from(await answer.arrayBuffer()), tag: `${tag}`, digest: `${digest}` };
}

/** Ways to ask for a page. */
const ACTS: readonly ((path: string, known: Whole) => Promise<void>)[] = [
  async (path, known) => expect((await whole(path)).body.equals(known.body)).toBe(true),
  async (path, known) => expect((await whole(path)).digest).toBe(known.digest),
  async (path) => {
    const leaving = new AbortController();
    await ask(path, { signal: leaving.signal });
    leaving.abort();
  },
  async (path) => expect((await ask(path, { method: 'HEAD' })).status).toBe(405),
  async (path, { tag }) => {
    const answer = await ask(path, { headers: { 'if-none-match': tag } });
    expect(answer.status).toBe(304);
  },
];

it('all clients get the bytes of their page, whoever else reads, leaves, looks or has it', async () => {
  const known: Whole[] = [];
  for (const path of PATHS) known.push(await whole(path));
  for (let round = 0; round < 3; round++) {
    const acts = PATHS.flatMap((path, p) =>
      ACTS.map((_, a) => ACTS[(a + p + round) % ACTS.length]?.(path, known[p] as Whole)),
    );
    await Promise.all(acts);
  }
  expect(service.services.pages.hitCount).toBeGreaterThan(0);
  await until(() => service.services.unsent.byteCount === 0);
});
