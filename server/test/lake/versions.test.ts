/** Earlier versions: read again, rolled back to, withdrawn from, dropped. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { digestOfRows } from '../../src/engine/content-digest.ts';
import type { Lake } from '../../src/lake/lake.ts';
import type { PublishMode } from '../../src/lake/publish.ts';
import type { DatasetSnapshot } from '../../src/lake/snapshots.ts';
import { openLake as openLakeOf } from '../../src/open-home.ts';
import { partFile } from '../part-files.ts';
import { publishBatches } from '../publish-batches.ts';
import { repetitions } from '../repetitions.ts';
import { sampleDataset } from './sample-dataset.ts';
import { readSampleRows, type SampleRow } from './sample-rows.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true });
});

const START = '2026-11-20T21:00:00Z';
const DAY_MS = 86_400_000;
const clock = fixedClock(START);
const daily = sampleDataset('day');
const monthly = sampleDataset('month', 'US9002');
const D = daily.datasetId;
const M = monthly.datasetId;
const FIRST_DAY = 20_770;
const KEYS = ['2026-11-13', '2026-11-14', '2026-11-15'] as const;
const KEEP_ALL = { retentionDays: 1000, retentionVersions: 0, retentionBytesMax: 10 ** 12 };

async function openLake(): Promise<Lake> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-versions-'));
  homes.push(home);
  clock.set(START);
  return await openLakeOf({ home }, clock);
}

const row = (day: number, ticker: string, value = 1): SampleRow => [
  ...([FIRST_DAY + day, ticker, 0n, value, 1n, null] as const),
];

async function publish(lake: Lake, rows: SampleRow[], mode: PublishMode = 'replace') {
  async function* batches() {
    yield batchOfRows(daily.columns, rows);
  }
  return await publishBatches(lake, { dataset: daily, mode, batches: batches(), vendor: 'Acme' });
}

async function rowsOf(lake: Lake, version?: number, datasetId = D): Promise<SampleRow[]> {
  const snapshot =
    version === undefined
      ? await lake.snapshot(datasetId)
      : await lake.snapshotAt(datasetId, version);
  const { parts } = snapshot as DatasetSnapshot;
  return await readSampleRows(parts.map((part) => partFile(lake, part)));
}

/** The one with this id, or the last one. */
async function publicationOf(lake: Lake, publicationId?: number) {
  const [last] = await lake.ledger.publications({ limit: 1 });
  return await lake.ledger.publication(publicationId ?? last?.publicationId ?? 0);
}

/** Every mode over existing partitions, and rollbacks that restore and remove partitions. */
const EACH_STEP: ({ mode: PublishMode; rows: SampleRow[] } | { back: number })[] = [
  { mode: 'replace', rows: [row(0, 'A'), row(0, 'B')] },
  { mode: 'replace', rows: [row(1, 'A')] },
  { back: 1 },
  { mode: 'append', rows: [row(0, 'C')] },
  { mode: 'replace-identifiers', rows: [row(0, 'A', 2)] },
  { mode: 'replace-all', rows: [row(2, 'A')] },
  { back: 4 },
];

test('every version reads as it was published, after any publications and rollbacks', async () => {
  const anyRows = fc.array(
    fc.tuple(fc.nat(2), fc.constantFrom('A', 'B', 'C'), fc.nat(3)).map((cells) => row(...cells)),
    { maxLength: 6 },
  );
  const modes = fc.constantFrom<PublishMode>(
    'replace',
    'append',
    'replace-all',
    'replace-identifiers',
  );
  const step = fc.oneof(fc.record({ mode: modes, rows: anyRows }), fc.record({ back: fc.nat(5) }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 7 }), async (steps) => {
      const lake = await openLake();
      const published: SampleRow[][] = [[]];
      for (const each of steps) {
        if ('mode' in each) {
          const { version } = await publish(lake, each.rows, each.mode);
          if (version === published.length) published.push(await rowsOf(lake));
          continue;
        }
        const toVersion = published.length - 1 - each.back;
        if (toVersion < 1 || each.back === 0) continue;
        const { versions } = await lake.publisher.rollBack({ datasetId: D, toVersion });
        expect(versions).toEqual([{ datasetId: D, version: published.length }]);
        published.push(published[toVersion] as SampleRow[]);
      }
      for (const [version, rows] of published.entries()) {
        if (version === 0) continue;
        expect(await rowsOf(lake, version)).toEqual(rows);
        const record = await lake.versions.record(D, version);
        const texts = rows.map(([day, ...cells]) => [
          new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
          ...cells,
        ]);
        expect(record).toMatchObject({
          ...{ rowCount: rows.length, isRetained: true },
          contentDigest: digestOfRows(daily.columns, texts as never),
        });
      }
      expect(await lake.snapshotAt(D, published.length)).toBe('unknown');
      await lake.close();
    }),
    { numRuns: repetitions('TICKLAKE_LAKE_STEPS', 4), examples: [[EACH_STEP]] },
  );
});

