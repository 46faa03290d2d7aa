import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { closeSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import * as fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';
import { connectToDuckDB } from '../../../../test/duckdb-connection.ts';
import { sampleDataset } from '../../../../test/lake/sample-dataset.ts';
import {
  inNaturalOrder,
  readSampleRows,
  type SampleRow,
  sampleRows,
} from '../../../../test/lake/sample-rows.ts';
import type { Dataset } from '../../../catalog/dataset.ts';
import { tryLockFile } from '../../../installed.ts';
import { batchOfRows, dateOfDays } from '../../columns.ts';
import { runsOf } from '../../conformance/tested-engine.ts';
import type { PartWriter } from '../../engine.ts';
import { indexedColumns } from '../../indexed-columns.ts';
import type { WrittenPart } from '../../part.ts';
import type { ColumnText } from '../../record-reading.ts';
import { duckDBStorage } from '../storage.ts';
import { BatchAppender } from './stage-append.ts';

const directory = mkdtempSync(join(tmpdir(), 'ticklake-stage-'));
const storage = duckDBStorage({ directory, tryLock: tryLockFile });
afterAll(async () => {
  await storage.close?.();
  rmSync(directory, { recursive: true });
});

let fileCount = 0;
const newLocation = () => `${fileCount++}.parquet`;
const fileAt = (location: string) => join(directory, location);

async function stageOf(dataset: Dataset, batches: readonly SampleRow[][]): Promise<PartWriter> {
  const stage = await storage.openWriter(dataset);
  for (const rows of batches) await stage.append(batchOfRows(dataset.columns, rows));
  return stage;
}

async function writeAll(
  stage: PartWriter,
): Promise<{ keys: string[]; files: string[]; written: WrittenPart[] }> {
  const keys = await stage.partitionKeys();
  const locations = keys.map(newLocation);
  const written: WrittenPart[] = [];
  for (const [i, key] of keys.entries()) {
    written.push(await stage.write(key, locations[i] as string, null));
  }
  return { keys, files: locations.map(fileAt), written };
}

const FIRST_DAY = 20_770;
const KEY_LENGTHS = { day: 10, month: 7, year: 4 };

test('a part is the same in whichever order parts are written, and with rows added in between', async () => {
  const dataset = sampleDataset('day');
  const rows = Array.from({ length: 60 }, (_, i): SampleRow => {
    return [FIRST_DAY + (i % 12), `T${i}`, BigInt(i), i, BigInt(i), null];
  });
  const inOrder = await stageOf(dataset, [rows]);
  const { keys, written } = await writeAll(inOrder);
  await inOrder.close();
  const order = [0, 1, 3, 2, 9, 10, 11, 4, 5, 6, 8, 7];
  const stage = await stageOf(dataset, [rows]);
  for (const k of order.slice(0, 6)) {
    expect(await stage.write(keys[k] as string, newLocation(), null)).toEqual(written[k]);
  }
  await stage.append(batchOfRows(dataset.columns, [[FIRST_DAY + 11, 'U', 1n, 1, 1n, null]]));
  for (const k of order.slice(6)) {
    const part = await stage.write(keys[k] as string, newLocation(), null);
    if (k === 11) expect(part.rowCount).toBe(6);
    else expect(part).toEqual(written[k]);
  }
  await stage.close();
});

test('many partitions take few statements for all of them', async () => {
  const rows = Array.from({ length: 126 }, (_, i): SampleRow => {
    return [FIRST_DAY + i, 'T', BigInt(i), i, BigInt(i), null];
  });
  const stage = await stageOf(sampleDataset('day'), [rows]);
  const run = vi.spyOn(DuckDBConnection.prototype, 'run');
  const read = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll');
  for (const key of await stage.partitionKeys()) expect(await stage.rowCount(key)).toBe(1);
  // One statement counts the rows of each day.
  expect(read.mock.calls).toHaveLength(1);
  await writeAll(stage);
  const copies = run.mock.calls.filter(([sql]) => sql.startsWith('COPY '));
  // Six write 2, 4, 8, 16, 32 and 64 partitions.
  expect(copies).toHaveLength(6);
  // One more looks for their order, six read them back, and six compare that with the table.
  expect(read.mock.calls).toHaveLength(1 + 1 + 6 + 6);
  vi.restoreAllMocks();
  await stage.close();
});

test('partitions written together are the files that each would be alone, in the order of the feed', async () => {
  const dataset = sampleDataset('day');
  // More than one statement may write, and around what is packed.
  const sizes = [...Array(30).fill(250), 1, 63, 64, 65, 100, 256, 257, 2049, 300, 90];
  const days = sizes.map((size, day) =>
    Array.from({ length: size }, (_, i): SampleRow => {
      const codes = i % 5 === 0 ? null : ['x', `${i}`];
      return [FIRST_DAY + day, i < size / 2 ? 'A' : null, 1n, i % 7 ? -0 : 0, BigInt(i), codes];
    }),
  );
  const stage = await stageOf(dataset, [days.flat()]);
  const { files, written } = await writeAll(stage);
  await stage.close();
  const numbersOf = (rows: readonly SampleRow[]) => rows.map((row) => row[4]).join();
  const stored = numbersOf(await readSampleRows(files));
  expect(stored === numbersOf(days.flat()), 'the order of the feed').toBe(true);
  for (const [d, day] of days.entries()) {
    const alone = await stageOf(dataset, [day]);
    expect((await writeAll(alone)).written).toEqual([written[d]]);
    await alone.close();
  }
});

test('partitions hold the rows of any batches as a stable sort of them, each in its own', async () => {
  const units = fc.constantFrom('day' as const, 'month' as const, 'year' as const);
  const days = { min: FIRST_DAY - 500, max: FIRST_DAY };
  await fc.assert(
    fc.asyncProperty(units, fc.array(sampleRows(days), { maxLength: 4 }), async (unit, batches) => {
      const stage = await stageOf(sampleDataset(unit), batches);
      const { keys, files } = await writeAll(stage);
      await stage.close();
      const expected = inNaturalOrder(batches.flat());
      expect(await readSampleRows(files)).toEqual(expected);
      const expectedKeys = expected.map((row) => dateOfDays(row[0]).slice(0, KEY_LENGTHS[unit]));
      expect(keys).toEqual([...new Set(expectedKeys)]);
    }),
    { numRuns: runsOf(8) },
  );
});

test('rows of the existing file come first among equal keys', async () => {
  const dataset = sampleDataset('whole');
  const days = { min: FIRST_DAY, max: FIRST_DAY + 1 };
  await fc.assert(
    fc.asyncProperty(sampleRows(days), sampleRows(days), async (oldRows, added) => {
      fc.pre(oldRows.length > 0 && added.length > 0);
      const [first, second] = [newLocation(), newLocation()];
      const oldStage = await stageOf(dataset, [oldRows]);
      const old = await oldStage.write('all', first, null);
      const newStage = await stageOf(dataset, [added]);
      const written = await newStage.write('all', second, { ...old, location: first });
      await Promise.all([oldStage.close(), newStage.close()]);
      expect(await readSampleRows([fileAt(second)])).toEqual(
        inNaturalOrder([...oldRows, ...added]),
      );
      expect(written.rowCount).toBe(oldRows.length + added.length);
    }),
    { numRuns: runsOf(4) },
  );
});

test('rows of equal keys keep the order of the feed where there are many of them', async () => {
  const dataset = sampleDataset('whole');
  // More than one thread of the engine sorts at a time.
  const feed = Array.from({ length: 130_000 }, (_, i): SampleRow => {
    return [FIRST_DAY, `T${(i * 7) % 3}`, 1n, 1, BigInt(i), null];
  });
  const [first, second] = [newLocation(), newLocation()];
  const oldStage = await stageOf(dataset, [feed.slice(0, 100_000)]);
  const old = await oldStage.write('all', first, null);
  const newStage = await stageOf(dataset, [feed.slice(100_000)]);
  await newStage.write('all', second, { ...old, location: first });
  await Promise.all([oldStage.close(), newStage.close()]);
  const tickers = ['T0', 'T1', 'T2'];
  const expected = tickers.flatMap((ticker) => feed.filter((row) => row[1] === ticker));
  // An order that the first part broke would be broken in the second one, too.
  const stored = await readSampleRows([fileAt(second)]);
  const numbersOf = (rows: readonly SampleRow[]) => rows.map((row) => row[4]).join();
  expect(numbersOf(stored) === numbersOf(expected), 'the order of the feed').toBe(true);
});

test('rows that took the place of a day in the middle lie between those of the others', async () => {
  const dataset = sampleDataset('whole');
  const rowsOf = (day: number, price: number) =>
    Array.from({ length: 42_000 }, (_, i): SampleRow => {
      return [FIRST_DAY + day, `T${i % 2}`, BigInt(i), price, BigInt(i), null];
    }).toSorted((a, b) => ((a[1] ?? '') < (b[1] ?? '') ? -1 : a[1] === b[1] ? 0 : 1));
  const days = [0, 1, 2].map((day) => rowsOf(day, 1));
  const [first, second] = [newLocation(), newLocation()];
  const oldStage = await stageOf(dataset, days);
  const old = await oldStage.write('all', first, null);
  const middle = rowsOf(1, 2);
  const newStage = await stageOf(dataset, [middle]);
  const date = dateOfDays(FIRST_DAY + 1);
  const removed = { dates: { start: date, end: date }, identifiers: null };
  const written = await newStage.write('all', second, { ...old, location: first, removed });
  await Promise.all([oldStage.close(), newStage.close()]);
  const expected = [...(days[0] as SampleRow[]), ...middle, ...(days[2] as SampleRow[])];
  expect(written.rowCount).toBe(expected.length);
  const stored = await readSampleRows([fileAt(second)]);
  const keysOf = (rows: readonly SampleRow[]) =>
    rows.map(([day, ticker, time, price]) => [day, ticker, time, price].join());
  expect(keysOf(stored).join('\n') === keysOf(expected).join('\n')).toBe(true);
});

/**
 * 66,000 rows over two days in natural order, every seventh ASID null. The first day has more than
 * a row group.
 */
function manyRows(): SampleRow[] {
  return Array.from({ length: 66_000 }, (_, i) => [
    FIRST_DAY + Math.floor(i / 64_000),
    `T${String(Math.floor(i / 1000)).padStart(4, '0')}`,
    BigInt(i) * 1_000_003n,
    i % 2 === 0 ? null : i / 4,
    i % 7 === 0 ? null : BigInt((i * 7919) % 100_003),
    null,
  ]);
}

function boundsOf(rows: readonly SampleRow[], column: number): { min: unknown; max: unknown } {
  let min: SampleRow[number] = null;
  let max: SampleRow[number] = null;
  for (const row of rows) {
    const cell = row[column] as SampleRow[number];
    if (cell === null) continue;
    if (min === null || cell < min) min = cell;
    if (max === null || cell > max) max = cell;
  }
  const asBound = (cell: SampleRow[number]) =>
    column === 0 && cell !== null ? dateOfDays(cell as number) : cell;
  return { min: asBound(min), max: asBound(max) };
}

/** Bytes between the leading magic and the footer, less those that belong to no column. */
async function pageBytes(file: string): Promise<number> {
  const size = statSync(file).size;
  const tail = Buffer.alloc(8);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, tail, 0, 8, size - 8);
  closeSync(descriptor);
  const connection = await connectToDuckDB();
  const reader = await connection.runAndReadAll(
    `SELECT coalesce(sum(bloom_filter_length), 0)::BIGINT FROM parquet_metadata('${file}')`,
  );
  return size - 4 - 8 - tail.readUInt32LE(0) - Number(reader.getRows()[0]?.[0]);
}

