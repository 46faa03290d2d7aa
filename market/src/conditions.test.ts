import { describe, expect, it } from 'vitest';
import {
  FULL_USE,
  IS_COUNTED,
  IS_EXTREME,
  IS_SOLE_ENDPOINT,
  isCountedQuote,
  QUOTE_CONDITIONS,
  type QuoteCondition,
  quoteMask,
  TRADE_CONDITIONS,
  TRADE_USE,
  type TradeCondition,
  tradeMask,
} from './conditions.ts';

const { vendor_default: vendor, industry_std: industry } = TRADE_USE;

const tradeBits = (bits: number[]) => bits.reduce((mask, bit) => mask + 2 ** bit, 0);

/** The bits that alone make a condition mask pass. */
function passing(isPassing: (mask: number) => boolean): number[] {
  return Array.from({ length: 32 }, (_, bit) => bit).filter((bit) => isPassing(2 ** bit));
}

describe('condition masks', () => {
  it('are unsigned, the highest bit included', () => {
    expect(tradeMask('Odd lot', 'Form T', 'Regular')).toBe(0x80000401);
    expect(tradeMask('Odd lot', 'Form T', 'Regular')).toBe(2_147_484_673);
    expect(quoteMask('Regular')).toBe(1);
  });

  it.each<[number, TradeCondition]>([
    [0, 'Regular'],
    [1, 'Cash settlement'],
    [2, 'Next-day settlement'],
    [3, 'Seller option'],
    [4, 'Yellow flag'],
    [5, 'Intermarket sweep'],
    [6, 'Opening print'],
    [7, 'Closing print'],
    [8, 'Re-opening print'],
    [9, 'Derivatively priced'],
    [10, 'Form T'],
    [11, 'Sold last'],
    [12, 'Stopped'],
    [13, 'Extended hours'],
    [14, 'Out of sequence'],
    [15, 'Split trade'],
    [16, 'Acquisition'],
    [17, 'Bunched'],
    [18, 'Stock-option'],
    [19, 'Distribution'],
    [20, 'Average price'],
    [21, 'Cross'],
    [22, 'Price variation'],
    [23, 'Rule 155'],
    [24, 'Official close'],
    [25, 'Prior reference price'],
    [26, 'Official open'],
    [27, 'Cap election'],
    [28, 'Auto execution'],
    [29, 'Trade-through exempt'],
    [31, 'Odd lot'],
  ])('give bit %d of a trade the meaning %s', (bit, condition) => {
    expect(TRADE_CONDITIONS[bit]).toBe(condition);
    expect(tradeMask(condition)).toBe(2 ** bit);
  });

  it('give bit 30 of a trade no meaning, and end with bit 31', () => {
    expect(TRADE_CONDITIONS[30]).toBeNull();
    expect(TRADE_CONDITIONS).toHaveLength(32);
  });

  it.each<[number, QuoteCondition]>([
    [0, 'Regular'],
    [1, 'Slow'],
    [2, 'Gap'],
    [3, 'Closing'],
    [4, 'News dissemination'],
    [5, 'News pending'],
    [6, 'Trading range indication'],
    [7, 'Order imbalance'],
    [8, 'Closed market maker'],
    [9, 'Volatility trading pause'],
    [10, 'Non-firm'],
    [11, 'Opening quote'],
    [12, 'Due to related security'],
    [13, 'Resume'],
    [14, 'In view of common'],
    [15, 'Equipment changeover'],
    [16, 'Sub-penny trading'],
    [17, 'No open / no resume'],
    [18, 'Limit-up limit-down band'],
    [19, 'Republished band'],
    [20, 'Manual'],
    [21, 'Fast trading'],
    [22, 'Order influx'],
  ])('give bit %d of a quote the meaning %s', (bit, condition) => {
    expect(QUOTE_CONDITIONS[bit]).toBe(condition);
    expect(quoteMask(condition)).toBe(2 ** bit);
  });

  it('end with bit 22 of a quote', () => {
    expect(QUOTE_CONDITIONS).toHaveLength(23);
  });
});

describe('vendor logic', () => {
  it('keeps a trade for eleven conditions', () => {
    expect(passing((mask) => vendor(mask, true) !== 0)).toEqual([
      0, 1, 2, 5, 6, 7, 10, 13, 21, 29, 31,
    ]);
    expect(vendor(0, true)).toBe(0);
  });

  it('rejects a trade for seven conditions, whatever else it has', () => {
    const rejecting = Array.from({ length: 32 }, (_, bit) => bit).filter(
      (bit) => vendor(tradeBits([...new Set([0, bit])]), true) === 0,
    );
    expect(rejecting).toEqual([14, 20, 22, 23, 24, 25, 26]);
  });

  it('keeps a quote for five conditions and rejects it for six', () => {
    expect(passing(isCountedQuote)).toEqual([0, 1, 2, 11, 21]);
    const rejecting = Array.from({ length: 32 }, (_, bit) => bit).filter(
      (bit) => !isCountedQuote(tradeBits([...new Set([0, bit])])),
    );
    expect(rejecting).toEqual([3, 4, 5, 6, 7, 13]);
  });
});

describe('industry-standard logic', () => {
  it.each<[TradeCondition, number]>([
    ['Regular', FULL_USE],
    ['Auto execution', FULL_USE],
    ['Intermarket sweep', FULL_USE],
    ['Rule 155', FULL_USE],
    ['Acquisition', FULL_USE],
    ['Sold last', IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT],
    ['Prior reference price', IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT],
    ['Derivatively priced', IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT],
    ['Out of sequence', IS_COUNTED | IS_EXTREME | IS_SOLE_ENDPOINT],
    ['Cash settlement', IS_COUNTED],
    ['Average price', IS_COUNTED],
    ['Odd lot', IS_COUNTED],
    ['Form T', IS_COUNTED],
    ['Cap election', IS_COUNTED],
    ['Official open', 0],
    ['Official close', 0],
  ])('%s in regular hours', (condition, use) => {
    expect(industry(tradeMask(condition), true)).toBe(use);
  });

  it('lets extended-hours prints set prices outside regular hours, odd lots still not', () => {
    expect(industry(tradeMask('Form T'), false)).toBe(FULL_USE);
    expect(industry(tradeMask('Extended hours'), false)).toBe(FULL_USE);
    expect(industry(tradeMask('Form T', 'Odd lot'), false)).toBe(IS_COUNTED);
  });

  it('obeys the most restrictive of several conditions', () => {
    expect(industry(tradeMask('Regular', 'Sold last', 'Odd lot'), true)).toBe(IS_COUNTED);
    expect(industry(tradeMask('Closing print', 'Official close'), true)).toBe(0);
  });
});
