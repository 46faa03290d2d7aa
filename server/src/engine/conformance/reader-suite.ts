/** Tests that the readers of every engine have to pass. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset } from '../../../test/lake/sample-dataset.ts';
import { UnreadablePartError } from '../engine.ts';
import { changeColumnOf } from '../row-changes.ts';
import { samplePredicate } from '../sample.ts';
import { type Asked, anyAsked, anyRows, everythingOf } from './random-plans.ts';
import {
  countRowsByDay,
  inNaturalOrder,
  type Row,
  selectChangedRows,
  selectRows,
} from './select-rows.ts';
import { type NewPart, never, planOver, type TestedEngine } from './tested-engine.ts';

const daily = sampleDataset('day');
const typed = typedDataset('day');
const whole = sampleDataset('whole');

export function describeFoundRows(tested: TestedEngine): void {
  describe('reader', () => {
    it('finds what a plain program finds, in the same order', async () => {
      let foundCount = 0;
      const batches = fc.sample(anyRows, { numRuns: 8, seed: 1 });
      const parts = await tested.writeParts(typed, batches);
      const rows = inNaturalOrder({ dataset: typed }, batches.flat());
      const anyPage = fc.record({ offset: fc.nat(60), limit: fc.integer({ min: 1, max: 200 }) });
      await fc.assert(
        fc.asyncProperty(anyAsked, anyPage, async (asked, page) => {
          const plan = planOver(typed, parts, { ...asked, ...page });
          const found = await tested.scan(plan);
          expect(found).toEqual(selectRows(plan, rows));
          foundCount += found.length;
        }),
        { numRuns: tested.runs(60), examples: [[everythingOf(typed), { offset: 0, limit: 200 }]] },
      );
      expect(foundCount).toBeGreaterThan(0);
    });

    it('matches patterns in any case, and no character but `*` for another one', async () => {
      const tickers = ['A-B{c', 'A.B', 'AxB', 'twelve bytes'];
      const rows = tickers.map((ticker): Row => ['2026-11-18', ticker, 1n, 1, 1n, null]);
      const parts = await tested.writeParts(daily, [rows]);
      const column = daily.columnByName.get('Ticker')!;
      const found = async (operator: 'like' | 'ilike', pattern: string) => {
        const predicates = [{ column, operator, pattern }];
        return (await tested.scan(planOver(daily, parts, { predicates }))).map(([, each]) => each);
      };
      expect(await found('ilike', '*TWELVE*')).toEqual(['twelve bytes']);
      expect(await found('ilike', 'a.b')).toEqual(['A.B']);
      expect(await found('ilike', '*-b{*')).toEqual(['A-B{c']);
      expect(await found('ilike', '*TES')).toEqual(['twelve bytes']);
      expect(await found('like', '*TWELVE*')).toEqual([]);
      expect(await found('like', 'A*B')).toEqual(['A.B', 'AxB']);
    });

    it('gives every row once in the pages of a walk, in whatever order they are asked', async () => {
      const batches = fc.sample(anyRows, { numRuns: 10, seed: 2 });
      const parts = await tested.writeParts(typed, batches);
      const rows = inNaturalOrder({ dataset: typed }, batches.flat());
      await fc.assert(
        fc.asyncProperty(
          anyAsked,
          fc.integer({ min: 20, max: 90 }),
          fc.boolean(),
          async (asked, limit, isReversed) => {
            const plan = planOver(typed, parts, asked);
            const all = selectRows(plan, rows);
            const offsets = Array.from(
              { length: Math.ceil(rows.length / limit) },
              (_, n) => n * limit,
            );
            for (const offset of isReversed ? offsets.toReversed() : offsets) {
              const page = await tested.scan({ ...plan, offset, limit });
              expect(page).toEqual(all.slice(offset, offset + limit + 1));
            }
          },
        ),
        { numRuns: tested.runs(3) },
      );
    });
  });
}

export function describeSamples(tested: TestedEngine): void {
  it('reads the sample that every engine and release has read', async () => {
    const { naturalOrder } = whole;
    const order = { ...whole, naturalOrder: [...naturalOrder, 'Strike', 'ASID'] };
    const rows = [null, 1.5, -0.25, 1e300, Number.NaN, Infinity].flatMap((strike, s) =>
      ['A', 'é', null].map((ticker, t): Row => {
        const day = s + t > 5 ? null : `19${60 + 10 * t}-11-1${s}`;
        const time = t === 1 ? -1n : t === 2 && s > 2 ? null : 1_790_000_000_123_456_789n;
        return [day, ticker, time, strike, s > 3 ? null : 2n ** 63n - 1n - BigInt(s), null];
      }),
    );
    const numbered = inNaturalOrder({ dataset: order }, rows);
    const parts = await tested.writeParts(order, [numbered]);
    const predicates = [samplePredicate(order, 500_000)].filter((each) => each !== null);
    const found = await tested.scan(planOver(order, parts, { predicates }));
    const texts = numbered.map((row) => row.join());
    expect(found.map((row) => texts.indexOf(row.join()))).toEqual([
      0, 1, 2, 3, 4, 7, 9, 10, 11, 12, 13, 14, 15,
    ]);
  });
}

export function describeDayCounts(tested: TestedEngine): void {
  describe('reader, counting by day,', () => {
    it.each([typed, typedDataset('whole')])(
      'counts what a plain program counts: by $partitioning.unit',
      async (dataset) => {
        let dayCount = 0;
        const batches = fc.sample(anyRows, { numRuns: 6, seed: 7 });
        const parts = await tested.writeParts(dataset, batches);
        const rows = inNaturalOrder({ dataset }, batches.flat());
        await fc.assert(
          fc.asyncProperty(anyAsked, async ({ predicates, grants }) => {
            const plan = planOver(dataset, parts, { predicates, grants });
            const counts = await tested.reader.countByDay(plan, never);
            expect(counts).toEqual(countRowsByDay(dataset, selectRows(plan, rows)));
            dayCount += counts.length;
          }),
          { numRuns: tested.runs(12), examples: [[everythingOf(dataset)]] },
        );
        expect(dayCount).toBeGreaterThan(0);
        const page = { columns: [], offset: 5, limit: 1 };
        expect(await tested.reader.countByDay(planOver(dataset, parts, page), never)).toEqual(
          countRowsByDay(dataset, rows),
        );
      },
    );

    it('counts nothing without parts, stops when it is told, and names a part that is gone', async () => {
      const { reader } = tested;
      expect(await reader.countByDay(planOver(daily, []), never)).toEqual([]);
      const parts = await tested.writeParts(daily, [[['2026-11-18', 'A', 1n, 1, 1n, null]]]);
      const stopped = AbortSignal.abort(new Error('no longer wanted'));
      await expect(reader.countByDay(planOver(daily, parts), stopped)).rejects.toThrow('wanted');
      await tested.storage.remove(parts.map(({ location }) => location));
      await expect(reader.countByDay(planOver(daily, parts), never)).rejects.toThrow(
        UnreadablePartError,
      );
    });
  });
}

/** Another state of the rows: some are gone, some are there twice, and some are new. */
const changedFrom = (rows: readonly Row[], added: readonly Row[]): Row[] => [
  ...rows.filter((_, index) => index % 5 !== 0),
  ...rows.filter((_, index) => index % 11 === 0),
  ...added,
];