test('the index of row groups equals what the files hold', async () => {
  const dataset = sampleDataset('day');
  const rows = manyRows();
  const shuffled = [rows.slice(60_000), rows.slice(0, 60_000)];
  for (const batches of [[rows], shuffled]) {
    const stage = await stageOf(dataset, batches);
    const { files, written } = await writeAll(stage);
    await stage.close();
    expect(written.map((partition) => partition.rowCount)).toEqual([64_000, 2000]);
    for (const [i, partition] of written.entries()) {
      const stored = await readSampleRows([files[i] as string]);
      expect(partition.rowGroups.length > 1).toBe(i === 0);
      expect(partition.byteCount).toBe(await pageBytes(files[i] as string));
      expect(partition.byteCount).toBe(
        partition.rowGroups.reduce((sum, group) => sum + group.byteCount, 0),
      );
      let start = 0;
      for (const group of partition.rowGroups) {
        const inGroup = stored.slice(start, start + group.rowCount);
        expect(Object.keys(group.bounds)).toEqual(indexedColumns(dataset));
        for (const [name, bounds] of Object.entries(group.bounds)) {
          const column = dataset.columns.findIndex((candidate) => candidate.name === name);
          expect({ name, ...bounds }).toEqual({ name, ...boundsOf(inGroup, column) });
        }
        start += group.rowCount;
      }
      expect(start).toBe(partition.rowCount);
    }
  }
});

