import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyMoment } from '../../../../test/any-moment.ts';
import { sampleDataset } from '../../../../test/lake/sample-dataset.ts';
import { drawsOf } from '../../../../test/seed.ts';
import { DEFAULT_DISK_LIMITS } from '../../../base/budgets.ts';
import type { StoredBytes } from '../../../base/stored-bytes.ts';
import type { Column } from '../../../catalog/dataset.ts';
import { defaultsOf } from '../../../schema/setting.ts';
import type { Row } from '../../conformance/select-rows.ts';
import {
  type NewPart,
  never,
  openingOf,
  planOver,
  TestedEngine,
} from '../../conformance/tested-engine.ts';
import { UnreadablePartError } from '../../engine.ts';
import type { QueryPlan } from '../../query-plan.ts';
import { DUCKDB_ENGINE } from '../engine.ts';
import { QueryConnections } from '../reading/query-connections.ts';
import { DUCKDB_SETTINGS, READING_LIMITS } from '../settings.ts';

const ROW_COUNT = 300_000;
const whole = sampleDataset('whole');
const [Ticker, Strike] = ['Ticker', 'Strike'].map((name) => whole.columnByName.get(name)) as [
  Column,
  Column,
];
/** Most rows; its row groups begin and end among those of others. */
const OF_B: Partial<QueryPlan> = {
  predicates: [{ column: Ticker, operator: 'eq', value: 'B' }],
};
const SORTED: Partial<QueryPlan> = { sort: [{ column: Strike, descending: true }] };

const SETTINGS = {
  ...defaultsOf(DUCKDB_SETTINGS),
  ...READING_LIMITS,
  ...DEFAULT_DISK_LIMITS,
  queriesMax: 3,
};
const tested = new TestedEngine(openingOf(DUCKDB_ENGINE, SETTINGS));
let parts: NewPart[];
let lakeFile: string;
beforeAll(async () => {
  await tested.open();
  const tickers = (i: number) => (i < 20_000 ? 'A' : i < 280_000 ? 'B' : 'C');
  const rows = Array.from({ length: ROW_COUNT }, (_, i): Row => {
    return ['2026-11-18', tickers(i), 10n ** 18n + BigInt(i), Math.sin(i), BigInt(i), null];
  });
  parts = await tested.writeParts(whole, [rows]);
  lakeFile = join(tested.home, 'lake', parts[0]!.location);
});
afterAll(() => tested.close());

const make = (changes: Partial<QueryPlan>, signal = never) =>
  tested.reader.parquet(planOver(whole, parts, changes), signal);

const lakeStretches = ({ stretches }: StoredBytes) =>
  stretches.filter((stretch) => 'file' in stretch && stretch.file === lakeFile);

const leftFiles = () =>
  readdirSync(join(tested.home, 'lake', '.spill'), { recursive: true }).filter((name) =>
    `${name}`.endsWith('.parquet'),
  );

describe('a Parquet file in natural order', () => {
  it('copies the bytes of a whole part between a mark and a footer of its own', async () => {
    const { bytes, rowCount } = await make({});
    expect(rowCount).toBe(ROW_COUNT);
    expect(bytes.stretches).toHaveLength(3);
    expect(lakeStretches(bytes)).toHaveLength(1);
    expect(bytes.byteCount).toBeLessThan(statSync(lakeFile).size);
  });

  it('copies the row groups that it wants whole, and cuts those at their ends', async () => {
    const { bytes, rowCount } = await make(OF_B);
    expect(rowCount).toBe(260_000);
    const [copied, ...others] = lakeStretches(bytes);
    expect(others).toEqual([]);
    const { start, end } = copied as { start: number; end: number };
    expect(end - start).toBeGreaterThan(0.5 * statSync(lakeFile).size);
    expect(bytes.stretches.length).toBeGreaterThan(4);
  });

  it('copies the chunks of its columns alone', async () => {
    const { bytes } = await make({ ...OF_B, columns: [Strike, Ticker] });
    const all = await make(OF_B);
    expect(lakeStretches(bytes).length).toBeGreaterThan(2);
    expect(bytes.byteCount).toBeLessThan(0.9 * all.bytes.byteCount);
  });

  it('is cut where the page begins and ends, and copied between', async () => {
    const { bytes, rowCount, nextOffset } = await make({ ...OF_B, offset: 7, limit: 200_000 });
    expect([rowCount, nextOffset]).toEqual([200_000, 200_007]);
    expect(lakeStretches(bytes)).toHaveLength(1);
  });
});

