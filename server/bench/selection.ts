/** Rows that benchmarks ask of engines. */

/** The tables, and the column of each that orders the rows of one day and ticker. */
export const TIME_COLUMNS = { eq_taq: 'EventDateTime', eq_taq_1min: 'BarDateTime' } as const;

export interface Selection {
  readonly table: keyof typeof TIME_COLUMNS;
  /** The partition's file. */
  readonly file: string;
  /** SQL that means the same in every dialect. */
  readonly conditions: string;
  readonly limit: number;
}