test('parts of few rows are not packed', async () => {
  const rows = [256, 257].flatMap((count, day) =>
    Array.from({ length: count }, (_, i): SampleRow => {
      return [FIRST_DAY + day, 'T', BigInt(i), i, BigInt(i), null];
    }),
  );
  const stage = await stageOf(sampleDataset('day'), [rows]);
  const { files } = await writeAll(stage);
  await stage.close();
  const connection = await connectToDuckDB();
  const packed: unknown[] = [];
  for (const file of files) {
    const sql = `SELECT compression, count(bloom_filter_length) > 0
      FROM parquet_metadata('${file}') GROUP BY compression`;
    packed.push((await connection.runAndReadAll(sql)).getRows());
  }
  expect(packed).toEqual([[['UNCOMPRESSED', false]], [['ZSTD', true]]]);
});

test('a row without a value in the partition column is refused by name', async () => {
  const dataset = sampleDataset('day');
  const stage = await storage.openWriter(dataset);
  await stage.append(batchOfRows(dataset.columns, [[null, 'A', 1n, 1, 1n, null]]));
  await expect(stage.partitionKeys()).rejects.toThrow(
    /^TradeDate is null in 1 of the rows, but sample_day_us9001 is partitioned by its day$/,
  );
  await stage.close();
});

