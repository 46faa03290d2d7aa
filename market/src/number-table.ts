/**
 * Computed rows as columns of doubles: the form in which all bars leave this folder. A whole number
 * below 2^53 is exact in it, and NaN stands for no value.
 */

export interface NumberTable {
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** One array of `rowCount` values for each column; NaN is null. */
  readonly values: readonly Float64Array[];
}

/** Bars of one instrument and trade date, in time order. */
export interface BarTable extends NumberTable {
  /** Start of each bar in nanoseconds since local midnight of the trade date. */
  readonly startNanos: Float64Array;
}

/** The cells of one row in the order of the table's columns. */
export function rowCells(table: NumberTable, row: number): (number | null)[] {
  return table.values.map((column) => {
    const value = column[row] as number;
    return Number.isNaN(value) ? null : value;
  });
}

/** The values of a named column. Throws where the table has no such column. */
export function columnValues(table: NumberTable, name: string): Float64Array {
  const values = table.values[table.columns.indexOf(name)];
  if (!values) throw new Error(`no column ${name} among ${table.columns.join(', ')}`);
  return values;
}
