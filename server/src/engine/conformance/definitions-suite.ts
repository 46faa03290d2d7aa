/** Tests of parts that were written by an earlier definition of their dataset. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typedDataset, widerDataset } from '../../../test/lake/sample-dataset.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import type { CellValue } from '../columns.ts';
import { indexedColumns } from '../indexed-columns.ts';
import { storedColumnsOf } from '../stored-columns.ts';
import { anyAskedOf, anyRows, everythingOf } from './random-plans.ts';
import { inNaturalOrder, type Row, selectRows } from './select-rows.ts';
import { planOver, type TestedEngine } from './tested-engine.ts';

/** Converts a value to the column's type, independently of the product's own rules. */
const CONVERSIONS: Readonly<Record<string, (cell: CellValue) => CellValue>> = {
  ASID: (cell) => (cell as bigint) * 1000n,
  Fee: (cell) => (cell as bigint) * 100n,
  Thearrayofinteger: (cell) => (cell as readonly bigint[]).map(Number),
};

function rowsAs(from: Dataset, to: Dataset, rows: readonly Row[]): Row[] {
  const places = to.columns.map(({ name }) => from.columns.findIndex((each) => each.name === name));
  return rows.map((row) =>
    to.columns.map(({ name }, c) => {
      const cell = row[places[c] as number] ?? null;
      return cell === null ? null : (CONVERSIONS[name]?.(cell) ?? cell);
    }),
  );
}

/** Some more rows, of the later definition: those of the first with values in what was added. */
function newRowsOf(older: Dataset, wider: Dataset, rows: readonly Row[]): Row[] {
  const added: Readonly<Record<string, CellValue>> = {
    ...{ Addedstring: 'AAPL', Addeddatetime: 0n, Addeddecimal: 125n, Addedarrayofstring: ['x'] },
  };
  return rowsAs(older, wider, rows).map((row) =>
    row.map((cell, c) => added[(wider.columns[c] as Column).name] ?? cell),
  );
}

export function describeOlderParts(tested: TestedEngine): void {
  describe('parts of an earlier definition', () => {
    it('are found as the dataset has them now, among parts of today, in every order', async () => {
      const [older, wider] = [typedDataset('day'), widerDataset('day')];
      const storedColumns = storedColumnsOf(older);
      const [olds, news] = [fc.sample(anyRows, { numRuns: 8, seed: 3 }), fc.sample(anyRows, 8)];
      const oldParts = (await tested.writeParts(older, olds)).map((part, n) => {
        return { ...part, storedColumns, key: `${part.key} ${n}` };
      });
      const newRows = news.map((rows) => newRowsOf(older, wider, rows));
      const newParts = await tested.writeParts(wider, newRows);
      const parts = [...oldParts.slice(0, 2), ...newParts, ...oldParts.slice(2)];
      const kept = await Promise.all(oldParts.map((part) => tested.scan(planOver(older, [part]))));
      const rows = [
        ...kept.slice(0, 2).flatMap((each) => rowsAs(older, wider, each)),
        ...inNaturalOrder({ dataset: wider }, newRows.flat()),
        ...kept.slice(2).flatMap((each) => rowsAs(older, wider, each)),
      ];
      const anyPage = fc.record({ offset: fc.nat(90), limit: fc.integer({ min: 1, max: 200 }) });
      let foundCount = 0;
      await fc.assert(
        fc.asyncProperty(anyAskedOf(wider), anyPage, async (asked, page) => {
          const plan = planOver(wider, parts, { ...asked, ...page });
          const found = await tested.scan(plan);
          expect(found).toEqual(selectRows(plan, rows));
          foundCount += found.length;
        }),
        { numRuns: tested.runs(12), examples: [[everythingOf(wider), { offset: 0, limit: 200 }]] },
      );
      expect(foundCount).toBeGreaterThan(0);
    });

    it('are taken over into parts of today', async () => {
      const [older, wider] = [typedDataset('whole'), widerDataset('whole')];
      const storedColumns = storedColumnsOf(older);
      await fc.assert(
        fc.asyncProperty(anyRows, anyRows, async (old, added) => {
          fc.pre(old.length > 0 && added.length > 0);
          const before = await tested.writeParts(older, [old]);
          const existing = before.map((part) => ({ ...part, storedColumns }));
          const newRows = newRowsOf(older, wider, added);
          const after = await tested.writeParts(wider, [newRows], existing);
          const expected = [...rowsAs(older, wider, old), ...newRows];
          expect(await tested.scan(planOver(wider, after))).toEqual(
            inNaturalOrder({ dataset: wider }, expected),
          );
          expect(after.flatMap(({ rowGroups }) => Object.keys(rowGroups[0]?.bounds ?? {}))).toEqual(
            indexedColumns(wider),
          );
        }),
        { numRuns: tested.runs(4) },
      );
    });
  });
}
