import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLawsOfOptions } from '../test/option-laws.ts';
import { europeanOption, normalDistribution, type OptionTerms } from './black-scholes.ts';
import { impliedVolatility, optionMeasures, optionValue } from './option-value.ts';

const anyTerms = fc.record({
  isCall: fc.boolean(),
  isAmerican: fc.boolean(),
  spot: fc.double({ min: 20, max: 500, noNaN: true }),
  moneyness: fc.double({ min: 0.7, max: 1.4, noNaN: true }),
  years: fc.double({ min: 2 / 365, max: 2, noNaN: true }),
  rate: fc.double({ min: 0, max: 0.08, noNaN: true }),
  dividendYield: fc.double({ min: 0, max: 0.05, noNaN: true }),
  volatility: fc.double({ min: 0.08, max: 1.2, noNaN: true }),
});

type AnyTerms = Omit<OptionTerms, 'strike'> & { moneyness: number; volatility: number };

function termsOf({ moneyness, volatility: _, ...terms }: AnyTerms): OptionTerms {
  return { ...terms, strike: terms.spot * moneyness };
}

describe('European options', () => {
  const terms: OptionTerms = {
    isCall: true,
    isAmerican: false,
    spot: 100,
    strike: 100,
    years: 1,
    rate: 0.05,
    dividendYield: 0,
  };

  it('have the known value and slopes of the textbook case', () => {
    const call = optionMeasures(terms, 0.2);
    expect(call.value).toBeCloseTo(10.450583572185565, 9);
    expect(call.delta).toBeCloseTo(0.6368306511756191, 9);
    expect(call.gamma).toBeCloseTo(0.018762017345846895, 9);
    expect(call.vega).toBeCloseTo(0.3752403469169379, 4);
    // The price of 364 days less that of 365.
    expect(call.theta).toBeCloseTo(-0.017580564, 8);
    expect(call.rho).toBeCloseTo(0.5323248154537634, 4);
    expect(optionValue({ ...terms, isCall: false }, 0.2)).toBeCloseTo(5.573526022256971, 9);
  });

  it.each([0, 0.03, 0.08])('have a gamma that is the slope of delta at a yield of %d', (yearly) => {
    for (const spot of [80, 100, 125]) {
      const at = (price: number) =>
        europeanOption({ ...terms, spot: price, dividendYield: yearly }, 0.2);
      const slope = (at(spot + 0.01).delta - at(spot - 0.01).delta) / 0.02;
      expect(at(spot).gamma / slope).toBeCloseTo(1, 6);
    }
  });

  it('keep put-call parity', () => {
    fc.assert(
      fc.property(anyTerms, (any) => {
        const european = { ...termsOf(any), isAmerican: false };
        const call = europeanOption({ ...european, isCall: true }, any.volatility).value;
        const put = europeanOption({ ...european, isCall: false }, any.volatility).value;
        const { spot, strike, years, rate, dividendYield } = european;
        const forward = spot * Math.exp(-dividendYield * years) - strike * Math.exp(-rate * years);
        expect(Math.abs(call - put - forward)).toBeLessThan(1e-9 * spot);
      }),
    );
  });

  it('rest on the normal distribution', () => {
    expect(normalDistribution(0)).toBe(0.5);
    expect(normalDistribution(1.959963984540054)).toBeCloseTo(0.975, 14);
    expect(normalDistribution(-6)).toBeCloseTo(9.865876450376946e-10, 17);
    for (let x = 2.9; x < 3.1; x += 0.01)
      expect(normalDistribution(x) + normalDistribution(-x)).toBeCloseTo(1, 14);
  });
});

