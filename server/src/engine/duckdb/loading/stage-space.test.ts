import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, afterEach, beforeEach, expect, it, test } from 'vitest';
import { sampleDataset } from '../../../../test/lake/sample-dataset.ts';
import { mountSmallDisk } from '../../../../test/operation/small-disk.ts';
import { UsageError } from '../../../base/errors.ts';
import type { ProcessLock } from '../../../base/process-lock.ts';
import { HEADER_AS_IT_IS } from '../../../catalog/header-columns.ts';
import { tryLockFile } from '../../../installed.ts';
import type { PartWriter } from '../../engine.ts';
import type { ParquetLoader } from '../../file-loading.ts';
import { duckDBStorage } from '../storage.ts';
import { openStageSpace, StageWatch, sweepStages } from './stage-space.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'ticklake-stages-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** Another process looks for leftovers before the mark is there, before it is locked, and after. */
function swept(path: string): ProcessLock | null {
  sweepStages(parent, tryLockFile);
  writeFileSync(path, '');
  sweepStages(parent, tryLockFile);
  const lock = tryLockFile(path);
  sweepStages(parent, tryLockFile);
  return lock;
}

it('a sweep at any moment leaves the folder of a stage that is being opened', () => {
  const space = openStageSpace(parent, swept);
  sweepStages(parent, tryLockFile);
  expect(existsSync(space.directory)).toBe(true);
  space.discard();
  expect(readdirSync(parent)).toEqual(['alive']);
  expect(readdirSync(join(parent, 'alive'))).toEqual([]);
});

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'ticklake-watch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const parquetOf = ({ parquet }: PartWriter) => parquet as ParquetLoader;

/** A small Parquet file of many rows: `ticker` is SQL over the row's number `i`. */
async function writeRows(name: string, rowCount: number, ticker: string): Promise<string> {
  const path = join(folder, name);
  const connection = await (await DuckDBInstance.create()).connect();
  await connection.run(
    `COPY (SELECT DATE '2024-01-01' AS TradeDate, ${ticker} AS Ticker,
       NULL::TIMESTAMP AS EventDateTime, 1.0 AS Strike FROM range(${rowCount}) AS numbers(i))
     TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 10000)`,
  );
  connection.closeSync();
  return path;
}

function bytesBelow(directory: string): number {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const sizes = names.map((name) => statSync(join(directory, name), { throwIfNoEntry: false }));
  return sizes.reduce((sum, info) => sum + (info?.isFile() ? info.blocks * 512 : 0), 0);
}

/** Loads a file and writes its rows; resolves with the most disk space that the stage has taken. */
async function loadWatched(path: string, stagingBytesMax: number) {
  const directory = mkdtempSync(join(folder, 'stage-'));
  const storage = duckDBStorage({
    directory,
    tryLock: tryLockFile,
    memoryLimitMegabytes: 96,
    stagingBytesMax,
  });
  const stage = await storage.openWriter(sampleDataset('whole'));
  let bytesMax = 0;
  const timer = setInterval(() => {
    bytesMax = Math.max(bytesMax, bytesBelow(directory));
  }, 10);
  const loaded = { displayName: 'rows.parquet', path, header: HEADER_AS_IT_IS };
  const error = await parquetOf(stage)
    .loadParquet(loaded)
    .then(() => stage.write('all', 'all.parquet', null))
    .then(
      () => null,
      (error: Error) => error,
    );
  clearInterval(timer);
  await stage.close();
  await storage.close?.();
  rmSync(directory, { recursive: true });
  return { error, bytesMax };
}

test('a small file of many long rows is stopped before all of them are there', async () => {
  const path = await writeRows('long-rows.parquet', 30_000, "repeat('x', 30000)");
  expect(statSync(path).size).toBeLessThan(200_000);
  const { error, bytesMax } = await loadWatched(path, 64 * MIB);
  expect(error).toBeInstanceOf(UsageError);
  expect(error?.message).toBe(
    'this load needs more than 64 MiB of disk space; split it, or raise TICKLAKE_DISK_BYTES_MAX',
  );
  // All rows take 858 MiB.
  expect(bytesMax).toBeLessThan(800 * MIB);
});

test('sorting is stopped at the limit, too', async () => {
  const path = await writeRows('unsorted.parquet', 40_000, 'repeat(md5(i::VARCHAR), 60)');
  const { error } = await loadWatched(path, 8 * MIB);
  expect(error?.message).toMatch(/^this load needs more than 8 MiB of disk space/);
});

test('an interrupt that comes between two statements ends the second one', async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const abortion = new AbortController();
  const limits = { spillDirectories: [join(folder, 'none', 'spill')], spillBytesMax: 1 };
  const watch = new StageWatch({ ...limits, signal: abortion.signal });
  const reason = new Error('enough');
  mkdirSync(join(folder, 'none'));
  const work = watch.run(connection, async () => {
    abortion.abort(reason);
    // This query would run for hours.
    await connection.run(
      'SELECT max(a.range % (b.range + 1)) FROM range(1e7::BIGINT) a, range(1e7::BIGINT) b',
    );
  });
  await expect(work).rejects.toBe(reason);
  connection.closeSync();
});

const PIECES = 1000;

test('a file that is written beside the engine is stopped at the limit, too', async () => {
  const connection = await (await DuckDBInstance.create()).connect();
  const directory = join(folder, 'stage', 'packed');
  mkdirSync(directory, { recursive: true });
  const limits = { spillDirectories: [directory], spillBytesMax: MIB };
  const watch = new StageWatch({ ...limits, signal: new AbortController().signal });
  const { signal } = watch;
  let taken = 0;
  /** The first one is more than the stage may take. */
  async function* pieces() {
    for (; taken < PIECES; taken++) {
      yield Buffer.alloc(taken === 0 ? 2 * MIB : 1, 1);
      await wait(1);
    }
  }
  const work = () => writeFile(join(directory, 'joined.parquet'), pieces(), { signal });
  await expect(watch.run(connection, work)).rejects.toThrow(/^this load needs more than 1 MiB/);
  expect(taken).toBeLessThan(PIECES);
  connection.closeSync();
});

test('a disk that is nearly full takes no load, and the message says so plainly', async (context) => {
  const disk = mountSmallDisk(256);
  if (disk === null) return context.skip('needs root to mount a disk');
  try {
    const path = await writeRows('few.parquet', 10, 'i::VARCHAR');
    const directory = mkdtempSync(join(disk.path, 'stage-'));
    const storage = duckDBStorage({ directory, tryLock: tryLockFile });
    const stage = await storage.openWriter(sampleDataset('whole'));
    await expect(
      parquetOf(stage).loadParquet({ displayName: 'few.parquet', path, header: HEADER_AS_IT_IS }),
    ).rejects.toThrow(
      `not enough disk space to load: 256 MiB are free on the disk of ${directory}/.staging, ` +
        'and 512 MiB must stay free',
    );
    await stage.close();
    await storage.close?.();
  } finally {
    disk.remove();
  }
});
