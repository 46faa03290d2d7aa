/** How the rows of a bar dataset are read from the accumulators of its bars. */
import type { Quantity } from './quantity.ts';
import type { BarTable } from './row-sources.ts';

/** The computed columns of one dataset; date, time and instrument columns are the caller's. */
export interface BarLayout<Bar> {
  readonly columns: readonly string[];
  /** Column name to its value, whenever the bar starts, NaN where it has none; in column order. */
  readonly measures: Readonly<Record<string, (bar: Bar) => Quantity>>;
  /** True if the dataset has a row for this bar. */
  readonly hasRow: (bar: Bar) => boolean;
}

export function barLayout<Bar>(
  measures: Readonly<Record<string, (bar: Bar) => Quantity>>,
  hasRow: (bar: Bar) => boolean,
): BarLayout<Bar> {
  return { columns: Object.keys(measures), measures, hasRow };
}

const INITIAL_CAPACITY = 32;

/**
 * Fills the table of one layout bar by bar, or of one day after the other; all columns lie in one
 * piece of memory.
 */
export class BarWriter<Bar> {
  readonly #layout: BarLayout<Bar>;
  readonly #measures: readonly ((bar: Bar) => Quantity)[];
  #capacity = INITIAL_CAPACITY;
  #rowCount = 0;
  readonly #large = new Map<string, Map<number, bigint>>();
  /** The starts of bars, then the values of each measure. */
  #columns: readonly Float64Array[];

  constructor(layout: BarLayout<Bar>) {
    this.#layout = layout;
    this.#measures = Object.values(layout.measures);
    this.#columns = this.#reserve();
  }

  write(bar: Bar, startNanos: number): void {
    this.writeAlike(bar, startNanos, 1, 0);
  }

  /** Writes bars that differ in nothing but their start, one each `stepNanos`. */
  writeAlike(bar: Bar, startNanos: number, count: number, stepNanos: number): void {
    if (!this.#layout.hasRow(bar)) return;
    const first = this.#rowCount;
    const end = first + count;
    if (end > this.#capacity) this.#grow(end);
    const columns = this.#columns;
    const starts = columns[0]!;
    for (let row = first; row < end; row++) starts[row] = startNanos + (row - first) * stepNanos;
    for (let i = 0; i < this.#measures.length; i++) {
      const value = this.#measures[i]!(bar);
      if (typeof value === 'bigint') this.#noteLarge(i, value, first, end);
      else if (count === 1) columns[i + 1]![first] = value;
      else columns[i + 1]!.fill(value, first, end);
    }
    this.#rowCount = end;
  }

  /** Makes room for another table in the memory of the last one. */
  clear(): void {
    this.#rowCount = 0;
    this.#large.clear();
  }

  /** The table lies in the writer's memory until that is cleared. */
  table(): BarTable {
    const rowCount = this.#rowCount;
    const [startNanos, ...values] = this.#columns.map((column) => column.subarray(0, rowCount));
    return {
      columns: this.#layout.columns,
      rowCount,
      startNanos: startNanos as Float64Array,
      values,
      ...(this.#large.size > 0 && { large: new Map(this.#large) }),
    };
  }

  #noteLarge(measure: number, value: bigint, first: number, end: number): void {
    const column = this.#layout.columns[measure] as string;
    const large = this.#large.get(column) ?? new Map<number, bigint>();
    this.#large.set(column, large);
    for (let row = first; row < end; row++) large.set(row, value);
    this.#columns[measure + 1]!.fill(Number(value), first, end);
  }

  #reserve(): Float64Array[] {
    const capacity = this.#capacity;
    const memory = new Float64Array(capacity * (this.#measures.length + 1));
    return Array.from({ length: this.#measures.length + 1 }, (_, i) =>
      memory.subarray(i * capacity, (i + 1) * capacity),
    );
  }

  #grow(rowCount: number): void {
    while (this.#capacity < rowCount) this.#capacity *= 2;
    const columns = this.#reserve();
    for (const [i, column] of this.#columns.entries()) columns[i]!.set(column);
    this.#columns = columns;
  }
}
