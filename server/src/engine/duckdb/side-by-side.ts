/** Columns of the same rows that were read apart, side by side again. */
import type { ColumnBatch, ColumnVector } from '../columns.ts';

function partOf(vector: ColumnVector, from: number, to: number): ColumnVector {
  const values = vector.values.slice(from, to);
  const nulls = 'nulls' in vector && vector.nulls ? vector.nulls.subarray(from, to) : null;
  return { type: vector.type, values, nulls } as ColumnVector;
}

function rowsOf({ columns }: ColumnBatch, from: number, to: number): ColumnBatch {
  return { rowCount: to - from, columns: columns.map((vector) => partOf(vector, from, to)) };
}

/**
 * Reads all parts at once. Each has some columns of the same rows, in batches that need not be cut
 * alike.
 */
export async function* sideBySide(
  parts: readonly AsyncGenerator<ColumnBatch>[],
): AsyncGenerator<ColumnBatch> {
  const next = async (part: AsyncGenerator<ColumnBatch>) => (await part.next()).value ?? null;
  try {
    let heads: (ColumnBatch | null)[] = await Promise.all(parts.map(next));
    while (heads.every((head) => head !== null)) {
      const rowCount = Math.min(...heads.map((head) => head.rowCount));
      const cut = heads.map((head) =>
        head.rowCount > rowCount ? rowsOf(head, 0, rowCount) : head,
      );
      yield { rowCount, columns: cut.flatMap(({ columns }) => columns) };
      heads = await Promise.all(
        heads.map((head, p) =>
          head.rowCount > rowCount
            ? rowsOf(head, rowCount, head.rowCount)
            : next(parts[p] as AsyncGenerator<ColumnBatch>),
        ),
      );
    }
    if (heads.some((head) => head !== null)) throw new Error('columns of the same rows differ');
  } finally {
    await Promise.allSettled(parts.map((part) => part.return(undefined)));
  }
}
