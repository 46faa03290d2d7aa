/** How the rows of a bar dataset are read from the accumulators of its bars. */
import type { BarTable } from './number-table.ts';

/** The computed columns of one dataset; date, time and instrument columns are the caller's. */
export interface BarLayout<Bar> {
  readonly columns: readonly string[];
  /** Column name to its value, NaN where the bar has none; in column order. */
  readonly measures: Readonly<Record<string, (bar: Bar) => number>>;
  /** Whether the dataset has a row for this bar. */
  readonly hasRow: (bar: Bar) => boolean;
}

export function barLayout<Bar>(
  measures: Readonly<Record<string, (bar: Bar) => number>>,
  hasRow: (bar: Bar) => boolean,
): BarLayout<Bar> {
  return { columns: Object.keys(measures), measures, hasRow };
}

/** Fills the table of one layout bar by bar. */
export class BarWriter<Bar> {
  readonly #layout: BarLayout<Bar>;
  readonly #measures: readonly ((bar: Bar) => number)[];
  readonly #startNanos: number[] = [];
  readonly #values: readonly number[][];

  constructor(layout: BarLayout<Bar>) {
    this.#layout = layout;
    this.#measures = Object.values(layout.measures);
    this.#values = layout.columns.map(() => []);
  }

  write(bar: Bar, startNanos: number): void {
    if (!this.#layout.hasRow(bar)) return;
    this.#startNanos.push(startNanos);
    for (let i = 0; i < this.#measures.length; i++) this.#values[i]!.push(this.#measures[i]!(bar));
  }

  table(): BarTable {
    return {
      columns: this.#layout.columns,
      rowCount: this.#startNanos.length,
      startNanos: Float64Array.from(this.#startNanos),
      values: this.#values.map((column) => Float64Array.from(column)),
    };
  }
}
