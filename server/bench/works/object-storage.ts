/**
 * Pages of ticks from a lake in object storage: warm, against the same files in a folder, and the
 * first one of a part that was never read, from a slow store. Skipped where there is no store.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEPLOYMENT_FILE } from '../../src/base/home-layout.ts';
import { lakePlaceName } from '../../src/installed.ts';
import { openHomeIndex } from '../../src/open-home.ts';
import { objectStoreProblem, TestObjectStore } from '../../test/objects/start-object-store.ts';
import { Client } from '../client.ts';
import type { DataSet, TickPage } from '../data/data-set.ts';
import { type Bench, type Benchmark, type Finding, ms, ratio } from '../finding.ts';
import { median, race, timed } from '../measure.ts';
import { type Service, startService } from '../service.ts';

const PREFIX = 'bench/lake';
const PAGE_ROWS = 10_000;
const DELAY_MS = 20;
/** Time in which the cache fetches some files over loopback. */
const FETCH_MS = 2000;

const uncached = (store: TestObjectStore) => ({
  ...store.environment(PREFIX),
  TEST_LIMITS: JSON.stringify({ pageCacheBytes: 0, lakeCacheBytesMax: 0 }),
});

const pathOf = ({ date, ticker }: TickPage, offset = 0) =>
  `/data/us-equity/eq-taq/${date}/${ticker}?limit=${PAGE_ROWS}&offset=${offset}`;

/** An index knows in which place the parts are. */
async function notePlace(home: string, store: TestObjectStore): Promise<void> {
  const index = openHomeIndex(home);
  try {
    await index.moves.changePlace(lakePlaceName(store.settings(PREFIX).lakeAddress));
  } finally {
    await index.close();
  }
}

/** A home with the same index whose parts are in the bucket. */
async function homeOverObjects(
  { home, scratch, tickFiles }: DataSet,
  store: TestObjectStore,
  name: string,
): Promise<string> {
  const copy = join(scratch, name);
  const isPart = (path: string) => dirname(dirname(path)) === join(home, 'lake');
  cpSync(home, copy, { recursive: true, filter: (path) => !isPart(path) });
  // Both homes are of one deployment, as two nodes are.
  writeFileSync(join(copy, DEPLOYMENT_FILE), 'bench\n');
  for (const file of tickFiles.values()) {
    const target = join(store.bucketFolder, PREFIX, 'eq_taq');
    mkdirSync(target, { recursive: true });
    cpSync(file, join(target, file.slice(dirname(file).length + 1)));
  }
  await notePlace(copy, store);
  return copy;
}

/** Hands what comes in for the store on only after a while. */
async function delayed(store: TestObjectStore): Promise<{ server: Server; endpoint: string }> {
  const pass = (client: Socket) => {
    const target = connect(Number(new URL(store.endpoint).port), '127.0.0.1');
    client.on('data', (chunk) => setTimeout(() => target.write(chunk), DELAY_MS));
    target.pipe(client);
    for (const socket of [client, target]) {
      socket.on('error', () => undefined);
      socket.on('close', () => [client, target].map((each) => each.destroy()));
    }
  };
  const server = createServer({ noDelay: true }, pass).listen(0, '127.0.0.1');
  while (server.address() === null) await sleep(1);
  const { port } = server.address() as { port: number };
  return { server, endpoint: `http://127.0.0.1:${port}` };
}

async function withClients<T>(
  services: readonly Service[],
  use: (...clients: Client[]) => Promise<T>,
): Promise<T> {
  const clients = services.map((service) => new Client(service));
  try {
    return await use(...clients);
  } finally {
    for (const client of clients) client.close();
    for (const service of services) await service.stop();
  }
}

async function measureWarm({ data, turns }: Bench, store: TestObjectStore, home: string) {
  const cacheHome = await homeOverObjects(data, store, 'cached');
  const services = [
    await startService(data.home, 'reading'),
    await startService(home, 'reading', uncached(store)),
    await startService(cacheHome, 'reading', store.environment(PREFIX)),
  ];
  return await withClients(services, async (local, remote, cached) => {
    // Each part is fetched after it was read twice.
    for (const page of [...data.flagshipPages, ...data.flagshipPages]) {
      await (cached as Client).read(pathOf(page));
    }
    await sleep(FETCH_MS);
    const pages = data.flagshipPages;
    const ask = (client: Client | undefined) => async (turn: number) => {
      await (client as Client).read(pathOf(pages[turn % pages.length] as TickPage));
    };
    const times = await race(turns, {
      ...{ local: ask(local), objects: ask(remote), cached: ask(cached) },
    });
    const folder = { name: 'from the folder', times: times.local };
    const finding = (work: string, most: number, own: readonly number[]) =>
      ratio({ work, target: { is: 'at most', value: most } }, { name: 'page', times: own }, folder);
    const disk = '10,000 ticks of a lake in object storage, from the cache on the disk';
    return [
      finding('10,000 ticks from object storage, read before', 1.6, times.objects),
      finding(disk, 1.05, times.cached),
    ];
  });
}

async function measureFirst({ data }: Bench, store: TestObjectStore, home: string) {
  const { server, endpoint } = await delayed(store);
  const environment = { ...uncached(store), TICKLAKE_S3_ENDPOINT: endpoint };
  const services = [await startService(home, 'reading', environment)];
  try {
    return await withClients(services, async (client) => {
      const requests: number[] = [];
      for (let n = 0; n < 10; n++) {
        requests.push(await timed(async () => await (await fetch(endpoint)).arrayBuffer()));
      }
      const dates = new Map(data.flagshipPages.map((page) => [page.date, page]));
      const times: number[] = [];
      for (const page of dates.values()) {
        times.push(await timed(() => (client as Client).read(pathOf(page))));
      }
      // The first one waits for the programs of both ends, too.
      const [firstMs, requestMs] = [median(times.slice(1)), median(requests)];
      const finding: Finding = {
        work: `first page of a part that was never read, ${DELAY_MS} ms added to each request`,
        measured: ms(firstMs),
        compared: `a request ${ms(requestMs)}`,
        figure: firstMs / requestMs,
        unit: '',
        target: { is: 'at most', value: 8 },
        details: { requestMs, allMs: times.map(ms).join(' ') },
      };
      return finding;
    });
  } finally {
    server.close();
  }
}

async function measure(bench: Bench): Promise<Finding[]> {
  if (objectStoreProblem() !== null) return [];
  const store = await TestObjectStore.start();
  try {
    const home = await homeOverObjects(bench.data, store, 'uncached');
    const warm = await measureWarm(bench, store, home);
    return [...warm, await measureFirst(bench, store, home)];
  } finally {
    await store.stop();
  }
}

export const OBJECT_STORAGE: Benchmark = {
  name: 'object-storage',
  reads: ['eq_taq'],
  run: measure,
};
