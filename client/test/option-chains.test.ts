/** Option chains by the client, along their pages. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../server/src/engine/columns.ts';
import { type ChainOptions, Ticklake } from '../src/index.ts';
import { type ServedRows, serveRows, silent } from './served-rows.ts';

type Cells = Readonly<Record<string, CellValue>>;

const DATE = '2025-06-18';
const EXPIRATIONS = ['2025-06-20', '2025-07-18'];
const STRIKES = [95, 100, 102.5];

let served: ServedRows;
let client: Ticklake;

async function publish(textId: string, rows: readonly Cells[]) {
  const { columns } = served.service.dataset(textId);
  await served.service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

const at = (time: string) => BigInt(Date.parse(`${DATE}T${time}:00-04:00`)) * 1_000_000n;

/** A bid at ten and one at three of each contract. */
const ticks = (late: number): Cells[] =>
  [
    ['10:00', 1],
    ['15:00', late],
  ].flatMap(([time, Price]) =>
    EXPIRATIONS.flatMap((ExpirationDate) =>
      STRIKES.flatMap((Strike) =>
        ['C', 'P'].map(
          (CallPut): Cells => ({
            ...{ TradeDate: DATE, Ticker: 'AAA', CallPut, Strike, ExpirationDate },
            ...{ EventDateTime: at(time as string), Action: 'FQ NB', Side: 'B' },
            ...{ Price: Price as number, Quantity: 7n },
          }),
        ),
      ),
    ),
  );

beforeAll(async () => {
  served = await serveRows(1);
  client = new Ticklake({ url: served.url, key: served.service.key, ...silent });
  await publish('opt_tanq', ticks(2));
});
afterAll(() => served.service.close());

const bids = async (options: ChainOptions) =>
  (await client.optionChain('AAA', options).toArray()).map((contract) => contract.bid_price);

it('are those of a date, or of a moment', async () => {
  const chain = client.optionChain('AAA', { date: DATE });
  const [contracts, { sources }] = await Promise.all([chain.toArray(), chain.info()]);
  expect(contracts).toHaveLength(12);
  const quote = { bid_price: 2, bid_size: 7n, bid_time: at('15:00'), ask_price: null };
  expect(contracts[0]).toMatchObject({ osi_symbol: 'AAA   250620C00095000', asid: null, ...quote });
  const iterated: unknown[] = [];
  for await (const contract of chain) iterated.push(contract);
  expect(iterated).toEqual(contracts);
  expect(sources.map(({ role, state }) => `${role} ${state}`)).toEqual([
    ...['ticks read', 'contracts not_published', 'greeks not_published'],
  ]);
  expect(new Set(await bids({ at: `${DATE}T10:00:00` }))).toEqual(new Set([1]));
  expect(await bids({ at: `${DATE}T09:00:00` })).toEqual([]);
});

it('have the contracts that are asked for', async () => {
  const chosen = async (options: ChainOptions) => {
    const contracts = await client.optionChain('AAA', { date: DATE, ...options }).toArray();
    return contracts.map(({ osi_symbol }) => osi_symbol?.slice(6));
  };
  expect(await chosen({ expiration: '2025-07-18', strike: 102.5, callPut: 'P' })).toEqual([
    '250718P00102500',
  ]);
  expect(await chosen({ expiration: { to: '2025-07-01' }, strike: { from: 96, to: 100 } })).toEqual(
    ['250620C00100000', '250620P00100000'],
  );
  expect(await chosen({ root: 'AAAW' })).toEqual([]);
});

it('are read along all pages from the versions of the first one', async () => {
  const asked: string[] = [];
  const send: typeof fetch = async (input, init) => {
    asked.push(String(input));
    const answer = await fetch(input, init);
    if (asked.length === 1) await publish('opt_tanq', ticks(3));
    return answer;
  };
  const other = new Ticklake({ url: served.url, key: served.service.key, fetch: send });
  const chain = other.optionChain('AAA', { date: DATE, pageContracts: 5 });
  expect(asked).toHaveLength(0);
  expect((await chain.toArray()).map(({ bid_price }) => bid_price)).toEqual(Array(12).fill(2));
  expect((await chain.info()).contract_count).toBe(12);
  expect(asked).toHaveLength(3);
  expect(await bids({ date: DATE })).toEqual(Array(12).fill(3));
  expect(await bids({ date: DATE, version: 1 })).toEqual(Array(12).fill(2));
});

it('are refused as the service refuses them', async () => {
  await expect(client.optionChain('AAA', {}).toArray()).rejects.toThrow("'date' is missing");
  await expect(client.optionChain('AAA', { date: DATE, version: 9 }).info()).rejects.toThrow(
    'never been',
  );
});
