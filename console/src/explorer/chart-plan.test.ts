import { describe, expect, it } from 'vitest';
import { chartColumns, chartPlan, eventKind } from './chart-plan';

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

  it('does without the sizes of trades, which a rule may hide', () => {
    const plan = chartPlan(['EventDateTime', 'Price'])!;
    expect(plan).toMatchObject({ kind: 'ticks', quantity: null });
    expect(chartColumns(plan, null)).toEqual(['EventDateTime', 'Price']);
  });

  it('has none for reference data', () => {
    expect(chartPlan(['SecId', 'Ticker', 'Name'])).toBeNull();
  });
});

describe('eventKind', () => {
  it.each([
    ['TRADE', '', 'Trade'],
    ['TRADE NB', '', 'Trade'],
    ['TRADE CANCELLED', '', null],
    ['TRADE NB CANCELLED', '', null],
    ['TRADE AGRESSOR ON BUY', '', 'Trade'],
    ['QUOTE BID NB', '', 'Bid'],
    ['QUOTE ASK', '', 'Ask'],
    ['QUOTE SELL', '', 'Ask'],
    ['T NB', 'B', 'Trade'],
    ['FQ', 'B', 'Bid'],
    ['FQ NB', 'A', 'Ask'],
    ['OI', '', null],
    ['C', '', null],
    [null, 'B', 'Bid'],
    [null, 'S', 'Ask'],
  ])('takes %j on side %j for %j', (event, side, kind) => {
    expect(eventKind(event, side)).toBe(kind);
  });
});
