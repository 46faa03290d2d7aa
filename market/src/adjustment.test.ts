import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AdjustmentEvent,
  adjustTable,
  buildFactorTable,
  EVERY_EVENT,
  factorTableOf,
} from './adjustment.ts';
import {
  bonusFactor,
  cashDividendFactor,
  demergerFactor,
  exchangeFactor,
  rightsFactor,
} from './adjustment-factor.ts';
import { rowCells } from './row-sources.ts';

const APPLE = 1010000000001033n;
const events2014: AdjustmentEvent[] = [
  { security: APPLE, effectiveDate: '2014-06-09', factor: 0.142857143, reason: 'BonusSame' },
  { security: APPLE, effectiveDate: '2014-05-08', factor: 0.994445664, reason: 'CashDiv' },
  { security: APPLE, effectiveDate: '2014-08-07', factor: 0.995050548, reason: 'CashDiv' },
];

describe('factors of events', () => {
  it('takes a cash dividend off the close before, to 15 digits', () => {
    expect(cashDividendFactor(3.05, 512.59)).toBe(0.994049825396516);
    expect(cashDividendFactor(3.29, 592.33)).toBe(0.994445663734742);
    expect(cashDividendFactor(0.82, 455.61)).toBeCloseTo(0.998200215, 9);
  });

  it('divides by the shares of a bonus, a split or a consolidation', () => {
    expect(bonusFactor(6, 1)).toBe(0.142857142857143);
    expect(exchangeFactor(4, 1)).toBe(0.25);
    expect(exchangeFactor(1, 5)).toBe(5);
  });

  it('takes the worth of a spin-off or of rights out of the close before', () => {
    expect(demergerFactor(30, 1, 3, 100)).toBe(0.9);
    expect(rightsFactor(1, 4, 50, 100)).toBe(0.9);
  });
});

/** Reasons that change prices alone, and those that change the number of shares as well. */
const PRICE_REASONS = ['CashDiv', 'DeMerg', 'Rights'];
const SHARE_REASONS = [
  'BonusSame',
  'CapReduct',
  'Cons',
  'Reclass',
  'ScriptDiv',
  'SecSwap',
  'Subdiv',
];

describe('backward factors', () => {
  const factors = buildFactorTable(events2014);

  it.each([
    ['2014-09-01', 1, 1],
    ['2014-08-07', 1, 1],
    ['2014-08-06', 0.995050548, 1],
    ['2014-06-09', 0.995050548, 1],
    ['2014-06-06', 0.142150078, 0.142857143],
    ['2014-05-08', 0.142150078, 0.142857143],
    ['2014-05-07', 0.141360529, 0.142857143],
  ])('on %s are %d for prices and %d for shares', (date, price, volume) => {
    expect(factors.factorsOn(APPLE, date).price).toBeCloseTo(price, 9);
    expect(factors.factorsOn(APPLE, date).volume).toBeCloseTo(volume, 9);
  });

  it('are one pair a day, of all that happened on it', () => {
    const event = { security: 1, effectiveDate: '2020-01-02', factor: 0.5, reason: 'Subdiv' };
    const twice = buildFactorTable([event, { ...event, factor: 0.25 }]);
    expect(twice.factorsOn(1, '2020-01-01')).toMatchObject({ price: 0.125, volume: 0.125 });
  });

  it('are 1 for a security without events', () => {
    expect(factors.factorsOn(7, '2010-01-04')).toEqual({ price: 1, volume: 1 });
  });

  it.each([
    ...PRICE_REASONS.map((reason) => [reason, 1] as const),
    ...SHARE_REASONS.map((reason) => [reason, 0.5] as const),
  ])('of %s are 0.5 for prices and %d for shares', (reason, volume) => {
    const event = { security: 1, effectiveDate: '2020-01-02', factor: 0.5, reason };
    expect(buildFactorTable([event]).factorsOn(1, '2020-01-01')).toMatchObject({
      price: 0.5,
      volume,
    });
  });

  it('are the product of all factors dated later, several a day included', () => {
    const anyEvent = fc.record({
      day: fc.integer({ min: 1, max: 28 }),
      factor: fc.constantFrom(0.25, 0.5, 2, 4),
      reason: fc.constantFrom(...PRICE_REASONS, ...SHARE_REASONS),
    });
    const two = (day: number) => `2020-01-${String(day).padStart(2, '0')}`;
    fc.assert(
      fc.property(fc.array(anyEvent), fc.integer({ min: 1, max: 28 }), (list, day) => {
        const table = buildFactorTable(
          list.map((e) => ({ security: 1, effectiveDate: two(e.day), ...e })),
        );
        const product = (reasons: string[]) =>
          list
            .filter((e) => e.day > day && reasons.includes(e.reason))
            .reduce((all, e) => all * e.factor, 1);
        expect(table.factorsOn(1, two(day))).toMatchObject({
          price: product([...PRICE_REASONS, ...SHARE_REASONS]),
          volume: product(SHARE_REASONS),
        });
      }),
    );
  });
});

