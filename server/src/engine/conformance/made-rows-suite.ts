/** Tests of rows made elsewhere, which engines have to sort and write like their own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedDataset } from '../../../test/lake/sample-dataset.ts';
import { batchOfRows, type ColumnBatch } from '../columns.ts';
import { type QueryPlan, sortedColumns } from '../query-plan.ts';
import { type Asked, anyAsked, anyRows, everythingOf } from './random-plans.ts';
import { allBytes, readParquet } from './read-parquet.ts';
import { type Row, RowSelection, rowsOfBatch, selectRows } from './select-rows.ts';
import { expectRows, never, planOver, type TestedEngine } from './tested-engine.ts';

const typed = typedDataset('day');
const anyPage = fc.record({ offset: fc.nat(60), limit: fc.integer({ min: 1, max: 200 }) });

/** No engine has anything of the parts: whatever it finds, it has been given. */
function planOf(asked: Partial<Asked>, page: Pick<QueryPlan, 'offset' | 'limit'>): QueryPlan {
  return planOver(typed, [], { ...asked, ...page, predicates: [] });
}

/** Grants say nothing of rows that are given, but make walks of equal questions different ones. */
function walkOf(number: number): Pick<QueryPlan, 'grants'> {
  const column = typed.columnByName.get('Ticker')!;
  const universe = [{ column, operator: 'in' as const, values: [`${number}`] }];
  return { grants: [{ window: null, universe }] };
}

/** The rows in batches of a few, with a turn of others before each. */
async function* batchesOf(
  columns: QueryPlan['columns'],
  rows: readonly Row[],
): AsyncGenerator<ColumnBatch> {
  const selection = new RowSelection({ dataset: typed, columns } as unknown as QueryPlan);
  for (let at = 0; at < rows.length; at += 2500) {
    await new Promise(setImmediate);
    const some = rows.slice(at, at + 2500).map((row) => selection.projected(row));
    yield batchOfRows(columns, some);
  }
}

async function sorted(tested: TestedEngine, plan: QueryPlan, rows: readonly Row[]) {
  const made = () => batchesOf(sortedColumns(plan), rows);
  const found: Row[] = [];
  for await (const batch of tested.reader.sortRows(plan, made, never)) {
    found.push(...rowsOfBatch(batch));
  }
  return found;
}

async function bytesOf(tested: TestedEngine, plan: QueryPlan, rows: readonly Row[]) {
  const { bytes, ...counts } = await tested.reader.writeParquet(
    plan,
    batchesOf(plan.columns, rows),
    never,
  );
  const body = await allBytes(bytes);
  expect(bytes.byteCount).toBe(body.length);
  bytes.release();
  return { body, ...counts };
}

async function written(tested: TestedEngine, plan: QueryPlan, rows: readonly Row[]) {
  const { body, ...counts } = await bytesOf(tested, plan, rows);
  return { ...counts, ...(await readParquet(plan.columns, body)) };
}

/** Yields the rows, then fails. */
async function* failing(rows: AsyncIterable<ColumnBatch>): AsyncGenerator<ColumnBatch> {
  yield* rows;
  throw new Error('the rows came to nothing');
}

/** More than a row group has. */
function manyRows(tested: TestedEngine): Row[] {
  const few = fc.sample(anyRows, { numRuns: 30, seed: 6 }).flat();
  return Array.from({ length: tested.many(64_000) }, (_, i) => few[i % few.length] as Row);
}

function describeSorting(tested: TestedEngine): void {
  it('come in the order of any sort, equal ones as they are given, on any page', async () => {
    let foundCount = 0;
    await fc.assert(
      fc.asyncProperty(anyAsked, anyPage, fc.nat(1000), async (asked, page, seed) => {
        const rows = fc.sample(anyRows, { numRuns: 4, seed }).flat();
        const plan = planOf({ sort: asked.sort, columns: asked.columns }, page);
        // Engines may remember walks, and those of other rows are others.
        const found = await sorted(tested, { ...plan, ...walkOf(seed) }, rows);
        expectRows(found, selectRows(plan, rows));
        foundCount += found.length;
      }),
      {
        numRuns: tested.runs(20),
        examples: [[everythingOf(typed), { offset: 0, limit: 200 }, 0]],
      },
    );
    expect(foundCount).toBeGreaterThan(0);
  });

  it('are sorted page by page, many of them', async () => {
    const rows = manyRows(tested);
    const sort = [{ column: typed.columns[3]!, descending: true }];
    const columns = typed.columns.slice(0, 3);
    const limit = tested.many(30_000);
    const all = selectRows(planOf({ sort, columns }, { offset: 0, limit: rows.length }), rows);
    for (const offset of [0, limit, 2 * limit, 3 * limit]) {
      const plan = planOf({ sort, columns }, { offset, limit });
      const found = await sorted(tested, { ...plan, ...walkOf(-1) }, rows);
      expectRows(found, all.slice(offset, offset + limit + 1));
    }
  });
}