export function describeChangedRows(tested: TestedEngine): void {
  describe('reader, comparing two states of a dataset,', () => {
    let parts: { readonly before: NewPart[]; readonly after: NewPart[] };
    let before: Row[];
    let after: Row[];
    beforeAll(async () => {
      before = fc.sample(anyRows, { numRuns: 6, seed: 3 }).flat();
      after = changedFrom(before, fc.sample(anyRows, { numRuns: 2, seed: 4 }).flat());
      parts = {
        before: await tested.writeParts(typed, [before]),
        after: await tested.writeParts(typed, [after]),
      };
    });
    const planFor = (asked: Partial<Asked>) => ({
      ...planOver(typed, parts.after, asked),
      comparedParts: parts.before,
      columns: [changeColumnOf(typed), ...(asked.columns ?? typed.columns)],
    });

    it('finds the rows that were removed and added, as often as they were', async () => {
      const plan = planFor({});
      const found = await tested.scan(plan);
      expect(found).toEqual(selectChangedRows(plan, before, after));
      expect(new Set(found.map(([change]) => change))).toEqual(new Set(['removed', 'added']));
      expect(await tested.scan({ ...plan, comparedParts: parts.after })).toEqual([]);
    });

    it.each([
      ['added', 'removed'],
      ['removed', 'added'],
    ] as const)('finds all rows to be %s where the other state has none', async (change, other) => {
      const plan = planFor({});
      const rows = await tested.scan(
        change === 'added' ? { ...plan, comparedParts: [] } : { ...plan, parts: [] },
      );
      expect(rows).toHaveLength((change === 'added' ? after : before).length);
      expect(rows.map(([each]) => each)).not.toContain(other);
    });

    it('finds what a plain program finds, in the same order and on any page', async () => {
      let foundCount = 0;
      const anyPage = fc.record({ offset: fc.nat(40), limit: fc.integer({ min: 1, max: 60 }) });
      await fc.assert(
        fc.asyncProperty(anyAsked, anyPage, async (asked, { offset, limit }) => {
          const plan = planFor(asked);
          const all = selectChangedRows(plan, before, after);
          for (const from of [offset, offset + limit]) {
            const found = await tested.scan({ ...plan, offset: from, limit });
            expect(found).toEqual(all.slice(from, from + limit + 1));
            foundCount += found.length;
          }
        }),
        { numRuns: tested.runs(60), examples: [[everythingOf(typed), { offset: 0, limit: 60 }]] },
      );
      expect(foundCount).toBeGreaterThan(0);
    });
  });
}

