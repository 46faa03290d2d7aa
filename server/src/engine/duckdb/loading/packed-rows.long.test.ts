import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectToDuckDB } from '../../../../test/duckdb-connection.ts';
import { sampleDataset, typedDataset } from '../../../../test/lake/sample-dataset.ts';
import type { CheckRule } from '../../../catalog/checks.ts';
import type { Dataset } from '../../../catalog/dataset.ts';
import { tryLockFile } from '../../../installed.ts';
import { batchOfRows, type CellValue, dateOfDays } from '../../columns.ts';
import type { ExistingPart, PartStorage, PartWriter } from '../../engine.ts';
import type { WrittenPart } from '../../part.ts';
import { duckDBStorage } from '../storage.ts';
import { findBrokenRows } from './check-rules.ts';
import { ROW_GROUP_ROWS } from './lake-file.ts';
import { createStageTable, isInNaturalOrder } from './stage-table.ts';

/** So little that a file is packed for each row group, and so much that one is for every two. */
const PACKING_MEGABYTES = 32;
const PACKING_TWO_MEGABYTES = 48;
const FIRST_DAY = 20_770;
const BATCH_ROWS = 7000;
const ROWS_PER_DAY = 66_000;

const directory = mkdtempSync(join(tmpdir(), 'ticklake-packed-'));
const storageOf = (name: string, memoryLimitMegabytes?: number) =>
  duckDBStorage({
    ...{ directory: join(directory, name), tryLock: tryLockFile },
    ...(memoryLimitMegabytes && { memoryLimitMegabytes }),
  });
const plain = storageOf('plain');
const packing = storageOf('packing', PACKING_MEGABYTES);
afterAll(async () => {
  await Promise.all([plain.close?.(), packing.close?.()]);
  rmSync(directory, { recursive: true });
});

type Row = readonly CellValue[];

/** In natural order, many keys twice, with values of every type, also null ones. */
function rowsOfDay(day: number): Row[] {
  return Array.from({ length: ROWS_PER_DAY }, (_, i) => [
    FIRST_DAY + day,
    `T${String(Math.floor(i / 1000)).padStart(12, '0')}`,
    BigInt((i % 1000) >> 1),
    null,
    2n ** 62n + BigInt(i),
    i % 3 === 0 ? null : ['x', `longer than twelve bytes ${i % 7}`],
    i % 5 === 0 ? null : i % 2 === 0,
    [BigInt(i)],
    i % 4 === 0 ? null : [i / 3, -0],
    null,
  ]);
}

const [before, middle, after] = [0, 1, 2].map(rowsOfDay) as [Row[], Row[], Row[]];
const SPAN = { start: dateOfDays(FIRST_DAY + 1), end: dateOfDays(FIRST_DAY + 1) };
/** Rows of which one is the last of a packed file, and the other follows it. */
const atEnd = (last: Row, next: Row) => [
  ...middle.slice(0, ROW_GROUP_ROWS - 1),
  ...[last, next],
  ...after.slice(0, BATCH_ROWS),
];
const [TICKER, TIME, STRIKE, ASID, FEE] = [1, 2, 3, 4, 9];
/** Later than all others of its day and ticker. */
const lastRow = (middle[ROW_GROUP_ROWS - 1] as Row).with(TIME, 2n ** 60n);
const shuffled = middle.map((_, i) => middle[(i * 7919) % ROWS_PER_DAY] as Row);

async function openStage(storage: PartStorage, dataset: Dataset, rows: readonly Row[]) {
  const stage = await storage.openWriter(dataset);
  for (let first = 0; first < rows.length; first += BATCH_ROWS) {
    await stage.append(batchOfRows(dataset.columns, rows.slice(first, first + BATCH_ROWS)));
  }
  return stage;
}

/** Files in which rows of open stages are packed. */
const packedFiles = (root: string) =>
  globSync(join(directory, root, '.staging/stage-*/packed/*')).map((file) => basename(file));

let fileCount = 0;

/** The parts that are written of a stage, with their files, one partition after the other. */
async function writeAll(root: string, stage: PartWriter, existing: ExistingPart | null = null) {
  const parts: (WrittenPart & { readonly location: string; readonly file: string })[] = [];
  for (const key of await stage.partitionKeys()) {
    const location = `${fileCount++}.parquet`;
    const part = await stage.write(key, location, existing);
    parts.push({ ...part, location, file: join(directory, root, location) });
  }
  return parts;
}

