/** Random plans over the rows of `walk-data.ts`, and random orders of asking for their pages. */
import fc from 'fast-check';
import type { Grant, ListPredicate, Predicate, QueryPlan } from '../../src/engine/query-plan.ts';
import { COLUMNS, columnNamed } from './walk-data.ts';

const anyTicker = fc.integer({ min: 0, max: 9 }).map((n) => `T${n}`);
const anyAsid = fc.integer({ min: 990, max: 1410 }).map(BigInt);
const anyDay = fc.integer({ min: 1, max: 18 }).map((n) => `2026-01-${`${n}`.padStart(2, '0')}`);

/** Short lists are looked through, long ones halved. */
const anyAsids: fc.Arbitrary<ListPredicate> = fc
  .oneof(
    fc.array(anyAsid, { minLength: 1, maxLength: 5 }),
    fc.array(anyAsid, { minLength: 20, maxLength: 300 }),
  )
  .map((values) => ({ column: columnNamed('asid'), operator: 'in', values }));

const anyTickers: fc.Arbitrary<ListPredicate> = fc
  .array(anyTicker, { minLength: 1, maxLength: 25 })
  .map((values) => ({ column: columnNamed('ticker'), operator: 'in', values }));

const anyTag = fc.constantFrom('a0', 'a3', 'b1', 'c');

const anyPredicate: fc.Arbitrary<Predicate> = fc.oneof(
  anyAsids,
  anyTickers,
  anyTicker.map((value): Predicate => ({ column: columnNamed('ticker'), operator: 'eq', value })),
  fc
    .tuple(fc.constantFrom('eq', 'ge', 'lt'), anyDay)
    .map(([operator, value]): Predicate => ({ column: columnNamed('day'), operator, value })),
  fc
    .tuple(fc.constantFrom('eq', 'gt', 'le'), fc.integer({ min: -1, max: 13 }))
    .map(([operator, value]): Predicate => ({ column: columnNamed('price'), operator, value })),
  anyTag.map((value): Predicate => ({ column: columnNamed('tags'), operator: 'eq', value })),
  fc
    .constantFrom('T*', '*3', '*')
    .map((pattern): Predicate => ({ column: columnNamed('ticker'), operator: 'like', pattern })),
);

const anyGrant: fc.Arbitrary<Grant> = fc.record({
  window: fc.option(
    fc.record({
      column: fc.constant(columnNamed('day')),
      start: anyDay,
      end: anyDay,
      passesUndated: fc.boolean(),
    }),
  ),
  universe: fc.option(fc.tuple(anyTickers, anyAsids)),
});

const anySort = fc
  .uniqueArray(fc.constantFrom('price', 'size', 'ticker', 'day', 'tags', 'time'), { maxLength: 2 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.boolean().map((descending) => ({ column: columnNamed(name), descending })),
      ),
    ),
  );

export type WalkPlan = Pick<QueryPlan, 'predicates' | 'grants' | 'sort' | 'columns'>;

/** Enough columns for a page to find its rows first and then to read them in two parts. */
const WIDE = Array.from({ length: 5 }, () => COLUMNS).flat();

const anyNarrowPlan: fc.Arbitrary<WalkPlan> = fc.record({
  predicates: fc.array(anyPredicate, { maxLength: 2 }),
  grants: fc.oneof(
    fc.constant([{ window: null, universe: null }]),
    fc.array(anyGrant, { minLength: 1, maxLength: 3 }),
  ),
  sort: fc.oneof(fc.constant([]), anySort),
  columns: fc.oneof(
    fc.constant(COLUMNS),
    fc.uniqueArray(fc.constantFrom(...COLUMNS), { minLength: 1, maxLength: 3 }),
  ),
});

export const anyWalkPlan = fc.oneof(
  { weight: 2, arbitrary: anyNarrowPlan },
  { weight: 1, arbitrary: anyNarrowPlan.map((plan) => ({ ...plan, sort: [], columns: WIDE })) },
);

export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

/** A walk or a part of one, then pages anywhere; all of it shuffled or not. */
export const anyPages: fc.Arbitrary<readonly PageRequest[]> = fc
  .record({
    limit: fc.integer({ min: 700, max: 9000 }),
    pageCount: fc.integer({ min: 1, max: 8 }),
    others: fc.array(
      fc.record({
        offset: fc.oneof(
          fc.integer({ min: 0, max: 25_000 }),
          fc.constantFrom(2047, 2048, 2049, 7000, 12_000, 12_001, 14_049, 23_049),
        ),
        limit: fc.integer({ min: 1, max: 3000 }),
      }),
      { maxLength: 4 },
    ),
  })
  .chain(({ limit, pageCount, others }) => {
    const walk = Array.from({ length: pageCount }, (_, p) => ({ offset: p * limit, limit }));
    const all = [...walk, ...others];
    return fc.oneof(
      fc.constant(all),
      fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
    );
  });