function describeFiles(tested: TestedEngine): void {
  it('are written as Parquet, up to the limit of the page', async () => {
    await fc.assert(
      fc.asyncProperty(anyAsked, anyPage, anyRows, async ({ columns }, page, rows) => {
        const plan = planOf({ columns }, page);
        const selection = new RowSelection(plan);
        const due = rows.slice(0, page.limit + 1);
        const file = await written(tested, plan, due);
        expect(file.rows).toEqual(due.slice(0, page.limit).map((row) => selection.projected(row)));
        expect(file.rowCount).toBe(file.rows.length);
        expect(file.nextOffset).toBe(due.length > page.limit ? page.offset + page.limit : null);
      }),
      { numRuns: tested.runs(10) },
    );
  });

  it('are written as Parquet, many of them, as the same bytes each time', async () => {
    const rows = manyRows(tested);
    const plan = planOf({}, { offset: 0, limit: 1_000_000 });
    const [one, other] = await Promise.all([1, 2].map(() => bytesOf(tested, plan, rows)));
    const body = one?.body as Buffer;
    expectRows((await readParquet(plan.columns, body)).rows, rows);
    expect(body.equals(other?.body as Buffer)).toBe(true);
  });

  it('have a file of their columns also where there are none, with the labels of the plan', async () => {
    const plan = { ...planOf({}, { offset: 0, limit: 10 }), version: 7 };
    const { rows, metadata } = await written(tested, plan, []);
    expect(rows).toEqual([]);
    const names = metadata.schema.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(typed.columns.map(({ name }) => name)));
    const labels = metadata.key_value_metadata?.map(({ key, value }) => `${key}=${value}`);
    expect(labels).toContain('ticklake.dataset_version=7');
  });
}

function describeFailures(tested: TestedEngine): void {
  it('are neither sorted nor written where they fail, with their own reason', async () => {
    const rows = manyRows(tested).slice(0, 10);
    const plan = planOf(
      { sort: [{ column: typed.columns[3]!, descending: false }] },
      {
        offset: 0,
        limit: 5,
      },
    );
    const made = () => failing(batchesOf(sortedColumns(plan), rows));
    const read = Array.fromAsync(tested.reader.sortRows({ ...plan, ...walkOf(-2) }, made, never));
    await expect(read).rejects.toThrow('came to nothing');
    const file = tested.reader.writeParquet(plan, failing(batchesOf(plan.columns, rows)), never);
    await expect(file).rejects.toThrow('came to nothing');
  });

  it('are no longer sorted or written when nobody wants them, with the reason', async () => {
    const rows = manyRows(tested).slice(0, tested.many(20_000));
    const plan = planOf(
      { sort: [{ column: typed.columns[3]!, descending: false }] },
      {
        offset: 0,
        limit: 5,
      },
    );
    const stop = () => {
      const abort = new AbortController();
      setImmediate(() => abort.abort(new Error('enough')));
      return abort.signal;
    };
    const made = () => batchesOf(sortedColumns(plan), rows);
    const read = Array.fromAsync(tested.reader.sortRows({ ...plan, ...walkOf(-3) }, made, stop()));
    await expect(read).rejects.toThrow('enough');
    const file = tested.reader.writeParquet(plan, batchesOf(plan.columns, rows), stop());
    await expect(file).rejects.toThrow('enough');
  });
}

export function describeMadeRows(tested: TestedEngine): void {
  describe('rows that are made elsewhere', () => {
    describeSorting(tested);
    describeFiles(tested);
    describeFailures(tested);
  });
}
