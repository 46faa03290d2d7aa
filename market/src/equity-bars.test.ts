import { describe, expect, it } from 'vitest';
import { BEST_ALONE, tradeMask } from './conditions.ts';
import { EQUITY_EXTENDED_BAR, EQUITY_MINUTE_BAR, EQUITY_TRADE_BAR } from './equity-bar.ts';
import { equityDailyBar, equityMinuteBars } from './equity-bars.ts';
import type { EquityEvent, EquityEventType } from './events.ts';
import { columnValues, rowCells } from './row-sources.ts';

/** Seconds after 04:00, to the nanosecond. */
function at(seconds: number): number {
  return Math.round((14_400 + seconds) * 1e9);
}

function event(
  seconds: number,
  type: EquityEventType,
  price: number,
  quantity: number,
  exchange = 'NASDAQ',
  conditions = 1,
): EquityEvent {
  return { nanosOfDay: at(seconds), type, price, quantity, exchange, conditions };
}

function bars(events: EquityEvent[], logic: 'vendor_default' | 'industry_std' = 'vendor_default') {
  const day = { events, isHalfDay: false, averagePrice: null };
  const [table] = equityMinuteBars(day, logic, [EQUITY_EXTENDED_BAR]);
  return (row: number) => {
    const cells = rowCells(table!, row);
    return Object.fromEntries(table!.columns.map((name, i) => [name, cells[i]]));
  };
}

const QUOTE = [event(1, 'QUOTE BID NB', 10, 300), event(1, 'QUOTE ASK NB', 10.1, 200)];