export function describeMissingRows(tested: TestedEngine): void {
  describe('reader, where there is nothing,', () => {
    it('finds nothing without parts or grants', async () => {
      const parts = await tested.writeParts(daily, [[['2026-11-18', 'A', 1n, 1, 1n, null]]]);
      expect(await tested.scan(planOver(daily, parts, { grants: [] }))).toEqual([]);
      expect(await tested.scan(planOver(daily, []))).toEqual([]);
    });

    it('says that a part is gone, to the operator', async () => {
      const [part] = (await tested.writeParts(daily, [[['2026-11-18', 'A', 1n, 1, 1n, null]]])) as [
        NewPart,
      ];
      await tested.storage.remove([part.location, tested.storage.newLocation(daily, part.key)]);
      expect(await tested.storage.findDamage(part)).toContain('is missing');
      await expect(tested.scan(planOver(daily, [part]))).rejects.toThrow(UnreadablePartError);
    });
  });
}

export function describeStream(tested: TestedEngine): void {
  describe('stream', () => {
    let parts: NewPart[];
    const rowCount = tested.many(150_000);
    beforeAll(async () => {
      const rows = Array.from({ length: rowCount }, (_, i): Row => {
        return ['2026-11-18', `T${i % 100}`, BigInt(i), i, null, null];
      });
      parts = await tested.writeParts(whole, [rows]);
    });
    const everything = () => planOver(whole, parts, { limit: Number.MAX_SAFE_INTEGER - 1 });

    it('holds a small part of the rows at a time, all of them in the end', async () => {
      let count = 0;
      for await (const batch of tested.reader.scan(everything(), never)) {
        expect(batch.rowCount).toBeLessThan(rowCount / 10);
        count += batch.rowCount;
      }
      expect(count).toBe(rowCount);
    });

    it('ends when nobody wants more, as often as it likes', async () => {
      for (let time = 0; time < 20; time++) {
        for await (const batch of tested.reader.scan(everything(), never)) {
          expect(batch.rowCount).toBeGreaterThan(0);
          break;
        }
      }
      expect(await tested.scan({ ...everything(), limit: 9 })).toHaveLength(10);
    });

    it.each([
      ['before it has begun', 0],
      ['between two batches', 1],
    ])('is cancelled %s, with the reason', async (_when, takenCount) => {
      const abort = new AbortController();
      const batches = tested.reader.scan(everything(), abort.signal)[Symbol.asyncIterator]();
      for (let taken = 0; taken < takenCount; taken++) await batches.next();
      abort.abort(new Error('enough'));
      await expect(batches.next()).rejects.toThrow('enough');
      expect(await tested.scan({ ...everything(), limit: 9 })).toHaveLength(10);
    });
  });
}
