/** The SQL of the columns of a Parquet file, out of a query of the plan's columns. Pure. */
import type { Column } from '../../catalog/dataset.ts';
import type { FileColumn } from '../file-columns.ts';
import type { CompiledQuery } from './compile-query.ts';
import { quoteName } from './sql-text.ts';
import { storedName } from './utc-columns.ts';

/** Times come as nanoseconds, and division cuts towards zero. */
function valueSql(
  { name, from = name, isMicros }: FileColumn,
  columns: ReadonlyMap<string, Column>,
): string {
  const column = columns.get(from);
  if (!column) throw new Error(`there is no column ${from}`);
  const value = quoteName(storedName(column));
  return isMicros ? `((${value} - (${value} % 1000 + 1000) % 1000) // 1000)` : value;
}

/** The same rows, in the same order, in the columns of the file. */
export function inFileColumns(
  { sql, ...bound }: CompiledQuery,
  columns: readonly Column[],
  fileColumns: readonly FileColumn[],
): CompiledQuery {
  if (fileColumns.length === columns.length) return { ...bound, sql };
  const byName = new Map(columns.map((column) => [column.name, column]));
  const values = fileColumns.map((each) => `${valueSql(each, byName)} AS ${quoteName(each.name)}`);
  return { ...bound, sql: `SELECT ${values.join(', ')} FROM (${sql})` };
}
