/**
 * Fair turns: how long an account that asks for little waits while another asks for much, next to
 * its wait alone, in turns. Behind 64 walks in a queue of arrivals, it would wait more than twenty
 * times as long, and behind 400 connections some hundred times.
 */
import { once } from 'node:events';
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { openControlStore } from '../../src/open-home.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { startFlood } from '../../test/operation/flood.ts';
import { makeHome } from '../../test/operation/server-process.ts';
import { writing } from '../../test/writing.ts';
import { Client } from '../client.ts';
import { type Benchmark, type Finding, ms } from '../finding.ts';
import { median, timed } from '../measure.ts';
import { type Service, withService } from '../service.ts';

const ROWS = { full: 200_000, small: 20_000 } as const;
const NAME_CHARACTERS = 40;
const PATH = '/data/us-equity-ref/eq-trading-halts';
const HEAVY_WALKS = 64;
const HEAVY_LIMIT = 10_000;
const LIGHT_REQUESTS = 15;
const LIGHT_LIMIT = 1000;
/** Connections are limited by address, and the heavy account asks from another one. */
const LIGHT_ADDRESS = '127.0.0.2';
const DAY_MS = 86_400_000;

/** The key of an account beside the server's own. */
async function addAccount(home: string): Promise<string> {
  const store = await openControlStore({ home });
  const createdAtMs = Date.now();
  const account = { isAdmin: false, maxActiveApiKeys: 1, ipSubnets: [], limits: UNLIMITED };
  const { accounts, keys, rules } = writing(store);
  const accountId = await accounts.create({ name: 'light', createdAtMs, ...account });
  const key = generateKey();
  const hashed = { hash: hashKey(key), reference: keyReference(key) };
  const life = { createdAtMs, expiresAtMs: createdAtMs + DAY_MS };
  await keys.create({ accountId, name: 'light', ...hashed, ...life });
  const window = { startDate: '1900-01-01', endDate: null };
  await rules.add({ accountId, datasetId: 'US2013', ...window, universe: [] });
  await store.close();
  return key;
}

/**
 * Walks under a sort other than natural order, each from another page; resolves at the first
 * answer.
 */
async function startHeavyWalks(client: Client, rowCount: number) {
  let isStopped = false;
  const first = Promise.withResolvers<void>();
  const walk = async (number: number) => {
    for (let page = number; !isStopped; page++) {
      const offset = (page * HEAVY_LIMIT) % rowCount;
      const query = `sort=-PauseThresholdPrice,Name&limit=${HEAVY_LIMIT}&offset=${offset}`;
      await client.read(`${PATH}?${query}`);
      first.resolve();
    }
  };
  const walks = Promise.all(Array.from({ length: HEAVY_WALKS }, (_, number) => walk(number)));
  await Promise.race([first.promise, walks]);
  return async () => {
    isStopped = true;
    await walks;
  };
}

const FLOOD_CONNECTIONS = 400;
const FLOOD_REQUESTS = 20;

/** Pipelined requests that no query queue holds back; resolves once all connections ask. */
async function startPipelined({ url, key }: Service) {
  const { port, pathname } = new URL(url);
  const attack = {
    connectionCount: FLOOD_CONNECTIONS,
    requestCount: FLOOD_REQUESTS,
    target: `${pathname}/meta/catalogue`,
    reads: true,
  };
  const client = await startFlood(port, attack, key);
  return async () => {
    const ended = once(client, 'close');
    client.kill('SIGKILL');
    await ended;
  };
}

interface Heavy {
  readonly name: string;
  /** The most that the light account's wait may grow by. */
  readonly factorMax: number;
  /** Resolves to what stops it. */
  start(service: Service, client: Client, rowCount: number): Promise<() => Promise<void>>;
}

const HEAVY: readonly Heavy[] = [
  {
    name: `${HEAVY_WALKS} walks`,
    factorMax: 3,
    start: (_, client, rowCount) => startHeavyWalks(client, rowCount),
  },
  {
    name: `${FLOOD_CONNECTIONS} connections with ${FLOOD_REQUESTS} requests each`,
    factorMax: 2,
    start: startPipelined,
  },
];

/** `wait` resolves to the light account's wait in milliseconds. */
async function measureBeside(
  { name, factorMax, start }: Heavy,
  [service, client]: readonly [Service, Client],
  rowCount: number,
  runs: number,
  wait: () => Promise<number>,
): Promise<Finding> {
  const rounds: { alone: number; beside: number }[] = [];
  for (let round = 0; round < runs; round++) {
    const alone = await wait();
    const stop = await start(service, client, rowCount);
    rounds.push({ alone, beside: await wait() });
    await stop();
  }
  const alone = median(rounds.map((round) => round.alone));
  const beside = median(rounds.map((round) => round.beside));
  return {
    work: `a page of ${LIGHT_LIMIT} rows, beside ${name} of another account`,
    measured: ms(beside),
    compared: `${ms(alone)} alone`,
    figure: median(rounds.map((round) => round.beside / round.alone)),
    unit: '',
    target: { is: 'at most', value: factorMax },
    details: { besideMs: beside, aloneMs: alone },
  };
}

export const FAIR_TURNS: Benchmark = {
  name: 'fair-turns',
  reads: [],
  run: async ({ data, turns }) => {
    const rowCount = ROWS[data.sizes.name];
    const home = await makeHome(rowCount, NAME_CHARACTERS);
    const key = await addAccount(home.path);
    try {
      return await withService(home.path, 'reading', async (service, heavy) => {
        let page = 0;
        /** On a new connection each time: who waits to connect has to have turns, too. */
        const read = async () => {
          const light = new Client({ url: service.url, key }, LIGHT_ADDRESS);
          const offset = (page++ * 997) % (rowCount - LIGHT_LIMIT);
          await light.read(`${PATH}?limit=${LIGHT_LIMIT}&offset=${offset}`);
          light.close();
        };
        /** The median of some requests, one after the other, each for another page. */
        const wait = async () => {
          const times: number[] = [];
          for (let at = 0; at < LIGHT_REQUESTS; at++) times.push(await timed(read));
          return median(times);
        };
        await wait();
        const findings: Finding[] = [];
        for (const each of HEAVY) {
          const runs = Math.min(7, turns.runs);
          findings.push(await measureBeside(each, [service, heavy], rowCount, runs, wait));
        }
        return findings;
      });
    } finally {
      home.remove();
    }
  },
};