test('a batch whose columns are not those of the dataset is refused', async () => {
  const dataset = sampleDataset('day');
  const stage = await storage.openWriter(dataset);
  const batch = batchOfRows(dataset.columns, [[FIRST_DAY, 'A', 1n, 1, 1n, null]]);
  const [first, ...rest] = batch.columns;
  await expect(stage.append({ rowCount: 1, columns: rest })).rejects.toThrow(/6 columns has 5/);
  await expect(
    stage.append({ rowCount: 1, columns: [...rest, first as (typeof rest)[0]] }),
  ).rejects.toThrow(/TradeDate: 1 values of type date are due/);
  await expect(stage.append({ ...batch, rowCount: 2 })).rejects.toThrow(/got 1 of date/);
  await stage.close();
});

test('an empty stage has no partitions', async () => {
  for (const unit of ['day', 'whole'] as const) {
    const stage = await stageOf(sampleDataset(unit), []);
    expect(await stage.partitionKeys()).toEqual([]);
    await stage.close();
  }
});

test('an engine whose folder was removed is replaced, and a stage that fails to close leaves none', async () => {
  const home = mkdtempSync(join(directory, 'home-'));
  const staging = join(home, '.staging');
  const marks = () => readdirSync(join(staging, 'alive'));
  const own = duckDBStorage({ directory: home, tryLock: tryLockFile });
  const dataset = sampleDataset('whole');
  const row: SampleRow = [FIRST_DAY, 'T', 1n, 1, 1n, null];
  const load = async (location: string) => {
    const stage = await own.openWriter(dataset);
    await stage.append(batchOfRows(dataset.columns, [row]));
    if (location !== '') expect((await stage.write('all', location, null)).rowCount).toBe(1);
    return stage;
  };
  const removeFolder = () => rmSync(join(staging, `stage-${marks()[0]}`), { recursive: true });
  await (await load('first.parquet')).close();
  removeFolder();
  const second = await load('second.parquet');
  expect(marks()).toHaveLength(1);
  removeFolder();
  await second.close();
  expect(marks()).toEqual([]);
  const third = await load('');
  const close = vi.spyOn(BatchAppender.prototype, 'close').mockImplementation(() => {
    throw new Error('no room');
  });
  await expect(third.close()).rejects.toThrow('no room');
  close.mockRestore();
  expect(readdirSync(staging)).toEqual(['alive']);
  expect(marks()).toEqual([]);
});

/** A block of records of a day and a ticker, in parts of 50,000. */
function plainBlock({ columns }: Dataset, partCount: number, ticker: string) {
  const fields = columns.slice(0, 2);
  const parts = Array.from({ length: partCount }, () =>
    Buffer.from(`2026-11-12,${ticker}\n`.repeat(50_000)),
  );
  const records = { fields, columns: fields, parts, recordCount: partCount * 50_000 };
  const form = { reading: null, offsetColumns: new Set<string>(), lineEnd: '\n' } as const;
  return { ...records, ...form };
}

