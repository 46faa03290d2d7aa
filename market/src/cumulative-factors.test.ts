import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdjustmentEvent, buildFactorTable } from './adjustment.ts';
import { cumulativeFactorRows, factorIntervals } from './cumulative-factors.ts';

const APPLE = 33449;
const event = (effectiveDate: string, factor: number, reason: string): AdjustmentEvent => ({
  ...{ security: APPLE, effectiveDate, factor, reason },
});
const APPLE_2014 = [
  event('2014-05-08', 0.994445664, 'CashDiv'),
  event('2014-06-09', 0.142857143, 'BonusSame'),
  event('2014-08-07', 0.995050548, 'CashDiv'),
];

describe('factors of the days between events', () => {
  it('are those that are published of Apple in 2014', () => {
    const rows = factorIntervals(APPLE_2014).map(({ startDate, endDate, backward, forward }) => [
      ...[startDate, endDate],
      ...[backward.price, backward.volume, forward.price, forward.volume].map((factor) =>
        Number(factor.toFixed(9)),
      ),
    ]);
    expect(rows).toEqual([
      [null, '2014-05-07', 0.141360529, 0.142857143, 1, 1],
      ['2014-05-08', '2014-06-08', 0.142150078, 0.142857143, 0.994445664, 1],
      ['2014-06-09', '2014-08-06', 0.995050548, 1, 0.142063666, 0.142857143],
      ['2014-08-07', '2099-12-31', 1, 1, 0.141360529, 0.142857143],
    ]);
  });

  it('are of as many rows as there are days with events, and one more', () => {
    expect(factorIntervals([])).toEqual([]);
    const twice = [event('2020-01-02', 0.5, 'Subdiv'), event('2020-01-02', 0.9, 'CashDiv')];
    const [before, after] = factorIntervals(twice);
    expect(before?.backward).toEqual({ price: 0.45, volume: 0.5 });
    expect(after?.forward).toEqual({ price: 0.45, volume: 0.5 });
    expect(factorIntervals(twice)).toHaveLength(2);
  });

  const anyEvent = fc.record({
    security: fc.constantFrom(1, 2),
    effectiveDate: fc
      .integer({ min: 0, max: 400 })
      .map((day) => new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10)),
    factor: fc.double({ min: 0.05, max: 8, noNaN: true }),
    reason: fc.constantFrom('CashDiv', 'Subdiv', 'Cons', 'DeMerg'),
  });

  it('cover every day once, and are the products of the events after it and up to it', () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 12 }), anyEvent, (events, { effectiveDate }) => {
        const table = buildFactorTable(events);
        const rows = cumulativeFactorRows(events.map((each) => ({ ...each, ticker: null })));
        for (const asid of [1, 2]) {
          const own = events.filter((each) => each.security === asid);
          const holding = rows.filter(
            ({ ASID, StartDate, EndDate }) =>
              ASID === asid &&
              `${StartDate ?? ''}` <= effectiveDate &&
              effectiveDate <= `${EndDate}`,
          );
          expect(holding).toHaveLength(own.length === 0 ? 0 : 1);
          for (const row of holding) {
            const backward = table.factorsOn(asid, effectiveDate);
            expect(row.PriceBackwardFactor).toBe(backward.price);
            expect(row.VolumeBackwardFactor).toBe(backward.volume);
            const past = own.filter((each) => each.effectiveDate <= effectiveDate);
            const product = past.reduce((all, { factor }) => all * factor, 1);
            expect((row.PriceForwardFactor as number) / product).toBeCloseTo(1, 12);
            const shares = past.filter(({ reason }) => reason === 'Subdiv' || reason === 'Cons');
            const ratio = shares.reduce((all, { factor }) => all * factor, 1);
            expect((row.VolumeForwardFactor as number) / ratio).toBeCloseTo(1, 12);
          }
        }
      }),
    );
  });

  it('have the ticker of the event that ends them, in the order of securities and days', () => {
    const named = [
      { ...event('2022-06-09', 0.5, 'Subdiv'), ticker: 'META' },
      { ...event('2014-05-08', 0.9, 'CashDiv'), ticker: 'FB' },
      { ...event('2014-05-08', 0.9, 'CashDiv'), security: 7, ticker: null },
    ];
    const rows = cumulativeFactorRows(named);
    expect(rows.map(({ ASID, Ticker, EndDate }) => [ASID, Ticker, EndDate])).toEqual([
      [7, null, '2014-05-07'],
      [7, null, '2099-12-31'],
      [APPLE, 'FB', '2014-05-07'],
      [APPLE, 'META', '2022-06-08'],
      [APPLE, 'META', '2099-12-31'],
    ]);
  });
});