describe('the quote side of a minute bar', () => {
  it('is blank before the first quote and carries the close into every later bar', () => {
    const bar = bars([event(90, 'QUOTE BID NB', 10, 300), event(95, 'QUOTE ASK NB', 10.05, 100)]);
    expect(bar(0)).toMatchObject({ OpenBidPrice: null, CloseBidPrice: null, TimeWeightBid: null });
    expect(bar(1)).toMatchObject({
      OpenBidPrice: null,
      OpenAskSize: null,
      HighBidPrice: 10,
      HighBidTimeOffset: 30,
      LowAskTimeOffset: 35,
      CloseBidPrice: 10,
      CloseAskPrice: 10.05,
      CloseAskSize: 100,
      MinSpread: 0.05,
      NBBOQuoteCount: 2,
    });
    for (const row of [2, 500, 959])
      expect(bar(row)).toMatchObject({
        OpenBarTimeOffset: 0,
        OpenBidPrice: 10,
        OpenBidSize: 300,
        HighBidPrice: 10,
        HighBidTimeOffset: 0,
        LowBidTimeOffset: 0,
        CloseBidPrice: 10,
        CloseBarTimeOffset: 59.999999999,
        MaxSpread: 0.05,
        NBBOQuoteCount: 0,
        TimeWeightBid: 10,
        TimeWeightSpread: 0.05,
      });
  });

  it('opens the first bar with a quote from before 04:00', () => {
    expect(bars([event(-60, 'QUOTE BID NB', 10, 300)])(0)).toMatchObject({
      OpenBidPrice: 10,
      BidQuoteCount: 0,
    });
  });

  it('keeps the first moment of each extreme, the carried quote included', () => {
    const bar = bars([
      ...QUOTE,
      event(70, 'QUOTE BID NB', 10.02, 100),
      event(80, 'QUOTE BID NB', 10, 400),
      event(90.000000001, 'QUOTE BID NB', 10.02, 500),
    ]);
    expect(bar(1)).toMatchObject({
      HighBidPrice: 10.02,
      HighBidTimeOffset: 10,
      HighBidSize: 100,
      LowBidPrice: 10,
      LowBidTimeOffset: 0,
      LowBidSize: 300,
      CloseBidSize: 500,
    });
  });

  it('adds up the venues that stand at the best', () => {
    const bar = bars([
      ...QUOTE,
      event(2, 'QUOTE BID', 10, 500, 'ARCA'),
      event(3, 'QUOTE BID', 9.99, 900, 'BATS'),
      event(61, 'QUOTE BID', 9.98, 100, 'NASDAQ'),
      event(121, 'QUOTE BID', 0, 0, 'ARCA'),
      event(122, 'QUOTE BID NB', 9.99, 900, 'BATS'),
    ]);
    expect(bar(0)).toMatchObject({ CloseBidPrice: 10, CloseBidSize: 800, TotalQuoteCount: 4 });
    expect(bar(1)).toMatchObject({ CloseBidPrice: 10, CloseBidSize: 500, NBBOQuoteCount: 0 });
    expect(bar(2)).toMatchObject({ CloseBidPrice: 9.99, CloseBidSize: 900, BidQuoteCount: 1 });
  });

  it('weights prices with the time that they stood', () => {
    const bar = bars([
      ...QUOTE,
      event(75, 'QUOTE BID NB', 10.04, 100),
      event(105, 'QUOTE BID NB', 10.01, 100),
    ]);
    expect(bar(0)).toMatchObject({ TimeWeightBid: 10 });
    // 10.00 for 15 s, 10.04 for 30 s, 10.01 for 15 s
    expect(bar(1)).toMatchObject({ TimeWeightBid: 10.0225, TimeWeightSpread: 0.0775 });
  });

  it('leaves locked and crossed moments out of the spreads', () => {
    const crossed = [
      ...QUOTE,
      event(20, 'QUOTE BID NB', 10.2, 100),
      event(130, 'QUOTE BID NB', 10.08, 1),
    ];
    expect(bars(crossed)(0)).toMatchObject({ MinSpread: 0.1, MaxSpread: 0.1 });
    expect(bars(crossed)(1)).toMatchObject({ MinSpread: 0, MaxSpread: 0 });
    expect(bars(crossed)(2)).toMatchObject({ MinSpread: 0.02, MaxSpread: 0.02 });
  });

  it('takes the sizes, spreads and changes of a feed of national bests alone from its records', () => {
    let conditions = 1 + BEST_ALONE;
    const record = (seconds: number, bid: number, bidSize: number, venue: string, ask: number) => [
      event(seconds, 'QUOTE BID NB', bid, bidSize, venue, conditions),
      event(seconds, 'QUOTE ASK NB', ask, 200, 'BATS', conditions),
    ];
    const records = () => [
      ...record(1, 10, 300, 'ARCA', 10.02),
      ...record(2, 9.98, 100, 'NYSE', 10),
      ...record(3, 10, 500, 'NASDAQ', 10.02),
      ...record(4, 10, 500, 'NASDAQ', 10.03),
      ...record(5, 0, 0, '', 10.03),
    ];
    expect(bars([event(0, 'TRADE', 10, 5), ...records()])(0)).toMatchObject({
      CloseBidPrice: 10,
      CloseBidSize: 500,
      CloseAskPrice: 10.03,
      MinSpread: 0.02,
      MaxSpread: 0.03,
      BidQuoteCount: 3,
      AskQuoteCount: 4,
      NBBOQuoteCount: 7,
    });
    // Without the bit, the same rows are those of a full feed.
    conditions = 1;
    const full = { CloseBidSize: 800, BidQuoteCount: 4, NBBOQuoteCount: 9, MaxSpread: 0.04 };
    expect(bars(records())(0)).toMatchObject(full);
  });

  it('ignores quotes far from the average price, of no size, or of conditions left out', () => {
    const events = [
      ...QUOTE,
      event(5, 'QUOTE BID NB', 0.49, 100),
      event(6, 'QUOTE ASK NB', 101, 100),
      event(7, 'QUOTE BID NB', 10.05, 0),
      event(8, 'QUOTE BID NB', 10.05, 100, 'ARCA', 1 + 2 ** 13),
    ];
    const day = { events, isHalfDay: false, averagePrice: 10 };
    const [table] = equityMinuteBars(day, 'vendor_default', [EQUITY_EXTENDED_BAR]);
    const cells = rowCells(table!, 0);
    const cell = (name: string) => cells[table!.columns.indexOf(name)];
    expect([cell('NBBOQuoteCount'), cell('CloseBidPrice'), cell('HighAskPrice')]).toEqual([
      2, 10, 10.1,
    ]);
    expect(bars([event(0, 'QUOTE BID NB', 0.02, 100)])(0)).toMatchObject({ CloseBidPrice: null });
  });
});