/** Counts the rows that only one of two files has in their place. */
async function differences(one: string, other: string): Promise<number> {
  const connection = await connectToDuckDB();
  const rows = (file: string) =>
    `SELECT *, file_row_number FROM read_parquet('${file}', file_row_number = true)`;
  const found = await connection.runAndReadAll(
    `SELECT count(*) FROM ((${rows(one)} EXCEPT ${rows(other)})
       UNION ALL (${rows(other)} EXCEPT ${rows(one)}))`,
  );
  return Number(found.getRows()[0]?.[0]);
}

interface Way {
  readonly dataset: Dataset;
  readonly rows: readonly Row[];
  /** Rows of the part that the staged ones take a place in; absent: there is none. */
  readonly existing?: readonly Row[];
  readonly change?: (stage: PartWriter, dataset: Dataset) => Promise<unknown>;
  /** Packed files once the parts are written; joined ones if the loose rows are packed, too. */
  readonly files: readonly string[];
}

const [JOINED, NOT_JOINED, TAKEN_BACK] = [['0', 'loose'], ['0'], []];

const WAYS: Readonly<Record<string, Way>> = {
  'in natural order': { dataset: typedDataset('whole'), rows: middle, files: JOINED },
  'in any other order': { dataset: typedDataset('whole'), rows: shuffled, files: NOT_JOINED },
  'of several partitions': {
    dataset: typedDataset('day'),
    rows: [...before, ...middle],
    files: ['0', '1'],
  },
  'of several packed files': {
    dataset: typedDataset('whole'),
    rows: [...before, ...middle],
    files: ['0', '1', 'loose'],
  },
  'out of order only between packed files': {
    dataset: typedDataset('whole'),
    rows: [...after.slice(0, ROW_GROUP_ROWS), ...before],
    files: ['0', '1'],
  },
  'out of order only behind the packed ones': {
    dataset: typedDataset('whole'),
    rows: [...after.slice(0, ROW_GROUP_ROWS), ...before.slice(0, BATCH_ROWS)],
    files: NOT_JOINED,
  },
  'out of order only there by a null': {
    dataset: typedDataset('whole'),
    rows: atEnd(lastRow.with(TICKER, null), lastRow),
    files: NOT_JOINED,
  },
  'out of order only there by a nanosecond': {
    dataset: typedDataset('whole'),
    rows: atEnd(lastRow.with(TIME, 2n ** 60n + 1n), lastRow),
    files: NOT_JOINED,
  },
  'out of order only there by a decimal': {
    dataset: typedDataset('whole'),
    rows: atEnd(lastRow.with(FEE, 2n ** 70n + 1n), lastRow.with(FEE, 2n ** 70n)),
    files: NOT_JOINED,
  },
  'in order there by a null, with a number before it': {
    dataset: typedDataset('whole'),
    rows: atEnd(lastRow.with(STRIKE, 1e300), lastRow),
    files: JOINED,
  },
  'of one key on both sides of the end of a packed file': {
    dataset: typedDataset('whole'),
    rows: atEnd(lastRow, lastRow.with(ASID, -1n)),
    files: JOINED,
  },
  'between the rows of other days': {
    dataset: typedDataset('month'),
    rows: middle,
    existing: [...before, ...middle, ...after],
    files: ['0', 'after', 'before', 'loose'],
  },
  'in place of all rows': {
    dataset: typedDataset('month'),
    rows: middle,
    existing: middle,
    files: ['0', 'after', 'before', 'loose'],
  },
  'among rows that stay, out of order': {
    dataset: typedDataset('month'),
    rows: shuffled,
    existing: [...before, ...after],
    files: TAKEN_BACK,
  },
  'of which some get another date': {
    dataset: typedDataset('whole'),
    rows: middle,
    change: async (stage, dataset) => {
      const { date, newDate } = { date: SPAN.start, newDate: dateOfDays(FIRST_DAY) };
      await stage.redate({ date, timeColumn: 'EventDateTime', startNanos: 300n, newDate });
      await stage.append(batchOfRows(dataset.columns, before.slice(0, BATCH_ROWS)));
    },
    files: TAKEN_BACK,
  },
  'with others behind them after a look': {
    dataset: typedDataset('whole'),
    rows: middle,
    change: async (stage, dataset) => {
      await stage.partitionKeys();
      await stage.append(batchOfRows(dataset.columns, after));
    },
    files: ['0', '1', 'loose'],
  },
};

