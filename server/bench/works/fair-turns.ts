/**
 * Fair turns: how long an account that asks for little waits while another asks for much, next to
 * its wait alone, in turns. Behind 64 walks in a queue of arrivals, it would wait more than twenty
 * times as long.
 */
import { generateKey, hashKey, keyReference } from '../../src/access/api-key.ts';
import { openControlStore } from '../../src/open-home.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import { makeHome } from '../../test/operation/server-process.ts';
import { writing } from '../../test/writing.ts';
import { Client } from '../client.ts';
import { type Benchmark, ms } from '../finding.ts';
import { median, timed } from '../measure.ts';
import { withService } from '../service.ts';

const ROWS = 200_000;
const NAME_CHARACTERS = 40;
const PATH = '/data/us-equity-ref/eq-trading-halts';
const HEAVY_WALKS = 64;
const HEAVY_LIMIT = 10_000;
const LIGHT_REQUESTS = 15;
const LIGHT_LIMIT = 1000;
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
async function startHeavyWalks(client: Client) {
  let isStopped = false;
  const first = Promise.withResolvers<void>();
  const walk = async (number: number) => {
    for (let page = number; !isStopped; page++) {
      const offset = (page * HEAVY_LIMIT) % ROWS;
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

export const FAIR_TURNS: Benchmark = {
  name: 'fair-turns',
  reads: [],
  run: async ({ turns }) => {
    const home = await makeHome(ROWS, NAME_CHARACTERS);
    const key = await addAccount(home.path);
    try {
      return await withService(home.path, 'reading', async (service, heavy) => {
        const light = new Client({ url: service.url, key });
        let page = 0;
        /** The median of some requests, one after the other, each for another page. */
        const wait = async () => {
          const times: number[] = [];
          for (let at = 0; at < LIGHT_REQUESTS; at++) {
            const offset = (page++ * 997) % (ROWS - LIGHT_LIMIT);
            times.push(
              await timed(() => light.read(`${PATH}?limit=${LIGHT_LIMIT}&offset=${offset}`)),
            );
          }
          return median(times);
        };
        await wait();
        const rounds: { alone: number; beside: number }[] = [];
        for (let round = 0; round < Math.min(7, turns.runs); round++) {
          const alone = await wait();
          const stop = await startHeavyWalks(heavy);
          rounds.push({ alone, beside: await wait() });
          await stop();
        }
        light.close();
        const [alone, beside] = [
          median(rounds.map((round) => round.alone)),
          median(rounds.map((round) => round.beside)),
        ];
        return [
          {
            work: `a page of ${LIGHT_LIMIT} rows, beside ${HEAVY_WALKS} walks of another account`,
            measured: ms(beside),
            compared: `${ms(alone)} alone`,
            figure: median(rounds.map((round) => round.beside / round.alone)),
            unit: '',
            target: { is: 'at most', value: 3 },
            details: { besideMs: beside, aloneMs: alone },
          },
        ];
      });
    } finally {
      home.remove();
    }
  },
};
