import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  FULL_USE,
  IS_COUNTED,
  IS_EXTREME,
  IS_SOLE_ENDPOINT,
  isCountedQuote,
  QUOTE_CONDITIONS,
  quoteMask,
  TRADE_CONDITIONS,
  TRADE_USE,
  type TradeCondition,
  tradeMask,
} from './conditions.ts';

const RULES = new URL('../../../shared/spec/market-rules.md', import.meta.url);
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

  it.skipIf(!existsSync(RULES))('number every condition as the documented table does', () => {
    const rows = [
      ...readFileSync(RULES, 'utf8').matchAll(/^\| (\d+) \| ([^|]+) \| (\d*) ?\| ([^|]*)\|$/gm),
    ];
    const first = (text: string) => text.split(' (')[0]?.toLowerCase().split(' print')[0];
    let compared = 0;
    for (const [, bit, trade, quoteBit, quote] of rows) {
      const name = TRADE_CONDITIONS[Number(bit)];
      if (name !== undefined && (trade as string).trim() !== 'TRADE') {
        expect(first(name ?? 'not documented')).toBe(first((trade as string).trim()));
        compared += 1;
      }
      if (quoteBit !== '')
        expect(first(QUOTE_CONDITIONS[Number(quoteBit)] ?? '')).toBe(
          first((quote as string).trim()),
        );
    }
    expect(compared).toBe(32);
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
