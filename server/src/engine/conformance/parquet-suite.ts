/** Tests that the Parquet files of every engine have to pass. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset, widerDataset } from '../../../test/lake/sample-dataset.ts';
import { floorDivide } from '../../time/market-time.ts';
import { UnreadablePartError } from '../engine.ts';
import { fileColumnsOf } from '../file-columns.ts';
import type { QueryPlan } from '../query-plan.ts';
import { changeColumnOf } from '../row-changes.ts';
import { storedColumnsOf } from '../stored-columns.ts';
import { anyAsked, anyRows, everythingOf } from './random-plans.ts';
import { allBytes, readParquet } from './read-parquet.ts';
import { inNaturalOrder, type Row, selectChangedRows, selectRows } from './select-rows.ts';
import { expectRows, type NewPart, never, planOver, type TestedEngine } from './tested-engine.ts';

const daily = sampleDataset('day');
const typed = typedDataset('day');
const whole = sampleDataset('whole');

const anyPage = fc.record({ offset: fc.nat(60), limit: fc.integer({ min: 1, max: 200 }) });

async function bytesOf(tested: TestedEngine, plan: QueryPlan) {
  const { bytes, ...counts } = await tested.reader.parquet(plan, never);
  try {
    return { body: await allBytes(bytes), byteCount: bytes.byteCount, ...counts };
  } finally {
    bytes.release();
  }
}

/** The page as `scan` would give it: with one row more where there is a next page. */
async function readPage(tested: TestedEngine, plan: QueryPlan) {
  const { body, byteCount, rowCount, nextOffset } = await bytesOf(tested, plan);
  expect(byteCount).toBe(body.length);
  const { metadata, rows } = await readParquet(plan.columns, body);
  expect(rowCount).toBe(rows.length);
  return { metadata, rows, nextOffset };
}

function expectPage(
  plan: QueryPlan,
  { rows, nextOffset }: { rows: readonly Row[]; nextOffset: number | null },
  due: readonly Row[],
) {
  expectRows(rows, due.slice(0, plan.limit));
  expect(nextOffset).toBe(due.length > plan.limit ? plan.offset + plan.limit : null);
}

/** Five tickers one after the other. The row groups of engines have up to 63,488 rows. */
function manyRows(rowCount: number): Row[] {
  return Array.from({ length: rowCount }, (_, i): Row => {
    const time = 1_790_000_000_123_456_789n + BigInt(i);
    return [
      '2026-11-18',
      `T${Math.floor((i * 5) / rowCount)}`,
      time,
      i / 100,
      BigInt(i % 9),
      ['x'],
    ];
  });
}

