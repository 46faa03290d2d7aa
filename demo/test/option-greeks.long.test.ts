/** The analytics of options do not depend on how their ticks are cut into batches. */
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { OPTION_GREEKS } from 'ticklake/derive/option-computations.ts';
import { type ColumnBatch, takeRows } from 'ticklake/engine/columns.ts';
import { expect, test } from 'vitest';
import {
  AS_OF,
  catalog,
  columnOf,
  generateTables,
  type Table,
  TINY_SIZE,
} from './generated-market.ts';

const tables = generateTables(5, AS_OF, TINY_SIZE, ['opt_tanq', 'eq_adj_factors_basic']);
const datasetOf = (textId: string) => catalog.byTextId(textId) as Dataset;
const tableOf = (textId: string) => tables.get(textId) as Table;

function withColumns(dataset: Dataset, batch: ColumnBatch, names: readonly string[]): ColumnBatch {
  const all = dataset.columns.map(({ name }) => name);
  const columns = names.map((name) => batch.columns[all.indexOf(name)]);
  return { rowCount: batch.rowCount, columns } as ColumnBatch;
}

function* cut(batch: ColumnBatch, rowsMax: number): Iterable<ColumnBatch> {
  const rows = Array.from({ length: batch.rowCount }, (_, row) => row);
  for (let first = 0; first < rows.length; first += rowsMax) {
    yield takeRows(batch, rows.slice(first, first + rowsMax));
  }
}

async function greeksWith(rowsMax: number): Promise<Table> {
  const output = datasetOf('opt_greeks_daily');
  const prepared = await OPTION_GREEKS.prepare({
    output,
    inputs: [datasetOf('opt_tanq'), datasetOf('eq_adj_factors_basic')],
    dates: { start: AS_OF, end: AS_OF },
    warn: (text) => expect.fail(text),
    async *read(input, names) {
      for (const batch of tableOf(input.textId).batches) {
        for (const piece of cut(batch, rowsMax)) yield withColumns(input, piece, names);
      }
    },
  });
  const batches = await Array.fromAsync(prepared.rows());
  const rowCount = batches.reduce((sum, batch) => sum + batch.rowCount, 0);
  return { dataset: output, batches, rowCount };
}

test.each([13, 997, 1_000_000])(
  'in batches of %i rows they are those of the demo',
  async (rowsMax) => {
    const [expected, found] = [tableOf('opt_greeks_daily'), await greeksWith(rowsMax)];
    expect(found.rowCount).toBeGreaterThan(20);
    for (const { name } of found.dataset.columns) {
      expect(columnOf(found, name), name).toEqual(columnOf(expected, name));
    }
  },
);
