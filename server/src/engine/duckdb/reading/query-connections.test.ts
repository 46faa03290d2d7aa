import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BROKEN_OFF, QueryConnections } from './query-connections.ts';

const ROWS = { sql: 'SELECT range FROM range(100000)', values: [], types: [] };

/** One column, and so many rows that the runtime by itself would collect garbage too rarely. */
const MANY_ROWS = { ...ROWS, sql: 'SELECT range FROM range(4000000)' };
const CHUNKS_AT_ONCE_MAX = 512;

/** A garbage collection, as the runtime reports it. */
interface Collection {
  readonly detail: { readonly kind: number };
}

let connections: QueryConnections;
let openedCount: () => number;
beforeEach(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connect = vi.spyOn(instance, 'connect');
  openedCount = () => connect.mock.calls.length;
  connections = new QueryConnections(instance, 1);
});
afterEach(() => connections.close());

async function rowCount(signal = new AbortController().signal): Promise<number> {
  let count = 0;
  for await (const chunk of connections.chunks(ROWS, signal)) count += chunk.rowCount;
  return count;
}

it('a connection is used again after a query that ended, as often as it likes', async () => {
  for (let time = 0; time < 3; time++) expect(await rowCount()).toBe(100_000);
  expect(openedCount()).toBe(1);
});

it('a connection is not used again after it was interrupted', async () => {
  const abort = new AbortController();
  const chunks = connections.chunks(ROWS, abort.signal);
  await chunks.next();
  abort.abort(new Error('gone'));
  await expect(chunks.next()).rejects.toThrow('gone');
  expect(await rowCount()).toBe(100_000);
  expect(openedCount()).toBe(2);
});

/** The engine ends a stream that fails far behind its beginning as if it were whole. */
const FAILING = {
  ...ROWS,
  sql: `SELECT CASE WHEN range = 1900000 THEN error('a page is damaged') ELSE range END FROM range(2000000)`,
};
const countOf = (rowCount: number) => ({ ...ROWS, sql: `SELECT ${rowCount}` });

async function streamedCount(
  query: typeof ROWS,
  count?: ReturnType<typeof countOf>,
): Promise<number> {
  const options = { isStreamed: true, ...(count && { count }) };
  let rowCount = 0;
  for await (const chunk of connections.chunks(query, new AbortController().signal, options)) {
    rowCount += chunk.rowCount;
  }
  return rowCount;
}

it.each([
  ['a mark at their end', undefined],
  ['their number', countOf(2_000_000)],
])('streamed rows that break off fail, known by %s', async (_, count) => {
  await expect(streamedCount(FAILING, count)).rejects.toThrow(BROKEN_OFF);
});

it.each([0, 1, 99_999, 100_001])(
  'a stream of 100000 rows fails where %d are counted',
  async (n) => {
    await expect(streamedCount(ROWS, countOf(n))).rejects.toThrow(BROKEN_OFF);
  },
);

it('a stream whose rows cannot be counted fails', async () => {
  const count = { ...ROWS, sql: `SELECT error('the file is gone')` };
  await expect(streamedCount(ROWS, count)).rejects.toThrow('the file is gone');
  expect(await streamedCount(ROWS, countOf(100_000))).toBe(100_000);
});

it('chunks that have been read do not wait for their memory to be freed', async () => {
  const collections: number[] = [];
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as readonly Collection[];
    collections.push(...entries.map(({ detail }) => detail.kind));
  });
  observer.observe({ entryTypes: ['gc'] });
  const { length: chunkCount } = await Array.fromAsync(
    connections.chunks(MANY_ROWS, new AbortController().signal),
  );
  await nextTurn();
  observer.disconnect();
  const minor = collections.filter((kind) => kind === constants.NODE_PERFORMANCE_GC_MINOR);
  expect(minor.length).toBeGreaterThanOrEqual(Math.floor(chunkCount / CHUNKS_AT_ONCE_MAX));
});
