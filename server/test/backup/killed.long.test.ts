/**
 * Kills backups and restorations at random moments, while others publish and change accounts. The
 * restored home's accounts, index and parts must agree.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackupFolder } from '../../src/backup/backup-folder.ts';
import { restore } from '../../src/backup/restore.ts';
import { systemClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { Lake } from '../../src/lake/lake.ts';
import { findLeftovers, type LakeProblem, START, verifyParts } from '../../src/lake/verify.ts';
import { BACKUP_TOOLS, openControlStore, openHomeIndex, openLake } from '../../src/open-home.ts';
import type { ControlStore } from '../../src/store/control-store.ts';
import { anyMoment } from '../any-moment.ts';
import { eventually } from '../eventually.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { rowsOfVersion } from '../lake/sample-version.ts';
import { publishBatches } from '../publish-batches.ts';
import { repetitions, sampledRuns } from '../repetitions.ts';
import { drawsOf } from '../seed.ts';
import { newAccount } from '../store/control-store/samples.ts';
import { writing } from '../writing.ts';

const KILLS = repetitions('TICKLAKE_BACKUP_KILLS', sampledRuns(4));
const ACT_MS = 400;
const draws = drawsOf('kills of backups');
const TIMEOUT_MS = 1_800_000;

const root = mkdtempSync(join(tmpdir(), 'ticklake-killed-'));
const home = join(root, 'home');
const backups = join(root, 'backups');
const script = join(import.meta.dirname, 'act-until-killed.ts');
const dataset = sampleDataset('day');
const { signal } = new AbortController();
const children: ChildProcess[] = [];
let lake: Lake;
let store: ControlStore;
let isOver = false;
let writer: Promise<void>;

/** Publishes a version and then makes an account, so that accounts are never ahead. */
async function writeOn(): Promise<void> {
  async function* batches(version: number) {
    yield batchOfRows(dataset.columns, rowsOfVersion(version));
  }
  while (!isOver) {
    const version = ((await lake.snapshot(dataset.datasetId))?.version ?? 0) + 1;
    await publishBatches(lake, { dataset, mode: 'replace-all', batches: batches(version) });
    await writing(store).accounts.create(newAccount({ name: `version ${version}` }));
  }
}

beforeAll(async () => {
  lake = await openLake({ home }, systemClock);
  store = await openControlStore({ home: home });
  writer = writeOn();
  // The last snapshot is to hold something, however soon it is made.
  await eventually(async () => expect((await store.accounts.list(0, 1)).length).toBe(1));
});
afterAll(async () => {
  for (const child of children) await end(child);
  isOver = true;
  await writer;
  await lake.close();
  await store.close();
  rmSync(root, { recursive: true, force: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Runs the script and kills it once it has begun and `wait` is over, unless it ends first. */
async function runAndKill(
  act: 'backup' | 'restore',
  into: string,
  wait: () => Promise<unknown>,
): Promise<void> {
  const words = [script, act, into, backups];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await wait();
  await end(child);
}

async function problemsOf(path: string): Promise<LakeProblem[]> {
  const problems: LakeProblem[] = [];
  const index = openHomeIndex(path);
  const options = {
    ...{ index, storage: BACKUP_TOOLS.openStorage(path), rowsReader: null, signal },
    onProblem: (problem: LakeProblem) => problems.push(problem),
    onProgress: () => undefined,
  };
  await verifyParts(options, START);
  await findLeftovers(options);
  await index.close();
  return problems;
}

/** Looks at all that a restored home has to have, and at what the last published version holds. */
async function expectWhole(path: string): Promise<number> {
  expect(await problemsOf(path)).toEqual([]);
  const restored = await openLake({ home: path }, systemClock);
  const accounts = await openControlStore({ home: path });
  const version = (await restored.snapshot(dataset.datasetId))?.version ?? 0;
  const rowCount = (await restored.snapshot(dataset.datasetId))?.rowCount ?? 0;
  expect(rowCount).toBe(version === 0 ? 0 : rowsOfVersion(version).length);
  expect((await restored.publicationStatus(dataset.datasetId)).state).not.toBe('running');
  // One moment: an account for each version, or for each but the last one.
  const last = (await accounts.accounts.list(0, 1_000_000)).length;
  expect([version, version - 1]).toContain(last);
  await accounts.close();
  await restored.close();
  expect(await problemsOf(path)).toEqual([]);
  return version;
}

/** Killed backups block no later one, so a snapshot is made eventually. */
const aSnapshot = () =>
  eventually(() => {
    expect(BackupFolder.find(backups, BACKUP_TOOLS).snapshots()).not.toEqual([]);
  });

const newHome = (name: string) => join(root, `restored ${name}`);

it(
  `a backup that is killed at any of ${KILLS} moments leaves snapshots that can be restored`,
  async () => {
    let version = 0;
    for (let round = 0; round < KILLS; round++) {
      const moment = () => anyMoment(draws, ACT_MS);
      await runAndKill('backup', home, round < KILLS - 1 ? moment : aSnapshot);
      if (!existsSync(join(backups, 'snapshots'))) continue;
      const folder = BackupFolder.find(backups, BACKUP_TOOLS);
      for (const snapshot of folder.snapshots()) {
        const restored = newHome(`${round} ${snapshot}`);
        const options = { snapshot, home: restored, signal, onProgress: () => undefined };
        await restore(folder, BACKUP_TOOLS, options);
        const restoredVersion = await expectWhole(restored);
        if (snapshot !== folder.snapshots().at(-1)) continue;
        expect(restoredVersion).toBeGreaterThanOrEqual(version);
        version = restoredVersion;
        rmSync(restored, { recursive: true });
      }
    }
    expect(version).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

it(
  `a restoration that is killed at any of ${KILLS} moments leaves no home, or the whole one`,
  async () => {
    for (let round = 0; round < KILLS; round++) {
      const restored = newHome(`killed ${round}`);
      await runAndKill('restore', restored, () => anyMoment(draws, 60));
      const isMarked = existsSync(join(restored, 'restoring.json'));
      if (isMarked) {
        await expect(openLake({ home: restored }, systemClock)).rejects.toThrow(
          'is not restored yet',
        );
      }
      const folder = BackupFolder.find(backups, BACKUP_TOOLS);
      const isWhole = existsSync(join(restored, 'lake.db')) && !isMarked;
      if (!isWhole) {
        const snapshot = folder.snapshotOf(undefined);
        const options = { snapshot, home: restored, signal, onProgress: () => undefined };
        await restore(folder, BACKUP_TOOLS, options);
      }
      await expectWhole(restored);
      rmSync(restored, { recursive: true });
    }
  },
  TIMEOUT_MS,
);
