/**
 * Computed rows by column name, as a dataset's columns take them: the form in which rows leave this
 * folder for whoever stores them.
 */

/**
 * Computed rows as columns of doubles: the form in which all bars leave this folder. A whole number
 * below 2^53 is exact in it, and NaN stands for no value.
 */
export interface NumberTable {
  readonly columns: readonly string[];
  readonly rowCount: number;
  /** One array of `rowCount` values for each column; NaN is null. */
  readonly values: readonly Float64Array[];
  /** Values that doubles do not hold, by column and row; absent: there are none. */
  readonly large?: ReadonlyMap<string, ReadonlyMap<number, bigint>>;
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

/** One value: date as `YYYY-MM-DD`, integer as bigint or a safe integer number. */
export type Cell = string | number | bigint | readonly string[] | null;

/** Moments of one local date: nanoseconds since its midnight, NaN for none. */
export interface Moments {
  /** IANA name of the time zone whose midnight it is. */
  readonly zone: string;
  readonly date: string;
  readonly nanosOfDay: Float64Array;
}

/** The values of a column for some rows: numbers (NaN: null), moments, cells, or one for all. */
export type Source = Float64Array | Moments | readonly Cell[] | Cell;

/** Sources by column name. */
export type Sources = Readonly<Record<string, Source>>;

/** Numbers (NaN: null) with exact values in place of some, by row. */
export function withLarge(
  values: Float64Array,
  large: ReadonlyMap<number, bigint> | undefined,
): Source {
  if (!large?.size) return values;
  return Array.from(values, (value, row) => large.get(row) ?? (Number.isNaN(value) ? null : value));
}

/** The columns of a computed table as sources. */
export function tableSources(table: NumberTable): Sources {
  return Object.fromEntries(
    table.columns.map((name, i) => {
      const values = table.values[i] as Float64Array;
      return [name, withLarge(values, table.large?.get(name))];
    }),
  );
}

/** When each of a local date's events happened. */
export function eventMoments(
  zone: string,
  date: string,
  events: readonly { readonly nanosOfDay: number }[],
): Moments {
  return { zone, date, nanosOfDay: Float64Array.from(events, ({ nanosOfDay }) => nanosOfDay) };
}
