/** Reads rows of reference data as objects: for datasets with few enough rows. */
import type { Dataset } from '../catalog/dataset.ts';
import { type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, orNull, textReader } from '../engine/gathered-columns.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { ComputationInput } from './computation.ts';

/** How a column is read; numbers are integers, too, or the days since 1970 of dates. */
type ColumnKind = 'text' | 'number' | 'date';

export type ReferenceColumns = Readonly<Record<string, ColumnKind>>;

/** Cells by column name: dates as `YYYY-MM-DD`, null where there is no value. */
export type ReferenceRow<C extends ReferenceColumns> = {
  readonly [K in keyof C]: (C[K] extends 'number' ? number : string) | null;
};

/** The columns of daily prices that closes are read by. */
export const CLOSE_COLUMNS = {
  TradeDate: 'number',
  Ticker: 'text',
  ASID: 'number',
  ClosePrice: 'number',
} as const;

type CellReader = (row: number) => string | number | null;

const READERS: Readonly<Record<ColumnKind, (vector: ColumnVector) => CellReader>> = {
  text: textReader,
  number: (vector) => {
    const numberAt = doubleReader(vector);
    return (row) => orNull(numberAt(row));
  },
  date: (vector) => {
    const dayAt = doubleReader(vector);
    return (row) => (Number.isNaN(dayAt(row)) ? null : dateOfDays(dayAt(row)));
  },
};

function* rowsOf(readers: readonly (readonly [string, CellReader])[], rowCount: number) {
  for (let row = 0; row < rowCount; row++) {
    const cells: Record<string, string | number | null> = {};
    for (const [name, read] of readers) cells[name] = read(row);
    yield cells;
  }
}

/** Rows of an input in natural order, a batch at a time; none of an input that is absent. */
export async function* referenceRows<C extends ReferenceColumns>(
  { read }: Pick<ComputationInput, 'read'>,
  input: Dataset | undefined,
  columns: C,
  dates: DateSpan | null,
): AsyncGenerator<Iterable<ReferenceRow<C>>> {
  if (!input) return;
  const kinds = Object.entries(columns);
  for await (const batch of read(input, Object.keys(columns), dates)) {
    const readerAt = (kind: ColumnKind, i: number) =>
      READERS[kind](batch.columns[i] as ColumnVector);
    const readers = kinds.map(([name, kind], i) => [name, readerAt(kind, i)] as const);
    yield rowsOf(readers, batch.rowCount) as Iterable<ReferenceRow<C>>;
    batch.release?.();
  }
}
