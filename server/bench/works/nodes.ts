/**
 * Servers over PostgreSQL and object storage behind nginx, one and then two, under a mixed load:
 * all answers must equal those of a server that has everything in its home. Clients, servers and
 * stores share the machine's cores. Left out where a part is missing.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { openControlStore } from '../../src/open-home.ts';
import { readConfig } from '../../src/settings/config.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { BalancedServers, isBalancerMissing } from '../../test/nodes/balanced-servers.ts';
import { areSharedPlacesMissing, SharedPlaces } from '../../test/objects/shared-places.ts';
import {
  type Home,
  makeHome,
  ROWS_PATH,
  type ServerProcess,
  startServer,
  withLimits,
} from '../../test/operation/server-process.ts';
import { placeEnvironment } from '../../test/place-of-tests.ts';
import { writing } from '../../test/writing.ts';
import { type Benchmark, type Finding, ms } from '../finding.ts';
import { median } from '../measure.ts';

const CLIENTS = 16;
const ROWS = 20_000;
const QUOTA_REQUESTS = 200;
/** More than the quota lets through, from all clients at once. */
const QUOTA_TRIES = 300;
const NO_CACHE = withLimits({ pageCacheBytes: 0 });
const STATEMENTS = 'SELECT sum(calls)::int AS calls FROM public.pg_stat_statements';

/** Small and large pages, sorted or not, filtered, in several formats, each at many places. */
const KINDS = [
  'limit=100',
  'limit=1000',
  'limit=1000&response_format=csv',
  'limit=5000&response_format=arrow',
  'limit=500&sort=-Ticker',
  'limit=200&SecId.gt=5000',
];
const PATHS = KINDS.flatMap((kind) =>
  [0, 1000, 4000, 9000, 15_000].map((at) => `${ROWS_PATH}?period=20Y&${kind}&offset=${at}`),
);

interface Place {
  readonly url: string;
  readonly key: string;
}

async function answer({ url, key }: Place, path: string) {
  const given = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
  const bytes = Buffer.from(await given.arrayBuffer());
  const text = bytes.toString('latin1').replaceAll(url, '');
  const digest = createHash('sha256').update(text, 'latin1').digest('hex');
  return { status: given.status, digest: `${given.headers.get('etag')} ${digest}` };
}

async function digests(place: Place): Promise<string[]> {
  const all: string[] = [];
  for (const path of PATHS) all.push((await answer(place, path)).digest);
  return all;
}

interface Outcome {
  readonly times: number[];
  readonly errors: number;
  readonly different: number;
  readonly seconds: number;
}

/** Each client reads all pages over and over, in an order of its own. */
async function load(place: Place, expected: readonly string[], seconds: number): Promise<Outcome> {
  const outcome = { times: [] as number[], errors: 0, different: 0 };
  const start = performance.now();
  const read = async (client: number) => {
    for (let at = client * 7; performance.now() - start < seconds * 1000; at += 11) {
      const asked = performance.now();
      const number = at % PATHS.length;
      const { status, digest } = await answer(place, PATHS[number] as string);
      outcome.times.push(performance.now() - asked);
      if (status !== 200) outcome.errors++;
      else if (digest !== expected[number]) outcome.different++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => read(client)));
  return { ...outcome, seconds: (performance.now() - start) / 1000 };
}

async function limitRequests(home: Home, requests: number | null): Promise<void> {
  const store = await openControlStore({ ...readConfig(placeEnvironment()), home: home.path });
  const limits = { ...UNLIMITED, month: { ...UNLIMITED.month, requests } };
  await writing(store).accounts.update(1, { limits });
  await store.close();
}

/** Counts the tries by status: let through, past the quota, past a full queue. */
async function tryQuota(place: Place): Promise<Readonly<Record<200 | 429 | 503, number>>> {
  const path = `${ROWS_PATH}?period=20Y&limit=1`;
  const tries = Array.from({ length: QUOTA_TRIES }, () => answer(place, path));
  const statuses = (await Promise.all(tries)).map(({ status }) => status);
  const countOf = (status: number) => statuses.filter((each) => each === status).length;
  return { 200: countOf(200), 429: countOf(429), 503: countOf(503) };
}

