import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectToDuckDB } from '../../../../test/duckdb-connection.ts';
import { sampleDataset, typedDataset } from '../../../../test/lake/sample-dataset.ts';
import type { Dataset } from '../../../catalog/dataset.ts';
import { tryLockFile } from '../../../installed.ts';
import { batchOfRows, type CellValue, dateOfDays } from '../../columns.ts';
import type { ExistingPart, PartStorage, PartWriter } from '../../engine.ts';
import type { WrittenPart } from '../../part.ts';
import { duckDBStorage } from '../storage.ts';
import { ROW_GROUP_ROWS } from './lake-file.ts';

/** So little that a file is packed for each row group. */
const PACKING_MEGABYTES = 32;
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
const shuffled = middle.map((_, i) => middle[(i * 7919) % ROWS_PER_DAY] as Row);

async function openStage(storage: PartStorage, dataset: Dataset, rows: readonly Row[]) {
  const stage = await storage.openWriter(dataset);
  for (let first = 0; first < rows.length; first += BATCH_ROWS) {
    await stage.append(batchOfRows(dataset.columns, rows.slice(first, first + BATCH_ROWS)));
  }
  return stage;
}

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
}

const WAYS: Readonly<Record<string, Way>> = {
  'in natural order': { dataset: typedDataset('whole'), rows: middle },
  'in any other order': { dataset: typedDataset('whole'), rows: shuffled },
  'of several partitions': { dataset: typedDataset('day'), rows: [...before, ...middle] },
  'between the rows of other days': {
    dataset: typedDataset('month'),
    rows: middle,
    existing: [...before, ...middle, ...after],
  },
  'in place of all rows': { dataset: typedDataset('month'), rows: middle, existing: middle },
  'among rows that stay, out of order': {
    dataset: typedDataset('month'),
    rows: shuffled,
    existing: [...before, ...after],
  },
  'of which some get another date': {
    dataset: typedDataset('whole'),
    rows: middle,
    change: async (stage, dataset) => {
      const { date, newDate } = { date: SPAN.start, newDate: dateOfDays(FIRST_DAY) };
      await stage.redate({ date, timeColumn: 'EventDateTime', startNanos: 300n, newDate });
      await stage.append(batchOfRows(dataset.columns, before.slice(0, BATCH_ROWS)));
    },
  },
  'with others behind them after a look': {
    dataset: typedDataset('whole'),
    rows: middle,
    change: async (stage, dataset) => {
      await stage.partitionKeys();
      await stage.append(batchOfRows(dataset.columns, after));
    },
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
  await change?.(stage, dataset);
  const parts = await writeAll(root, stage, existing);
  await stage.close();
  return parts;
}

for (const [name, way] of Object.entries(WAYS)) {
  test(`packed rows become the parts that others become: rows ${name}`, async () => {
    const [expected, parts] = [
      await partsOf('plain', plain, way),
      await partsOf('packing', packing, way),
    ];
    const counted = ({ rowCount, contentDigest }: WrittenPart) => ({ rowCount, contentDigest });
    expect(parts.map(counted)).toEqual(expected.map(counted));
    for (const [p, part] of parts.entries()) {
      expect(part.rowGroups.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(part.rowCount);
      expect(await differences(part.file, (expected[p] as typeof part).file)).toBe(0);
    }
  });
}

/** A stage of rows in natural order, more than are packed at once. */
let stage: PartWriter;
const narrow = sampleDataset('whole');
beforeAll(async () => {
  const rows = middle.map((row) => row.slice(0, narrow.columns.length));
  stage = await openStage(packing, narrow, rows);
  return () => stage.close();
});

test('Bloom filters of joined files find the values of their row groups', async () => {
  const [part] = await writeAll('packing', stage);
  const connection = await connectToDuckDB();
  const found = await connection.runAndReadAll(
    `SELECT row_group_id, bloom_filter_excludes
     FROM parquet_bloom_probe('${part?.file}', 'Ticker', 'T${'65'.padStart(12, '0')}') ORDER BY ALL`,
  );
  expect(found.getRows()).toEqual([
    [0n, true],
    [1n, false],
  ]);
});

test('a key that is packed is found again behind the packed rows, and named by both rows', async () => {
  const columns = ['TradeDate', 'Ticker', 'ASID'];
  const [row] = middle as [Row];
  await stage.append(batchOfRows(narrow.columns, [row.slice(0, narrow.columns.length)]));
  const [keys] = await stage.check([{ kind: 'keys', columns }], new Map());
  expect(keys?.rowCount).toBe(1);
  expect(keys?.rows[0]).toMatchObject({ row: ROWS_PER_DAY, twin: 0 });
});

test('a stage that is aborted while rows are packed rejects with the reason and leaves nothing', async () => {
  const abortion = new AbortController();
  const own = storageOf('stopped', PACKING_MEGABYTES);
  const stopped = await own.openWriter(narrow, abortion.signal);
  const rows = middle.slice(0, ROW_GROUP_ROWS).map((row) => row.slice(0, narrow.columns.length));
  await stopped.append(batchOfRows(narrow.columns, rows));
  const reason = new Error('enough');
  abortion.abort(reason);
  await expect(stopped.partitionKeys()).rejects.toBe(reason);
  await stopped.close();
  const staging = join(directory, 'stopped', '.staging');
  const left = readdirSync(staging).filter((name) => name.startsWith('stage-'));
  for (const folder of left) expect(readdirSync(join(staging, folder))).toEqual([]);
  await own.close?.();
});