test('a publication is rolled back without those after it, and back again', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A'), row(1, 'A')]);
  await publish(lake, [row(1, 'bad')]);
  const bad = (await publicationOf(lake))?.publicationId as number;
  await publish(lake, [row(2, 'A')]);
  const { publicationId, versions } = await lake.publisher.rollBack(
    { publicationId: bad },
    { reason: 'the feed was cut off', actor: 'key:7' },
  );
  expect(versions).toEqual([{ datasetId: D, version: 4 }]);
  expect(await rowsOf(lake)).toEqual([row(0, 'A'), row(1, 'A'), row(2, 'A')]);
  expect(await publicationOf(lake, bad)).toMatchObject({
    ...{ state: 'rolled_back', datasets: [{ version: 2, rolledBackBy: publicationId }] },
  });
  expect(await publicationOf(lake)).toMatchObject({
    ...{ kind: 'rollback', state: 'published', reason: 'the feed was cut off', actor: 'key:7' },
  });
  await expect(lake.publisher.rollBack({ publicationId: bad })).rejects.toThrow(
    `publication ${bad} has been rolled back already`,
  );
  await lake.publisher.rollBack({ publicationId });
  expect(await rowsOf(lake)).toEqual([row(0, 'A'), row(1, 'bad'), row(2, 'A')]);
  expect((await publicationOf(lake, bad))?.state).toBe('published');
  await lake.close();
});

test('a publication is not rolled back from under a later one', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A')]);
  await publish(lake, [row(0, 'B')]);
  const [, first] = await lake.ledger.publications({ limit: 2 });
  await publish(lake, [row(1, 'B')]);
  await expect(
    lake.publisher.rollBack({ publicationId: first?.publicationId as number }),
  ).rejects.toThrow(/^publication 2 changed 2026-11-13 of US9001 after publication 1; roll that/);
  expect(await publicationOf(lake)).toMatchObject({ kind: 'rollback', state: 'refused' });
  await lake.publisher.rollBack({ datasetId: D, toVersion: 1 });
  const states = (await lake.ledger.publications({ after: 0, limit: 9 })).map(({ state }) => state);
  expect(states).toEqual([...['published', 'rolled_back', 'rolled_back', 'refused', 'published']]);
  expect((await lake.versions.records(D, { limit: 9 })).map(({ version }) => version)).toEqual([
    4, 3, 2, 1,
  ]);
  await lake.close();
});

let lakeOfAllSizes: Lake;
beforeAll(async () => {
  lakeOfAllSizes = await openLake();
});
afterAll(() => lakeOfAllSizes.close());

test.each([
  {
    what: 'a day',
    dates: { start: '2026-11-14', end: '2026-11-14' },
    left: ['13 A', '13 B', '15 A'],
  },
  { what: 'an identifier', identifiers: ['A'], left: ['13 B'] },
  {
    what: 'an identifier of some days',
    identifiers: ['A'],
    dates: { start: '2026-11-14', end: '2026-11-20' },
    left: ['13 A', '13 B'],
  },
  { what: 'everything', left: [] },
])('a withdrawal takes out $what, in parts of any size', async ({ dates, identifiers, left }) => {
  const lake = lakeOfAllSizes;
  for (const dataset of [daily, monthly]) {
    const rows = [row(0, 'A'), row(0, 'B'), row(1, 'A'), row(2, 'A')];
    async function* batches() {
      yield batchOfRows(dataset.columns, rows);
    }
    const mode = 'replace-all';
    const { version } = await publishBatches(lake, {
      dataset,
      mode,
      batches: batches(),
      vendor: 'Acme',
    });
    const withdrawal = { dates: dates ?? null, identifiers: identifiers ?? null, partitions: null };
    const report = await lake.publisher.withdraw(dataset, withdrawal);
    expect(report.removedRowCount).toBe(rows.length - left.length);
    const found = await rowsOf(lake, undefined, dataset.datasetId);
    expect(found.map(([day, ticker]) => `${Number(day) - FIRST_DAY + 13} ${ticker}`)).toEqual(left);
    expect((await lake.snapshot(dataset.datasetId))?.vendor).toBe(left.length > 0 ? 'Acme' : '');
    const again = await lake.publisher.withdraw(dataset, withdrawal);
    expect(again).toMatchObject({ versions: [], removedRowCount: 0 });
    expect(await rowsOf(lake, version, dataset.datasetId)).toEqual(rows);
  }
});

