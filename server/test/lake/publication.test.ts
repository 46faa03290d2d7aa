/** A lake's records of publications: the source of rows, how each load ended, all or nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { UsageError } from '../../src/base/errors.ts';
import type { Dataset } from '../../src/catalog/dataset.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { Lake } from '../../src/lake/lake.ts';
import type { OpenPublication } from '../../src/lake/publication.ts';
import type { PublishMode } from '../../src/lake/publish.ts';
import { openHomeIndex, openLake as openLakeOf } from '../../src/open-home.ts';
import { partFiles } from '../part-files.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import type { SampleRow } from './sample-rows.ts';

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true });
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-publication-'));
  homes.push(home);
  return home;
}

const clock = fixedClock('2026-11-20T21:00:00Z');
const openLake = (home = newHome()) => openLakeOf({ home }, clock);

const daily = sampleDataset('day');
const other = sampleDataset('day', 'US9002');
const FIRST_DAY = 20_770;
const rowsOf = (day: number, count = 1): SampleRow[] =>
  Array.from({ length: count }, (_, i) => [FIRST_DAY + day, 'A', BigInt(i), 1, 1n, null]);

async function publish(lake: Lake, mode: PublishMode, rows: SampleRow[], vendor?: string) {
  async function* batches() {
    yield batchOfRows(daily.columns, rows);
  }
  return await publishBatches(lake, { dataset: daily, mode, batches: batches(), vendor });
}

async function write(
  lake: Lake,
  publication: OpenPublication,
  dataset: Dataset,
  rows: SampleRow[],
) {
  const stage = await lake.openWriter(dataset);
  try {
    await stage.append(batchOfRows(dataset.columns, rows));
    return await publication.write({ dataset, mode: 'replace' }, stage);
  } finally {
    await stage.close();
  }
}

test('a dataset names the vendors of its partitions, the one of most rows first', async () => {
  const lake = await openLake();
  const vendor = async () => (await lake.snapshot(daily.datasetId))?.vendor;
  await publish(lake, 'replace', [...rowsOf(0, 5), ...rowsOf(1, 5)], 'Acme');
  expect(await vendor()).toBe('Acme');
  await publish(lake, 'replace', rowsOf(2), 'Zenith');
  expect(await vendor()).toBe('Acme, Zenith');
  // Who corrects a day without naming a vendor does not change whose it is.
  await publish(lake, 'replace', rowsOf(2, 2));
  await publish(lake, 'replace', rowsOf(1, 3));
  expect(await vendor()).toBe('Acme, Zenith');
  await publish(lake, 'replace', [...rowsOf(0), ...rowsOf(1)], 'Zenith');
  expect(await vendor()).toBe('Zenith');
  await publish(lake, 'append', rowsOf(2, 9), 'Beta');
  expect(await vendor()).toBe('Zenith, Beta');
  await publish(lake, 'append', rowsOf(3));
  await publish(lake, 'replace-all', rowsOf(3));
  expect(await vendor()).toBe('Zenith');
  await lake.close();
});

test('a publication that names no vendor keeps the only one, also for new partitions', async () => {
  const lake = await openLake();
  expect(await lake.versions.vendors()).toEqual([]);
  await publish(lake, 'replace', rowsOf(0));
  expect(await lake.versions.vendors()).toEqual(['']);
  await publish(lake, 'replace', rowsOf(0), 'Acme');
  await publish(lake, 'replace', rowsOf(1, 3));
  await publish(lake, 'replace-all', rowsOf(0));
  expect((await lake.snapshot(daily.datasetId))?.vendor).toBe('Acme');
  expect(await lake.versions.vendors()).toEqual(['Acme']);
  await lake.close();
});

test('rows replaced are counted when nobody else can publish any more', async () => {
  const lakes = [await openLake()];
  lakes.push(await openLake(homes.at(-1)));
  const counts = [3, 4];
  const reports = await Promise.all(
    lakes.map((lake, i) => publish(lake, 'replace', rowsOf(0, counts[i]))),
  );
  const [first, second] = reports.sort((a, b) => a.version - b.version);
  expect([first?.replacedRowCount, second?.replacedRowCount]).toEqual([0, first?.rowCount]);
  expect((await publish(lakes[0]!, 'append', rowsOf(0))).replacedRowCount).toBe(0);
  await publish(lakes[0]!, 'replace', rowsOf(1, 2));
  const all = await publish(lakes[0]!, 'replace-all', rowsOf(5));
  expect(all.replacedRowCount).toBe((second?.rowCount ?? 0) + 1 + 2);
  for (const lake of lakes) lake.close();
});

test('several datasets are published at once, or none of them', async () => {
  const [lake, reader] = [await openLake(), await openLake(homes.at(-1))];
  const options = { datasets: [daily, other], command: 'test' };
  const versions = () =>
    Promise.all(
      options.datasets.map(
        async ({ datasetId }) => (await reader.snapshot(datasetId))?.version ?? 0,
      ),
    );
  const failing = lake.publication(options, async (publication) => {
    await write(lake, publication, daily, rowsOf(0));
    expect(await versions()).toEqual([0, 0]);
    throw new Error('broken');
  });
  await expect(failing).rejects.toThrow('broken');
  expect(await versions()).toEqual([0, 0]);
  expect(readdirSync(join(lake.directory, daily.textId))).toEqual([]);
  expect(await lake.publicationStatus(other.datasetId)).toMatchObject({
    state: 'failed',
    message: 'broken',
  });
  await lake.publication(options, async (publication) => {
    await write(lake, publication, daily, rowsOf(0));
    await write(lake, publication, other, rowsOf(0));
    expect(await versions()).toEqual([0, 0]);
  });
  expect(await versions()).toEqual([1, 1]);
  expect((await lake.publicationStatus(other.datasetId)).state).toBe('published');
  await lake.close();
  reader.close();
});

test('a publication runs from its first moment and leaves how it ended', async () => {
  const [lake, reader] = [await openLake(), await openLake(homes.at(-1))];
  const status = async () => await reader.publicationStatus(daily.datasetId);
  const options = { datasets: [daily], command: 'test' };
  const run = (work: (publication: OpenPublication) => Promise<void>) =>
    lake
      .publication(options, async (publication) => {
        expect(await status()).toMatchObject({ state: 'running', finishedAt: null, message: null });
        await work(publication);
      })
      .catch(() => {});
  expect((await status()).state).toBe('none');
  await run(async (publication) => publication.refuse('3 bad rows'));
  expect(await status()).toMatchObject({ state: 'refused', message: '3 bad rows' });
  expect(await reader.ledger.unpublishedCount(daily.datasetId)).toBe(1);
  await run(async () => {
    throw new UsageError('no such file');
  });
  expect(await status()).toMatchObject({ state: 'refused', message: 'no such file' });
  await run(async (publication) => publication.publishNothing('no rows'));
  expect(await status()).toMatchObject({ state: 'unchanged', message: 'no rows' });
  const interrupted = new AbortController();
  const aborting = lake.publication({ ...options, signal: interrupted.signal }, async () => {
    interrupted.abort();
    interrupted.signal.throwIfAborted();
  });
  await expect(aborting).rejects.toThrow();
  expect(await status()).toMatchObject({ state: 'failed', message: 'interrupted' });
  expect(await reader.ledger.unpublishedCount(daily.datasetId)).toBe(3);
  expect(readdirSync(join(lake.directory, '.publishing'))).toEqual([]);
  await lake.close();
  reader.close();
});

test('a dataset has failed while one of its files is gone, unless it is being published', async () => {
  const lake = await openLake();
  const status = async () => await lake.publicationStatus(daily.datasetId);
  await publish(lake, 'replace', rowsOf(0));
  await lake.publication({ datasets: [other], command: 'test' }, async (publication) => {
    await write(lake, publication, other, rowsOf(0));
  });
  await lake.damaged.watch();
  expect([lake.damaged.current(), (await status()).state]).toEqual([null, 'published']);
  const { finishedAt } = await status();
  rmSync((await partFiles(lake, daily.datasetId))[0] as string);
  await lake.damaged.watch();
  const message = expect.stringMatching(/^the file lake\/.+ is missing$/);
  expect(lake.damaged.current()).toEqual(message);
  expect(await status()).toMatchObject({ state: 'failed', message, finishedAt });
  expect(await lake.publicationStatus(other.datasetId)).toMatchObject({ state: 'published' });
  await lake.publication({ datasets: [daily], command: 'test' }, async (publication) => {
    expect(await status()).toMatchObject({ state: 'running', message: null });
    await write(lake, publication, daily, rowsOf(0));
  });
  await lake.damaged.watch();
  expect([lake.damaged.current(), (await status()).state]).toEqual([null, 'published']);
  await lake.close();
});

const HANGING = `
  const [{ openLake }, { systemClock }, { sampleDataset }] = await Promise.all(
    ['server/src/open-home.ts', 'server/src/base/clock.ts', 'server/test/lake/sample-dataset.ts']
      .map((path) => import(process.argv[1] + '/' + path)));
  const lake = await openLake({ home: process.argv[2] }, systemClock);
  await lake.publication({ datasets: [sampleDataset('day')], command: 'test' }, async () => {
    console.log('begun');
    // Allowed: it refers to the load, which would else be collected as garbage, with its lock.
    await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
  });`;

test('a load that is killed while it reads has failed, not gone on for ever', async () => {
  const home = newHome();
  const root = join(import.meta.dirname, '../../..');
  const child = spawn(process.execPath, ['--input-type=module', '-e', HANGING, root, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(child.stdout, 'data');
    const lake = await openLake(home);
    const status = async () => await lake.publicationStatus(daily.datasetId);
    expect((await status()).state).toBe('running');
    (await openLake(home)).close();
    expect((await status()).state).toBe('running');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await status()).toMatchObject({ state: 'failed', message: 'interrupted' });
    // The next one to open the lake writes it down.
    (await openLake(home)).close();
    expect(await status()).toMatchObject({ state: 'failed', message: 'interrupted' });
    expect((await status()).finishedAt).not.toBeNull();
    await lake.close();
  } finally {
    child.kill('SIGKILL');
  }
});

test('a load that died counts as soon as another one begins, also one that is refused', async () => {
  const lake = await openLake();
  const index = openHomeIndex(homes.at(-1)!);
  await index.ledger.begin({
    ...{ datasetIds: [daily.datasetId], kind: 'load', command: 'test', actor: 'test' },
    ...{ reason: null, vendor: null, lifeMark: 'gone.lock', startedAt: '2026-11-20T20:00:00Z' },
  });
  await index.close();
  const refused = lake.publication({ datasets: [daily], command: 'test' }, async () => {
    throw new UsageError('no such file');
  });
  await expect(refused).rejects.toThrow('no such file');
  expect(await lake.ledger.unpublishedCount(daily.datasetId)).toBe(2);
  expect((await lake.publicationStatus(daily.datasetId)).message).toBe('no such file');
  await lake.close();
});