const two = (day: number) => `2020-01-${String(day).padStart(2, '0')}`;
const anyDay = fc.integer({ min: 1, max: 28 });
const anyFactors = fc.array(
  fc.record({
    effectiveDate: anyDay.map(two),
    // Not exact in binary, so that the order in which they are multiplied shows.
    factor: fc.constantFrom(0.1, 0.142857142857143, 0.995050548, 3),
    reason: fc.constantFrom(...PRICE_REASONS, ...SHARE_REASONS),
  }),
  { maxLength: 60 },
);

describe('chosen events', () => {
  it('up to a date are those of a market in which no later one happened', () => {
    fc.assert(
      fc.property(anyFactors, anyDay, anyDay, (list, asOfDay, day) => {
        const events = list.map((event) => ({ security: 1, ...event }));
        const asOf = two(asOfDay);
        const known = events.filter(({ effectiveDate }) => effectiveDate <= asOf);
        const table = factorTableOf(() => events, { adjustments: 'all', asOf });
        const due = buildFactorTable(known).factorsOn(1, two(day));
        expect(table.factorsOn(1, two(day))).toEqual(due);
        if (day >= asOfDay) expect(due).toEqual({ price: 1, volume: 1 });
      }),
    );
  });

  it('that are splits restate prices by as much as shares', () => {
    fc.assert(
      fc.property(anyFactors, anyDay, (list, day) => {
        const events = list.map((event) => ({ security: 1, ...event }));
        const splits = factorTableOf(() => events, { adjustments: 'splits', asOf: null });
        const { volume } = buildFactorTable(events).factorsOn(1, two(day));
        expect(splits.factorsOn(1, two(day))).toMatchObject({ price: volume, volume });
      }),
    );
  });

  it('are looked up by security, once', () => {
    const asked: (bigint | string)[] = [];
    const table = factorTableOf((security) => {
      asked.push(security);
      return events2014;
    }, EVERY_EVENT);
    for (const date of ['2014-05-07', '2014-05-08']) table.factorsOn(Number(APPLE), date);
    expect(asked).toEqual([APPLE]);
  });

  it('are looked up by ticker for a security without a number', () => {
    const event = { effectiveDate: '2020-01-02', reason: 'Subdiv' };
    const table = buildFactorTable([
      { ...event, security: '7', factor: 0.5 },
      { ...event, security: 7, factor: 0.25 },
    ]);
    expect(table.factorsOn('7', '2020-01-01').price).toBe(0.5);
    expect(table.factorsOn(7, '2020-01-01').price).toBe(0.25);
  });
});

describe('adjusted rows', () => {
  const raw = {
    columns: ['FirstTradePrice', 'VolumeWeightPrice', 'Volume', 'TotalTrades'],
    rowCount: 2,
    values: [
      [645.57, NaN],
      [645.123456, NaN],
      [100, 0],
      [3, 0],
    ].map((v) => Float64Array.from(v)),
  };

  it('multiply prices, divide shares, leave counts and nulls, and end with both factors', () => {
    const factors = { price: 0.142150078, volume: 0.142857143 };
    const table = adjustTable(raw, () => factors);
    expect(table.columns).toEqual([...raw.columns, 'PriceAdjFactor', 'VolumeAdjFactor']);
    expect(rowCells(table, 0)).toEqual([91.7678, 91.70435, 700, 3, 0.142150078, 0.142857143]);
    expect(rowCells(table, 1)).toEqual([null, null, 0, 0, 0.142150078, 0.142857143]);
  });
});
