/** Times in partition files: what other tools read, and files of earlier releases. */
import {
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { duckDBStagingEngine } from '../../src/engine/duckdb/stage.ts';
import { Lake } from '../../src/lake/lake.ts';
import { ProcessLock } from '../../src/lake/process-lock.ts';
import { sampleDataset } from './sample-dataset.ts';
import { readSampleRows, type SampleRow } from './sample-rows.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true });
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-times-'));
  homes.push(home);
  return home;
}

const clock = fixedClock('2026-11-20T21:00:00Z');
const dataset = sampleDataset('day');
const openLake = (home: string) => Lake.open({ home, stagingEngine: duckDBStagingEngine(), clock });

const DAY = 20_770;
const TIME = 1_790_000_000_123_456_789n;
const row = (day: number, time: bigint | null, asid = 1n): SampleRow =>
  [...[DAY + day, 'A', time, 1, asid, ['x', 'y']]] as SampleRow;
const ROWS = [row(0, -1n), row(0, TIME), row(0, null), row(1, TIME), row(1, TIME + 1n)];

async function publish(lake: Lake, rows: SampleRow[]): Promise<void> {
  async function* batches() {
    yield batchOfRows(dataset.columns, rows);
  }
  await lake.publish({ dataset, mode: 'append', batches: batches() });
}

/** The formats that the index says files are in, each once. */
function formatsOf(home: string): unknown[] {
  const index = new DatabaseSync(join(home, 'lake.db'));
  const rows = index.prepare('SELECT DISTINCT format FROM partition_file').all();
  index.close();
  return rows.map(({ format }) => format);
}

const partitionsOf = (lake: Lake) => lake.snapshot(dataset.datasetId)?.partitions ?? [];
const filesOf = (lake: Lake) => partitionsOf(lake).map(({ file }) => file);

function bytesOf(file: string): ArrayBuffer {
  const bytes = readFileSync(file);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

const MARKED = { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' };

/** Logical types of a file's columns, by an independent reader. */
function typesOf(file: string): Record<string, unknown> {
  const { schema } = parquetMetadata(bytesOf(file));
  return Object.fromEntries(schema.map(({ name, logical_type }) => [name, logical_type]));
}

/** A home with the rows, as an earlier release wrote it: times not marked and listed once. */
async function homeOfEarlierRelease(): Promise<{ home: string; files: string[] }> {
  const home = newHome();
  const lake = openLake(home);
  await publish(lake, ROWS);
  const files = filesOf(lake);
  lake.close();
  const connection = await (await DuckDBInstance.create()).connect();
  for (const file of files) {
    await connection.run(
      `COPY (SELECT * EXCLUDE (EventDateTime_utc_ns)
         REPLACE (make_timestamp_ns(EventDateTime_utc_ns) AS EventDateTime)
         FROM read_parquet('${file}')) TO '${file}.old'
       (FORMAT parquet, COMPRESSION zstd, KV_METADATA {ticklake: '{"times":"UTC"}'})`,
    );
    renameSync(`${file}.old`, file);
  }
  connection.closeSync();
  const index = new DatabaseSync(join(home, 'lake.db'));
  index.exec('UPDATE partition_file SET format = 1');
  index.close();
  return { home, files };
}

test('times are marked as UTC for any reader, and exact under both names', async () => {
  const lake = openLake(newHome());
  await publish(lake, ROWS);
  const times: unknown[] = [];
  for (const { file } of partitionsOf(lake)) {
    expect(typesOf(file)).toMatchObject({
      EventDateTime: MARKED,
      EventDateTime_utc_ns: undefined,
    });
    const rows = await parquetReadObjects({
      file: bytesOf(file),
      compressors: { ZSTD: (input) => zstdDecompressSync(input) },
      parsers: { timestampFromNanoseconds: (nanos) => nanos },
    });
    for (const { EventDateTime, EventDateTime_utc_ns } of rows) {
      expect(EventDateTime_utc_ns).toBe(EventDateTime);
      times.push(EventDateTime);
    }
  }
  expect(times).toEqual([-1n, TIME, null, TIME, TIME + 1n]);
  lake.close();
});

test('pages that are listed twice count once', async () => {
  const lake = openLake(newHome());
  await publish(lake, ROWS);
  for (const { file, byteCount } of partitionsOf(lake)) {
    const chunks = parquetMetadata(bytesOf(file)).row_groups.flatMap(({ columns }) => columns);
    const sizes = new Map(
      chunks.map(({ meta_data: data }) => [data?.data_page_offset, data?.total_compressed_size]),
    );
    expect(sizes.size).toBe(chunks.length - 1);
    expect(byteCount).toBe(Number([...sizes.values()].reduce((sum, size) => sum! + size!, 0n)));
  }
  lake.close();
});

test('files of an earlier release are upgraded when the lake is opened, and added to', async () => {
  const { home, files } = await homeOfEarlierRelease();
  expect(typesOf(files[0]!).EventDateTime).toMatchObject({ isAdjustedToUTC: false });
  const lake = openLake(home);
  expect(filesOf(lake)).toEqual(files);
  const index = new DatabaseSync(join(home, 'lake.db'));
  const sizes = index.prepare('SELECT file_bytes FROM partition ORDER BY key').all();
  index.close();
  expect(sizes.map((each) => each.file_bytes)).toEqual(files.map((file) => statSync(file).size));
  for (const file of files) expect(typesOf(file).EventDateTime).toEqual(MARKED);
  expect(await readSampleRows(files)).toEqual(ROWS);
  await publish(lake, [row(1, TIME, 2n)]);
  expect(filesOf(lake)[0]).toBe(files[0]);
  const rows = [...ROWS.slice(0, 4), row(1, TIME, 2n), row(1, TIME + 1n)];
  expect(await readSampleRows(filesOf(lake))).toEqual(rows);
  // Releases to come go by this number.
  expect(formatsOf(home)).toEqual([2]);
  lake.close();
});

test('an upgrade that was interrupted is finished', async () => {
  const { home, files } = await homeOfEarlierRelease();
  const old = files.map((file) => readFileSync(file));
  openLake(home).close();
  // The first file was replaced and not noted yet, the second one half copied.
  const index = new DatabaseSync(join(home, 'lake.db'));
  index.exec('UPDATE partition_file SET format = 1');
  index.close();
  writeFileSync(files[1]!, old[1]!);
  writeFileSync(`${files[1]}.upgraded`, old[1]!.subarray(0, 100));
  const lake = openLake(home);
  for (const file of files) expect(typesOf(file).EventDateTime).toEqual(MARKED);
  expect(await readSampleRows(filesOf(lake))).toEqual(ROWS);
  lake.close();
});

test('files that cannot be read do not keep a lake from being opened', async () => {
  const { home, files } = await homeOfEarlierRelease();
  const bytes = readFileSync(files[0]!);
  truncateSync(files[0]!, 40);
  rmSync(files[1]!);
  openLake(home).close();
  // Once it is back, it is upgraded, too.
  writeFileSync(files[0]!, bytes);
  openLake(home).close();
  expect(typesOf(files[0]!).EventDateTime).toEqual(MARKED);
});

test('no file is upgraded while another process publishes', async () => {
  const { home, files } = await homeOfEarlierRelease();
  const lock = ProcessLock.tryAcquire(join(home, 'lake', 'publish.lock'));
  expect(() => openLake(home)).toThrow('files of an earlier release');
  expect(typesOf(files[0]!).EventDateTime).toMatchObject({ isAdjustedToUTC: false });
  lock?.release();
  openLake(home).close();
  expect(typesOf(files[0]!).EventDateTime).toEqual(MARKED);
});