describe('a Parquet file of the same plan', () => {
  const ABOVE: Partial<QueryPlan> = {
    predicates: [{ column: Strike, operator: 'gt', value: 0.2 }],
  };
  it.each([
    ['copied and cut', OF_B],
    ['cut out of several row groups', ABOVE],
    ['a page in the middle', { ...ABOVE, offset: 30_000, limit: 50_000 }],
    ['sorted', SORTED],
  ])('is the same bytes in another reader with other threads: %s', async (_, changes) => {
    const digests = new Set<string>();
    for (const engineThreads of [1, 2, 5]) {
      const config = { ...SETTINGS, home: tested.home, engineThreads };
      const reader = await DUCKDB_ENGINE.openReader(config);
      const { bytes } = await reader.parquet(planOver(whole, parts, changes), never);
      digests.add((await bytes.digest('sha256')).toString('hex'));
      bytes.release();
      await reader.close();
    }
    expect(digests.size).toBe(1);
  });
});

it('is not made of a part that is gone or cut off, though its footer is known', async () => {
  const [part] = (await tested.writeParts(whole, [[['2026-11-18', 'A', 1n, 1, 1n, null]]])) as [
    NewPart,
  ];
  const file = join(tested.home, 'lake', part.location);
  const again = () => tested.reader.parquet(planOver(whole, [part]), never);
  expect((await again()).rowCount).toBe(1);
  truncateSync(file, 20);
  await expect(again()).rejects.toThrow(UnreadablePartError);
  await tested.storage.remove([part.location]);
  await expect(again()).rejects.toThrow(UnreadablePartError);
});

describe('rows of Parquet files that are encoded anew', () => {
  const { firstRow } = QueryConnections.prototype;
  const running = { count: 0, most: 0 };
  beforeEach(() => {
    running.most = 0;
    QueryConnections.prototype.firstRow = async function counted(query, signal) {
      if (!query.sql.startsWith('COPY')) return await firstRow.call(this, query, signal);
      running.most = Math.max(running.most, ++running.count);
      return await firstRow.call(this, query, signal).finally(() => running.count--);
    };
  });
  afterEach(() => {
    QueryConnections.prototype.firstRow = firstRow;
  });

  async function mostAtOnce(plans: readonly QueryPlan[]): Promise<number> {
    const made = await Promise.all(plans.map((plan) => tested.reader.parquet(plan, never)));
    for (const { bytes } of made) bytes.release();
    return running.most;
  }
  const sorted = (limit: number, offset: number) =>
    planOver(whole, [...parts, ...parts], {
      ...SORTED,
      scannedRows: 2 * ROW_COUNT,
      ...{ limit, offset },
    });

  it('are of one file at a time where they are many, of two where they are few', async () => {
    expect(await mostAtOnce([0, 1, 2].map((n) => sorted(400_000, n)))).toBe(1);
    expect(await mostAtOnce([0, 1, 2].map((n) => sorted(1000, n)))).toBe(2);
  });

  it('are encoded beside many others where they are few', async () => {
    expect(await mostAtOnce([sorted(400_000, 4), sorted(400_000, 5), sorted(1000, 5)])).toBe(2);
  });
});

describe('the temporary files of a Parquet file', () => {
  it('are there until it is released', async () => {
    const { bytes } = await make(SORTED);
    expect(leftFiles()).toHaveLength(1);
    bytes.release();
    expect(leftFiles()).toEqual([]);
  });

  it.each([0, 20, 100])('are gone when it is aborted within %i ms', async (withinMs) => {
    const abort = new AbortController();
    const making = make(SORTED, abort.signal);
    await anyMoment(drawsOf(`abort within ${withinMs}`), withinMs);
    abort.abort(new Error('enough'));
    const made = await making.catch((error: Error) => error);
    if (made instanceof Error) expect(made.message).toBe('enough');
    else made.bytes.release();
    expect(leftFiles()).toEqual([]);
  });
});