test('a block of records is on its way to the engine in as few steps as one record', async () => {
  const dataset = sampleDataset('day');
  const stage = await stageOf(dataset, []);
  const stepsOf = async (partCount: number) => {
    let steps = 0;
    const loading = new AsyncLocalStorage<true>();
    const count = (_id: number, type: string) => {
      if (type === 'FSREQPROMISE' && loading.getStore()) steps += 1;
    };
    const counting = createHook({ init: count }).enable();
    const block = plainBlock(dataset, partCount, 'T');
    const load = () => stage.records?.loadPlainRecords(block);
    expect(await loading.run(true, load)).toEqual([]);
    counting.disable();
    return steps;
  };
  expect(await stepsOf(1)).toBeGreaterThan(0);
  expect(await stepsOf(8)).toBe(await stepsOf(1));
  expect(await stage.rowCount('2026-11-12')).toBe(10 * 50_000);
  await stage.close();
});

test('a large block is read in two halves, whose rows the engine need not copy again', async () => {
  const dataset = sampleDataset('day');
  const stage = await stageOf(dataset, []);
  const run = vi.spyOn(DuckDBConnection.prototype, 'run');
  const bytesReadOf = async (partCount: number) => {
    run.mockClear();
    const block = plainBlock(dataset, partCount, 'T'.repeat(40));
    expect(await stage.records?.loadPlainRecords(block)).toEqual([]);
    const [insert] = run.mock.calls
      .flatMap(([sql]) => /buffer_size = (\d+)/.exec(sql) ?? [])
      .slice(1);
    return Number(insert);
  };
  const recordBytes = '2026-11-12,\n'.length + 40;
  expect(await bytesReadOf(6)).toBe(150_000 * recordBytes + 1);
  // Too few for two tables' groups of 122,880 rows: read by all threads, of which none waits.
  expect(await bytesReadOf(4)).toBe(2_097_152);
  run.mockRestore();
  expect(await stage.rowCount('2026-11-12')).toBe(10 * 50_000);
  await stage.close();
});

test('a block is written to its file before its turn comes, and read when it comes', async () => {
  const dataset = sampleDataset('day');
  const stage = await stageOf(dataset, []);
  const load = (turn?: Promise<void>) =>
    stage.records?.loadPlainRecords(plainBlock(dataset, 1, 'T'), turn);
  const staging = join(directory, '.staging');
  const files = () =>
    readdirSync(staging, { recursive: true }).filter((name) => `${name}`.includes('block-'));
  const turn = Promise.withResolvers<void>();
  const later = load(turn.promise);
  await expect.poll(files).toHaveLength(1);
  expect(await load()).toEqual([]);
  expect(files()).toHaveLength(1);
  expect(await stage.rowCount('2026-11-12')).toBe(50_000);
  turn.resolve();
  expect(await later).toEqual([]);
  expect(files()).toEqual([]);
  expect(await stage.rowCount('2026-11-12')).toBe(2 * 50_000);
  const failing = Promise.withResolvers<void>();
  failing.promise.catch(() => undefined);
  const failed = load(failing.promise);
  await expect.poll(files).toHaveLength(1);
  const full = Object.assign(new Error('the one before it has failed'), { code: 'ENOSPC' });
  failing.reject(full);
  await expect(failed).rejects.toBe(full);
  expect(full).not.toHaveProperty('path');
  expect(files()).toEqual([]);
  await stage.close();
});

test('a recipe whose usual texts cannot be looked for leaves its block to the exact way', async () => {
  const dataset = sampleDataset('day');
  const stage = await stageOf(dataset, []);
  const block = plainBlock(dataset, 1, 'T-1');
  const shared = { choice: null, ifEmpty: null, undefinedTexts: [], expected: null, legal: '' };
  const texts = block.columns.map((column, field): ColumnText => {
    const way = ['([A-Z]+)-([0-9]+)', String.raw`\1`] as const;
    const steps = column.name === 'Ticker' ? [{ kind: 'rewrite', ways: [way] } as const] : [];
    return { ...shared, column, parts: [field], steps };
  });
  const reading = { separator: ',', texts, rows: [[0, 1]], only: [], except: [] };
  const fields = block.fields.map((field) => ({ ...field, dataType: 'string' as const }));
  const load = () =>
    stage.records?.loadPlainRecords({ ...block, fields, columns: fields, reading });
  const look = vi.spyOn(DuckDBConnection.prototype, 'runAndReadAll');
  look.mockRejectedValueOnce(new Error('no memory'));
  expect(await load()).toBeNull();
  look.mockRestore();
  expect(await load()).toEqual([]);
  expect(await stage.rowCount('2026-11-12')).toBe(50_000);
  await stage.close();
});
