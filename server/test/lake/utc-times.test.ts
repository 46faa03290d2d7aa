/** Times in partition files: what other tools read. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { Lake } from '../../src/lake/lake.ts';
import { openLake } from '../../src/open-home.ts';
import { partFile, partFiles } from '../part-files.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import type { SampleRow } from './sample-rows.ts';

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

const DAY = 20_770;
const TIME = 1_790_000_000_123_456_789n;
const row = (day: number, time: bigint | null, asid = 1n): SampleRow =>
  [...[DAY + day, 'A', time, 1, asid, ['x', 'y']]] as SampleRow;
const ROWS = [row(0, -1n), row(0, TIME), row(0, null), row(1, TIME), row(1, TIME + 1n)];

async function publish(lake: Lake, rows: SampleRow[]): Promise<void> {
  async function* batches() {
    yield batchOfRows(dataset.columns, rows);
  }
  await publishBatches(lake, { dataset, mode: 'append', batches: batches() });
}

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

test('times are marked as UTC for any reader, and exact under both names', async () => {
  const lake = await openLake({ home: newHome() }, clock);
  await publish(lake, ROWS);
  const times: unknown[] = [];
  for (const file of await partFiles(lake, dataset.datasetId)) {
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
  await lake.close();
});

test('pages that are listed twice count once', async () => {
  const lake = await openLake({ home: newHome() }, clock);
  await publish(lake, ROWS);
  for (const part of (await lake.snapshot(dataset.datasetId))?.parts ?? []) {
    const file = partFile(lake, part);
    const chunks = parquetMetadata(bytesOf(file)).row_groups.flatMap(({ columns }) => columns);
    const sizes = new Map(
      chunks.map(({ meta_data: data }) => [data?.data_page_offset, data?.total_compressed_size]),
    );
    expect(sizes.size).toBe(chunks.length - 1);
    expect(part.byteCount).toBe(
      Number([...sizes.values()].reduce((sum, size) => sum! + size!, 0n)),
    );
  }
  await lake.close();
});
