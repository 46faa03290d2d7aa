import { describe, expect, it } from 'vitest';
import { chartPlan, neededColumns } from './chart-plan';
import { chartTime, eventKind, SeriesBuilder } from './chart-series';
import { chartFacts, chartRemarks, chartTimeText } from './chart-summary';

function build(columns: string, rows: readonly string[]): SeriesBuilder {
  const names = columns.split(' ');
  const plan = chartPlan(names);
  if (plan === null) throw new Error('no plan');
  const builder = new SeriesBuilder(plan, names);
  for (const row of rows) builder.add(row.split(',').map((cell) => (cell === '' ? null : cell)));
  return builder;
}

const AT_0930 = Date.UTC(2026, 10, 18, 9, 30) / 1000;

describe('chartPlan', () => {
  it.each([
    ['TradeDate OpenPrice HighPrice LowPrice ClosePrice DailyVolume', 'TradeDate', 'DailyVolume'],
    [
      'TradeDate BarDateTime OpenBidPrice FirstTradePrice HighBidPrice HighTradePrice LowTradePrice LastTradePrice Volume TotalVolume',
      'BarDateTime',
      'Volume',
    ],
    [
      'TradeDate BarDateTime OpenTradePrice HighTradePrice LowTradePrice CloseTradePrice',
      'BarDateTime',
      null,
    ],
    [
      'TradeDate BarDateTime OpenPrice HighPrice LowPrice ClosePrice TotalQuantity',
      'BarDateTime',
      'TotalQuantity',
    ],
  ])('finds the candles of %s', (columns, time, volume) => {
    expect(chartPlan(columns.split(' '))).toMatchObject({ kind: 'candles', time, volume });
  });

  it('takes the letters of events where there are some, and quotes beside trades', () => {
    const tanq = chartPlan(['EventDateTime', 'EventType', 'Side', 'Action', 'Price', 'Quantity']);
    expect(tanq).toMatchObject({ kind: 'ticks', event: 'Action', side: 'Side', bid: null });
    const trades = chartPlan(['EventDateTime', 'EventType', 'Price', 'BidPrice', 'AskPrice']);
    expect(trades).toMatchObject({ event: 'EventType', bid: 'BidPrice', ask: 'AskPrice' });
  });

  it('has none for reference data', () => {
    expect(chartPlan(['SecId', 'Ticker', 'Name'])).toBeNull();
  });

  it('says which columns cannot be left out', () => {
    const plan = chartPlan(['EventDateTime', 'EventType', 'Price', 'Quantity', 'Ticker']);
    expect(plan && neededColumns(plan)).toEqual(['EventDateTime', 'EventType', 'Price']);
  });
});

describe('chartTime', () => {
  it('shows the clock of the market, whatever the offset is', () => {
    expect(chartTime('2026-11-18T09:30:00-05:00')).toBe(AT_0930);
    expect(chartTime('2026-11-18T09:30:00-06:00')).toBe(AT_0930);
    expect(chartTime('2026-11-18')).toBe(Date.UTC(2026, 10, 18) / 1000);
  });

  it('keeps milliseconds of nanoseconds', () => {
    expect(chartTime('2026-11-18T09:30:00.123999999-05:00')).toBeCloseTo(AT_0930 + 0.123, 6);
    expect(chartTimeText(AT_0930 + 0.123, false)).toBe('2026-11-18 09:30:00.123');
  });

  it('is null of a text that is no time', () => {
    expect(chartTime('soon')).toBeNull();
  });
});

describe('eventKind', () => {
  it.each([
    ['TRADE', '', 'trade'],
    ['TRADE NB', '', 'trade'],
    ['TRADE CANCELLED', '', null],
    ['TRADE NB CANCELLED', '', null],
    ['TRADE AGRESSOR ON BUY', '', 'trade'],
    ['QUOTE BID NB', '', 'bid'],
    ['QUOTE ASK', '', 'ask'],
    ['QUOTE SELL', '', 'ask'],
    ['T NB', 'B', 'trade'],
    ['FQ', 'B', 'bid'],
    ['FQ NB', 'A', 'ask'],
    ['OI', '', null],
    ['C', '', null],
    [null, 'B', 'bid'],
    [null, 'S', 'ask'],
  ])('takes %j on side %j for %j', (event, side, kind) => {
    expect(eventKind(event, side)).toBe(kind);
  });
});

