/** Tests of groups of rows, which every engine has to compute alike. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedDataset, widerDataset } from '../../../test/lake/sample-dataset.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { batchOfRows } from '../columns.ts';
import { OutOfRangeError, UnreadablePartError } from '../engine.ts';
import {
  GROUP_INTERVALS,
  GROUPED_TYPES,
  type GroupInterval,
  type GroupKey,
  type Measure,
  ruleOf,
} from '../groups.ts';
import { type GroupedPlan, type QueryPlan, rowsOfGroups } from '../query-plan.ts';
import { storedColumnsOf } from '../stored-columns.ts';
import { groupRows } from './group-rows.ts';
import { anyAsked, anyRows, everythingOf } from './random-plans.ts';
import { inNaturalOrder, type Row, RowSelection, rowsOfBatch, selectRows } from './select-rows.ts';
import { never, planOver, type TestedEngine } from './tested-engine.ts';

const typed = typedDataset('day');
const columnNamed = (name: string, { columnByName }: Dataset = typed) =>
  columnByName.get(name) as Column;

/** Weights that cancel each other out would leave nothing but rounding. */
const MEASURES: readonly Measure[] = [
  { kind: 'count', columns: [] },
  { kind: 'vwap', columns: [columnNamed('Strike'), columnNamed('Strike')] },
  ...typed.columns.flatMap((column): Measure[] => [
    { kind: 'count', columns: [column] },
    ...(['min', 'max', 'first', 'last', 'sum', 'avg', 'stddev'] as const)
      .filter((kind) => ruleOf(kind).dataTypes.includes(column.dataType))
      .map((kind) => ({ kind, columns: [column] })),
    ...(ruleOf('quantile').dataTypes.includes(column.dataType)
      ? [0, 0.25, 0.5, 1].map((share) => ({ kind: 'quantile' as const, columns: [column], share }))
      : []),
  ]),
];

const KEYS: readonly GroupKey[] = [
  ...typed.columns
    .filter(({ dataType }) => GROUPED_TYPES.includes(dataType))
    .map((column) => ({ column })),
  ...(Object.keys(GROUP_INTERVALS) as GroupInterval[]).map((interval) => {
    const isOfDates = typeof GROUP_INTERVALS[interval] === 'string';
    return { column: columnNamed(isOfDates ? 'TradeDate' : 'EventDateTime'), interval };
  }),
];

const anyGroups = fc.record({
  keys: fc.uniqueArray(fc.constantFrom(...KEYS), {
    maxLength: 3,
    selector: ({ column }) => column.name,
  }),
  measures: fc.uniqueArray(fc.constantFrom(...MEASURES), { minLength: 1, maxLength: 5 }),
});

function grouped(plan: QueryPlan, groups: GroupedPlan['groups']): GroupedPlan {
  const columns = [
    ...groups.keys.map(({ column }) => column),
    ...groups.measures.map((measure, m): Column => {
      const [column = columnNamed('ASID')] = measure.columns;
      return { description: '', name: `m${m}`, ...ofType(ruleOf(measure.kind).typeOf(column)) };
    }),
  ];
  return { ...plan, groups, columns };
}

function ofType({
  dataType,
  fractionDigits,
  precision,
  scale,
}: Omit<Column, 'name' | 'description'>) {
  const digits = precision === undefined || scale === undefined ? {} : { precision, scale };
  return { dataType, fractionDigits, ...digits };
}

async function foundGroups(
  tested: TestedEngine,
  ...asked: Parameters<typeof tested.reader.aggregate>
) {
  const found: Row[] = [];
  for await (const batch of tested.reader.aggregate(...asked)) found.push(...rowsOfBatch(batch));
  return found;
}

/** Less than any value: what rounding leaves of a deviation of equal ones. */
const ROUNDING_MAX = 1e-12;

/** Doubles may differ in their last digits, as their sums do; everything else is exact. */
function expectGroups({ columns }: QueryPlan, found: readonly Row[], due: readonly Row[]): void {
  const roundedDouble = (value: number) =>
    Math.abs(value) < ROUNDING_MAX ? 0 : Number(value.toPrecision(9));
  const rounded = (rows: readonly Row[]) =>
    rows.map((row) =>
      row.map((cell, c) =>
        columns[c]?.dataType === 'number' && typeof cell === 'number' ? roundedDouble(cell) : cell,
      ),
    );
  expect(rounded(found)).toEqual(rounded(due));
}

const anyPage = fc.record({ offset: fc.nat(6), limit: fc.integer({ min: 1, max: 40 }) });

