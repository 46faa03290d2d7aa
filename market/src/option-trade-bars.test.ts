import { describe, expect, it } from 'vitest';
import type { OptionTradeEvent } from './events.ts';
import { optionMinuteBars } from './option-trade-bars.ts';
import { rowCells } from './row-sources.ts';

const OPEN = 9.5 * 3600;

function trade(
  seconds: number,
  price: number,
  quantity: number,
  more: Partial<OptionTradeEvent> = {},
): OptionTradeEvent {
  return {
    nanosOfDay: Math.round((OPEN + seconds) * 1e9),
    type: 'T',
    price,
    quantity,
    exchange: 'CBOE',
    condition: '',
    underBid: 100,
    underAsk: 100.02,
    ...more,
  };
}

describe('option minute bars', () => {
  it('have prices, contracts and the underlying at first and last trade', () => {
    const table = optionMinuteBars([
      trade(1, 2.5, 10),
      trade(20, 2.65, 5, { underBid: 100.1, underAsk: 100.13 }),
      trade(59.9, 2.45, 1, { underBid: null, underAsk: 100.2 }),
      trade(180, 3, 2, { underBid: 101, underAsk: 101.02 }),
    ]);
    expect([...table.startNanos]).toEqual([OPEN * 1e9, (OPEN + 180) * 1e9]);
    expect(rowCells(table, 0)).toEqual([
      2.5,
      2.65,
      2.45,
      2.45,
      100,
      100.02,
      null,
      100.2,
      2.54375,
      16,
      3,
    ]);
    expect(rowCells(table, 1)).toEqual([3, 3, 3, 3, 101, 101.02, 101, 101.02, 3, 2, 1]);
  });

  it('leave out cancels, the eight conditions of doubtful prices, and empty trades', () => {
    const doubtful = [...'ABCFGNOT'].map((condition, i) => trade(i, 9, 1, { condition }));
    const table = optionMinuteBars([
      ...doubtful,
      trade(30, 9, 1, { type: 'C' }),
      trade(31, 0, 1),
      trade(32, 9, 0),
      trade(33, 2, 1, { condition: 'I' }),
    ]);
    expect(table.rowCount).toBe(1);
    expect(rowCells(table, 0).slice(0, 4)).toEqual([2, 2, 2, 2]);
  });

  it('are none without a trade', () => {
    expect(optionMinuteBars([]).rowCount).toBe(0);
  });
});
