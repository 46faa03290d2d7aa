import { expect, it } from 'vitest';
import { DueDerivations } from './due-derivations.ts';
import { LoadQueue } from './load-queue.ts';
import type { LoadEnd, UploadOptions } from './upload.ts';

const OPTIONS = { into: null, isDryRun: false } as UploadOptions;
const end = (state: LoadEnd['state']): LoadEnd => ({
  ...{ state, report: null, error: null, allowedBy: null },
});

function opened(derive: (ids: readonly string[]) => Promise<void> = async () => {}) {
  const derived: string[][] = [];
  const failures: string[] = [];
  const queue = new LoadQueue(16);
  const due = new DueDerivations({
    queue,
    derive: async (ids) => {
      derived.push([...ids]);
      await derive([...ids]);
    },
    onFailure: (text) => failures.push(text),
  });
  return { due, queue, derived, failures };
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
  due.loaded({ ...upload, options: { ...OPTIONS, isDryRun: true } }, end('published'));
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
