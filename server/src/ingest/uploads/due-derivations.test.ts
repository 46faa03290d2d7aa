import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DueDerivations } from './due-derivations.ts';
import { LoadQueue } from './load-queue.ts';
import type { LoadEnd, UploadOptions } from './upload.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-due-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

const OPTIONS: UploadOptions = { dry_run: false };
const end = (state: LoadEnd['state']): LoadEnd => ({
  ...{ state, report: null, error: null, allowedBy: null },
});

function opened(
  derive: (ids: readonly string[], signal: AbortSignal) => Promise<void> = async () => {},
  dueFile = join(folder, `${count++}.json`),
) {
  const derived: string[][] = [];
  const failures: string[] = [];
  const queue = new LoadQueue(16);
  const due = new DueDerivations({
    dueFile,
    queue,
    derive: async (ids, signal) => {
      derived.push([...ids]);
      await derive([...ids], signal);
    },
    onFailure: (text) => failures.push(text),
  });
  return { due, queue, derived, failures, dueFile };
}

it('derives once for all datasets that are loaded before its turn, and again for later ones', async () => {
  const { due, queue, derived } = opened();
  for (const datasetId of ['A', 'B', 'A']) {
    queue.add(async () => due.loaded({ datasetId, options: OPTIONS }, end('published')));
  }
  await queue.add(async () => {});
  await expect.poll(() => derived).toEqual([['A', 'B']]);
  due.loaded({ datasetId: 'C', options: OPTIONS }, end('published'));
  await expect.poll(() => derived).toEqual([['A', 'B'], ['C']]);
});

it('derives nothing of what was not published, or does not count yet', async () => {
  const { due, queue, derived } = opened();
  const upload = { datasetId: 'A', options: OPTIONS };
  due.loaded(upload, end('refused'));
  due.loaded(upload, end('unchanged'));
  due.loaded({ ...upload, options: { ...OPTIONS, into: 7 } }, end('published'));
  due.loaded({ ...upload, options: { ...OPTIONS, dry_run: true } }, end('published'));
  await queue.add(async () => {});
  expect(derived).toEqual([]);
});

it('tells of a failure, goes on with the next load, and stops with the queue', async () => {
  const { due, queue, derived, failures } = opened(async () => {
    throw new Error('refused: a price is below zero');
  });
  const upload = { datasetId: 'A', options: OPTIONS };
  due.loaded(upload, end('published'));
  await expect.poll(() => failures).toEqual(['uploads: refused: a price is below zero']);
  due.loaded(upload, end('published'));
  await queue.close();
  await expect.poll(() => derived.length).toBeLessThan(3);
});

const untilStopped = (_: readonly string[], signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
const loadOf = (datasetId: string) => ({ datasetId, options: OPTIONS });

it('derives what the server before has left: begun, waiting, or loaded when it died', async () => {
  const stopped = opened(untilStopped);
  stopped.due.loaded(loadOf('A'), end('published'));
  await expect.poll(() => stopped.derived).toEqual([['A']]);
  stopped.due.loaded(loadOf('B'), end('published'));
  stopped.due.begins(loadOf('C'));
  await stopped.queue.close();
  const next = opened(undefined, stopped.dueFile);
  await expect.poll(() => next.derived).toEqual([['A', 'B', 'C']]);
  await expect.poll(() => existsSync(next.dueFile)).toBe(false);
  expect(stopped.failures).toEqual([]);
});

it('leaves nothing to the next server of what is derived, refused or not published', async () => {
  const { due, queue, dueFile } = opened(async () => {
    throw new Error('refused');
  });
  for (const state of ['published', 'refused'] as const) {
    await queue.add(async () => {
      due.begins(loadOf('A'));
      expect(existsSync(dueFile)).toBe(true);
      due.loaded(loadOf('A'), end(state));
    });
  }
  await queue.add(async () => {});
  await expect.poll(() => existsSync(dueFile)).toBe(false);
});

it('goes on where the note cannot be written or read, and says so', async () => {
  const broken = join(folder, 'no-file.json');
  mkdirSync(join(broken, 'in-its-place'), { recursive: true });
  const { due, failures, derived } = opened(undefined, broken);
  expect(failures).toEqual([
    expect.stringMatching(/^uploads: .*no-file\.json cannot be read .*derive --stale/),
  ]);
  due.begins(loadOf('A'));
  due.loaded(loadOf('A'), end('published'));
  await expect.poll(() => derived).toEqual([['A']]);
  expect(failures[1]).toMatch(/^uploads: /);
});
