/** Limits on the contents and lifetime of open publications. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { Lake } from '../../src/lake/lake.ts';
import type { OpenPublicationLimits } from '../../src/lake/settings.ts';
import { openLake as openLakeOf } from '../../src/open-home.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import type { SampleRow } from './sample-rows.ts';

const START = '2026-11-01T21:00:00Z';
const FIRST_DAY = 20_770;
const clock = fixedClock(START);
const daily = sampleDataset('day');
const begun = { datasets: [daily], command: 'test' };
const KEEP_ALL = { retentionDays: 1000, retentionVersions: 0, retentionBytesMax: 10 ** 12 };
let home: string;
let lake: Lake;

async function open(limits: Partial<OpenPublicationLimits> = {}): Promise<Lake> {
  home = mkdtempSync(join(tmpdir(), 'ticklake-open-'));
  clock.set(START);
  lake = await openLakeOf({ home, ...limits }, clock);
  return lake;
}
afterEach(async () => {
  await lake.close();
  rmSync(home, { recursive: true });
});

const row = (day: number, ticker = 'A'): SampleRow => [FIRST_DAY + day, ticker, 0n, 1, 1n, null];

async function load(id: number, ...days: number[]): Promise<void> {
  await lake.publication({ into: id, datasets: [], command: 'test' }, async (publication) => {
    const writer = await lake.openWriter(daily);
    await writer.append(
      batchOfRows(
        daily.columns,
        days.map((day) => row(day)),
      ),
    );
    await publication.write({ dataset: daily, mode: 'replace' }, writer).finally(() => {
      return writer.close();
    });
  });
}

function fileCount(): number {
  const folder = join(lake.directory, daily.textId);
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

test('no process opens more publications than allowed until one ends', async () => {
  const opened = await open({ openPublicationsMax: 2 });
  const other = await openLakeOf({ home, openPublicationsMax: 2 }, clock);
  const first = await opened.publications.open(begun);
  await other.publications.open(begun);
  const refused = 'no more than 2 publications may be open: commit or abandon one';
  await expect(opened.publications.open(begun)).rejects.toThrow(refused);
  await expect(other.publications.open(begun)).rejects.toThrow(refused);
  // Publications of a single command do not count.
  await lake.publication(begun, async (publication) => publication.publishNothing('nothing'));
  await opened.publications.abandon(first, 'abandoned');
  await opened.publications.open(begun);
  await other.close();
});

test('upkeep abandons a publication that was open for too long, with all it holds', async () => {
  const opened = await open({ openPublicationDays: 3 });
  const old = await opened.publications.open(begun);
  await load(old, 0, 1);
  clock.set('2026-11-04T20:59:59Z');
  const recent = await opened.publications.open(begun);
  await load(recent, 0);
  await opened.publisher.tidy(KEEP_ALL);
  expect(await lake.ledger.publication(old)).toMatchObject({ isOpen: true });
  expect(fileCount()).toBe(3);
  clock.set('2026-11-04T21:00:00Z');
  await opened.publisher.tidy(KEEP_ALL);
  expect(await lake.ledger.publication(old)).toMatchObject({
    ...{ isOpen: false, state: 'failed', finishedAt: '2026-11-04T21:00:00Z' },
    message: 'abandoned, because it was open for 3 days',
  });
  expect(await lake.ledger.publication(recent)).toMatchObject({ isOpen: true });
  expect(fileCount()).toBe(1);
  await expect(opened.publications.commit(old)).rejects.toThrow(`publication ${old} is not open`);
});

test('a publication open for too long does not count against the limit, even without a server', async () => {
  const opened = await open({ openPublicationsMax: 1, openPublicationDays: 1 });
  const old = await opened.publications.open(begun);
  clock.set('2026-11-02T21:00:00Z');
  const next = await opened.publications.open(begun);
  expect(await lake.ledger.publication(old)).toMatchObject({
    message: 'abandoned, because it was open for 1 day',
  });
  expect(await lake.ledger.publication(next)).toMatchObject({ isOpen: true });
});

test('open publications stay within the limit of partitions, and a reloaded one counts once', async () => {
  const opened = await open({ openPublicationPartitionsMax: 3 });
  const [one, two] = [await opened.publications.open(begun), await opened.publications.open(begun)];
  await load(one, 0, 1);
  await load(one, 0, 1);
  await expect(load(two, 2, 3)).rejects.toThrow(
    'open publications would hold more than 3 partitions that are not committed; ' +
      'commit or abandon one',
  );
  await load(two, 2);
  expect((await opened.publications.commit(one)).versions).toHaveLength(1);
  await load(two, 3, 4);
  expect((await opened.publications.commit(two)).versions).toHaveLength(1);
  const { parts } = (await lake.snapshot(daily.datasetId)) as { parts: readonly unknown[] };
  expect(parts).toHaveLength(5);
});

test('open publications stay within the limit of bytes, and a refused load leaves no files', async () => {
  let opened = await open();
  const measured = await opened.publications.open(begun);
  await load(measured, 0);
  await opened.publications.commit(measured);
  const [{ currentByteCount } = { currentByteCount: 0 }] = await lake.space.storedBytes();
  await lake.close();
  rmSync(home, { recursive: true });

  opened = await open({ openPublicationBytesMax: 2 * currentByteCount });
  const id = await opened.publications.open(begun);
  await load(id, 0, 1);
  await load(id, 1);
  await expect(load(id, 2)).rejects.toThrow(/more than [\d,]+ bytes that are not committed/);
  await expect(load(id, 2)).rejects.toThrow('TICKLAKE_DISK_BYTES_MAX');
  clock.set('2026-11-01T21:15:00Z');
  await opened.publisher.tidy(KEEP_ALL);
  expect(fileCount()).toBe(2);
  expect(await lake.ledger.publication(id)).toMatchObject({ isOpen: true });
  await opened.publications.commit(id);
  // Publications of a single load have other limits.
  await publishBatches(lake, {
    ...{ dataset: daily, mode: 'append' },
    batches: (async function* () {
      yield batchOfRows(daily.columns, [row(2), row(3), row(4)]);
    })(),
  });
});
