/** Rows adjusted on request. */
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

const EVENT = { SecId: 33n, ASID: 33n, Ticker: 'AAA' };
const DIVIDEND = {
  ...{ ...EVENT, EffectiveDate: '2025-06-17', EventId: 1n },
  ...{ AdjustmentFactor: 0.5, AdjustmentReason: 'CashDiv' },
};
const SPLIT = {
  ...{ ...EVENT, EffectiveDate: '2025-06-18', EventId: 2n },
  ...{ AdjustmentFactor: 0.25, AdjustmentReason: 'Subdiv' },
};
const PRINT = { Ticker: 'AAA', ASID: 33n, EventType: 'TRADE', Price: 8, Quantity: 1n };

beforeAll(async () => {
  served = await serveRows(1);
  client = new Ticklake({ url: served.url, key: served.service.key, ...silent });
  await publish('eq_adj_factors_basic', [DIVIDEND, SPLIT]);
  await publish('eq_trades', [
    { TradeDate: '2025-06-16', ...PRINT },
    { TradeDate: '2025-06-17', ...PRINT },
  ]);
});
afterAll(() => served.service.close());

const where = { Ticker: 'AAA', TradeDate: ['2025-06-16', '2025-06-17'] };
const columns = ['Price'];
const trades = () => client.dataset('eq_trades_adj');

it('are asked for by date and by events, with their factors', async () => {
  const asOf = trades().read({ where, columns, adjustedAsOf: '2025-06-17' });
  expect(await asOf.toArray({ limit: 9 })).toEqual([{ Price: 4 }, { Price: 8 }]);
  const options = { adjustments: 'splits', adjustmentFactors: true } as const;
  const splits = trades().read({ where, columns, ...options });
  expect(await splits.toArray({ limit: 1 })).toEqual([
    { Price: 2, PriceAdjFactor: 0.25, VolumeAdjFactor: 0.25 },
  ]);
});

it('stay with the factors of the first answer, through all requests and after an estimate', async () => {
  const read = trades().read({ where, columns, adjustments: 'splits' });
  await read.estimate();
  expect(read.factorsVersion).toBe(1);
  const rows = read[Symbol.asyncIterator]();
  expect((await rows.next()).value).toEqual({ Price: 2 });
  await publish('eq_adj_factors_basic', [DIVIDEND]);
  expect((await rows.next()).value).toEqual({ Price: 2 });
  const now = trades().read({ where, columns, adjustments: 'splits' });
  expect(await now.toArray({ limit: 9 })).toEqual([{ Price: 8 }, { Price: 8 }]);
  expect(now.factorsVersion).toBe(2);
  const before = trades().read({ where, columns, adjustments: 'splits', factorsVersion: 1 });
  expect(await before.toArray({ limit: 9 })).toEqual([{ Price: 2 }, { Price: 2 }]);
});

it('come as files, of the factors of the first answer', async () => {
  await publish('eq_adj_factors_basic', [DIVIDEND, SPLIT]);
  const read = trades().read({
    ...{ columns, adjustedAsOf: '2025-06-17' },
    where: { Ticker: 'AAA', 'TradeDate.ge': '2025-06-16', 'TradeDate.le': '2025-06-17' },
  });
  const before = await read.files();
  expect([before.rowCount, before.factorsVersion]).toEqual([2, read.factorsVersion]);
  await publish('eq_adj_factors_basic', [SPLIT]);
  const again = await read.files();
  expect(again.files.map(({ sha256 }) => sha256)).toEqual(before.files.map((file) => file.sha256));
  // The path would name a day and a ticker, so that rows come of files.
  expect(await read.toArray({ limit: 9 })).toEqual([{ Price: 4 }, { Price: 8 }]);
});

it('securities that are not adjusted are named once', async () => {
  await publish('eq_adj_factors_basic', [DIVIDEND, SPLIT]);
  const told: string[] = [];
  const warn = (message: string) => told.push(message);
  const loud = new Ticklake({ url: served.url, key: served.service.key, warn });
  const read = loud.dataset('eq_trades_adj').read({ where, columns, adjustedAsOf: '2025-06-16' });
  const pages = await Array.fromAsync(read.pages());
  expect(pages.map(({ unadjusted }) => unadjusted)).toEqual(['AAA 33 no-event', 'AAA 33 no-event']);
  const said = 'Rows of some securities are not adjusted: AAA 33 no-event';
  expect([read.unadjusted, told]).toEqual([['AAA 33 no-event'], [said]]);
  const whole = loud.dataset('eq_trades_adj').read({ where, columns, adjustedAsOf: '2025-06-18' });
  await whole.toArray({ limit: 9 });
  expect([whole.unadjusted, told.length]).toEqual([null, 1]);
});
