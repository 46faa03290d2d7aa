import {
  closeSync,
  copyFileSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyMoment } from '../../../test/any-moment.ts';
import { planOfPath } from '../../../test/plan-of-path.ts';
import { drawsOf } from '../../../test/seed.ts';
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnBatch, ColumnVector } from '../columns.ts';
import { type EngineReader, UnreadablePartError } from '../engine.ts';
import type { Part } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { openLockedInstance } from './locked-instance.ts';
import { openDuckDBReader } from './reader.ts';

let home: string;
let engine: EngineReader;
let plan: QueryPlan;

/** More than a page may hold at once, in several row groups. */
const ROW_COUNT = 300_000;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-engine-'));
  mkdirSync(join(home, 'lake'));
  writeFileSync(join(home, 'secret.csv'), 'a\n1\n');
  const file = join(home, 'lake', 'part.parquet');
  const writer = await (await DuckDBInstance.create()).connect();
  await writer.run(
    `COPY (SELECT DATE '2026-11-18' AS "TradeDate", 'AAA' AS "Ticker", 1::BIGINT AS "ASID",
       hash(range)::DOUBLE AS "OpenPrice" FROM range(${ROW_COUNT})) TO '${file}' (FORMAT parquet)`,
  );
  writer.closeSync();
  engine = await openDuckDBReader({
    directory: join(home, 'lake'),
    spillDirectory: join(home, 'lake', '.spill'),
    memoryLimitMegabytes: 512,
    threadCount: 2,
    idleConnectionsMax: 2,
    workerCellsMin: 16_384,
    walks: { diskBytesMax: 1e9, diskBytesPerHolderMax: 1e9, rowsMax: 1e7, idleMs: 60_000 },
  });
  const part: Part = {
    ...{ id: 1, key: '2026', location: 'part.parquet', digest: '' },
    ...{ rowCount: ROW_COUNT, byteCount: 0, rowGroups: [] },
  };
  const made = planOfPath('us-equity/eq-daily-ohlc?columns=Ticker,ASID,OpenPrice');
  plan = { ...made, parts: [part], predicates: [] };
});
afterAll(async () => {
  await engine.close();
  rmSync(home, { recursive: true, force: true });
});

async function rowCountOf(batches: AsyncIterable<ColumnBatch>): Promise<number> {
  let count = 0;
  for await (const { rowCount } of batches) count += rowCount;
  return count;
}

async function pricesOf(batches: AsyncIterable<ColumnBatch>): Promise<number[]> {
  const prices: number[] = [];
  for await (const { columns } of batches) {
    const { values } = columns[2] as Extract<ColumnVector, { type: 'number' }>;
    prices.push(...values);
  }
  return prices;
}