const BARS = 'BarDateTime Ticker OpenPrice HighPrice LowPrice ClosePrice Volume';

describe('SeriesBuilder', () => {
  it('makes candles with volumes, and none of minutes without trades', () => {
    const series = build(BARS, [
      '2026-11-18T09:30:00-05:00,A,1,3,0.5,2,100',
      '2026-11-18T09:31:00-05:00,A,,,,,0',
      '2026-11-18T09:32:00-05:00,A,2,2,2,2,5',
    ]).series('A');
    expect(series).toMatchObject({
      kind: 'candles',
      candles: [
        { time: AT_0930, open: 1, high: 3, low: 0.5, close: 2 },
        { time: AT_0930 + 120, open: 2, high: 2, low: 2, close: 2 },
      ],
      volumes: [
        { time: AT_0930, value: 100 },
        { time: AT_0930 + 120, value: 5 },
      ],
      merged: 0,
    });
  });

  it('keeps instruments apart and brings rows into the order of time', () => {
    const builder = build(BARS, [
      '2026-11-18T09:31:00-05:00,A,2,2,2,2,1',
      '2026-11-18T09:31:00-05:00,B,9,9,9,9,1',
      '2026-11-18T09:30:00-05:00,A,1,1,1,1,1',
    ]);
    expect(builder.instruments()).toEqual(['A', 'B']);
    expect(builder.series('A')).toMatchObject({
      candles: [{ time: AT_0930 }, { time: AT_0930 + 60 }],
    });
  });

  it('draws national best quotes alone, leaves empty sides out, and joins one millisecond', () => {
    const series = build('EventDateTime EventType Ticker Price Quantity', [
      '2026-11-18T09:30:00.000000001-05:00,QUOTE BID NB,A,10,1',
      '2026-11-18T09:30:00.000000002-05:00,QUOTE BID,A,9,1',
      '2026-11-18T09:30:00.000000003-05:00,QUOTE ASK NB,A,0,1',
      '2026-11-18T09:30:00.000000004-05:00,TRADE,A,10.5,100',
      '2026-11-18T09:30:00.000000005-05:00,TRADE NB,A,10.6,50',
      '2026-11-18T09:30:00.001-05:00,TRADE CANCELLED,A,10.6,50',
    ]).series('A');
    expect(series).toMatchObject({
      kind: 'ticks',
      trades: [{ time: AT_0930, value: 10.6, size: 150 }],
      volumes: [{ time: AT_0930, value: 150 }],
      bids: [{ time: AT_0930, value: 10, size: 1 }],
      asks: [],
      hasBestQuotesOnly: true,
      merged: 1,
    });
    expect(chartRemarks(series)).toHaveLength(3);
  });

  it('has the sizes of quotes that stand beside a trade', () => {
    const columns =
      'EventDateTime EventType Ticker Price Quantity BidPrice BidSize AskPrice AskSize';
    const series = build(columns, ['2026-11-18T09:30:00-05:00,T,A,10,3,9,7,11,8']).series('A');
    expect(series).toMatchObject({
      trades: [{ value: 10, size: 3 }],
      bids: [{ value: 9, size: 7 }],
      asks: [{ value: 11, size: 8 }],
    });
  });

  it('sums a chart up in words', () => {
    const series = build('TradeDate OpenPrice HighPrice LowPrice ClosePrice', [
      '2026-11-17,1,3,0.5,2',
      '2026-11-18,2,4,1,3.25',
    ]).series('');
    expect(chartFacts(series).map(({ text }) => text)).toEqual([
      '2',
      '2026-11-17',
      '2026-11-18',
      '0.50',
      '4.00',
      '3.25',
    ]);
  });
});