describe('the trade side of a minute bar', () => {
  const trades = [
    event(10, 'TRADE', 10.05, 100),
    event(11, 'TRADE NB', 10.1, 200, 'ARCA'),
    event(12, 'TRADE', 10.0401, 50, 'FINRA'),
    event(13, 'TRADE', 10.0401, 30, 'FINRA', tradeMask('Regular', 'Odd lot')),
    event(14, 'TRADE', 10, 400),
    event(15, 'TRADE', 10.07, 300),
    event(16, 'TRADE CANCELLED', 10.07, 300),
  ];

  it('has prices of lit and off-exchange trades, volumes and averages of each', () => {
    expect(bars([...QUOTE, ...trades])(0)).toMatchObject({
      FirstTradePrice: 10.05,
      FirstTradeTimeOffset: 10,
      HighTradePrice: 10.1,
      HighTradeSize: 200,
      LowTradePrice: 10,
      LowTradeTimeOffset: 14,
      LastTradePrice: 10.07,
      LastTradeSize: 300,
      Volume: 1000,
      FinraVolume: 80,
      TotalVolume: 1080,
      TotalTrades: 6,
      FinraTrades: 2,
      VolumeWeightPrice: 10.046,
      FinraVolumeWeightPrice: 10.0401,
      TotalVolumeWeightPrice: 10.045563,
      CancelSize: 300,
      CancelCount: 1,
      OddLotTradeCount: 1,
      OddLotVolume: 30,
      RetailTRFSellSize: 80,
      RetailTRFBuyCount: 0,
    });
  });

  it('sorts the shares by place in the quote and by direction of price', () => {
    expect(bars([...QUOTE, ...trades])(0)).toMatchObject({
      TradeAtBid: 400,
      TradeAtBidMid: 80,
      TradeAtMid: 100,
      TradeAtMidAsk: 300,
      TradeAtAsk: 200,
      TradeAtCrossOrLocked: 0,
      TradeAtBidMidCount: 2,
      UnknownTickVolume: 100,
      UptickVolume: 500,
      DowntickVolume: 450,
      RepeatDowntickVolume: 30,
      RepeatUptickVolume: 0,
      RepeatDowntickCount: 1,
    });
  });

  it('measures the distance of lit trades from the midpoint', () => {
    // cents from 10.05: 0 x 100, 5 x 200, -5 x 400, 2 x 300 over 1000 shares; spread 10 cents
    expect(bars([...QUOTE, ...trades])(0)).toMatchObject({
      TradeToMidVolWeight: -0.4,
      TradeToMidVolWeightRelative: -0.04,
    });
  });

  it('measures from the last uncrossed quote, and from the price of a locked one', () => {
    const bar = bars([
      ...QUOTE,
      event(5, 'QUOTE BID NB', 10.1, 100),
      event(6, 'TRADE', 10.13, 100),
      event(60, 'QUOTE BID NB', 10.2, 100),
      event(61, 'TRADE', 10.12, 100),
    ]);
    expect(bar(0)).toMatchObject({
      TradeAtCrossOrLocked: 100,
      TradeToMidVolWeight: 3,
      TradeToMidVolWeightRelative: 3,
    });
    expect(bar(1)).toMatchObject({ TradeAtCrossOrLockedCount: 1, TradeToMidVolWeight: 2 });
  });

  it('leaves trades before the first quote out of the places but not of the directions', () => {
    expect(bars([event(1, 'TRADE', 10, 100), ...QUOTE.slice(0, 1)])(0)).toMatchObject({
      TradeAtBid: 0,
      TradeAtMid: 0,
      TradeAtAsk: 0,
      UnknownTickVolume: 100,
      TradeToMidVolWeight: null,
    });
  });

  it('carries the direction of price across bars', () => {
    const bar = bars([
      event(1, 'TRADE', 10, 1),
      event(2, 'TRADE', 10, 2),
      event(61, 'TRADE', 10.01, 4),
      event(200, 'TRADE', 10.01, 8),
    ]);
    expect(bar(0)).toMatchObject({ UnknownTickVolume: 3 });
    expect(bar(1)).toMatchObject({ UptickVolume: 4 });
    expect(bar(3)).toMatchObject({ RepeatUptickVolume: 8 });
  });

  it('is blank without trades, its counts and volumes 0', () => {
    expect(bars(QUOTE)(5)).toMatchObject({
      FirstTradeTimeOffset: null,
      HighTradePrice: null,
      LastTradeSize: null,
      VolumeWeightPrice: null,
      TradeToMidVolWeight: null,
      CancelSize: null,
      Volume: 0,
      FinraVolume: 0,
      TotalTrades: 0,
      TradeAtMid: 0,
      UptickVolume: 0,
    });
  });

  it('takes a bar from its start up to but not including its end', () => {
    const last = { ...event(0, 'TRADE', 10, 7), nanosOfDay: 57_600e9 + 14_400e9 - 1 };
    const after = { ...last, nanosOfDay: 72_000e9 };
    const bar = bars([event(-1, 'QUOTE BID NB', 9, 1), event(60, 'TRADE', 10, 3), last, after]);
    expect([0, 1, 2, 959].map((row) => bar(row).Volume)).toEqual([0, 3, 0, 7]);
    expect(bar(959).LastTradeTimeOffset).toBe(59.999999999);
  });

  it('begins on the evening before if there was a trade in the night, and else at 04:00', () => {
    const evening = event(-6.75 * 3600, 'TRADE', 10, 9);
    const bar = bars([evening, event(-1, 'TRADE', 10, 7), event(0, 'TRADE', 10, 1)]);
    expect([74, 75, 76, 479, 480].map((row) => bar(row).Volume)).toEqual([0, 9, 0, 7, 1]);
    expect(bars([{ ...evening, type: 'QUOTE BID NB' }, event(0, 'TRADE', 10, 1)])(0).Volume).toBe(
      1,
    );
    expect(
      bars([{ ...evening, nanosOfDay: -14_400e9 - 1 }, event(0, 'TRADE', 10, 1)])(0).Volume,
    ).toBe(1);
  });

  it('takes an event stamped before the one ahead of it at the time of that one', () => {
    const bar = bars([event(120, 'TRADE', 10, 1), event(30, 'TRADE', 11, 2)]);
    expect(bar(2)).toMatchObject({ Volume: 3, LastTradePrice: 11, LastTradeTimeOffset: 0 });
  });
});