describe('the query engine', () => {
  it('yields one row more than the limit when there are more', async () => {
    const never = new AbortController().signal;
    expect(await rowCountOf(engine.scan({ ...plan, limit: 5000 }, never))).toBe(5001);
    const last = { ...plan, limit: 5000, offset: ROW_COUNT - 5000 };
    expect(await rowCountOf(engine.scan(last, never))).toBe(5000);
  });

  it('streams the rows that shorter pages have, over the end of a part', async () => {
    const never = new AbortController().signal;
    const [part] = plan.parts as [Part];
    const column = plan.columns.find(({ name }) => name === 'Ticker') as Column;
    const isNamed = { column, operator: 'eq', value: 'AAA' } as const;
    for (const predicates of [[], [isNamed]]) {
      const walk = { ...plan, parts: [part, { ...part, id: 2 }], predicates };
      const pageOf = async (offset: number, limit: number) =>
        await pricesOf(engine.scan({ ...walk, offset, limit }, never));
      const begin = ROW_COUNT - 130_000;
      const [first, second] = [
        await pageOf(begin, 100_000),
        await pageOf(begin + 100_000, 100_000),
      ];
      const streamed = await pageOf(begin, 200_000);
      expect(streamed).toHaveLength(200_001);
      expect(isDeepStrictEqual(streamed, [...first.slice(0, 100_000), ...second])).toBe(true);
      expect(await pageOf(2 * ROW_COUNT - 10, 200_000)).toEqual(await pageOf(ROW_COUNT - 10, 9));
      expect(await pageOf(2 * ROW_COUNT, 200_000)).toEqual([]);
    }
  });

  it('streams rows of which the conditions say every value', async () => {
    const columns = plan.columns.filter(({ name }) => name === 'Ticker');
    const predicates = columns.map((column) => ({ column, operator: 'eq', value: 'AAA' }) as const);
    const named = { ...plan, columns, predicates, limit: 200_000 };
    expect(await rowCountOf(engine.scan(named, new AbortController().signal))).toBe(200_001);
  });

  it.each([0, 20, 400])(
    'really stops the work of a query aborted within %i ms, which would take too long',
    async (withinMs) => {
      const column = plan.columns.find(({ name }) => name === 'OpenPrice') as Column;
      const [part] = plan.parts as [Part];
      const parts = Array.from({ length: 1000 }, (_, n) => ({ ...part, id: 10 + n }));
      const sort = [{ column, descending: true }];
      const heavy = { ...plan, parts, sort, limit: 1000 * ROW_COUNT };
      const abort = new AbortController();
      const running = rowCountOf(engine.scan(heavy, abort.signal));
      const aborted = anyMoment(drawsOf(`abort within ${withinMs}`), withinMs).then(() =>
        abort.abort(new Error('enough')),
      );
      await expect(running).rejects.toThrow('enough');
      await aborted;
      const never = new AbortController().signal;
      expect(await rowCountOf(engine.scan({ ...plan, limit: 10 }, never))).toBe(11);
    },
  );

  it.each(['like', 'ilike'] as const)(
    'comes to an end with any pattern of %s',
    async (operator) => {
      const never = new AbortController().signal;
      const column = plan.columns.find(({ name }) => name === 'Ticker') as Column;
      const patterns = [
        '*A*'.repeat(500),
        `${'*A'.repeat(200)}*~`,
        '(a+)+$*',
        '\\*',
        '*é'.repeat(2000),
      ];
      for (const pattern of patterns) {
        const predicates = [{ column, operator, pattern }];
        expect(await rowCountOf(engine.scan({ ...plan, predicates, limit: 10 }, never))).toBe(0);
      }
      const predicates = [{ column, operator, pattern: '*A*A*' }];
      expect(await rowCountOf(engine.scan({ ...plan, predicates, limit: 10 }, never))).toBe(11);
    },
  );

  it('gives back the memory of a batch that is released, and of no other', async () => {
    const never = new AbortController().signal;
    const [first, second] = await Array.fromAsync(engine.scan({ ...plan, limit: 5000 }, never));
    first?.release?.();
    const numbersOf = (batch?: ColumnBatch) => batch?.columns.at(-1)?.values.length;
    expect(numbersOf(first)).toBe(0);
    expect(numbersOf(second)).toBe(second?.rowCount);
  });

  it('does not start a query whose signal is aborted already', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(rowCountOf(engine.scan(plan, signal))).rejects.toThrow('too late');
  });

  it('streams a plan without a limit: its first rows come while others are not read yet', async () => {
    const never = new AbortController().signal;
    const all = { ...plan, limit: Number.MAX_SAFE_INTEGER - 1 };
    expect(await rowCountOf(engine.scan(all, never))).toBe(ROW_COUNT);
    for (let i = 0; i < 20; i++) {
      for await (const { rowCount } of engine.scan(all, never)) {
        expect(rowCount).toBeLessThan(10_000);
        break;
      }
    }
    const abort = new AbortController();
    const batches = engine.scan(all, abort.signal)[Symbol.asyncIterator]();
    await batches.next();
    abort.abort(new Error('enough'));
    await expect(batches.next()).rejects.toThrow('enough');
    expect(await rowCountOf(engine.scan({ ...plan, limit: 10 }, never))).toBe(11);
  });

  it('says that a stream is not whole where a file is damaged in its middle', async () => {
    const location = 'damaged.parquet';
    const file = join(home, 'lake', location);
    copyFileSync(join(home, 'lake', 'part.parquet'), file);
    const descriptor = openSync(file, 'r+');
    const middle = Math.floor(fstatSync(descriptor).size / 2);
    writeSync(descriptor, Buffer.alloc(200_000, 0xa5), 0, 200_000, middle);
    closeSync(descriptor);
    const damaged = { ...(plan.parts[0] as Part), id: 2, location };
    const never = new AbortController().signal;
    const all = { ...plan, parts: [damaged], limit: Number.MAX_SAFE_INTEGER - 1 };
    await expect(rowCountOf(engine.scan(all, never))).rejects.toThrow(UnreadablePartError);
  });

  it('gives back its connection when the reader stops early', async () => {
    const never = new AbortController().signal;
    for (let i = 0; i < 20; i++) {
      for await (const _ of engine.scan({ ...plan, limit: 5000 }, never)) break;
    }
    expect(await rowCountOf(engine.scan({ ...plan, limit: 10 }, never))).toBe(11);
  });
});

describe('the locked instance', () => {
  const locked = (memoryLimitMegabytes = 64) =>
    openLockedInstance({
      directory: join(home, 'lake'),
      spillDirectory: join(home, 'lake', '.spill'),
      memoryLimitMegabytes,
      threadCount: 1,
      readsPages: true,
    });

  it.each([
    ['reads a file outside the lake', (path: string) => `SELECT * FROM read_csv('${path}')`],
    ['reads it by its bare name', (path: string) => `SELECT * FROM '${path}'`],
    ['reads it by a way up', () => `SELECT * FROM '${home}/lake/../secret.csv'`],
    ['lists files', () => `SELECT * FROM glob('${home}/*')`],
    ['writes a file outside the lake', () => `COPY (SELECT 1) TO '${home}/written.csv'`],
    ['attaches a database', () => `ATTACH '${home}/other.db'`],
    ['loads an extension', () => 'LOAD httpfs'],
    ['installs an extension', () => 'INSTALL httpfs'],
    ['changes a setting', () => 'SET enable_external_access = true'],
    ['allows more folders', () => "SET allowed_directories = ['/']"],
  ])('fails a statement that %s', async (_, sql) => {
    const instance = await locked();
    const connection = await instance.connect();
    await expect(connection.run(sql(join(home, 'secret.csv')))).rejects.toThrow();
    connection.closeSync();
    instance.closeSync();
  });

  it('holds nothing in its memory of the files that it has read', async () => {
    const instance = await locked();
    const connection = await instance.connect();
    await connection.run(`SELECT sum("OpenPrice") FROM '${home}/lake/part.parquet'`);
    const reader = await connection.runAndReadAll(
      'SELECT count(*) FROM duckdb_external_file_cache()',
    );
    expect(reader.getRows()).toEqual([[0n]]);
    connection.closeSync();
    instance.closeSync();
  });

  it('sorts more than fits into its memory, inside its own folder', async () => {
    const instance = await locked(16);
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(
      'SELECT hash(range) FROM range(1000000) ORDER BY 1 OFFSET 999999',
    );
    expect(reader.currentRowCount).toBe(1);
    connection.closeSync();
    instance.closeSync();
  });
});
