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

/** 1 where a column has no value, or null where every row has one. */
export function nullMask(values: Float64Array): Uint8Array | null {
  let mask: Uint8Array | null = null;
  for (let i = 0; i < values.length; i++) {
    if (!Number.isNaN(values[i])) continue;
    mask ??= new Uint8Array(values.length);
    mask[i] = 1;
  }
  return mask;
}

/** A column of whole numbers as 64-bit integers; 0 beneath each null. */
export function integerValues(values: Float64Array): BigInt64Array {
  const integers = new BigInt64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isNaN(value)) integers[i] = BigInt(value);
  }
  return integers;
}
