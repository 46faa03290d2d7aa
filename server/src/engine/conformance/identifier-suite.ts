/** Tests of the identifier order of parts, which an engine may keep or not. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { typedDataset } from '../../../test/lake/sample-dataset.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import { compareBounds } from '../../plan/prune.ts';
import { dateOfDays } from '../columns.ts';
import { indexedColumns } from '../indexed-columns.ts';
import type { RowGroup, RowRange } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { ALL_ROWS, anyAsked, everythingOf } from './random-plans.ts';
import type { Row } from './select-rows.ts';
import { expectRows, type NewPart, planOver, type TestedEngine } from './tested-engine.ts';

const FIRST_DAY = 20_454;
/** Tickers of every dataset; more follow as the engine's row groups need them. */
const TICKERS = [
  'AAPL',
  'aapl',
  'A',
  '',
  'é',
  'none',
  null,
  ...Array.from({ length: 10 }, (_, i) => `T${i}`),
];
/** A year that takes more than one file of an engine, and a month of the next one. */
const DAY_COUNT = 395;
const dataset: Dataset = { ...typedDataset('year'), alsoStoredBy: 'Ticker' };
const TICKER = dataset.columnByName.get('Ticker') as Column;
/** A page that finds rows, whatever else is tried. */
const EVERYTHING = everythingOf(dataset);
const FIRST_PAGE = { offset: 0, limit: 1000 };
const FOUND_TICKERS = ['A', 'é', 'T3', 'T7'];

/** Years of days on which each ticker has a row or, where it is null, two. */
function rowsOf(tickers: readonly (string | null)[]): Row[] {
  return Array.from({ length: DAY_COUNT }, (_, day) =>
    tickers.flatMap((ticker, t): Row[] => {
      const keys: Row = [dateOfDays(FIRST_DAY + day), ticker, BigInt(t % 7), day % 5];
      const row: Row = [...keys, BigInt(t), null, day % 2 === 0, null, [t / 4], BigInt(t % 3)];
      return ticker === null ? [row, row.with(4, null)] : [row];
    }),
  ).flat();
}

/** The row groups that may hold the tickers, as ranges of rows. */
function rangesOf(groups: readonly RowGroup[], tickers: readonly string[] | null): RowRange[] {
  let start = 0;
  return groups.flatMap(({ rowCount, bounds }) => {
    const range = { start, end: start + rowCount };
    start = range.end;
    const { min, max } = bounds.Ticker as { min: string | null; max: string | null };
    const mayHold = (ticker: string) =>
      min !== null &&
      max !== null &&
      compareBounds(min, ticker) <= 0 &&
      compareBounds(ticker, max) <= 0;
    return tickers === null || tickers.some(mayHold) ? [range] : [];
  });
}

/** The last days come later, as a nightly load appends them. */
async function writtenIn(tested: TestedEngine): Promise<NewPart[]> {
  const more = Array.from({ length: tested.many(183) }, (_, i) => `U${i}`);
  const all = rowsOf([...TICKERS, ...more]);
  const split = all.length - 7 * (TICKERS.length + more.length);
  const before = await tested.writeParts(dataset, [all.slice(0, split)]);
  const after = await tested.writeParts(dataset, [all.slice(split)], before);
  return before.map((part) => after.find(({ key }) => key === part.key) ?? part);
}

/** A plan that reads the identifier order where the tickers may be; null: all of it. */
function byIdentifier(
  parts: readonly NewPart[],
  asked: Partial<QueryPlan>,
  tickers: readonly string[] | null,
): QueryPlan {
  const identifierRows = parts.map(({ identifierOrder = [] }) =>
    rangesOf(identifierOrder, tickers),
  );
  return { ...planOver(dataset, parts, asked), identifierRows };
}

function checkOrder({ identifierOrder, rowCount }: NewPart): void {
  if (!identifierOrder) return;
  expect(identifierOrder.reduce((sum, group) => sum + group.rowCount, 0)).toBe(rowCount);
  let last = '';
  for (const { byteCount, bounds } of identifierOrder) {
    expect(byteCount).toBeGreaterThan(0);
    expect(Object.keys(bounds)).toEqual(indexedColumns(dataset));
    const { min, max } = bounds.Ticker as { min: string | null; max: string | null };
    if (min === null || max === null) continue;
    expect(compareBounds(last, min)).toBeLessThanOrEqual(0);
    expect(compareBounds(min, max)).toBeLessThanOrEqual(0);
    last = max;
  }
}

async function checkNamed(tested: TestedEngine, parts: readonly NewPart[]): Promise<void> {
  const anyTickers = fc.array(fc.constantFrom(...TICKERS.filter((each) => each !== null)), {
    minLength: 1,
    maxLength: 4,
  });
  const anyPage = fc.record({ offset: fc.nat(900), limit: fc.integer({ min: 1, max: 1000 }) });
  let foundCount = 0;
  await fc.assert(
    fc.asyncProperty(
      ...[anyTickers, anyAsked, anyPage, fc.boolean()],
      async (values, asked, page, isPlain) => {
        const named = { column: TICKER, operator: 'in' as const, values };
        const predicates = isPlain ? [named] : [named, ...asked.predicates.slice(0, 1)];
        const grants = isPlain ? [ALL_ROWS] : asked.grants;
        const wanted = { ...asked, predicates, grants, ...page };
        const found = await tested.scan(byIdentifier(parts, wanted, values));
        const natural = planOver(dataset, parts, wanted);
        expectRows(found, await tested.scan(natural));
        const naturalRows = parts.map(({ rowGroups }) => rangesOf(rowGroups, values));
        expectRows(found, await tested.scan({ ...natural, naturalRows }));
        foundCount += found.length;
      },
    ),
    { numRuns: tested.runs(5), examples: [[FOUND_TICKERS, EVERYTHING, FIRST_PAGE, true]] },
  );
  expect(foundCount).toBeGreaterThan(0);
}

export function describeIdentifierOrder(tested: TestedEngine): void {
  describe('identifier order, if the engine has one,', () => {
    let parts: NewPart[];
    beforeAll(async () => {
      parts = await writtenIn(tested);
    });

    it('has all rows of its part, with their bounds, by the identifier', () => {
      for (const part of parts) checkOrder(part);
    });

    it('finds the rows of identifiers as the natural order does, on any page', () =>
      checkNamed(tested, parts));

    it('gives every row once in the pages of a walk, in natural order', async () => {
      const all = await tested.scan(planOver(dataset, parts));
      expectRows(await tested.scan(byIdentifier(parts, {}, null)), all);
      const limit = tested.many(30_000);
      const plan = { ...byIdentifier(parts, {}, null), scannedRows: 1e6, limit };
      for (let offset = 0; offset < all.length; offset += limit) {
        const page = await tested.scan({ ...plan, offset });
        expectRows(page, all.slice(offset, offset + limit + 1));
      }
    });

    it('is copied and removed with its part', async () => {
      const [part] = parts as [NewPart];
      const { copyTo } = tested.storage;
      if (!copyTo) return;
      await tested.withOther(async (other) => {
        for (let time = 0; time < 2; time++) await copyTo(part, other.home);
        expect(await Array.fromAsync(other.storage.locations())).toEqual([part.location]);
        expect(await other.storage.findDamage(part)).toBeNull();
        expect(await other.storage.digestOf(part.location)).toBe(part.digest);
        await other.storage.remove([part.location]);
        expect(await Array.fromAsync(other.storage.locations())).toEqual([]);
      });
    });
  });
}
