import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FuturesEvent } from './events.ts';
import { FUTURES_TRADE_BAR, futuresMinuteBars } from './futures-bars.ts';
import { FUTURES_DAY, futuresDayTable } from './futures-day.ts';
import { columnValues, rowCells } from './row-sources.ts';

const TYPES = ['QUOTE BID', 'TRADE', 'TRADE AGRESSOR ON BUY', 'SETTLEMENT PRICE', 'OPEN INTEREST'];

const EVENT = fc.record<FuturesEvent>({
  nanosOfDay: fc.integer({ min: 0, max: 1440 }).map((minute) => minute * 60e9),
  type: fc.constantFrom(...TYPES),
  price: fc.integer({ min: -40, max: 40 }).map((quarters) => quarters / 4),
  quantity: fc.integer({ min: 0, max: 9 }),
  orders: fc.constant(1),
  flags: fc.constantFrom(0, 0, 8),
  typeMask: fc.constant(0),
});

describe('daily values of futures', () => {
  it('are those of one bar over the day', () => {
    const oneMinute = (events: FuturesEvent[]) =>
      events.map((event) => ({ ...event, nanosOfDay: 0 }));
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 30 }), (events) => {
        const [bar] = futuresMinuteBars(oneMinute(events), [FUTURES_TRADE_BAR]);
        const day = futuresDayTable(events);
        if (!bar || bar.rowCount === 0) return;
        expect(day.columns.slice(0, bar.columns.length)).toEqual(bar.columns);
        expect(rowCells(day, 0).slice(0, bar.columns.length)).toEqual(rowCells(bar, 0));
      }),
    );
  });

  it('have the last settlement and open interest, and are there where anything of them is', () => {
    fc.assert(
      fc.property(fc.array(EVENT, { maxLength: 30 }), (events) => {
        const last = (type: string) => events.findLast((event) => event.type === type);
        const isTrade = ({ type, quantity, flags }: FuturesEvent) =>
          type.startsWith('TRADE') && quantity > 0 && flags === 0;
        const [settlement, openInterest] = [last('SETTLEMENT PRICE'), last('OPEN INTEREST')];
        const day = futuresDayTable(events);
        const isThere = events.some(isTrade) || settlement || openInterest;
        expect(day.rowCount).toBe(isThere ? 1 : 0);
        if (!isThere) return;
        const value = (name: string) => columnValues(day, name)[0];
        expect(value('SettlementPrice')).toBe(settlement?.price ?? Number.NaN);
        expect(value('OpenInterest')).toBe(openInterest?.quantity ?? Number.NaN);
        const traded = events
          .filter(isTrade)
          .reduce((sum, { quantity }) => sum + Number(quantity), 0);
        expect(value('TotalQuantity')).toBe(traded);
      }),
    );
  });

  it('name their columns', () => {
    expect(FUTURES_DAY.columns).toEqual([
      ...FUTURES_TRADE_BAR.columns,
      'SettlementPrice',
      'OpenInterest',
    ]);
  });
});
