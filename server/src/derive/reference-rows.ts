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

function* rowsOf(names: readonly string[], readers: readonly CellReader[], rowCount: number) {
  for (let row = 0; row < rowCount; row++) {
    const cells: Record<string, string | number | null> = {};
    for (let i = 0; i < names.length; i++) {
      cells[names[i] as string] = (readers[i] as CellReader)(row);
    }
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
  const names = Object.keys(columns);
  const kinds = Object.values(columns);
  for await (const batch of read(input, names, dates)) {
    const readers = kinds.map((kind, i) => READERS[kind](batch.columns[i] as ColumnVector));
    yield rowsOf(names, readers, batch.rowCount) as Iterable<ReferenceRow<C>>;
    batch.release?.();
  }
}