/** The parts of a way in one storage. */
async function partsOf(root: string, storage: PartStorage, way: Way) {
  const { dataset, rows, existing: stored, change } = way;
  let existing: ExistingPart | null = null;
  if (stored) {
    const stage = await openStage(storage, dataset, stored);
    const [part] = await writeAll(root, stage);
    await stage.close();
    const removed = { dates: SPAN, identifiers: null };
    existing = { ...(part as Exclude<typeof part, undefined>), storedColumns: [], removed };
  }
  const stage = await openStage(storage, dataset, rows);
  const folders = globSync(join(directory, root, '.staging/stage-*/packed'));
  await change?.(stage, dataset);
  const parts = await writeAll(root, stage, existing);
  const packed = packedFiles(root).toSorted();
  await stage.close();
  return { parts, hasPacked: folders.length > 0, packed };
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`packed rows become the parts that others become: rows ${name}`, async () => {
    const { parts: expected, hasPacked: others } = await partsOf('plain', plain, way);
    const { parts, hasPacked, packed } = await partsOf('packing', packing, way);
    expect([others, hasPacked]).toEqual([false, true]);
    expect(packed).toEqual(way.files.map((name) => `${name}.parquet`));
    const counted = ({ rowCount, contentDigest }: WrittenPart) => ({ rowCount, contentDigest });
    expect(parts.map(counted)).toEqual(expected.map(counted));
    for (const [p, part] of parts.entries()) {
      expect(part.rowGroups.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(part.rowCount);
      expect(await differences(part.file, (expected[p] as typeof part).file)).toBe(0);
    }
  });
}

const narrow = sampleDataset('whole');
const narrowed = (rows: readonly Row[]) => rows.map((row) => row.slice(0, narrow.columns.length));

test('rows are not taken to be in order if the engine does not read them as they came', async () => {
  const connection = await connectToDuckDB();
  const table = await createStageTable(connection, narrow);
  await connection.run(
    `INSERT INTO ${table.name} (Ticker) SELECT chr(65 + i::INTEGER) FROM range(20) numbers(i)`,
  );
  const columns = narrow.columns.map(({ name }) => name).join(', ');
  const halves = (sign: string) =>
    `(SELECT ${columns}, ${sign}rowid AS rowid FROM ${table.name} WHERE rowid < 10
      UNION ALL SELECT ${columns}, ${sign}rowid AS rowid FROM ${table.name} WHERE rowid >= 10)`;
  expect(await isInNaturalOrder({ ...table, name: halves('') })).toBe(true);
  expect(await isInNaturalOrder({ ...table, name: halves('-') })).toBe(false);
});

test('a key that is doubled at the end of a packed file alone is named by both rows', async () => {
  const own = middle.map((row, i) => row.with(TIME, BigInt(i)));
  const last = own[ROW_GROUP_ROWS - 1] as Row;
  const rows = [...own.slice(0, ROW_GROUP_ROWS), last, ...own.slice(ROW_GROUP_ROWS)];
  const stage = await openStage(packing, typedDataset('whole'), rows);
  const columns = ['TradeDate', 'Ticker', 'EventDateTime'];
  const [keys] = await stage.check([{ kind: 'keys', columns }], new Map());
  expect(packedFiles('packing')).toEqual(['0.parquet']);
  expect(keys?.rowCount).toBe(1);
  expect(keys?.rows[0]).toMatchObject({ row: ROW_GROUP_ROWS, twin: ROW_GROUP_ROWS - 1 });
  await stage.close();
});

const RANGES: readonly CheckRule[] = [
  { kind: 'range', column: 'Strike', min: 0, max: null },
  { kind: 'range', column: 'Strike', min: null, max: 10 },
  { kind: 'range', column: 'ASID', min: 0, max: 10 },
  { kind: 'range', column: 'TradeDate', min: dateOfDays(FIRST_DAY), max: null },
  { kind: 'range', column: 'Fee', min: 0, max: 10 },
];
/** Values out of range: two for one of the rules, one for each of the others. */
const OUT_OF_RANGE: readonly (readonly [place: number, value: CellValue])[] = [
  ...([
    [STRIKE, -0.5],
    [STRIKE, Number.NaN],
    [ASID, -1n],
    [ASID, 11n],
  ] as const),
  ...([
    [0, FIRST_DAY - 1],
    [FEE, 1001n],
  ] as const),
];
/** Rows of which the last ones before `end` are out of range. */
function outOfRange(end: number): Row[] {
  const kept = middle.map((row, i) =>
    row
      .with(STRIKE, i % 2 ? 5 : null)
      .with(ASID, 5n)
      .with(FEE, 1000n),
  );
  const broken = OUT_OF_RANGE.map(([place, value]) => (kept[0] as Row).with(place, value));
  return [...kept.slice(0, end - broken.length), ...broken, ...kept.slice(end)];
}

