import { describe, expect, it } from 'vitest';
import {
  OPTION_ANALYTICS_COLUMNS,
  type OptionSnapshot,
  optionAnalytics,
} from './option-analytics.ts';

const snapshot: OptionSnapshot = {
  tradeDate: '2020-03-13',
  expiration: '2020-04-17',
  isCall: true,
  isAmerican: true,
  strike: 250,
  isHalfDay: false,
  underMid: 255.5,
  bid: { price: 12.5, nanosOfDay: (15 * 3600 + 59 * 60 + 58.25) * 1e9 },
  ask: { price: 13.5, nanosOfDay: (15 * 3600 + 59 * 60 + 59.9996) * 1e9 },
  rate: 0.01,
  dividendYield: 0,
};

function row(change: Partial<OptionSnapshot> = {}) {
  const cells = optionAnalytics({ ...snapshot, ...change });
  return Object.fromEntries(OPTION_ANALYTICS_COLUMNS.map((name, i) => [name, cells[i]]));
}

describe('daily option analytics', () => {
  it('state the quotes, their times and the time to expiry', () => {
    expect(row()).toMatchObject({
      YearsToMaturity: 0.0959,
      DaysToMaturity: 35,
      UnderLastMidPrice: 255.5,
      UnderLastMidTime: '15:59',
      LastBidPrice: 12.5,
      LastBidTime: '15:59:58.250',
      LastMidPrice: 13,
      LastAskPrice: 13.5,
      LastAskTime: '15:59:59.999',
      ImpliedVolConvergence: 'Converged',
    });
    expect(row({ isHalfDay: true }).UnderLastMidTime).toBe('12:59');
  });

  it('solve a volatility whose model price is the midpoint', () => {
    const cells = row() as Record<string, number>;
    expect(cells.MidTheoPrice).toBe(13);
    expect(cells.MidImpliedVol).toBeGreaterThan(0.25);
    expect(cells.MidImpliedVol).toBeLessThan(0.4);
    expect(cells.MidDelta).toBeGreaterThan(0.5);
    expect(cells.MidTheta).toBeLessThan(0);
  });

  it.each<[Partial<OptionSnapshot>, string]>([
    [{ bid: null }, 'No two-sided quote'],
    [{ underMid: null }, 'No underlying quote'],
    [{ expiration: snapshot.tradeDate }, 'No time to expiry'],
    [{ underMid: 300 }, 'No time value'],
  ])('say why there is none: %o', (change, outcome) => {
    expect(row(change)).toMatchObject({
      MidImpliedVol: null,
      MidTheoPrice: null,
      MidRho: null,
      ImpliedVolConvergence: outcome,
    });
  });
});
