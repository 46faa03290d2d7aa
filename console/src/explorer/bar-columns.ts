/** The bars of a chart, column by column: a year of minutes is too many for an object each. */

/**
 * Seconds on the market's own clock, counted as if it were UTC: charts know no other clock, and
 * people read the hours of the market. Fractions are milliseconds.
 */
export type ChartTime = number;

export interface Bars {
  /** `ChartTime` of each bar, ascending. */
  readonly time: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  /** Indexes of the bars that a trade date begins with. */
  readonly breaks: readonly number[];
}

export type BarsBySymbol = ReadonlyMap<string, Bars>;

/** A row of an answer as a bar; NaN where the row has no such number. */
export interface Bar {
  readonly time: ChartTime;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
type Columns = Record<(typeof NAMES)[number], Float64Array>;

const CAPACITY_MIN = 1024;

function columnsOf(make: (name: (typeof NAMES)[number]) => Float64Array): Columns {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)])) as Columns;
}

export const NO_BARS: Bars = { ...columnsOf(() => new Float64Array()), breaks: [] };

/** Puts rows together to bars, in the order of time; of two at one moment, the later row counts. */
export class BarBuilder {
  #columns = columnsOf(() => new Float64Array(CAPACITY_MIN));
  #count = 0;
  readonly #breaks: number[] = [];
  #day = Number.NaN;

  /** `day`: any number that is another one for another trade date. False: the row was left out. */
  add(bar: Bar, day: number): boolean {
    // Minutes in which nothing was traded have no prices.
    if (Number.isNaN(bar.time + bar.open + bar.high + bar.low + bar.close)) return false;
    const last =
      this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#columns.time[this.#count - 1]!;
    if (bar.time < last) return false;
    if (bar.time > last) this.#begin(day);
    const at = this.#count - 1;
    for (const name of NAMES) this.#columns[name][at] = bar[name];
    if (Number.isNaN(bar.volume)) this.#columns.volume[at] = 0;
    return true;
  }

  bars(): Bars {
    const count = this.#count;
    return { ...columnsOf((name) => this.#columns[name].slice(0, count)), breaks: this.#breaks };
  }

  #begin(day: number): void {
    const { time } = this.#columns;
    if (this.#count === time.length) {
      const grown = columnsOf(() => new Float64Array(time.length * 2));
      for (const name of NAMES) grown[name].set(this.#columns[name]);
      this.#columns = grown;
    }
    if (day !== this.#day && !Number.isNaN(day)) this.#breaks.push(this.#count);
    this.#day = day;
    this.#count += 1;
  }
}

/** The index of the last time at or before `time`; -1 if there is none. */
export function indexAt(times: Float64Array, time: ChartTime): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (times[middle]! <= time) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** The index of the first time at or after `time`; as many as there are if there is none. */
export function indexFrom(times: Float64Array, time: ChartTime): number {
  const before = indexAt(times, time);
  return before >= 0 && times[before] === time ? before : before + 1;
}

function joinTwo(before: Bars, after: Bars): Bars {
  const cut = after.time.length === 0 ? before.time.length : indexFrom(before.time, after.time[0]!);
  const joined = columnsOf((name) => {
    const column = new Float64Array(cut + after.time.length);
    column.set(before[name].subarray(0, cut));
    column.set(after[name], cut);
    return column;
  });
  const kept = before.breaks.filter((index) => index < cut);
  return { ...joined, breaks: [...kept, ...after.breaks.map((index) => index + cut)] };
}

/** Earlier bars before later ones, symbol by symbol. */
export function joinBars(earlier: BarsBySymbol, later: BarsBySymbol): BarsBySymbol {
  const symbols = [...new Set([...later.keys(), ...earlier.keys()])];
  return new Map(
    symbols.map((symbol) => [
      symbol,
      joinTwo(earlier.get(symbol) ?? NO_BARS, later.get(symbol) ?? NO_BARS),
    ]),
  );
}

export function barCount(bars: BarsBySymbol): number {
  return [...bars.values()].reduce((sum, { time }) => sum + time.length, 0);
}
