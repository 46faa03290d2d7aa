import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { anyMoment } from '../any-moment.ts';
import { partFile, partFiles } from '../part-files.ts';
import { sampledRuns } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { sampleDataset } from './sample-dataset.ts';
import { readSampleRows } from './sample-rows.ts';
import { PARTITIONS_PER_VERSION, rowsOfVersion } from './sample-version.ts';

const ROUNDS = sampledRuns(8);
const READ_VERSIONS = sampledRuns(30);

const NO_RETENTION = { retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 };

const home = mkdtempSync(join(tmpdir(), 'ticklake-crash-'));
const script = join(import.meta.dirname, 'publish-until-killed.ts');
const dataset = sampleDataset('day');
const children: ChildProcess[] = [];

beforeAll(() => readSampleRows([]));
afterAll(async () => {
  for (const child of children) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(home, { recursive: true });
});

interface Publisher {
  readonly child: ChildProcess;
  /** The last version that it has said to be out. */
  lastVersion(): number;
  readonly ended: Promise<unknown>;
}

function startPublisher(killAfter = 'never', into = home, graceMs = '0'): Publisher {
  const child = spawn(process.execPath, [script, into, killAfter, graceMs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  return {
    child,
    lastVersion: () => Number(output.trimEnd().split('\n').at(-1) ?? 0),
    ended: once(child, 'close'),
  };
}

async function openLake(into = home, graceMs = 0): Promise<Lake> {
  return await Lake.open({
    home: into,
    index: openHomeIndex(into),
    storage: INSTALLED_ENGINE.openStorage({ home: into }, tryLockFile),
    clock: systemClock,
    actor: 'test',
    graceMs,
  });
}

/** Opens the lake as the next process would and checks that it holds one version, whole. */
async function expectOneVersion(toldVersion: number, into = home): Promise<number> {
  const lake = await openLake(into);
  await lake.publisher.tidy(NO_RETENTION);
  const snapshot = await lake.snapshot(dataset.datasetId);
  const version = snapshot?.version ?? 0;
  expect(version).toBeGreaterThanOrEqual(toldVersion);
  expect(version).toBeLessThanOrEqual(toldVersion + 1);
  const files = await partFiles(lake, dataset.datasetId);
  expect(await readSampleRows(files)).toEqual(version === 0 ? [] : rowsOfVersion(version));
  const stages = readdirSync(join(lake.directory, '.staging')).filter((name) => name !== 'alive');
  expect(stages).toEqual([]);
  const folder = readdirSync(lake.directory).includes(dataset.textId)
    ? readdirSync(join(lake.directory, dataset.textId))
    : [];
  expect(folder.sort()).toEqual(files.map((file) => basename(file)).sort());
  expect((await lake.publicationStatus(dataset.datasetId)).state).not.toBe('running');
  await lake.close();
  return version;
}

test('a publisher killed between two files, or before the commit, leaves the old version', async () => {
  const into = mkdtempSync(join(home, 'files-'));
  const server = await openLake(into);
  for (let killAfter = 1; killAfter <= PARTITIONS_PER_VERSION; killAfter++) {
    const before = (await server.snapshot(dataset.datasetId))?.version ?? 0;
    // The next version goes through, the one after it does not.
    const publisher = startPublisher(`${PARTITIONS_PER_VERSION + killAfter}`, into);
    await publisher.ended;
    expect(publisher.child.signalCode).toBe('SIGKILL');
    expect(publisher.lastVersion()).toBe(before + 1);
    expect((await server.snapshot(dataset.datasetId))?.version).toBe(before + 1);
    expect(await server.publicationStatus(dataset.datasetId)).toMatchObject({
      state: 'failed',
      message: 'interrupted',
    });
    const folder = join(server.directory, dataset.textId);
    expect(readdirSync(folder).length).toBeGreaterThanOrEqual(PARTITIONS_PER_VERSION + killAfter);
    expect(await expectOneVersion(before + 1, into)).toBe(before + 1);
  }
  await server.close();
});

test('a publisher killed at any moment leaves one whole version, and the rest is swept', async () => {
  const draws = drawsOf('crash');
  let version = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const publisher = startPublisher();
    const start = version;
    await expect.poll(() => publisher.lastVersion()).toBeGreaterThan(start);
    await anyMoment(draws, 120);
    publisher.child.kill('SIGKILL');
    await publisher.ended;
    version = await expectOneVersion(publisher.lastVersion());
  }
});

test('a reader beside two publishers reads whole versions only', async () => {
  const into = mkdtempSync(join(home, 'read-'));
  const graceMs = `${60_000}`;
  const publishers = [
    startPublisher('never', into, graceMs),
    startPublisher('never', into, graceMs),
  ];
  const reader = await openLake(into, Number(graceMs));
  const versions = new Set<number>();
  const isWaiting = () => publishers.some((publisher) => publisher.lastVersion() === 0);
  const died = Promise.race(publishers.map(({ ended }) => ended)).then(() => {
    throw new Error('a publisher has died');
  });
  died.catch(() => undefined);
  while (versions.size < READ_VERSIONS || isWaiting()) {
    await Promise.race([nextTurn(), died]);
    const snapshot = await reader.snapshot(dataset.datasetId);
    if (!snapshot || versions.has(snapshot.version)) continue;
    versions.add(snapshot.version);
    const rows = await readSampleRows(snapshot.parts.map((part) => partFile(reader, part)));
    expect(rows).toEqual(rowsOfVersion(Number(rows[0]?.[4])));
  }
  for (const { child } of publishers) child.kill('SIGKILL');
  await Promise.all(publishers.map(({ ended }) => ended));
  await reader.close();
});