for (const [where, end] of [
  ['packed', ROW_GROUP_ROWS],
  ['other', ROWS_PER_DAY],
] as const) {
  test(`values out of range are found if only ${where} rows have them`, async () => {
    const stage = await openStage(packing, typedDataset('whole'), outOfRange(end));
    const found = await stage.check(RANGES, new Map());
    expect(packedFiles('packing')).toEqual(['0.parquet']);
    const rows = [[-6], [-5], [-4, -3], [-2], [-1]].map((all) => all.map((row) => end + row));
    expect(found.map(({ rowCount }) => rowCount)).toEqual(rows.map(({ length }) => length));
    expect(found.map((broken) => broken.rows.map(({ row }) => row))).toEqual(rows);
    await stage.close();
  });
}

test('values out of range are found in files that tell no bounds of their column', async () => {
  const connection = await connectToDuckDB();
  const loose = await createStageTable(connection, typedDataset('whole'));
  const file = join(directory, 'unbounded.parquet');
  await connection.run(`COPY (SELECT -1::DOUBLE AS other) TO '${file}'`);
  const name = `(SELECT other AS Strike, file_row_number AS rowid
    FROM read_parquet('${file}', file_row_number = true))`;
  const table = { ...loose, name, packed: { files: `['${file}']`, loose } };
  const found = await findBrokenRows(
    { table, existingFiles: [], isInOrder: true },
    RANGES.slice(0, 2),
  );
  expect(found.map(({ rowCount }) => rowCount)).toEqual([1, 0]);
});

/** A stage of rows in natural order, with more than are packed at once: two row groups. */
let stage: PartWriter;
beforeAll(async () => {
  const storage = storageOf('two', PACKING_TWO_MEGABYTES);
  stage = await openStage(storage, narrow, narrowed([...before, ...middle]));
  return async () => {
    await stage.close();
    await storage.close?.();
  };
});

test('Bloom filters of joined files find the values of their row groups', async () => {
  const [part] = await writeAll('two', stage);
  expect(packedFiles('two')).toEqual(['0.parquet', 'loose.parquet']);
  const connection = await connectToDuckDB();
  const found = await connection.runAndReadAll(
    `SELECT row_group_id, bloom_filter_excludes
     FROM parquet_bloom_probe('${part?.file}', 'Ticker', 'T${'60'.padStart(12, '0')}') ORDER BY ALL`,
  );
  expect(found.getRows()).toEqual([
    [0n, false],
    [1n, true],
    [2n, false],
  ]);
});

test('a key that is packed is found again behind the packed rows, and named by both rows', async () => {
  const columns = ['TradeDate', 'Ticker', 'ASID'];
  await stage.append(batchOfRows(narrow.columns, narrowed(before.slice(0, 1))));
  const [keys] = await stage.check([{ kind: 'keys', columns }], new Map());
  expect(keys?.rowCount).toBe(1);
  expect(keys?.rows[0]).toMatchObject({ row: 2 * ROWS_PER_DAY, twin: 0 });
});

const ENOUGH = new Error('enough');

/** A stage of more rows than are packed at once, in a storage of its own. */
async function openAborted(name: string, signal: AbortSignal) {
  const own = storageOf(name, PACKING_MEGABYTES);
  const stopped = await own.openWriter(narrow, signal);
  await stopped.append(batchOfRows(narrow.columns, narrowed([...before, ...middle])));
  return { own, stopped };
}

async function expectAborted(
  name: string,
  { own, stopped }: Awaited<ReturnType<typeof openAborted>>,
  running: Promise<unknown>,
) {
  await expect(running).rejects.toBe(ENOUGH);
  await stopped.close();
  expect(globSync(join(directory, name, '.staging/stage-*/*'))).toEqual([]);
  expect(existsSync(join(directory, name, 'all.parquet'))).toBe(false);
  await own.close?.();
}

test('a stage that is aborted while rows are packed rejects with the reason and leaves nothing', async () => {
  const abortion = new AbortController();
  const opened = await openAborted('packed', abortion.signal);
  const running = opened.stopped.partitionKeys();
  abortion.abort(ENOUGH);
  await expectAborted('packed', opened, running);
});

test('a stage that is aborted while rows are joined rejects with the reason and leaves nothing', async () => {
  const abortion = new AbortController();
  const opened = await openAborted('joined', abortion.signal);
  const [packed] = globSync(join(directory, 'joined', '.staging/stage-*/packed')) as [string];
  // A pipe in the place of the joined file is open from the beginning of joining until it is read.
  const pipe = join(packed, 'joined.parquet');
  execFileSync('mkfifo', [pipe]);
  const running = opened.stopped.write('all', 'all.parquet', null);
  // Another process waits for it: opening a pipe is a call that nothing here could end.
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void reader.kill());
  await Promise.race([once(reader.stdout, 'readable'), running.catch(() => null)]);
  abortion.abort(ENOUGH);
  reader.stdout.resume();
  await expectAborted('joined', opened, running);
});
