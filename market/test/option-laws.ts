/** Laws for the analytics of any contract, whatever its price comes from. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { europeanOption } from '../src/black-scholes.ts';
import { OPTION_ANALYTICS_COLUMNS, optionAnalytics } from '../src/option-analytics.ts';
import { roundDecimals } from '../src/rounding.ts';

const DAY_MS = 86_400_000;
const TRADE_DATE = '2024-06-12';
const SPOT = 100;

/** From deep in the money to far out of it, from the last day to three years. */
const anyContract = fc.record({
  isCall: fc.boolean(),
  days: fc.constantFrom(1, 2, 5, 14, 30, 90, 180, 365, 730, 1095),
  volatility: fc.constantFrom(0.02, 0.08, 0.15, 0.3, 0.6, 1.2, 2.5),
  dividendYield: fc.constantFrom(0, 0, 0.01, 0.08, 0.1),
  rate: fc.constantFrom(0, 0.01, 0.04, 0.08),
  deviations: fc.double({ min: -3, max: 3, noNaN: true }),
  /** Dollars between the price and what the European model gives. */
  dearer: fc.constantFrom(0, 0, 0.005, 0.05, 1, -0.05),
});
type AnyContract = typeof anyContract extends fc.Arbitrary<infer T> ? T : never;

function analyticsOf(any: AnyContract, isAmerican: boolean) {
  const { isCall, days, volatility, dividendYield, rate, deviations, dearer } = any;
  const years = days / 365;
  const spread = Math.min(1, volatility * Math.sqrt(years));
  const strike = roundDecimals(SPOT * Math.exp(deviations * spread), 2);
  const terms = { ...{ isCall, isAmerican, spot: SPOT, strike, years }, rate, dividendYield };
  const exercise = Math.max(0, isCall ? SPOT - strike : strike - SPOT);
  const model = Math.max(exercise, europeanOption(terms, volatility).value);
  const quote = { price: Math.max(0.01, roundDecimals(model + dearer, 4)), nanosOfDay: 57e12 };
  const cells = optionAnalytics({
    ...{ ...terms, underMid: SPOT, tradeDate: TRADE_DATE, isHalfDay: false },
    expiration: new Date(Date.parse(TRADE_DATE) + days * DAY_MS).toISOString().slice(0, 10),
    ...{ bid: quote, ask: quote },
  });
  const entries = OPTION_ANALYTICS_COLUMNS.map((name, i) => [name, cells[i] ?? null] as const);
  return { strike, row: Object.fromEntries(entries) as Record<string, number | string | null> };
}

/** How many of so many contracts have a volatility. */
export function expectLawsOfOptions(contractCount: number): number {
  let convergedCount = 0;
  const property = fc.property(anyContract, (any) => {
    for (const isAmerican of [true, false]) {
      const { row, strike } = analyticsOf(any, isAmerican);
      if (row.ImpliedVolConvergence !== 'Converged') continue;
      convergedCount++;
      const cells = [row.LastMidPrice, row.MidTheoPrice, row.MidDelta] as number[];
      const [mid, theo, delta] = cells as [number, number, number];
      expect(Math.abs(theo - mid)).toBeLessThan(1e-4);
      expect(any.isCall ? delta : -delta).toBeLessThanOrEqual(1);
      expect(any.isCall ? delta : -delta).toBeGreaterThanOrEqual(0);
      expect(theo).toBeLessThanOrEqual(any.isCall ? SPOT : strike);
    }
    if (any.isCall && any.dividendYield === 0)
      expect(analyticsOf(any, true).row).toEqual(analyticsOf(any, false).row);
  });
  fc.assert(property, { numRuns: contractCount });
  return convergedCount;
}
