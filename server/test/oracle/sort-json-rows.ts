/** Rows as answers in JSON have them, sorted by a plain program. */
import fc from 'fast-check';
import type { Dataset } from '../../src/catalog/dataset.ts';

type JsonCell = string | number | null;
export type JsonRow = Record<string, JsonCell>;

export interface SortField {
  readonly column: string;
  readonly descending: boolean;
}

export function anySort(names: readonly string[]): fc.Arbitrary<SortField[]> {
  const fields = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
  const some: fc.Arbitrary<SortField[]> = fields.chain((columns) =>
    fc.tuple(
      ...columns.map((column) =>
        fc.record({ column: fc.constant(column), descending: fc.boolean() }),
      ),
    ),
  );
  return fc.oneof(fc.constant<SortField[]>([]), some);
}

export function sortText(sort: readonly SortField[]): string {
  const fields = sort.map(({ column, descending }) => (descending ? `-${column}` : column));
  return fields.length === 0 ? '' : `&sort=${fields.join(',')}`;
}

function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareCells(a: JsonCell, b: JsonCell, isTime: boolean): number {
  if (isTime) return Temporal.Instant.compare(a as string, b as string);
  return typeof a === 'string' ? compareTexts(a, b as string) : (a as number) - (b as number);
}

/** Nulls come last, whichever the direction; ties keep their order. */
export function sortJsonRows(
  rows: readonly JsonRow[],
  sort: readonly SortField[],
  { columnByName }: Dataset,
): JsonRow[] {
  return rows.toSorted((a, b) => {
    for (const { column, descending } of sort) {
      const [one, other] = [a[column] ?? null, b[column] ?? null];
      const isTime = columnByName.get(column)?.dataType === 'date-time';
      const order =
        one === null || other === null
          ? Number(one === null) - Number(other === null)
          : compareCells(one, other, isTime) * (descending ? -1 : 1);
      if (order !== 0) return order;
    }
    return 0;
  });
}
