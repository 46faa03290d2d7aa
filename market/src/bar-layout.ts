/** How the rows of a bar dataset are read from the accumulators of its bars. */
import type { Quantity } from './quantity.ts';
import type { BarTable } from './row-sources.ts';

/** A column's value, whenever the bar starts; NaN where it has none. */
export type Measure<Bar> = (bar: Bar) => Quantity;

/** Bars that have the same values as others by some measures, so that these are not asked. */
export interface IdleBars<Bar> {
  readonly has: (bar: Bar) => boolean;
  readonly values: ReadonlyMap<Measure<Bar>, number>;
}

/** The computed columns of one dataset; date, time and instrument columns are the caller's. */
export interface BarLayout<Bar> {
  readonly columns: readonly string[];
  /** By column, in their order. */
  readonly measures: Readonly<Record<string, Measure<Bar>>>;
  /** True if the dataset has a row for this bar. */
  readonly hasRow: (bar: Bar) => boolean;
  readonly idle: IdleBars<Bar> | undefined;
}

export function barLayout<Bar>(
  measures: Readonly<Record<string, Measure<Bar>>>,
  hasRow: (bar: Bar) => boolean,
  idle?: IdleBars<Bar>,
): BarLayout<Bar> {
  return { columns: Object.keys(measures), measures, hasRow, idle };
}

const INITIAL_CAPACITY = 32;

/**
 * Fills the table of one layout bar by bar, or of one day after the other; all columns lie in one
 * piece of memory.
 */
export class BarWriter<Bar> {
  readonly #layout: BarLayout<Bar>;
  readonly #measures: readonly Measure<Bar>[];
  /** The values of idle bars by those measures; undefined: they differ. */
  readonly #idleValues: readonly (number | undefined)[];
  #capacity = INITIAL_CAPACITY;
  #rowCount = 0;
  readonly #large = new Map<string, Map<number, bigint>>();
  /** The starts of bars, then the values of each measure. */
  #columns: readonly Float64Array[];

  constructor(layout: BarLayout<Bar>) {
    this.#layout = layout;
    this.#measures = Object.values(layout.measures);
    this.#idleValues = this.#measures.map((measure) => layout.idle?.values.get(measure));
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
    const isIdle = this.#layout.idle?.has(bar) ?? false;
    for (let i = 0; i < this.#measures.length; i++) {
      const value = (isIdle ? this.#idleValues[i] : undefined) ?? this.#measures[i]!(bar);
      if (typeof value === 'bigint') {
        this.#noteLarge(i, value, first, end);
        continue;
      }
      const column = columns[i + 1]!;
      // Mostly few rows, and `fill` takes long to begin.
      for (let row = first; row < end; row++) column[row] = value;
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
