import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exerciseStyleOf,
  LastQuotes,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from './option-close.ts';

const quote = (
  nanosOfDay: number,
  side: string,
  price: number,
  action = 'FQ NB',
  quantity = 5,
) => ({
  ...{ nanosOfDay, side, price, action, quantity },
});

describe('the last quotes of a contract', () => {
  it('are firm national best ones, of each side by itself', () => {
    const last = new LastQuotes();
    last.take(quote(1, 'B', 2.5));
    last.take(quote(2, 'A', 2.6));
    last.take(quote(3, 'B', 2.55, 'FQ'));
    last.take(quote(4, 'A', 2.65, 'NFQ NB'));
    expect([last.bid, last.ask]).toEqual([
      { price: 2.5, quantity: 5, condition: null, nanosOfDay: 1 },
      { price: 2.6, quantity: 5, condition: null, nanosOfDay: 2 },
    ]);
  });

  it.each([
    [0, 5],
    [2.7, 0],
  ])('are none where the last one has price %d and quantity %d', (price, quantity) => {
    const last = new LastQuotes();
    last.take(quote(1, 'B', 2.5));
    last.take(quote(2, 'B', price, 'FQ NB', quantity));
    expect(last.bid).toBeNull();
  });
});

describe('the dividend yield', () => {
  const dates = ['2025-10-19', '2025-10-20', '2026-01-05', '2026-10-19', '2026-10-20'];
  const events = dates.map((effectiveDate) => ({ effectiveDate, factor: 0.99 }));

  it('counts a year up to and with the date, and nothing that comes later', () => {
    expect(trailingDividendYield(events, '2026-10-19')).toBeCloseTo(0.03, 12);
    expect(trailingDividendYield(events, '2026-10-20')).toBeCloseTo(0.03, 12);
    expect(trailingDividendYield([], '2026-10-19')).toBe(0);
  });

  it('is the same to the last digit in whatever order the events come', () => {
    const EVENTS = fc.uniqueArray(
      fc.record({
        effectiveDate: fc.constantFrom(...dates),
        factor: fc.integer({ min: 900, max: 1000 }).map((thousandths) => thousandths / 1000),
      }),
      { selector: ({ effectiveDate }) => effectiveDate },
    );
    fc.assert(
      fc.property(EVENTS, (some) => {
        const yieldOf = (these: typeof some) => trailingDividendYield(these, '2026-10-19');
        expect(yieldOf(some.toReversed())).toBe(yieldOf(some));
      }),
    );
  });
});

it('stock trading ends at 16:00, on half days at 13:00', () => {
  expect(stockCloseNanos('2025-07-02') / 3600e9).toBe(16);
  expect(stockCloseNanos('2025-07-03') / 3600e9).toBe(13);
});

it('index options of known roots are European, all others American', () => {
  expect(['SPX', 'SPXW', 'SPY', 'BRKB'].map(exerciseStyleOf)).toEqual(['E', 'E', 'A', 'A']);
});

it('the middle of a quote needs both sides', () => {
  expect(underlyingMid(10.01, 10.02)).toBe(10.015);
  expect([underlyingMid(null, 10), underlyingMid(10, null), underlyingMid(0, 10)]).toEqual([
    null,
    null,
    null,
  ]);
});
