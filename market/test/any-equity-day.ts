import fc from 'fast-check';
import type { EquityEvent } from '../src/events.ts';
import { bits, FOUR, MINUTE } from './naive-equity-bars.ts';

const MINUTES = [
  -241n,
  -240n,
  -166n,
  239n,
  240n,
  240n,
  240n,
  241n,
  243n,
  600n,
  600n,
  601n,
  1199n,
  1200n,
];
const anyNanos = fc
  .tuple(
    fc.constantFrom(...MINUTES),
    fc.oneof(
      fc.integer({ min: 0, max: 59_999_999_999 }),
      fc.integer({ min: 0, max: 1999 }).map((n) => n * 30_000_000),
      fc.constantFrom(0, 59_999_999_999, 30_000_000_000),
    ),
  )
  .map(([minute, nanos]) => Number(minute * MINUTE) + nanos);
const anyPrice = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.integer({ min: 0, max: 8 }).map((n) => (100_000 + n * 100) / 10_000),
  },
  { weight: 4, arbitrary: fc.integer({ min: 99_990, max: 100_300 }).map((n) => n / 10_000) },
  { weight: 1, arbitrary: fc.constantFrom(0, 0.01, 0.02, 0.49, 0.5, 99, 101, 20_000) },
);
const anyQuantity = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 9 }).map((n) => n * 100) },
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 99 }) },
);
const tradeMasks = [bits(0), bits(0), bits(0), bits(0, 5), bits(0, 31), bits(31, 10, 0), bits(9), 0]
  .concat([bits(0, 25), bits(0, 14), bits(20), bits(11, 0), bits(10, 0), bits(6, 0), bits(26)])
  .concat([bits(9, 0), bits(1), bits(28), bits(30), bits(10), bits(13)]);
const quoteMasks = [bits(0), bits(0), bits(0), bits(0), bits(1), bits(0, 3), bits(10), bits(11), 0];
const VENUES = ['NYSE', 'ARCA', 'NASDAQ', 'BATS'];
const anyQuote = fc.record({
  nanosOfDay: anyNanos,
  type: fc.constantFrom(
    'QUOTE BID',
    'QUOTE BID NB',
    'QUOTE ASK',
    'QUOTE ASK NB',
    'QUOTE BID NB',
    'QUOTE ASK NB',
  ),
  price: anyPrice,
  quantity: anyQuantity,
  exchange: fc.constantFrom(...VENUES),
  conditions: fc.constantFrom(...quoteMasks),
});
const anyTrade = fc.record({
  nanosOfDay: anyNanos,
  type: fc.constantFrom(
    'TRADE',
    'TRADE',
    'TRADE NB',
    'TRADE NB',
    'TRADE CANCELLED',
    'TRADE NB CANCELLED',
  ),
  price: anyPrice,
  quantity: anyQuantity.map((n) => n),
  exchange: fc.constantFrom(...VENUES, 'FINRA', 'FINRA'),
  conditions: fc.constantFrom(...tradeMasks),
});
/**
 * Events of one day that crowd a few minutes, edges of bars, of the night and of the day among
 * them. Half of the days have nothing but quotes before 04:00.
 */
export const anyDay: fc.Arbitrary<EquityEvent[]> = fc
  .tuple(
    fc.array(fc.oneof(anyQuote, anyTrade) as fc.Arbitrary<EquityEvent>, {
      ...{ maxLength: 80, size: 'max' },
    }),
    fc.boolean(),
  )
  .map(([events, hasNight]) =>
    events
      .filter(({ nanosOfDay, type }) => hasNight || nanosOfDay >= FOUR || type.startsWith('QUOTE'))
      .sort((a, b) => a.nanosOfDay - b.nanosOfDay),
  );