function describeRows(tested: TestedEngine): void {
  describe('Parquet files', () => {
    it('hold what a plain program finds, in the same order and on any page', async () => {
      let foundCount = 0;
      const batches = fc.sample(anyRows, { numRuns: 8, seed: 1 });
      const parts = await tested.writeParts(typed, batches);
      const rows = inNaturalOrder({ dataset: typed }, batches.flat());
      await fc.assert(
        fc.asyncProperty(anyAsked, anyPage, async (asked, page) => {
          const plan = planOver(typed, parts, { ...asked, ...page });
          const read = await readPage(tested, plan);
          expectPage(plan, read, selectRows(plan, rows));
          foundCount += read.rows.length;
        }),
        { numRuns: tested.runs(30), examples: [[everythingOf(typed), { offset: 0, limit: 200 }]] },
      );
      expect(foundCount).toBeGreaterThan(0);
    });

    it('hold the rows that changed, on any page', async () => {
      const before = fc.sample(anyRows, { numRuns: 4, seed: 3 }).flat();
      const after = [...before.slice(7), ...fc.sample(anyRows, { numRuns: 2, seed: 4 }).flat()];
      const comparedParts = await tested.writeParts(typed, [before]);
      const parts = await tested.writeParts(typed, [after]);
      await fc.assert(
        fc.asyncProperty(anyAsked, anyPage, async (asked, page) => {
          const columns = [changeColumnOf(typed), ...asked.columns];
          const plan = { ...planOver(typed, parts, { ...asked, ...page, columns }), comparedParts };
          const { offset, limit } = page;
          const due = selectChangedRows(plan, before, after).slice(offset, offset + limit + 1);
          expectPage(plan, await readPage(tested, plan), due);
        }),
        { numRuns: tested.runs(10) },
      );
    });

    it('hold the rows of older parts as their dataset has them now', async () => {
      const wider = widerDataset('day');
      const rows = fc.sample(anyRows, { numRuns: 4, seed: 5 }).flat();
      const storedColumns = storedColumnsOf(typed);
      const parts = (await tested.writeParts(typed, [rows])).map((part) => ({
        ...part,
        storedColumns,
      }));
      for (const sort of [[], [{ column: wider.columns[3]!, descending: true }]]) {
        const plan = planOver(wider, parts, { sort });
        expect((await readPage(tested, plan)).rows).toEqual(await tested.scan(plan));
      }
    });

    it('are found in parts, cut in the middle of them and joined, on every page of a walk', async () => {
      const rowCount = tested.many(130_000);
      const parts = await tested.writeParts(whole, [manyRows(rowCount)]);
      const Ticker = whole.columnByName.get('Ticker')!;
      const value = { column: Ticker, operator: 'in', values: ['T1', 'T3', 'T4'] } as const;
      const plan = planOver(whole, parts, { predicates: [value] });
      const all = await tested.scan(plan);
      expect(all).toHaveLength((rowCount * 3) / 5);
      const found: Row[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const page = await readPage(tested, { ...plan, offset, limit: tested.many(31_000) });
        found.push(...page.rows);
        offset = page.nextOffset;
      }
      expectRows(found, all);
    });
  });
}

function describeManyRows(tested: TestedEngine): void {
  describe('Parquet files', () => {
    it('hold many rows of every type, with nulls, in any columns and order of these', async () => {
      const few = fc.sample(anyRows, { numRuns: 30, seed: 6 }).flat();
      const sameDay = few.map((row): Row => ['2026-11-18', ...row.slice(1)]);
      const rows = Array.from(
        { length: tested.many(8000) },
        (_, i) => sameDay[i % sameDay.length] as Row,
      );
      const parts = await tested.writeParts(typed, [rows]);
      const due = inNaturalOrder({ dataset: typed }, rows);
      for (const columns of [
        typed.columns,
        typed.columns.toReversed(),
        typed.columns.slice(3, 7),
      ]) {
        const plan = planOver(typed, parts, { columns });
        expectPage(plan, await readPage(tested, plan), selectRows(plan, due));
      }
    });

    it('hold the rows of many small parts', async () => {
      const batches = fc.sample(anyRows, { numRuns: 12, seed: 8 });
      const dated = batches.map((rows, day) =>
        rows.map((row): Row => [`2026-10-${day + 10}`, ...row.slice(1)]),
      );
      const parts = await tested.writeParts(typed, dated);
      const plan = planOver(typed, parts, { offset: 5 });
      const due = selectRows(plan, inNaturalOrder({ dataset: typed }, dated.flat()));
      expectPage(plan, await readPage(tested, plan), due);
    });
  });
}

