import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FuturesEvent } from './events.ts';
import { FUTURES_MINUTE_BAR, FUTURES_TRADE_BAR, futuresMinuteBars } from './futures-bars.ts';
import { rowCells } from './row-sources.ts';

type Cell = number | null;

function event(
  seconds: number,
  type: string,
  price: number,
  quantity: number,
  flags = 0,
): FuturesEvent {
  const nanosOfDay = Math.round(seconds * 1e9);
  return { nanosOfDay, type, price, quantity, orders: 1, flags, typeMask: 0 };
}

function tables(events: FuturesEvent[]) {
  return futuresMinuteBars(events, [FUTURES_MINUTE_BAR, FUTURES_TRADE_BAR]).map((table) => ({
    starts: [...table.startNanos],
    rows: Array.from({ length: table.rowCount }, (_, row) => {
      const cells = rowCells(table, row);
      return Object.fromEntries(table.columns.map((name, i) => [name, cells[i] as Cell]));
    }),
  }));
}

const BUY = 'TRADE AGRESSOR ON BUY';
const SELL = 'TRADE AGRESSOR ON SELL';

describe('futures minute bars', () => {
  it('have a minute for each with an event, and trade bars for each with a trade', () => {
    const [all, trades] = tables([
      event(30, 'QUOTE BID', 4000, 5),
      event(70, BUY, 4000.25, 2),
      event(3600, 'SETTLEMENT PRICE', 4001, 0),
      event(7200, 'QUOTE SELL', 4000.5, 3),
    ]);
    expect(all?.starts).toEqual([0, 60e9, 7200e9]);
    expect(trades?.starts).toEqual([60e9]);
    expect(tables([])).toEqual([
      { starts: [], rows: [] },
      { starts: [], rows: [] },
    ]);
  });

  it('begin before midnight by the offset of noon where clocks are set back', () => {
    const [, trades] = tables([
      event(-3600, BUY, 1, 1),
      event(-1789.5, BUY, 2, 1),
      event(-1, BUY, 3, 1),
    ]);
    expect(trades?.starts).toEqual([-3600e9, -1800e9, -60e9]);
  });

  it('have open, high, low and close of bids, asks and trades', () => {
    const [all, trades] = tables([
      event(1, 'QUOTE BID', 4000, 5),
      event(2, 'QUOTE SELL', 4000.5, 7),
      event(3, BUY, 4000.5, 2),
      event(4, 'QUOTE BID', 4000.25, 6),
      event(5, SELL, 4000.25, 3),
      event(6, 'TRADE', 4001, 5),
    ]);
    expect(all?.rows[0]).toMatchObject({
      OpenBidTimeOffset: 1,
      OpenBidPrice: 4000,
      HighBidPrice: 4000.25,
      HighBidSize: 6,
      LowBidTimeOffset: 1,
      CloseBidTimeOffset: 4,
      OpenAskPrice: 4000.5,
      CloseAskTimeOffset: 2,
      OpenTradePrice: 4000.5,
      HighTradePrice: 4001,
      LowTradePrice: 4000.25,
      CloseTradeSize: 5,
      MinSpread: 0.25,
      MaxSpread: 0.5,
      TotalRegularQuotes: 3,
      BuyAggressorTrades: 1,
      BuyAggressorQuantity: 2,
      SellAggressorQuantity: 3,
      NoAggressorTrades: 1,
      NoAggressorQuantity: 5,
      Volume: 10,
      TotalTrades: 3,
      VolumeWeightPrice: 4000.675,
    });
    expect(trades?.rows[0]).toEqual({
      OpenPrice: 4000.5,
      HighPrice: 4001,
      LowPrice: 4000.25,
      ClosePrice: 4001,
      VolumeWeightPrice: 4000.675,
      TotalQuantity: 10,
      BuyAggressorQuantity: 2,
      SellAggressorQuantity: 3,
      TotalTrades: 3,
      BuyAggressorTrades: 1,
      SellAggressorTrades: 1,
    });
  });

  it('are all the same price after one trade, and blank where nothing was quoted', () => {
    const [all] = tables([event(1, BUY, 0.0068455, 4)]);
    expect(all?.rows[0]).toMatchObject({
      OpenTradePrice: 0.0068455,
      CloseTradePrice: 0.0068455,
      VolumeWeightPrice: 0.0068455,
      OpenBidPrice: null,
      MinSpread: null,
    });
  });

  it('leave out implied quotes, calculated prices and session markers without quantity', () => {
    const [all] = tables([
      event(1, 'QUOTE BID', 4000, 5, 1),
      event(2, BUY, 4100, 5, 8),
      event(3, 'TRADE', 4200, 0, 2),
      event(4, 'TRADE', 3900, 0, 4),
    ]);
    expect(all?.rows).toEqual([]);
  });

  it('measure spreads against the other side carried from earlier minutes', () => {
    const [all] = tables([
      event(1, 'QUOTE BID', -37.5, 5),
      event(61, 'QUOTE SELL', -37, 5),
      event(121, 'EMPTY BOOK FINAL', 0, 0),
      event(122, 'QUOTE SELL', -36, 5),
    ]);
    expect(all?.rows.map(({ MinSpread }) => MinSpread)).toEqual([null, 0.5, null]);
  });

  it('equal a naive count over any stream of events', () => {
    const anyEvent = fc.record({
      seconds: fc.integer({ min: 0, max: 400 }),
      type: fc.constantFrom('QUOTE BID', 'QUOTE SELL', 'TRADE', BUY, SELL, 'OPEN INTEREST'),
      price: fc.integer({ min: -4, max: 8 }).map((n) => 100 + n * 0.25),
      quantity: fc.integer({ min: 0, max: 5 }),
      flags: fc.constantFrom(0, 0, 0, 1, 8),
    });
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (list) => {
        const events = list
          .sort((a, b) => a.seconds - b.seconds)
          .map((e) => event(e.seconds, e.type, e.price, e.quantity, e.flags));
        const minuteOf = (e: FuturesEvent) => Math.floor(e.nanosOfDay / 60e9);
        const isTrade = (e: FuturesEvent) =>
          e.type.startsWith('TRADE') && e.quantity > 0 && e.flags !== 8;
        const isQuote = (e: FuturesEvent) => e.type.startsWith('QUOTE') && e.flags !== 1;
        const kept = events.filter((e) => isTrade(e) || isQuote(e));
        const [all] = tables(events);
        expect(all?.starts).toEqual([...new Set(kept.map((e) => minuteOf(e) * 60e9))]);
        all?.rows.forEach((row, i) => {
          const mine = kept.filter((e) => e.nanosOfDay - (e.nanosOfDay % 60e9) === all.starts[i]);
          const trades = mine.filter(isTrade);
          const bids = mine.filter((e) => e.type === 'QUOTE BID' && e.quantity > 0);
          const volume = trades.reduce((sum, e) => sum + Number(e.quantity), 0);
          const worth = trades.reduce((sum, e) => sum + Number(e.quantity) * e.price, 0);
          expect(row).toMatchObject({
            OpenTradePrice: trades[0]?.price ?? null,
            HighTradePrice: trades.length > 0 ? Math.max(...trades.map((e) => e.price)) : null,
            LowTradePrice: trades.length > 0 ? Math.min(...trades.map((e) => e.price)) : null,
            CloseTradePrice: trades.at(-1)?.price ?? null,
            HighBidPrice: bids.length > 0 ? Math.max(...bids.map((e) => e.price)) : null,
            CloseBidSize: bids.at(-1)?.quantity ?? null,
            TotalRegularQuotes: mine.filter(isQuote).length,
            Volume: volume,
            TotalTrades: trades.length,
            BuyAggressorTrades: trades.filter((e) => e.type === BUY).length,
            NoAggressorQuantity: trades
              .filter((e) => e.type === 'TRADE')
              .reduce((sum, e) => sum + Number(e.quantity), 0),
          });
          if (volume > 0) expect(row.VolumeWeightPrice).toBeCloseTo(worth / volume, 7);
        });
      }),
    );
  });
});
