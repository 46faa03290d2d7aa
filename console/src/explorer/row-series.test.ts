import { describe, expect, it } from 'vitest';
import { chartTimeText } from './chart-legend';
import { chartPlan, neededColumns } from './chart-plan';
import { chartTime, eventKind, SeriesBuilder } from './row-series';

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
      merged: 0,
      drawn: {
        time: Float64Array.of(AT_0930, AT_0930 + 120),
        open: Float64Array.of(1, 2),
        high: Float64Array.of(3, 2),
        low: Float64Array.of(0.5, 2),
        close: Float64Array.of(2, 2),
        volume: Float64Array.of(100, 5),
      },
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
      drawn: { time: Float64Array.of(AT_0930, AT_0930 + 60) },
    });
  });

  it('draws the later of two bars at one time, and counts the other', () => {
    const series = build(BARS, [
      '2026-11-18T09:30:00-05:00,A,1,1,1,1,1',
      '2026-11-18T09:30:00-05:00,A,2,2,2,2,7',
    ]).series('A');
    expect(series).toMatchObject({ merged: 1, drawn: { close: Float64Array.of(2) } });
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
      merged: 1,
      drawn: {
        trades: [{ time: AT_0930, value: 10.6, size: 150 }],
        bids: [{ time: AT_0930, value: 10, size: 1 }],
        asks: [],
        hasBestQuotesOnly: true,
      },
    });
  });

  it('has the sizes of quotes that stand beside a trade', () => {
    const columns =
      'EventDateTime EventType Ticker Price Quantity BidPrice BidSize AskPrice AskSize';
    const series = build(columns, ['2026-11-18T09:30:00-05:00,T,A,10,3,9,7,11,8']).series('A');
    expect(series.drawn).toMatchObject({
      trades: [{ value: 10, size: 3 }],
      bids: [{ value: 9, size: 7 }],
      asks: [{ value: 11, size: 8 }],
    });
  });
});
