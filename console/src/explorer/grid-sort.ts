/** Sorting by the header of the table. */
import type { SortRow } from './explorer-query';

export type SortDirection = 'ascending' | 'descending';

/** How the rows are sorted by a column; null where they are not. */
export function directionOf(sort: readonly SortRow[], column: string): SortDirection | null {
  const row = sort.find((each) => each.column === column);
  if (!row) return null;
  return row.isDescending ? 'descending' : 'ascending';
}

/** Sorts by the column; null: no longer. `isAdded`: beside the columns that rows are sorted by already. */
export function sortedBy(
  sort: readonly SortRow[],
  column: string,
  direction: SortDirection | null,
  isAdded: boolean,
): readonly SortRow[] {
  const others = sort.filter((row) => row.column !== column && row.column !== '');
  const own = direction === null ? [] : [{ column, isDescending: direction === 'descending' }];
  if (!isAdded) return own;
  const at = sort.findIndex((row) => row.column === column);
  return at === -1 ? [...others, ...own] : others.toSpliced(at, 0, ...own);
}

const NEXT = { none: 'ascending', ascending: 'descending', descending: null } as const;

/** What a click makes of it: upwards, downwards, and the natural order again. */
export function sortedOnce(
  sort: readonly SortRow[],
  column: string,
  isAdded: boolean,
): readonly SortRow[] {
  return sortedBy(sort, column, NEXT[directionOf(sort, column) ?? 'none'], isAdded);
}
