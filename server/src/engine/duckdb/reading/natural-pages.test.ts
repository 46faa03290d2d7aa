import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { planOfPath } from '../../../../test/plan-of-path.ts';
import { cellAt } from '../../columns.ts';
import { openLockedInstance } from '../locked-instance.ts';
import type { FolderPlan } from './folder-plan.ts';
import { NaturalPages } from './natural-pages.ts';
import { OpenScans } from './open-scans.ts';
import { type ChunkOptions, QueryConnections } from './query-connections.ts';

/** Some chunks of each, and row groups that end within them. */
const PART_ROWS = [9000, 1, 7000, 12_000];

let root: string;
let connections: QueryConnections;
let plan: FolderPlan;
const never = new AbortController().signal;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'ticklake-walks-'));
  const instance = await openLockedInstance({
    ...{ directory: root, spillDirectory: '', memoryLimitMegabytes: 128, threadCount: 1 },
  });
  connections = new QueryConnections(instance, 2);
  const writer = await instance.connect();
  for (const [p, rowCount] of PART_ROWS.entries()) {
    await writer.run(
      `COPY (SELECT DATE '2026-11-18' AS "TradeDate", 'T' || range % 9 AS "Ticker",
         range + ${p} AS "ASID", nullif(hash(range) % 1000, 7)::DOUBLE AS "OpenPrice"
       FROM range(${rowCount})) TO '${root}/${p}' (FORMAT parquet, ROW_GROUP_SIZE 4096)`,
    );
  }
  writer.closeSync();
  const parts = PART_ROWS.map((rowCount, id) => ({
    ...{ id, key: `${id}`, location: `${id}`, digest: `${id}`, rowCount, byteCount: 0 },
  }));
  const made = planOfPath('us-equity/eq-daily-ohlc?columns=Ticker,ASID,OpenPrice');
  plan = { ...made, parts, root, predicates: [] };
});
afterAll(() => {
  connections.close();
  rmSync(root, { recursive: true });
});

/** As texts: thousands of rows are compared, of which each is a few values. */
async function rowsOf(pages: NaturalPages, page: FolderPlan, signal = never) {
  const rows: string[] = [];
  for await (const { rowCount, columns } of pages.run(page, signal)) {
    for (let r = 0; r < rowCount; r++) {
      rows.push(columns.map((column) => String(cellAt(column, r))).join('\0'));
    }
  }
  return rows;
}

/** Ends the streams that nothing proves to be whole after so many chunks. */
function breakOff(chunkCounts: readonly number[]): void {
  const { chunks } = connections;
  let streamCount = 0;
  vi.spyOn(connections, 'chunks').mockImplementation(async function* (query, signal, options) {
    const { isUnproven = false }: ChunkOptions = options ?? {};
    let left = isUnproven ? (chunkCounts[streamCount++ % chunkCounts.length] as number) : -1;
    for await (const chunk of chunks.call(connections, query, signal, options)) {
      if (left === 0) return;
      yield chunk;
      left--;
    }
  });
}

it('opens no scan for a walk whose matches are rare', async () => {
  const scans = new OpenScans();
  const pages = new NaturalPages(connections, scans);
  const next = async (filter: string, limit: number) => {
    const { predicates } = planOfPath(`us-equity/eq-daily-ohlc?columns=Ticker${filter}`);
    const own = predicates.filter(({ column }) => column.name !== 'TradeDate');
    for (const offset of [0, limit])
      await rowsOf(pages, { ...plan, predicates: own, offset, limit });
    return scans.has({ ...plan, predicates: own, offset: 2 * limit, limit });
  };
  expect(await next('&OpenPrice.ge=990', 60)).toBe(false);
  expect(await next('&OpenPrice.ge=600', 60)).toBe(true);
  await scans.close();
});

it('hands the rows of many small files over together, in order, page by page', async () => {
  const writer = await openLockedInstance({
    ...{ directory: root, spillDirectory: '', memoryLimitMegabytes: 128, threadCount: 2 },
  });
  const connection = await writer.connect();
  const parts = Array.from({ length: 300 }, (_, p) => {
    const location = `small-${p}`;
    return { ...{ id: p, key: location, location, digest: location }, rowCount: 20, byteCount: 0 };
  });
  for (const [p, { location }] of parts.entries()) {
    await connection.run(
      `COPY (SELECT 'T' || range % 4 AS "Ticker", ${p} * 20 + range AS "ASID", 1.5::DOUBLE AS "OpenPrice"
       FROM range(20)) TO '${root}/${location}' (FORMAT parquet)`,
    );
  }
  const { predicates } = planOfPath('us-equity/eq-daily-ohlc?columns=Ticker&Ticker=T3');
  const own = predicates.filter(({ column }) => column.name !== 'TradeDate');
  const small = { ...plan, parts, predicates: own, offset: 0, limit: 5000 };
  const pages = new NaturalPages(new QueryConnections(writer, 2));
  const expected = Array.from({ length: 1500 }, (_, i) => ['T3', i * 4 + 3, 1.5].join('\0'));
  expect(await rowsOf(pages, small)).toEqual(expected);
  expect((await Array.fromAsync(pages.run(small, never))).length).toBeLessThan(5);
  for (const offset of [0, 70, 140, 700, 1430]) {
    const page = await rowsOf(pages, { ...small, offset, limit: 70 });
    expect(page).toEqual(expected.slice(offset, offset + 71));
  }
  connection.closeSync();
  writer.closeSync();
});

const WALKS = ['', '&OpenPrice.ge=600', '&Ticker=T4', '&ASID.in=1,5000,8999,9001'];
const STEP = fc.record({
  walk: fc.nat(WALKS.length - 1),
  limit: fc.integer({ min: 1, max: 6000 }),
  does: fc.constantFrom('goes on', 'goes on', 'goes on', 'goes on', 'leaves', 'begins again'),
});

it('finds the same rows out of scans that stay open, whoever leaves and wherever they break off', async () => {
  const plans = WALKS.map((filter) => {
    const { predicates } = planOfPath(`us-equity/eq-daily-ohlc?columns=Ticker${filter}`);
    return { ...plan, predicates: predicates.filter(({ column }) => column.name !== 'TradeDate') };
  });
  const scans = new OpenScans();
  breakOff([0, 5, 1, 9, 3]);
  const goneOn = { count: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 20, maxLength: 40 }), async (steps) => {
      const pages = new NaturalPages(connections, scans);
      const plain = new NaturalPages(connections);
      const offsets = WALKS.map(() => 0);
      for (const { walk, limit, does } of steps) {
        if (does === 'begins again') offsets[walk] = 0;
        const page = { ...(plans[walk] as FolderPlan), offset: offsets[walk] as number, limit };
        if (does === 'leaves') {
          const leaving = new AbortController();
          const left = rowsOf(pages, page, leaving.signal);
          leaving.abort(new Error('left'));
          await expect(left).rejects.toThrow('left');
        }
        goneOn.count += Number(scans.has(page));
        const rows = await rowsOf(pages, page);
        expect(rows.join('\n')).toBe((await rowsOf(plain, page)).join('\n'));
        offsets[walk] = rows.length > limit ? page.offset + limit : 0;
      }
    }),
    { numRuns: 6 },
  );
  expect(goneOn.count).toBeGreaterThan(0);
  await scans.close();
});
