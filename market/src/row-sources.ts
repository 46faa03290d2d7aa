/**
 * Computed rows by column name, as a dataset's columns take them: the form in which rows leave this
 * folder for whoever stores them.
 */
import type { NumberTable } from './number-table.ts';

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

/** The columns of a computed table as sources. */
export function tableSources(table: NumberTable): Sources {
  return Object.fromEntries(
    table.columns.map((name, i) => [name, table.values[i] as Float64Array]),
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
