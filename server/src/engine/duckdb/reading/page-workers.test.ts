import { beforeEach, expect, it, vi } from 'vitest';
import { planOfPath, TICKS } from '../../../../test/plan-of-path.ts';
import { until } from '../../../../test/until.ts';
import { SHIPPED_DEFINITIONS } from '../../../base/installation.ts';
import type { LentBytes } from '../../../base/stored-bytes.ts';
import { loadCatalog } from '../../../catalog/load-catalog.ts';
import type { FolderPlan } from './folder-plan.ts';
import { PageWorkers } from './page-workers.ts';

const deaths: Error[] = [];
beforeEach(() => {
  deaths.length = 0;
});

const workersOf = (program: URL, workersMax = 1) =>
  new PageWorkers(
    {
      ...{ directory: '/none', queriesMax: 1, workersMax, cellsMin: 16_384 },
      onDeath: (error) => deaths.push(error),
    },
    program,
  );
const PLAN: FolderPlan = {
  ...{ ...planOfPath(`${TICKS}/AAA`), parts: [], root: '/none' },
  ...{ limit: 10_000, scannedRows: 10_000 },
};

/** A worker that does this with page `id`, before which there were `pages`. */
const workerThat = (answers: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    const tell = (told) => parentPort.postMessage(told);
    const pieces = [{ bytes: new TextEncoder().encode('page') }];
    const answer = (id) => tell({ is: 'page', id, pieces, rowCount: 1, nextOffset: null });
    let pages = -1;
    parentPort.on('message', ({ is, id }) => {
      if (is === 'close') return parentPort.close();
      if (is !== 'page') return;
      pages++;
      ${answers}
    });
    tell({ is: 'ready' });
  `)}`,
  );
/** A worker that answers every other page. */
const halfWorker = (otherwise: string) => workerThat(`pages % 2 === 1 ? ${otherwise} : answer(id)`);
const MORTAL = halfWorker('process.exit(1)');
const FORGETFUL = halfWorker("tell({ is: 'unable', id })");
/** A worker that would still answer while it dies. */
const DYING = workerThat("if (pages === 1) tell({ is: 'dying' }); answer(id)");
/** A worker whose second page ends after its third. */
const SLOW = workerThat(`
  if (pages !== 1) answer(id);
  if (pages === 2) tell({ is: 'failure', id: id - 1, name: 'Error', message: 'interrupted' });
`);
/** A worker that never hears anything. */
const DEAF = new URL('data:text/javascript,setInterval(() => 0, 1e6)');
const UNABLE = new URL('data:text/javascript,throw new Error("no memory")');

const ask = (workers: PageWorkers) => workers.text(PLAN, 'csv', new AbortController().signal);

/** A worker that hands over its only block with its first page, once its caller has left. */
const LENDER = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  const memory = new SharedArrayBuffer(4);
  new Uint8Array(memory).fill(65);
  let pages = 0;
  parentPort.on('message', ({ is, id }) => {
    if (is === 'close') return parentPort.close();
    const isFirst = pages === 0;
    if (is !== (isFirst ? 'abort' : 'page')) return;
    pages++;
    const pieces = [{ block: 0, byteCount: 4, ...(isFirst && { memory }) }];
    parentPort.postMessage({ is: 'page', id, pieces, rowCount: 1, nextOffset: null });
  });
  parentPort.postMessage({ is: 'ready' });
`)}`,
);
it('knows blocks that came with a page whose caller had left', async () => {
  const workers = workersOf(LENDER);
  await until(async () => {
    const leaving = new AbortController();
    const page = workers.text(PLAN, 'csv', leaving.signal);
    leaving.abort(new Error('left'));
    return (await page.catch(({ message }: Error) => message)) === 'left';
  });
  const page = await ask(workers);
  expect((page as { body: LentBytes }).body.pieces.join()).toBe('AAAA');
  await workers.close();
});

it('leaves pages to the caller for which the memory of a worker does not do', async () => {
  const workers = workersOf(FORGETFUL);
  await until(async () => (await ask(workers)) !== null);
  expect(await ask(workers)).toBeNull();
  expect(await ask(workers)).not.toBeNull();
  await workers.close();
});

it('leaves the page to the caller where a worker dies, tells it and replaces it', async () => {
  const workers = workersOf(MORTAL);
  for (let life = 0; life < 3; life++) {
    await until(async () => (await ask(workers)) !== null);
    expect(await ask(workers)).toBeNull();
  }
  expect(deaths.map(({ cause }) => cause)).toEqual(Array(3).fill('it ended with 1'));
  await workers.close();
  expect(deaths).toHaveLength(3);
});

it('asks nothing more of a worker that is dying', async () => {
  const workers = workersOf(DYING);
  await until(async () => (await ask(workers)) !== null);
  expect(await ask(workers)).not.toBeNull();
  expect(await ask(workers)).toBeNull();
  await workers.close();
});

it('ends an aborted page when the worker has ended its query, not before', async () => {
  const workers = workersOf(SLOW);
  await until(async () => (await ask(workers)) !== null);
  const leaving = new AbortController();
  let end = 'none yet';
  const page = workers.text(PLAN, 'csv', leaving.signal).catch(({ message }: Error) => {
    end = message;
  });
  leaving.abort(new Error('left'));
  await ask(workers);
  expect(end).toBe('none yet');
  await page;
  expect(end).toBe('left');
  await workers.close();
});

it('leaves pages to the caller where workers cannot start, and starts them once', async () => {
  const workers = workersOf(UNABLE, 2);
  expect(await ask(workers)).toBeNull();
  await until(() => workers.count === 0);
  expect(await ask(workers)).toBeNull();
  expect(workers.count).toBe(0);
  expect(deaths.map(({ cause }) => (cause as Error).message)).toEqual(['no memory', 'no memory']);
  await workers.close();
});

it('does not wait without end for a worker to end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const workers = workersOf(DEAF);
  await ask(workers);
  const closed = workers.close();
  vi.runAllTimers();
  await closed;
  vi.useRealTimers();
  expect(deaths).toEqual([]);
});

it('leaves small pages to the caller', async () => {
  const workers = workersOf(MORTAL);
  const plan = { ...PLAN, scannedRows: 100 };
  expect(await workers.text(plan, 'csv', new AbortController().signal)).toBeNull();
  expect(workers.count).toBe(0);
});

it('can hand over the definition of every dataset', () => {
  for (const dataset of loadCatalog([SHIPPED_DEFINITIONS]).datasets) {
    expect(structuredClone(dataset).columnByName.size).toBe(dataset.columns.length);
  }
});