test('several processes write one open publication, which counts when it is committed', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'old'), row(1, 'old')]);
  const id = await lake.publications.open({ datasets: [daily, monthly], command: 'begin' });
  expect((await lake.publicationStatus(D)).state).toBe('running');
  const write = async (dataset: typeof daily, mode: PublishMode, ...rows: SampleRow[]) =>
    await lake.publication({ into: id, datasets: [], command: 'test' }, async (publication) => {
      const writer = await lake.openWriter(dataset);
      await writer.append(batchOfRows(dataset.columns, rows));
      const report = await publication.write({ dataset, mode }, writer);
      await writer.close();
      return report;
    });
  await write(daily, 'replace', row(0, 'new'));
  await write(daily, 'append', row(0, 'newer'));
  await write(monthly, 'replace', row(0, 'M'));
  await publish(lake, [row(2, 'meanwhile')]);
  expect(await rowsOf(lake)).toEqual([row(0, 'old'), row(1, 'old'), row(2, 'meanwhile')]);
  const { versions } = await lake.publications.commit(id);
  expect(versions).toEqual([
    { datasetId: D, version: 3 },
    { datasetId: M, version: 1 },
  ]);
  expect(await rowsOf(lake)).toEqual([
    ...[row(0, 'new'), row(0, 'newer'), row(1, 'old'), row(2, 'meanwhile')],
  ]);
  await expect(lake.publications.commit(id)).rejects.toThrow(`publication ${id} is not open`);
  await lake.close();
});

test('an open publication is refused when a partition of it was published meanwhile', async () => {
  const lake = await openLake();
  const id = await lake.publications.open({ datasets: [daily], command: 'begin' });
  await lake.publication({ into: id, datasets: [], command: 'test' }, async (publication) => {
    const writer = await lake.openWriter(daily);
    await writer.append(batchOfRows(daily.columns, [row(0, 'open')]));
    await publication.write({ dataset: daily, mode: 'replace' }, writer);
    await writer.close();
  });
  await publish(lake, [row(0, 'other')]);
  await expect(lake.publications.commit(id)).rejects.toThrow(/2026-11-13 of US9001/);
  expect(await rowsOf(lake)).toEqual([row(0, 'other')]);
  expect((await publicationOf(lake, id))?.state).toBe('refused');
  await lake.close();
});

test('versions are dropped by age, number and bytes, the oldest first, never the current one', async () => {
  const lake = await openLake();
  for (let i = 0; i < 5; i++) {
    clock.set(`2026-11-2${i}T21:00:00Z`);
    await publish(lake, [row(0, `T${i}`)]);
  }
  const first = (await lake.snapshotAt(D, 1)) as DatasetSnapshot;
  clock.set('2026-11-24T22:00:00Z');
  const dryRun = (policy: object) =>
    lake.publisher.prune({ ...KEEP_ALL, ...policy }, { isDryRun: true });
  const dropped = async (policy: object) =>
    (await dryRun(policy)).flatMap(({ versions }) => versions);
  expect(await dropped({})).toEqual([]);
  expect(await dropped({ retentionDays: 2 })).toEqual([1, 2]);
  expect(await dropped({ retentionDays: 0 })).toEqual([1, 2, 3, 4]);
  expect(await dropped({ retentionDays: 0, retentionVersions: 3 })).toEqual([1]);
  const [{ byteCount = 0 } = {}] = await dryRun({ retentionBytesMax: 0 });
  expect(await dropped({ retentionBytesMax: byteCount - 1 })).toEqual([1]);
  expect(await lake.snapshotAt(D, 1)).toMatchObject({ version: 1 });
  await lake.publisher.prune({ ...KEEP_ALL, retentionDays: 2 });
  expect([await lake.snapshotAt(D, 1), await lake.snapshotAt(D, 2)]).toEqual(['gone', 'gone']);
  expect(await rowsOf(lake, 3)).toEqual([row(0, 'T2')]);
  await expect(lake.publisher.rollBack({ datasetId: D, toVersion: 2 })).rejects.toThrow(
    'version 2 of US9001 is no longer retained',
  );
  clock.set('2026-11-24T22:15:00Z');
  await lake.publisher.tidy(KEEP_ALL);
  expect(first.parts.map((part) => existsSync(partFile(lake, part)))).toEqual([false]);
  await lake.close();
});

