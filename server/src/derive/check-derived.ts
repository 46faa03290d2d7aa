/** Computes datasets again and compares them with their published rows. Changes nothing. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { cellText } from '../engine/cell-text.ts';
import { type CellValue, type ColumnBatch, cellAt } from '../engine/columns.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { derivationOrder } from './derivation-graph.ts';
import type { DerivationSubject } from './derive.ts';
import { checkSlices, prepareRows } from './find-due.ts';
import { InputRows } from './input-rows.ts';

/** Rows that are shown of each difference. */
const EXAMPLES_MAX = 3;

export interface Difference {
  /** A column whose values differ, or what is wrong with whole rows. */
  readonly what: string;
  rowCount: number;
  /** The first rows: their keys, and for a column the published value and the computed one. */
  readonly examples: string[];
}

const NOT_PUBLISHED = 'rows that are not published';
const NOT_COMPUTED = 'rows that are not computed';

type Row = readonly CellValue[];

async function* rowsOf(batches: AsyncIterable<ColumnBatch>): AsyncGenerator<Row> {
  for await (const { rowCount, columns } of batches) {
    for (let row = 0; row < rowCount; row++) yield columns.map((vector) => cellAt(vector, row));
  }
}

/** Null comes last, as in natural order. */
function compareCells(a: CellValue, b: CellValue): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -1 : 1;
}

function isEqual(a: CellValue, b: CellValue): boolean {
  return Array.isArray(a) && Array.isArray(b)
    ? String(a) === String(b)
    : Object.is(a, b) || a === b;
}

/** Compares computed rows with published ones, both in natural order, row by row. */
export class RowComparison {
  readonly #columns: readonly Column[];
  readonly #timeZone: TimeZone;
  readonly #keys: readonly number[];
  readonly #differences = new Map<string, Difference>();
  rowCount = 0;

  constructor({ columns, naturalOrder, timeZone }: Dataset) {
    this.#columns = columns;
    this.#timeZone = timeZone;
    this.#keys = naturalOrder.map((name) => columns.findIndex((column) => column.name === name));
  }

  /** The differences found so far: whole rows first, then by column. */
  get differences(): readonly Difference[] {
    const order = [NOT_PUBLISHED, NOT_COMPUTED, ...this.#columns.map(({ name }) => name)];
    return order.flatMap((what) => this.#differences.get(what) ?? []);
  }

  /** Both have all columns of the dataset in its natural order. */
  async compare(
    computed: AsyncIterable<ColumnBatch>,
    published: AsyncIterable<ColumnBatch>,
  ): Promise<void> {
    const [left, right] = [rowsOf(computed), rowsOf(published)];
    let [a, b] = [await left.next(), await right.next()];
    while (!a.done || !b.done) {
      const order = a.done ? 1 : b.done ? -1 : this.#compareKeys(a.value, b.value);
      if (order === 0) this.#compareRow(a.value as Row, b.value as Row);
      else this.#note(order < 0 ? NOT_PUBLISHED : NOT_COMPUTED, (order < 0 ? a : b).value as Row);
      if (order <= 0) a = await left.next();
      if (order >= 0) b = await right.next();
    }
  }

  #compareKeys(a: Row, b: Row): number {
    for (const key of this.#keys) {
      const order = compareCells(a[key] as CellValue, b[key] as CellValue);
      if (order !== 0) return order;
    }
    return 0;
  }

  #compareRow(computed: Row, published: Row): void {
    this.rowCount += 1;
    this.#columns.forEach((column, i) => {
      const [now, then] = [computed[i] as CellValue, published[i] as CellValue];
      if (isEqual(now, then)) return;
      const values = `${this.#text(i, published)} published, ${this.#text(i, computed)} computed`;
      this.#note(column.name, computed, values);
    });
  }

  #text(at: number, row: Row): string {
    return cellText(this.#columns[at] as Column, row[at] ?? null, this.#timeZone) ?? 'no value';
  }

  #note(what: string, row: Row, values?: string): void {
    const known = this.#differences.getOrInsert(what, { what, rowCount: 0, examples: [] });
    known.rowCount += 1;
    if (known.examples.length >= EXAMPLES_MAX) return;
    const key = this.#keys.map((at) => this.#text(at, row));
    known.examples.push(values ? `${key.join(' ')}: ${values}` : key.join(' '));
  }
}

export interface CheckedDerivation {
  readonly datasetId: string;
  readonly textId: string;
  /** Rows that were both computed and published. */
  readonly comparedRowCount: number;
  readonly differences: readonly Difference[];
}

async function checkDataset(
  request: DerivationSubject,
  rows: InputRows,
  dataset: Dataset,
): Promise<CheckedDerivation> {
  const { catalog, lake, dates, signal, onSlice } = request;
  const names = dataset.columns.map(({ name }) => name);
  const comparison = new RowComparison(dataset);
  const search = { catalog, ledger: lake.ledger, rows, dates, signal };
  const slices = await checkSlices(dataset, search);
  for (const [done, slice] of slices.entries()) {
    onSlice(dataset, done, slices.length);
    const prepared = await prepareRows(dataset, rows, slice);
    await comparison.compare(prepared.rows(), rows.read(dataset, names, slice.dates));
  }
  return {
    datasetId: dataset.datasetId,
    textId: dataset.textId,
    comparedRowCount: comparison.rowCount,
    differences: comparison.differences,
  };
}

/** Compares with the versions at its start; later publications may show as differences. */
export async function checkDerived(
  request: DerivationSubject,
): Promise<readonly CheckedDerivation[]> {
  const { catalog, datasets, engine, lake, signal } = request;
  const partsOf = ({ datasetId }: Dataset) => lake.publishedParts(datasetId);
  const rows = new InputRows(partsOf, engine, signal);
  const checked: CheckedDerivation[] = [];
  for (const dataset of derivationOrder(catalog, datasets)) {
    checked.push(await checkDataset(request, rows, dataset));
  }
  return checked;
}