function describeFound(tested: TestedEngine): void {
  it('hold what a plain program computes of the rows found, page by page', async () => {
    let groupCount = 0;
    const batches = fc.sample(anyRows, { numRuns: 8, seed: 31 });
    const parts = await tested.writeParts(typed, batches);
    const rows = inNaturalOrder({ dataset: typed }, batches.flat());
    const all = { keys: KEYS.slice(0, 1), measures: MEASURES };
    await fc.assert(
      fc.asyncProperty(anyAsked, anyGroups, anyPage, async (asked, groups, page) => {
        const { predicates, grants } = asked;
        const plan = grouped(planOver(typed, parts, { predicates, grants, ...page }), groups);
        const due = groupRows(plan, selectRows(rowsOfGroups(plan), rows));
        const { offset, limit } = page;
        expectGroups(
          plan,
          await foundGroups(tested, plan, never),
          due.slice(offset, offset + limit + 1),
        );
        groupCount += due.length;
      }),
      {
        numRuns: tested.runs(60),
        examples: [[everythingOf(typed), all, { offset: 0, limit: 40 }]],
      },
    );
    expect(groupCount).toBeGreaterThan(0);
  });
}

function describeMade(tested: TestedEngine): void {
  it('are the same of rows that are made elsewhere', async () => {
    const rows = fc.sample(anyRows, { numRuns: 5, seed: 32 }).flat();
    await fc.assert(
      fc.asyncProperty(anyGroups, async (groups) => {
        const plan = grouped(planOver(typed, []), groups);
        const read = rowsOfGroups(plan);
        const selection = new RowSelection(read);
        const projected = rows.map((row) => selection.projected(row));
        const made = async function* () {
          for (let at = 0; at < projected.length; at += 50) {
            yield batchOfRows(read.columns, projected.slice(at, at + 50));
          }
        };
        expectGroups(
          plan,
          await foundGroups(tested, plan, never, made),
          groupRows(plan, projected),
        );
      }),
      {
        numRuns: tested.runs(10),
        examples: [[{ keys: [], measures: MEASURES.slice(0, 1) }]],
      },
    );
  });
}

function describeOthers(tested: TestedEngine): void {
  it('have rows of older definitions, as they are now', async () => {
    const batches = fc.sample(anyRows, { numRuns: 3, seed: 33 });
    const wider = widerDataset('day');
    const storedColumns = storedColumnsOf(typed);
    const written = await tested.writeParts(typed, batches);
    const parts = written.map((part) => ({ ...part, storedColumns }));
    const columns = ['Fee', 'ASID', 'Addedstring'].map((name) => columnNamed(name, wider));
    const measures: Measure[] = [
      ...columns.map((column) => ({ kind: 'count' as const, columns: [column] })),
      { kind: 'sum', columns: columns.slice(0, 1) },
    ];
    const plan = grouped(planOver(wider, parts), {
      keys: [{ column: columnNamed('Ticker', wider) }],
      measures,
    });
    const rows = await tested.scan(rowsOfGroups(plan));
    expect(rows.length).toBe(batches.flat().length);
    expectGroups(plan, await foundGroups(tested, plan, never), groupRows(plan, rows));
  });

  it('refuse sums of decimals with more digits than decimals have', async () => {
    const size: Column = { ...columnNamed('Fee'), precision: 38, scale: 0 };
    const measures: Measure[] = [{ kind: 'sum', columns: [size] }];
    const plan = grouped(planOver(typed, []), { keys: [], measures });
    const most = 10n ** 38n - 1n;
    const sumOf = (...values: bigint[]) =>
      foundGroups(tested, plan, never, async function* () {
        yield batchOfRows(
          [size],
          values.map((value) => [value]),
        );
      });
    expect(await sumOf(most - 1n, 1n)).toEqual([[most]]);
    await expect(sumOf(most, 1n)).rejects.toThrow(OutOfRangeError);
    await expect(sumOf(most, most)).rejects.toThrow(OutOfRangeError);
  });

  it('are none without rows, not computed when nobody wants them, and name a part that is gone', async () => {
    const groups = { keys: [], measures: MEASURES.slice(0, 1) };
    const over = (parts: QueryPlan['parts'], changes: Partial<QueryPlan> = {}) =>
      grouped(planOver(typed, parts, changes), groups);
    expect(await foundGroups(tested, over([]), never)).toEqual([]);
    const parts = await tested.writeParts(typed, fc.sample(anyRows, { numRuns: 2, seed: 34 }));
    expect(await foundGroups(tested, over(parts, { grants: [] }), never)).toEqual([]);
    const stopped = AbortSignal.abort(new Error('no longer wanted'));
    await expect(foundGroups(tested, over(parts), stopped)).rejects.toThrow('wanted');
    await tested.storage.remove(parts.map(({ location }) => location));
    await expect(foundGroups(tested, over(parts), never)).rejects.toThrow(UnreadablePartError);
  });
}

export function describeGroups(tested: TestedEngine): void {
  describe('groups', () => {
    describeFound(tested);
    describeMade(tested);
    describeOthers(tested);
  });
}