test('an open publication that ended later is named as the one in the way', async () => {
  const lake = await openLake();
  const { publisher, publications } = lake;
  const open = await publications.open({ datasets: [daily], command: 'test' });
  await publish(lake, [row(0, 'A')]);
  const first = (await publicationOf(lake))?.publicationId as number;
  await lake.publication({ into: open, datasets: [], command: 'test' }, async (publication) => {
    const writer = await lake.openWriter(daily);
    await writer.append(batchOfRows(daily.columns, [row(0, 'B')]));
    await publication.write({ dataset: daily, mode: 'replace' }, writer);
    await writer.close();
  });
  await publications.commit(open);
  await expect(publisher.rollBack({ publicationId: first })).rejects.toThrow(
    `publication ${open} changed 2026-11-13 of US9001 after publication ${first}; roll that`,
  );
  await lake.close();
});

test('a part that was rolled back to outlives the version that had it first', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A')]);
  await publish(lake, [row(0, 'B')]);
  await lake.publisher.rollBack({ datasetId: D, toVersion: 1 });
  clock.set('2026-11-30T21:00:00Z');
  const nothing = { retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 };
  await lake.publisher.tidy(nothing);
  clock.set('2026-11-30T22:00:00Z');
  await lake.publisher.tidy(nothing);
  expect(await rowsOf(lake)).toEqual([row(0, 'A')]);
  await lake.close();
});

test('a version as of a time is the one that was current then', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A')]);
  clock.set('2026-11-21T21:00:00Z');
  await publish(lake, [row(0, 'B')]);
  const asOf = (time: string) => lake.versionAsOf(D, Date.parse(time));
  const times = ['2026-11-20T20:59:59Z', START, '2026-11-21T20:59:59Z', '2026-11-21T21:00:00Z'];
  expect(await Promise.all(times.map(asOf))).toEqual([null, 1, 1, 2]);
  await lake.close();
});

test('the ledger tells what a publication made of each partition', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A'), row(1, 'A')]);
  await publish(lake, [row(1, 'A'), row(1, 'B'), row(2, 'A')]);
  const last = await publicationOf(lake);
  expect(last?.datasets).toEqual([
    {
      ...{ datasetId: D, version: 2, addedPartCount: 1, replacedPartCount: 1, removedPartCount: 0 },
      ...{ rowCountBefore: 1, rowCountAfter: 3, rolledBackBy: null },
      byteCountBefore: expect.any(Number),
      byteCountAfter: expect.any(Number),
      contentDigest: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  ]);
  const changes = await lake.ledger.partChanges(last?.publicationId as number, D);
  expect(changes.map(({ key, change }) => [key, change])).toEqual([
    [KEYS[1], 'replaced'],
    [KEYS[2], 'added'],
  ]);
  await lake.close();
});

test('rollbacks of rollbacks undo and restore a publication in turn', async () => {
  const lake = await openLake();
  await publish(lake, [row(0, 'A')]);
  await publish(lake, [row(0, 'bad')]);
  const bad = (await publicationOf(lake))?.publicationId as number;
  let undone = bad;
  const states: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    undone = (await lake.publisher.rollBack({ publicationId: undone })).publicationId;
    const [, ticker] = (await rowsOf(lake))[0] as SampleRow;
    states.push([ticker, (await publicationOf(lake, bad))?.state]);
  }
  expect(states).toEqual([
    ['A', 'rolled_back'],
    ['bad', 'published'],
    ['A', 'rolled_back'],
    ['bad', 'published'],
  ]);
  await lake.close();
});