describe('American options', () => {
  const put = (spot: number, years: number): OptionTerms => ({
    isCall: false,
    isAmerican: true,
    spot,
    strike: 40,
    years,
    rate: 0.06,
    dividendYield: 0,
  });

  /** A plain binomial tree of Cox, Ross and Rubinstein, its odd and even steps averaged. */
  function treeValue(terms: OptionTerms, volatility: number): number {
    const oneTree = (steps: number) => {
      const dt = terms.years / steps;
      const up = Math.exp(volatility * Math.sqrt(dt));
      const growth = Math.exp((terms.rate - terms.dividendYield) * dt);
      const p = (growth - 1 / up) / (up - 1 / up);
      const exercise = (step: number, ups: number) =>
        Math.max(0, (terms.isCall ? 1 : -1) * (terms.spot * up ** (2 * ups - step) - terms.strike));
      let values = Array.from({ length: steps + 1 }, (_, i) => exercise(steps, i));
      for (let step = steps - 1; step >= 0; step--)
        values = Array.from({ length: step + 1 }, (_, i) => {
          const kept = p * (values[i + 1] as number) + (1 - p) * (values[i] as number);
          return Math.max(exercise(step, i), Math.exp(-terms.rate * dt) * kept);
        });
      return values[0] as number;
    };
    return (oneTree(400) + oneTree(401)) / 2;
  }

  it.each([
    [36, 0.2, 1],
    [40, 0.2, 1],
    [44, 0.2, 1],
    [36, 0.2, 2],
    [40, 0.4, 2],
    [44, 0.4, 2],
  ])(
    'put at %d with volatility %d and %d years agrees with a fine tree',
    (spot, volatility, years) => {
      const value = optionValue(put(spot, years), volatility);
      expect(Math.abs(value - treeValue(put(spot, years), volatility))).toBeLessThan(0.004);
    },
  );

  it('agree with a fine tree for calls on dividends', () => {
    const terms = { ...put(45, 1), isCall: true, dividendYield: 0.08, rate: 0.03 };
    expect(Math.abs(optionValue(terms, 0.25) - treeValue(terms, 0.25))).toBeLessThan(0.004);
  });

  it.each([
    [0.2, 0.05, 1],
    [0.2, 0.1, 2],
    [0.5, 0.1, 0.5],
    [0.5, 0.2, 2],
    [1, 0.4, 2],
  ])(
    'of calls on very high dividends are near a fine tree: yield %d, volatility %d, %d years',
    (dividendYield, volatility, years) => {
      const terms = { ...put(40, years), isCall: true, dividendYield, rate: 0.04 };
      const value = optionValue(terms, volatility);
      expect(Math.abs(value - treeValue(terms, volatility))).toBeLessThan(0.02);
    },
  );

  it('are worth no less than European ones, nor than exercise', () => {
    fc.assert(
      fc.property(anyTerms, (any) => {
        const terms = { ...termsOf(any), isAmerican: true };
        const value = optionValue(terms, any.volatility);
        const side = terms.isCall ? 1 : -1;
        expect(value).toBeGreaterThanOrEqual(europeanOption(terms, any.volatility).value - 1e-9);
        expect(value).toBeGreaterThanOrEqual(side * (terms.spot - terms.strike));
      }),
      { numRuns: 300 },
    );
  });

  // Spot 100. By QuantLib 1.44: `QdFpAmericanEngine` in its most precise scheme.
  it.each([
    [false, 120, 30, 0.04, 0, 0.3, 20, -1],
    [false, 120, 365, 0.08, 0, 0.15, 20, -1],
    [false, 577.21, 730, 0.08, 0, 1.2, 478.64327, -0.85324],
    [false, 95, 1, 0.04, 0.01, 0.6, 0.06534, -0.04932],
    [false, 100, 1095, 0.08, 0.01, 0.08, 1.60117, -0.36328],
    [false, 150, 730, 0.04, 0.1, 0.6, 71.49658, -0.48956],
    [true, 80, 180, 0.04, 0.08, 0.3, 20.38738, 0.90081],
    [true, 300.75, 1095, 0.04, 0.1, 2.4998, 81.48019, 0.85451],
    [true, 40, 730, 0.04, 0.08, 0.5714, 60.01011, 0.99109],
    [true, 97.03, 365, 0, 0.08, 0.08, 3.02422, 0.84407],
    [true, 20, 1060, 0.04, 0.08, 1.1068, 80.99994, 0.95351],
    [true, 105, 14, 0.01, 0.1, 0.25, 0.36988, 0.14966],
    [true, 8.38, 1095, 0.01, 0, 2.5, 99.23822, 0.99697],
  ])(
    'agree with another library: call %s, strike %d, %d days, rate %d, yield %d, volatility %d',
    (isCall, strike, days, rate, dividendYield, volatility, value, delta) => {
      const terms = { isCall, isAmerican: true, spot: 100, strike, years: days / 365 };
      const found = optionMeasures({ ...terms, rate, dividendYield }, volatility);
      expect(Math.abs(found.value - value)).toBeLessThan(2e-4);
      expect(Math.abs(found.delta - delta)).toBeLessThan(1e-4);
    },
  );

  it.each([
    [true, 0.03],
    [true, 0.08],
    [false, 0],
    [false, 0.03],
    [false, 0.08],
  ])(
    'have slopes that agree with repeated valuation: call %s, dividend yield %d',
    (isCall, dividendYield) => {
      for (const spot of [36, 40, 44, 50]) {
        const at = (price: number) =>
          optionMeasures({ ...put(price, 1), isCall, rate: 0.05, dividendYield }, 0.3);
        const [below, here, above] = [at(spot - 0.25), at(spot), at(spot + 0.25)];
        expect(Math.abs(here.delta - (above.value - below.value) / 0.5)).toBeLessThan(0.0025);
        const slopeOfDelta = (above.delta - below.delta) / 0.5;
        expect(Math.abs(here.gamma / slopeOfDelta - 1)).toBeLessThan(0.012);
      }
    },
  );

  it('have a theta that is their change over one calendar day, of the last day until expiry', () => {
    for (const days of [1, 2, 30]) {
      const at = (left: number) => ({ ...put(38, left / 365), dividendYield: 0.02 });
      const after = days === 1 ? 2 : optionValue(at(days - 1), 0.25);
      const { theta, value } = optionMeasures(at(days), 0.25);
      expect(theta).toBeCloseTo(after - value, 12);
    }
  });

  it.each([
    [put(20, 0.5), 0.2],
    [{ ...put(32, 2.9), rate: 0.2, dividendYield: 0.01 }, 0.05],
    [{ ...put(38.8, 1), rate: 0.05, dividendYield: 0.0001 }, 0.01],
  ])('move one for one where they are exercised now: %j, volatility %d', (terms, volatility) => {
    expect(optionMeasures(terms, volatility)).toEqual({
      value: 40 - terms.spot,
      delta: -1,
      gamma: 0,
      theta: 0,
      vega: 0,
      rho: 0,
    });
  });
});

