/** Rows of reference data one by one: for datasets whose rows are few enough to be objects. */
import { type ColumnBatch, type ColumnVector, dateOfDays } from '../engine/columns.ts';
import { doubleReader, textReader } from '../engine/gathered-columns.ts';

/** The columns that are read, by what they hold; numbers are integers, too. */
export interface ReferenceColumns<T extends string, N extends string, D extends string> {
  readonly texts: readonly T[];
  readonly numbers: readonly N[];
  readonly dates: readonly D[];
}

/** Cells by column name: dates as `YYYY-MM-DD`, null where there is no value. */
export type ReferenceRow<T extends string, N extends string, D extends string> = {
  readonly [K in T | D]: string | null;
} & { readonly [K in N]: number | null };

type Reader = (row: number) => string | number | null;

function numberReader(vector: ColumnVector): Reader {
  const doubleAt = doubleReader(vector);
  return (row) => {
    const value = doubleAt(row);
    return Number.isNaN(value) ? null : value;
  };
}

function dateReader(vector: ColumnVector): Reader {
  const numberAt = numberReader(vector) as (row: number) => number | null;
  return (row) => {
    const days = numberAt(row);
    return days === null ? null : dateOfDays(days);
  };
}

/** The names of the columns, in the order in which batches have to have them. */
export function namesOf({ texts, numbers, dates }: ReferenceColumns<string, string, string>) {
  return [...texts, ...numbers, ...dates];
}

/** The rows of batches that have the columns of `namesOf`. */
export async function* referenceRows<T extends string, N extends string, D extends string>(
  columns: ReferenceColumns<T, N, D>,
  batches: AsyncIterable<ColumnBatch>,
): AsyncGenerator<ReferenceRow<T, N, D>> {
  const names = namesOf(columns);
  const readers = [
    ...columns.texts.map(() => textReader),
    ...columns.numbers.map(() => numberReader),
    ...columns.dates.map(() => dateReader),
  ];
  for await (const batch of batches) {
    const cells = readers.map((reader, i) => reader(batch.columns[i] as ColumnVector));
    for (let row = 0; row < batch.rowCount; row++) {
      const named = names.map((name, i) => [name, (cells[i] as Reader)(row)]);
      yield Object.fromEntries(named) as ReferenceRow<T, N, D>;
    }
    batch.release?.();
  }
}