function describeSchema(tested: TestedEngine): void {
  describe('Parquet files', () => {
    it('have the schema of their columns also without rows', async () => {
      const parts = await tested.writeParts(typed, [
        fc.sample(anyRows, { numRuns: 1, seed: 1 })[0]!,
      ]);
      const schemaOf = async (plan: QueryPlan) => (await readPage(tested, plan)).metadata.schema;
      const due = await schemaOf(planOver(typed, parts));
      const names = due.filter(({ name }) => typed.columnByName.has(name)).map(({ name }) => name);
      expect(names).toEqual(typed.columns.map(({ name }) => name));
      for (const empty of [planOver(typed, []), planOver(typed, parts, { grants: [] })]) {
        expect(await schemaOf(empty)).toEqual(due);
        expect((await readPage(tested, empty)).rows).toEqual([]);
      }
    });

    it('have times also as microseconds, rounded down, and beside them as integers', async () => {
      const times = 'microseconds and integers';
      const edges = [null, 0n, 1n, 999n, 1000n, -1n, -1000n, -1001n, 1_790_000_000_123_456_789n];
      const rows = edges.map((time, i): Row => ['2026-11-18', 'A', time, i, BigInt(i), null]);
      const plan = planOver(whole, await tested.writeParts(whole, [rows]));
      const { bytes } = await tested.reader.parquet(plan, never, times);
      const columns = fileColumnsOf(whole.columns, times);
      const file = await readParquet(columns, await allBytes(bytes));
      bytes.release();
      const at = whole.columns.findIndex(({ dataType }) => dataType === 'date-time');
      const due = (await tested.scan(plan)).map((row) => {
        const nanos = row[at] as bigint | null;
        const micros = nanos === null ? null : BigInt(floorDivide(nanos, 1000n));
        return [...row.slice(0, at), micros, nanos, ...row.slice(at + 1)];
      });
      expect(file.rows).toEqual(due);
      expect(due.map((row) => row[at])).toContain(-2n);
      const time = file.metadata.schema.find(({ name }) => name === columns[at]?.name);
      expect(time?.logical_type).toMatchObject({ isAdjustedToUTC: true, unit: 'MICROS' });
    });

    it('say that times are nanoseconds in UTC, and where the rows are from', async () => {
      const days = { operator: 'in', values: ['2026-11-02', '2026-11-20'] } as const;
      const predicates = [{ column: typed.columnByName.get('TradeDate')!, ...days }];
      const plan = planOver(typed, [], { version: 12, predicates });
      const { metadata } = await readPage(tested, plan);
      const time = metadata.schema.find(({ name }) => name === 'EventDateTime');
      expect(time?.logical_type).toMatchObject({ isAdjustedToUTC: true, unit: 'NANOS' });
      const keyValues = metadata.key_value_metadata?.map(({ key, value }) => [key, value]);
      expect(Object.fromEntries(keyValues ?? [])).toMatchObject({
        'ticklake.dataset_id': 'US9001',
        'ticklake.dataset_version': '12',
        'ticklake.window': '2026-11-02/2026-11-20',
      });
    });
  });
}

function describeMaking(tested: TestedEngine): void {
  describe('Parquet files', () => {
    let parts: NewPart[];
    beforeAll(async () => {
      parts = await tested.writeParts(whole, [manyRows(tested.many(64_000))]);
    });

    it('are the same bytes each time for the same plan, also while others are made', async () => {
      const Strike = whole.columnByName.get('Strike')!;
      const sorted = planOver(whole, parts, { sort: [{ column: Strike, descending: true }] });
      const cut = planOver(whole, parts, {
        predicates: [{ column: Strike, operator: 'gt', value: 123 }],
      });
      for (const plan of [sorted, cut, planOver(whole, parts)]) {
        const [first, ...others] = await Promise.all([1, 2].map(() => bytesOf(tested, plan)));
        for (const other of others) expect(first?.body.equals(other.body)).toBe(true);
      }
    });

    it('stop being made when nobody wants them, with the reason', async () => {
      const abort = new AbortController();
      // In another order than before, which engines may remember.
      const Strike = whole.columnByName.get('Strike')!;
      const sorted = planOver(whole, parts, { sort: [{ column: Strike, descending: false }] });
      const stopped = tested.reader.parquet(sorted, abort.signal);
      abort.abort(new Error('enough'));
      await expect(stopped).rejects.toThrow('enough');
      const later = AbortSignal.abort(new Error('no longer wanted'));
      await expect(tested.reader.parquet(planOver(whole, parts), later)).rejects.toThrow('wanted');
    });

    it('are not made of a part that is gone, which the operator is told', async () => {
      const [part] = (await tested.writeParts(daily, [[['2026-11-18', 'A', 1n, 1, 1n, null]]])) as [
        NewPart,
      ];
      await tested.storage.remove([part.location]);
      await expect(tested.reader.parquet(planOver(daily, [part]), never)).rejects.toThrow(
        UnreadablePartError,
      );
    });
  });
}

export function describeParquet(tested: TestedEngine): void {
  describeRows(tested);
  describeManyRows(tested);
  describeSchema(tested);
  describeMaking(tested);
}
