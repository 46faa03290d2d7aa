import { describe, expect, it } from 'vitest';
import { type TradeCondition, tradeMask } from './conditions.ts';
import { equityDailyOhlc } from './equity-daily-ohlc.ts';
import type { EquityEvent } from './events.ts';
import { rowCells } from './row-sources.ts';

function trade(
  time: string,
  price: number,
  quantity: number,
  conditions: TradeCondition[] = ['Regular'],
  exchange = 'NASDAQ',
): EquityEvent {
  const [hours, minutes, seconds] = time.split(':').map(Number) as [number, number, number];
  const nanosOfDay = (hours * 3600 + minutes * 60 + seconds) * 1e9;
  return {
    nanosOfDay,
    type: 'TRADE',
    price,
    quantity,
    exchange,
    conditions: tradeMask(...conditions),
  };
}

function daily(
  events: EquityEvent[],
  logic: 'vendor_default' | 'industry_std' = 'vendor_default',
  isHalfDay = false,
) {
  const table = equityDailyOhlc({ events, isHalfDay, averagePrice: null }, logic);
  if (table.rowCount === 0) return null;
  const cells = rowCells(table, 0);
  return Object.fromEntries(table.columns.map((name, i) => [name, cells[i]]));
}

const DAY = [
  trade('04:10:00', 8, 100, ['Regular', 'Form T']),
  trade('09:30:00', 9.7, 20, ['Regular', 'Odd lot']),
  trade('09:30:01', 10, 1000, ['Regular', 'Opening print']),
  trade('11:00:00', 10.5, 200, ['Regular'], 'FINRA'),
  trade('12:00:00', 99, 500, ['Average price'], 'FINRA'),
  trade('14:00:00', 9.9, 300),
  trade('16:00:02', 10.2, 2000, ['Regular', 'Closing print']),
  trade('16:00:03', 10.2, 2000, ['Official close']),
  trade('17:00:00', 12, 100, ['Regular', 'Form T']),
];

describe('daily prices', () => {
  it('take eligible regular-hours trades and the closing auction after the bell', () => {
    expect(daily(DAY)).toMatchObject({
      OpenPrice: 10,
      HighPrice: 10.5,
      LowPrice: 9.9,
      ClosePrice: 10.2,
    });
  });

  it('count every trade once in the volumes, off-exchange inside and apart', () => {
    expect(daily(DAY)).toMatchObject({
      MarketHoursVolume: 4020,
      MarketHoursFinraVolume: 700,
      DailyVolume: 4220,
      DailyFinraVolume: 700,
    });
  });

  it('average the trades that the minute bars of the same logic count', () => {
    // 20 x 9.7 + 1000 x 10 + 200 x 10.5 + 300 x 9.9 + 2000 x 10.2 = 35664 over 3520 shares, and
    // 37664 over 3720
    expect(daily(DAY)).toMatchObject({ MarketHoursVWAP: 10.131818, DailyVWAP: 10.124731 });
    // industry standard counts the average-price print: 500 x 99 more
    expect(daily(DAY, 'industry_std')).toMatchObject({ MarketHoursVWAP: 21.185075 });
  });

  it('are all the same after one trade', () => {
    expect(daily([trade('10:00:00', 10, 100)])).toMatchObject({
      OpenPrice: 10,
      HighPrice: 10,
      LowPrice: 10,
      ClosePrice: 10,
      DailyVWAP: 10,
    });
  });

  it('give no row without an eligible price in regular hours', () => {
    expect(daily([])).toBeNull();
    expect(daily([trade('17:00:00', 10, 100)])).toBeNull();
    expect(daily([trade('10:00:00', 10, 5, ['Regular', 'Odd lot'])])).toBeNull();
    expect(daily([trade('10:00:00', 0, 100)])).toBeNull();
  });

  it('end regular hours at 13:00 on a half day', () => {
    const events = [trade('12:00:00', 10, 100), trade('13:00:00', 11, 100)];
    expect(daily(events, 'vendor_default', true)).toMatchObject({
      ClosePrice: 10,
      MarketHoursVolume: 100,
      DailyVolume: 200,
    });
  });

  it('let a prior reference price set the extremes by industry standard alone', () => {
    const events = [
      trade('10:00:00', 10, 100),
      trade('10:00:01', 11, 100, ['Regular', 'Prior reference price']),
    ];
    expect(daily(events)).toMatchObject({ HighPrice: 10, ClosePrice: 10 });
    expect(daily(events, 'industry_std')).toMatchObject({ HighPrice: 11, ClosePrice: 10 });
  });
});