describe('a minute bar without trades', () => {
  it('has what its measures say of it, also of cancelled trades and after bars with trades', () => {
    const events = [
      event(70, 'TRADE', 10.05, 100),
      event(130, 'QUOTE BID NB', 10, 300),
      event(190, 'TRADE CANCELLED', 10.05, 100),
      event(250, 'TRADE', 10.01, 50, 'FINRA'),
    ];
    const day = { events, isHalfDay: false, averagePrice: null };
    for (const layout of [EQUITY_MINUTE_BAR, EQUITY_EXTENDED_BAR]) {
      const [table, asked] = equityMinuteBars(day, 'vendor_default', [
        layout,
        { ...layout, idle: undefined },
      ]);
      expect(table).toEqual(asked);
      const sizes = columnValues(table!, 'CancelSize').slice(0, 6);
      expect([...sizes]).toEqual([NaN, NaN, NaN, 100, NaN, NaN]);
      expect([...columnValues(table!, 'Volume').slice(0, 6)]).toEqual([0, 100, 0, 0, 0, 0]);
    }
  });
});

describe('industry-standard minute bars', () => {
  const odd = tradeMask('Regular', 'Odd lot');
  const late = tradeMask('Sold last');

  it('count odd lots and keep them from the prices', () => {
    const bar = bars(
      [event(1, 'TRADE', 9, 10, 'ARCA', odd), event(2, 'TRADE', 10, 100)],
      'industry_std',
    );
    expect(bar(0)).toMatchObject({
      FirstTradePrice: 10,
      LowTradePrice: 10,
      Volume: 110,
      TotalTrades: 2,
    });
  });

  it('let a late report be first or last only where nothing else is', () => {
    const alone = [event(1, 'TRADE', 9, 100, 'ARCA', late)];
    expect(bars(alone, 'industry_std')(0)).toMatchObject({ FirstTradePrice: 9, LastTradePrice: 9 });
    const second = [event(0, 'TRADE', 10, 100), ...alone];
    expect(bars(second, 'industry_std')(0)).toMatchObject({ LastTradePrice: 10, LowTradePrice: 9 });
  });

  it('let a half day end regular hours at 13:00', () => {
    const formT = event(9 * 3600, 'TRADE', 10, 100, 'ARCA', tradeMask('Form T'));
    const prices = [false, true].map((isHalfDay) => {
      const day = { events: [formT], isHalfDay, averagePrice: null };
      return rowCells(equityMinuteBars(day, 'industry_std', [EQUITY_TRADE_BAR])[0]!, 0);
    });
    expect(prices).toEqual([
      [null, null, null, null, 10, 100, 1],
      [10, 10, 10, 10, 10, 100, 1],
    ]);
  });
});

describe('the daily trade-and-quote bar', () => {
  it('takes the measures of the minute bar over the day, opened by its first quote', () => {
    const day = {
      events: [...QUOTE, event(7200, 'TRADE', 10.1, 100)],
      isHalfDay: false,
      averagePrice: null,
    };
    const table = equityDailyBar(day);
    const cells = Object.fromEntries(table.columns.map((name, i) => [name, rowCells(table, 0)[i]]));
    expect(table.rowCount).toBe(1);
    expect(cells).toMatchObject({
      OpenBidPrice: 10,
      OpenBidSize: 300,
      HighBidTimeOffset: 1,
      FirstTradeTimeOffset: 7200,
      CloseBarTimeOffset: 57_599.999999999,
      TradeAtAsk: 100,
      TotalVolume: 100,
      TimeWeightSpread: 0.1,
    });
  });
});
