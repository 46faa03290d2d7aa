import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { batchOfRows, type ColumnBatch } from '../../src/engine/columns.ts';
import type { PartStorage } from '../../src/engine/engine.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import type { PublishMode } from '../../src/lake/publish.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { partFile, partFiles } from '../part-files.ts';
import { publishBatches } from '../publish-batches.ts';
import { repetitions } from '../repetitions.ts';
import { sampleDataset } from './sample-dataset.ts';
import {
  dayKey,
  inNaturalOrder,
  readSampleRows,
  type SampleRow,
  sampleRows,
} from './sample-rows.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true });
});

function stageFolders({ directory }: Lake): string[] {
  return readdirSync(join(directory, '.staging')).filter((name) => name.startsWith('stage-'));
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-lake-'));
  homes.push(home);
  return home;
}

const clock = fixedClock('2026-11-20T21:00:00Z');

type ChangeStorage = (storage: PartStorage) => PartStorage;

async function openLake(home: string, change: ChangeStorage = (storage) => storage): Promise<Lake> {
  const storage = change(INSTALLED_ENGINE.openStorage({ home }, tryLockFile));
  return await Lake.open({
    home,
    index: openHomeIndex(home),
    storage,
    clock,
    actor: 'test',
  });
}

async function* batchesOf(dataset: Dataset, rows: SampleRow[]): AsyncGenerator<ColumnBatch> {
  for (let i = 0; i < rows.length; i += 7) yield batchOfRows(dataset.columns, rows.slice(i, i + 7));
}

async function publish(lake: Lake, dataset: Dataset, mode: PublishMode, rows: SampleRow[]) {
  return await publishBatches(lake, { dataset, mode, batches: batchesOf(dataset, rows) });
}

const filesOf = (lake: Lake, dataset: Dataset) => partFiles(lake, dataset.datasetId);

const FIRST_DAY = 20_770;
const row = (day: number, ticker: string, asid = 1n): SampleRow => [
  FIRST_DAY + day,
  ticker,
  1n,
  1,
  asid,
  null,
];

const daily = sampleDataset('day');

/** Each mode over partitions that are there, and that are not. */
const EACH_MODE: { mode: PublishMode; rows: SampleRow[] }[] = [
  { mode: 'replace', rows: [row(0, 'A'), row(0, 'B'), row(1, 'A')] },
  { mode: 'append', rows: [row(0, 'A', 2n), row(2, 'A')] },
  { mode: 'replace', rows: [row(1, 'B')] },
  { mode: 'replace-all', rows: [row(1, 'C'), row(2, 'C')] },
  { mode: 'replace-all', rows: [] },
];

