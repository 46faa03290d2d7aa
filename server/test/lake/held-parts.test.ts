/** Replaced parts that somebody copies. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { PartStorage } from '../../src/engine/engine.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import { Lake } from '../../src/lake/lake.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset } from './sample-dataset.ts';
import { PARTITIONS_PER_VERSION, rowsOfVersion } from './sample-version.ts';

const dataset = sampleDataset('day');
const HOLDER = `
const [module, home] = process.argv.slice(1);
const { openHomeIndex } = await import(module);
const held = await openHomeIndex(home).publishers.holdParts();
console.log('held');
setInterval(() => held, 1000);`;

let home: string;
let storage: PartStorage;
let holder: ChildProcess | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-held-'));
  storage = INSTALLED_ENGINE.openStorage({ home }, tryLockFile);
});
afterEach(async () => {
  if (holder) await kill(holder);
  rmSync(home, { recursive: true, force: true });
});

/** Opens the lake, does something, sweeps and closes it. */
async function inLake(act: (lake: Lake) => Promise<unknown> = async () => undefined) {
  const lake = await Lake.open({
    ...{ home, index: openHomeIndex(home), storage, clock: systemClock, graceMs: -1 },
    actor: 'test',
  });
  await act(lake);
  await lake.publisher.tidy({ retentionDays: 0, retentionVersions: 0, retentionBytesMax: 0 });
  await lake.close();
  return (await Array.fromAsync(storage.locations())).length;
}

function publish(version: number): (lake: Lake) => Promise<unknown> {
  async function* batches() {
    yield batchOfRows(dataset.columns, rowsOfVersion(version));
  }
  return (lake) => publishBatches(lake, { dataset, mode: 'replace-all', batches: batches() });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('held parts stay until they are released', async () => {
  const index = openHomeIndex(home);
  await inLake(publish(1));
  const held = await index.publishers.holdParts();
  await inLake(publish(2));
  expect(await inLake()).toBe(2 * PARTITIONS_PER_VERSION);
  await held.release();
  expect(await inLake()).toBe(PARTITIONS_PER_VERSION);
  await index.close();
});

it('held parts are removed after their holder has died', async () => {
  await inLake(publish(1));
  const module = join(import.meta.dirname, '../../src/open-home.ts');
  const words = ['--input-type=module', '-e', HOLDER, module, home];
  holder = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(holder.stdout as NodeJS.ReadableStream, 'data');
  await inLake(publish(2));
  expect(await inLake()).toBe(2 * PARTITIONS_PER_VERSION);
  await kill(holder);
  expect(await inLake()).toBe(PARTITIONS_PER_VERSION);
});
