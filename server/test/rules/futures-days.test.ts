/** Daily futures values from ticks and bars: bars supply prices where no tick is a trade. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { FUTURES_DAILY_VALUES } from '../../src/derive/futures-computations.ts';
import { batchOfRows, type CellValue, cellAt, dateOfDays } from '../../src/engine/columns.ts';

type Cells = Readonly<Record<string, CellValue>>;

const catalog = loadCatalog([join(import.meta.dirname, '../../../datasets')]);
const [ticks, bars, output] = ['fut_taq', 'fut_trades_1min', 'fut_daily'].map((textId) =>
  catalog.byTextId(textId),
) as [Dataset, Dataset, Dataset];
const [FIRST, SECOND] = ['2026-11-18', '2026-11-19'] as const;

const NANOS = BigInt(Date.parse(`${FIRST}T15:00:00Z`)) * 1_000_000n;
const DAY_NANOS = 86_400_000_000_000n;
const timeOn = (date: string) => (date === FIRST ? NANOS : NANOS + DAY_NANOS);

function tick(date: string, ticker: string, event: Cells): Cells {
  const key = { TradeDate: date, Ticker: ticker, BaseSymbol: ticker.slice(0, 2) };
  return { ...key, EventDateTime: timeOn(date), ...event };
}

const openInterest = (count: bigint) => ({ EventType: 'OPEN INTEREST', Quantity: count });

function bar(date: string, ticker: string, price: number): Cells {
  const key = { TradeDate: date, Ticker: ticker, BaseSymbol: ticker.slice(0, 2) };
  const prices = { OpenPrice: price, HighPrice: price, LowPrice: price, ClosePrice: price };
  return { ...key, BarDateTime: timeOn(date), ...prices, TotalQuantity: 5n };
}

/** The values computed from rows in natural order, and the digest of the bars among them. */
async function dailyValues(tickRows: readonly Cells[], barRows: readonly Cells[]) {
  const read = async function* (dataset: Dataset, names: readonly string[]) {
    const columns = names.map((name) => dataset.columnByName.get(name) as Column);
    const rows = dataset === ticks ? tickRows : barRows;
    for (const row of rows) yield batchOfRows(columns, [names.map((name) => row[name] ?? null)]);
  };
  const dates = { start: FIRST, end: SECOND };
  const input = { output, inputs: [ticks, bars] as const, dates, read, warn: () => {} };
  const prepared = await FUTURES_DAILY_VALUES.prepare(input);
  const texts: string[] = [];
  for await (const { rowCount, columns } of prepared.rows()) {
    for (let row = 0; row < rowCount; row++) {
      const cell = (name: string) =>
        cellAt(columns[output.columns.findIndex((each) => each.name === name)] as never, row);
      const figures = ['ClosePrice', 'TotalQuantity', 'OpenInterest'].map((name) => cell(name));
      const date = dateOfDays(cell('TradeDate') as number);
      texts.push(`${date} ${cell('Ticker')} ${cell('BaseSymbol')} ${figures.join(' ')}`);
    }
  }
  return { texts, digest: prepared.referenceDigest };
}

describe('daily values of ticks and bars', () => {
  it('have the open interest of ticks beside the prices of bars, in natural order', async () => {
    const { texts } = await dailyValues(
      [
        tick(FIRST, 'ESH7', openInterest(70n)),
        tick(FIRST, 'ESZ6', openInterest(900n)),
        tick(SECOND, 'ESZ6', openInterest(901n)),
      ],
      [
        bar(FIRST, 'CLF7', 61),
        bar(FIRST, 'ESZ6', 4500),
        bar(FIRST, 'NQZ6', 9000),
        bar(SECOND, 'CLF7', 62),
      ],
    );
    expect(texts).toEqual([
      `${FIRST} CLF7 CL 61 5 `,
      `${FIRST} ESH7 ES  0 70`,
      `${FIRST} ESZ6 ES 4500 5 900`,
      `${FIRST} NQZ6 NQ 9000 5 `,
      `${SECOND} CLF7 CL 62 5 `,
      `${SECOND} ESZ6 ES  0 901`,
    ]);
  });

  it('have the prices of ticks where they tell a trade, whatever bars say', async () => {
    const trade = { EventType: 'TRADE', Price: 4501, Quantity: 2n };
    const { texts } = await dailyValues(
      [tick(FIRST, 'ESZ6', trade), tick(FIRST, 'ESZ6', openInterest(900n))],
      [bar(FIRST, 'ESZ6', 4500)],
    );
    expect(texts).toEqual([`${FIRST} ESZ6 ES 4501 2 900`]);
  });

  it('are due again when a bar is another one, and have no digest without bars', async () => {
    const { digest } = await dailyValues([], [bar(FIRST, 'ESZ6', 4500)]);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect((await dailyValues([], [bar(FIRST, 'ESZ6', 4500)])).digest).toBe(digest);
    expect((await dailyValues([], [bar(FIRST, 'ESZ6', 4501)])).digest).not.toBe(digest);
    expect((await dailyValues([], [])).digest).toBe('');
  });
});
