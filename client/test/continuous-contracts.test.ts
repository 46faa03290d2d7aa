/** Continuous futures contracts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../server/src/engine/columns.ts';
import { Ticklake } from '../src/index.ts';
import { type ServedRows, serveRows, silent } from './served-rows.ts';

let served: ServedRows;
let client: Ticklake;

async function publish(textId: string, rows: readonly Readonly<Record<string, CellValue>>[]) {
  const { columns } = served.service.dataset(textId);
  await served.service.publish(
    textId,
    rows.map((row) => columns.map(({ name }) => row[name] ?? null)),
  );
}

const DAYS = [
  ['2025-06-16', 'ESM5'],
  ['2025-06-16', 'ESU5'],
  ['2025-06-17', 'ESM5'],
  ['2025-06-17', 'ESU5'],
  ['2025-06-18', 'ESU5'],
].map(([TradeDate, Ticker]) => ({
  TradeDate: TradeDate as string,
  Ticker: Ticker as string,
  BaseSymbol: 'ES',
}));
const ranks = (quantity: bigint) => DAYS.map((day) => ({ ...day, TotalQuantity: quantity }));
const HELD = ['ESM5', 'ESM5', 'ESU5'];

beforeAll(async () => {
  served = await serveRows(1);
  client = new Ticklake({ url: served.url, key: served.service.key, ...silent });
  await publish('fut_daily', ranks(1n));
  await publish('fut_trades', DAYS);
  const at = (date: string) => BigInt(Date.parse(`${date}T20:00:00Z`)) * 1_000_000n;
  await publish(
    'fut_trades_1min',
    DAYS.map((day) => ({ ...day, BarDateTime: at(day.TradeDate), TotalQuantity: 1n })),
  );
});
afterAll(() => served.service.close());

const tickersOf = (rows: readonly object[]) =>
  rows.map((row) => (row as { Ticker: unknown }).Ticker);
const bars = (options: object = {}) =>
  client.bars('ES.c.0', undefined, { market: 'future', ...options });

it('are one contract after the other, in filters and in paths', async () => {
  expect(tickersOf(await bars().toArray({ limit: 9 }))).toEqual(HELD);
  const dates = ['2025-06-16', '2025-06-17', '2025-06-18'];
  const trades = client
    .dataset('fut_trades')
    .read({ where: { Ticker: 'ES.c.0', TradeDate: dates } });
  expect(tickersOf(await trades.toArray({ limit: 9 }))).toEqual(HELD);
  const listed = client.dataset('fut_trades').read({ where: { Ticker: ['ES.c.0'] } });
  expect((await listed.files()).rowCount).toBe(HELD.length);
});

it('stay with the ranks of the first answer, through all requests and after an estimate', async () => {
  const read = bars();
  await read.estimate();
  expect(read.rollsVersion).toBe(1);
  await publish('fut_daily', ranks(2n));
  expect(tickersOf(await read.toArray({ limit: 9 }))).toEqual(HELD);
  expect(read.rollsVersion).toBe(1);
  const now = bars();
  expect(tickersOf(await now.toArray({ limit: 9 }))).toEqual(HELD);
  expect(now.rollsVersion).toBe(2);
  const before = bars({ rollsVersion: 1 });
  await before.toArray({ limit: 9 });
  expect(before.rollsVersion).toBe(1);
});