describe('implied volatility', () => {
  it('gives back the price that it was solved from', () => {
    fc.assert(
      fc.property(anyTerms, (any) => {
        const terms = termsOf(any);
        const price = optionValue(terms, any.volatility);
        const solved = impliedVolatility(terms, price);
        if (solved.volatility === null) expect(solved.outcome).toBe('No time value');
        else expect(Math.abs(optionValue(terms, solved.volatility) - price)).toBeLessThan(1e-6);
      }),
      { numRuns: 300 },
    );
  });

  it('is null for a price that no volatility gives', () => {
    const terms: OptionTerms = {
      isCall: true,
      isAmerican: true,
      spot: 100,
      strike: 90,
      years: 0.5,
      rate: 0.04,
      dividendYield: 0,
    };
    expect(impliedVolatility(terms, 9.5)).toEqual({ volatility: null, outcome: 'No time value' });
    expect(impliedVolatility(terms, 100)).toEqual({
      volatility: null,
      outcome: 'Price above bound',
    });
    expect(impliedVolatility(terms, 15)).toMatchObject({ outcome: 'Converged' });
    const european = { ...terms, isAmerican: false, dividendYield: 0.1 };
    // A European call is worth less than the underlying without its dividends.
    expect(impliedVolatility(european, 96)).toMatchObject({ outcome: 'Price above bound' });
    const lastDay = { ...terms, strike: 100, years: 1 / 365 };
    expect(impliedVolatility(lastDay, 60)).toEqual({ volatility: null, outcome: 'Not solved' });
  });
});

describe('analytics of contracts of any kind', () => {
  it('keep the laws of options', () => {
    expect(expectLawsOfOptions(100)).toBeGreaterThan(100);
  });
});