test('rows published in any steps read back like those of a plain model', async () => {
  const steps = fc.array(
    fc.record({
      mode: fc.constantFrom<PublishMode>('replace', 'replace-dates', 'append', 'replace-all'),
      rows: sampleRows({ min: FIRST_DAY, max: FIRST_DAY + 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (publications) => {
      const lake = await openLake(newHome());
      let model: SampleRow[] = [];
      let version = 0;
      for (const { mode, rows } of publications) {
        const report = await publish(lake, daily, mode, rows);
        const covered = new Set(rows.map(dayKey));
        const kept = {
          replace: (old: SampleRow) => !covered.has(dayKey(old)),
          'replace-dates': (old: SampleRow) => !covered.has(dayKey(old)),
          'replace-identifiers': (old: SampleRow) =>
            !rows.some(
              (row) => dayKey(row) === dayKey(old) && row[1] !== null && row[1] === old[1],
            ),
          append: () => true,
          'replace-all': () => false,
        };
        model = inNaturalOrder([...model.filter(kept[mode]), ...rows]);
        if (rows.length > 0 || mode === 'replace-all') version++;
        expect(report.version).toBe(version);
        expect(report.partitions).toEqual([...covered].sort());
        const snapshot = await lake.snapshot(daily.datasetId);
        expect(snapshot?.version ?? 0).toBe(version);
        expect(snapshot?.rowCount ?? 0).toBe(model.length);
        expect(snapshot?.firstDate ?? null).toBe(model[0] ? dayKey(model[0]) : null);
        expect(snapshot?.lastDate ?? null).toBe(model.at(-1) ? dayKey(model.at(-1)!) : null);
        expect(await readSampleRows(await filesOf(lake, daily))).toEqual(model);
      }
      await lake.close();
    }),
    { numRuns: repetitions('TICKLAKE_LAKE_STEPS', 4), examples: [[EACH_MODE]] },
  );
});

test('bounds and bytes in a snapshot are those of the files, also after opening again', async () => {
  const home = newHome();
  const lake = await openLake(home);
  const rows = [row(0, 'B', 2n ** 62n), row(0, 'A', -5n), row(1, 'C'), row(1, 'D')];
  await publish(lake, daily, 'replace', rows);
  await lake.close();
  const again = await openLake(home);
  const snapshot = (await again.snapshot(daily.datasetId))!;
  const date = '2026-11-13';
  expect(snapshot.parts[0]).toMatchObject({ key: date, rowCount: 2 });
  expect((await snapshot.rowGroups(snapshot.parts))[0]).toEqual([
    {
      rowCount: 2,
      byteCount: snapshot.parts[0]?.byteCount,
      bounds: {
        TradeDate: { min: date, max: date },
        Ticker: { min: 'A', max: 'B' },
        EventDateTime: { min: 1n, max: 1n },
        Strike: { min: 1, max: 1 },
        ASID: { min: -5n, max: 2n ** 62n },
      },
    },
  ]);
  expect(snapshot).toMatchObject({ rowCount: 4, firstDate: date, lastDate: '2026-11-14' });
  expect(snapshot.publishedAt).toBe('2026-11-20T21:00:00Z');
  again.close();
});

const NO_RETENTION = { retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 };

test('a snapshot keeps its files until its version is dropped and the grace period is over', async () => {
  const home = newHome();
  const lake = await openLake(home);
  clock.set('2026-11-20T21:00:00Z');
  await publish(lake, daily, 'replace', [row(0, 'A')]);
  const before = (await lake.snapshot(daily.datasetId))!;
  await publish(lake, daily, 'replace', [row(0, 'B'), row(0, 'C')]);
  clock.set('2026-11-20T21:14:59Z');
  await lake.publisher.tidy(NO_RETENTION);
  expect(await lake.snapshotAt(daily.datasetId, 1)).toMatchObject({ version: 1, rowCount: 1 });
  clock.set('2026-11-20T21:15:00Z');
  await lake.publisher.tidy(NO_RETENTION);
  expect(await lake.snapshotAt(daily.datasetId, 1)).toBe('gone');
  clock.set('2026-11-20T21:29:59Z');
  await lake.publisher.tidy(NO_RETENTION);
  expect((await before.rowGroups(before.parts))[0]?.[0]?.rowCount).toBe(1);
  expect(await readSampleRows(before.parts.map((part) => partFile(lake, part)))).toEqual([
    row(0, 'A'),
  ]);
  clock.set('2026-11-20T21:30:00Z');
  // Whoever only opens the lake removes nothing.
  (await openLake(home)).close();
  expect(before.parts.map((part) => existsSync(partFile(lake, part)))).toEqual([true]);
  const listed = await lake.publisher.sweep({ isDryRun: true });
  expect(listed).toEqual({ pending: [], retired: before.parts.map(({ location }) => location) });
  expect(before.parts.map((part) => existsSync(partFile(lake, part)))).toEqual([true]);
  expect(await lake.publisher.sweep()).toEqual(listed);
  expect(before.parts.map((part) => existsSync(partFile(lake, part)))).toEqual([false]);
  expect((await filesOf(lake, daily)).map((file) => existsSync(file))).toEqual([true]);
  await lake.close();
});

test('a snapshot sums the bytes of its parts, and has no dates without rows', async () => {
  const lake = await openLake(newHome());
  await publish(lake, daily, 'replace', [row(0, 'A'), row(1, 'A')]);
  const { byteCount, parts } = (await lake.snapshot(daily.datasetId))!;
  expect(byteCount).toBeGreaterThan(0);
  expect(byteCount).toBe(parts.reduce((sum, part) => sum + part.byteCount, 0));
  await publish(lake, daily, 'replace-all', []);
  const empty = { rowCount: 0, byteCount: 0, firstDate: null, lastDate: null, parts: [] };
  expect(await lake.snapshot(daily.datasetId)).toMatchObject(empty);
  await lake.close();
});

test('a publication in one lake is seen at once by another that is open', async () => {
  const home = newHome();
  const [writer, reader] = [await openLake(home), await openLake(home)];
  expect(await reader.snapshot(daily.datasetId)).toBeNull();
  await publish(writer, daily, 'replace', [row(0, 'A')]);
  const first = await reader.snapshot(daily.datasetId);
  expect(first?.version).toBe(1);
  expect(await reader.snapshot(daily.datasetId)).toBe(first);
  await publish(writer, sampleDataset('whole', 'US9002'), 'replace', [row(0, 'A')]);
  expect(await reader.snapshot(daily.datasetId)).toBe(first);
  await publish(writer, daily, 'append', [row(0, 'A')]);
  expect(await reader.snapshot(daily.datasetId)).toMatchObject({ version: 2, rowCount: 2 });
  writer.close();
  reader.close();
});

/** A storage with something else happening before the n-th part that a writer writes. */
function withBeforeWrite(before: (writtenCount: number) => void | Promise<void>): ChangeStorage {
  return (storage) => ({
    ...storage,
    async openWriter(...args) {
      const writer = await storage.openWriter(...args);
      const write = writer.write.bind(writer);
      let writtenCount = 0;
      writer.write = async (...target) => {
        await before(writtenCount++);
        return await write(...target);
      };
      return writer;
    },
  });
}

test('a failed publication leaves the old version and no file, and says why', async () => {
  const home = newHome();
  const failing = withBeforeWrite((writtenCount) => {
    if (writtenCount === 1) throw new Error('disk is full');
  });
  const lake = await openLake(home, failing);
  expect((await lake.publicationStatus(daily.datasetId)).state).toBe('none');
  await publish(lake, daily, 'replace', [row(0, 'A')]);
  expect((await lake.publicationStatus(daily.datasetId)).state).toBe('published');
  const files = readdirSync(join(lake.directory, daily.textId));
  await expect(publish(lake, daily, 'replace', [row(0, 'B'), row(1, 'B')])).rejects.toThrow(
    'disk is full',
  );
  expect((await lake.snapshot(daily.datasetId))?.version).toBe(1);
  expect(readdirSync(join(lake.directory, daily.textId))).toEqual(files);
  expect(await lake.publicationStatus(daily.datasetId)).toMatchObject({
    state: 'failed',
    message: 'disk is full',
  });
  await lake.close();
  expect(stageFolders(lake)).toEqual([]);
});

test('publications started together all happen, one after the other', async () => {
  const home = newHome();
  const lakes = [await openLake(home), await openLake(home)];
  const reports = await Promise.all(
    [0, 1, 2, 3].map((i) => publish(lakes[i % 2]!, daily, 'append', [row(0, `T${i}`)])),
  );
  expect(reports.map((report) => report.version).sort()).toEqual([1, 2, 3, 4]);
  expect(await lakes[0]?.snapshot(daily.datasetId)).toMatchObject({ version: 4, rowCount: 4 });
  for (const lake of lakes) lake.close();
});

test('a publication that waits too long for another says so and changes nothing', async () => {
  const home = newHome();
  const events: string[] = [];
  const second = await openLake(home);
  const blocking = withBeforeWrite(async () => {
    expect((await second.publicationStatus(daily.datasetId)).state).toBe('running');
    const batches = batchesOf(daily, [row(0, 'B')]);
    const onWait = () => events.push('waits');
    await expect(
      publishBatches(second, { dataset: daily, mode: 'append', waitMs: 0, onWait, batches }),
    ).rejects.toThrow(/another process is still publishing/);
    events.push('gave up');
  });
  const lake = await openLake(home, blocking);
  await publish(lake, daily, 'replace', [row(0, 'A')]);
  expect(events).toEqual(['waits', 'gave up']);
  expect(await second.snapshot(daily.datasetId)).toMatchObject({ version: 1, rowCount: 1 });
  await lake.close();
  second.close();
});

test('sweeping removes folders of dead stages and leaves those of living ones', async () => {
  const home = newHome();
  const lake = await openLake(home);
  const stage = await lake.openWriter(daily);
  const living = stageFolders(lake);
  expect(living).toHaveLength(1);
  const staging = join(lake.directory, '.staging');
  for (const name of ['stage-dead', 'stage-unmarked']) mkdirSync(join(staging, name));
  writeFileSync(join(staging, 'alive', 'dead'), '');
  await lake.publisher.sweep();
  expect(stageFolders(lake)).toEqual(living);
  await stage.close();
  await lake.close();
  expect(stageFolders(lake)).toEqual([]);
});

test('the next writer takes the folder of the last one, which has no rows any more', async () => {
  const lake = await openLake(newHome());
  await publish(lake, daily, 'replace', [row(0, 'A')]);
  const folders = stageFolders(lake);
  expect(folders).toHaveLength(1);
  const first = await lake.openWriter(daily);
  const second = await lake.openWriter(daily);
  expect(await first.partitionKeys()).toEqual([]);
  expect(stageFolders(lake)).toEqual(expect.arrayContaining(folders));
  expect(stageFolders(lake)).toHaveLength(2);
  await first.close();
  await second.close();
  expect(stageFolders(lake)).toHaveLength(1);
  await lake.close();
  expect(stageFolders(lake)).toEqual([]);
});