function residentMegabytes({ child }: ServerProcess): number {
  const [, kilobytes] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

interface Measured extends Outcome {
  readonly megabytes: number;
  /** Statements of PostgreSQL for each answer. */
  readonly statements: number;
}

async function measureServers(
  count: number,
  home: Home,
  database: PostgresDatabase,
  expected: readonly string[],
  seconds: number,
): Promise<Measured> {
  const balanced = await BalancedServers.start(count, NO_CACHE);
  try {
    const place = { url: balanced.url, key: readFileSync(demoKeyFile(home.path), 'utf8').trim() };
    await load(place, expected, seconds / 2);
    const before = Number((await database.get(STATEMENTS))?.calls);
    const outcome = await load(place, expected, seconds);
    const after = Number((await database.get(STATEMENTS))?.calls);
    return {
      ...outcome,
      megabytes: Math.max(...balanced.servers.map(residentMegabytes)),
      statements: (after - before) / outcome.times.length,
    };
  } finally {
    await balanced.end('SIGTERM');
  }
}

async function embeddedDigests(): Promise<string[]> {
  const home = await makeHome(ROWS, 20);
  const server = await startServer(home);
  try {
    return await digests(server);
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
    home.remove();
  }
}

function rate({ times, seconds }: Outcome): number {
  return times.length / seconds;
}

function findingsOf(
  one: Measured,
  two: Measured,
  tried: Awaited<ReturnType<typeof tryQuota>>,
): Finding[] {
  const wrong = [one, two].reduce((sum, { errors, different }) => sum + errors + different, 0);
  const told = (each: Measured) =>
    `${rate(each).toFixed(0)} pages/s, ${ms(median(each.times))}, ${each.megabytes.toFixed(0)} MB, ${each.statements.toFixed(1)} statements a page`;
  const zero = { is: 'at most', value: 0 } as const;
  return [
    {
      work: `${CLIENTS} clients of two servers: errors, and answers unlike the embedded default's`,
      measured: told(two),
      compared: `one server ${told(one)}`,
      figure: wrong,
      unit: '',
      target: zero,
      details: {
        pages: two.times.length,
        pagesPerSecond: rate(two),
        pagesPerSecondOfOne: rate(one),
      },
    },
    {
      work: `${QUOTA_TRIES} requests at once at two servers: passed beyond a quota of ${QUOTA_REQUESTS}`,
      measured: `${tried[200]} let through, ${tried[429]} past the quota, ${tried[503]} past a full queue`,
      compared: `the quota, ${QUOTA_REQUESTS}`,
      figure: tried[200] - QUOTA_REQUESTS,
      unit: '',
      target: zero,
      details: { passed: tried[200], limited: tried[429], busy: tried[503] },
    },
  ];
}

async function measure(seconds: number): Promise<Finding[]> {
  const expected = await embeddedDigests();
  const environment = { ...process.env };
  const settings = { shared_preload_libraries: 'pg_stat_statements' };
  const places = await SharedPlaces.start('bench/nodes', { settings });
  const { postgres, database: name } = places;
  const database = new PostgresDatabase(postgres.address(name), 1);
  const home = await makeHome(ROWS, 20);
  try {
    await postgres.execute(name, 'CREATE EXTENSION pg_stat_statements SCHEMA public');
    await limitRequests(home, QUOTA_REQUESTS);
    const pair = await BalancedServers.start(2);
    const key = readFileSync(demoKeyFile(home.path), 'utf8').trim();
    const tried = await tryQuota({ url: pair.url, key });
    await pair.end('SIGTERM');
    await limitRequests(home, null);
    const one = await measureServers(1, home, database, expected, seconds);
    const two = await measureServers(2, home, database, expected, seconds);
    return findingsOf(one, two, tried);
  } finally {
    process.env = environment;
    await database.close();
    await places.stop();
    home.remove();
  }
}

export const NODES: Benchmark = {
  name: 'nodes',
  reads: [],
  run: async ({ loadSeconds }) =>
    areSharedPlacesMissing || isBalancerMissing() ? [] : await measure(Math.min(20, loadSeconds)),
};
