/** SQL for what the index keeps of row groups. */
import { DuckDBDecimalValue, type DuckDBValue } from '@duckdb/node-api';
import type { Column } from '../../../catalog/dataset.ts';
import type { BoundValue, ColumnBounds } from '../../part.ts';
import { storedSql } from '../utc-columns.ts';

export interface StoredGroup {
  readonly rowCount: number;
  readonly byteCount: number;
  /** Rows of the file up to and with this group. */
  readonly endRow: number;
}

/**
 * SQL for the number of the row group that a row lies in; `row` is the SQL of the row's number.
 * Groups have nearly, not always, the size that was asked for, so it is a binary search; a whole
 * vector of rows takes the same branch.
 */
export function rowGroupNumber(
  groups: readonly Pick<StoredGroup, 'endRow'>[],
  row = 'file_row_number',
  low = 0,
  high = groups.length,
): string {
  if (high - low === 1) return `${low}`;
  const middle = (low + high) >> 1;
  const before = rowGroupNumber(groups, row, low, middle);
  const after = rowGroupNumber(groups, row, middle, high);
  const splitRow = groups[middle - 1]?.endRow;
  return `CASE WHEN ${row} < ${splitRow} THEN ${before} ELSE ${after} END`;
}

/** The least and the greatest value of a column, as two values. */
export function boundsSql(column: Column): string {
  const bounds = ['min', 'max'].map((aggregate) => {
    const bound = `${aggregate}(${storedSql(column)})`;
    return column.dataType === 'date' ? `CAST(${bound} AS VARCHAR)` : bound;
  });
  return bounds.join(', ');
}

function boundOf(value: DuckDBValue): BoundValue | null {
  return value instanceof DuckDBDecimalValue ? value.value : (value as BoundValue | null);
}

/** The bounds of the columns out of the values that `boundsSql` finds for each of them. */
export function boundsOf(
  columns: readonly Column[],
  values: readonly DuckDBValue[],
): Record<string, ColumnBounds> {
  const bounds = columns.map(({ name }, c): [string, ColumnBounds] => {
    const [min = null, max = null] = values.slice(2 * c).map(boundOf);
    return [name, { min, max }];
  });
  return Object.fromEntries(bounds);
}
