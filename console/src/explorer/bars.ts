/** The bars of a chart, column by column: a year of minutes is too many for an object each. */

/**
 * Seconds on the market's own clock, counted as if it were UTC: charts know no other clock, and
 * people read the hours of the market. Fractions are milliseconds.
 */
export type ChartTime = number;

const NAMES = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
type Name = (typeof NAMES)[number];
type Columns = Record<Name, Float64Array>;

/** The `ChartTime` and the prices of a bar; NaN where a row of an answer has no such number. */
export type Bar = Readonly<Record<Name, number>>;

/** Bars in the order of time. */
export interface Bars extends Readonly<Columns> {
  /** Indexes of the bars that a trade date begins with. */
  readonly breaks: readonly number[];
}

export type BarsBySymbol = ReadonlyMap<string, Bars>;

const CAPACITY_MIN = 64;

function columnsOf(make: (name: Name) => Float64Array): Columns {
  return Object.fromEntries(NAMES.map((name) => [name, make(name)])) as Columns;
}

export const NO_BARS: Bars = { ...columnsOf(() => new Float64Array()), breaks: [] };

/** Puts rows together to bars, in the order of time; of two at one moment, the later row counts. */
export class BarBuilder {
  #columns = columnsOf(() => new Float64Array(CAPACITY_MIN));
  #count = 0;
  #merged = 0;
  readonly #hasSums: boolean;
  #days: number[] = [];
  #isSorted = true;

  /** `hasSums`: the volumes of one moment are added up. */
  constructor(hasSums = false) {
    this.#hasSums = hasSums;
  }

  get count(): number {
    return this.#count;
  }

  /** Rows that a later one at the same moment took the place of; `bars` has to be called before. */
  get merged(): number {
    return this.#merged;
  }

  /** `day`: any number that is another one for another trade date. */
  add(bar: Bar, day: number): void {
    // Minutes in which nothing was traded have no prices.
    if (Number.isNaN(bar.time + bar.open + bar.high + bar.low + bar.close)) return;
    const last =
      this.#count === 0 ? Number.NEGATIVE_INFINITY : this.#columns.time[this.#count - 1]!;
    if (bar.time < last) this.#isSorted = false;
    if (bar.time === last) this.#merged += 1;
    else this.#begin(day);
    const at = this.#count - 1;
    const { volume } = this.#columns;
    const sum = (bar.volume || 0) + (this.#hasSums ? volume[at]! : 0);
    for (const name of NAMES) this.#columns[name][at] = bar[name];
    volume[at] = sum;
  }

  bars(): Bars {
    if (!this.#isSorted) this.#sort();
    const count = this.#count;
    const isBreak = (day: number, at: number) => day !== this.#days[at - 1] && !Number.isNaN(day);
    const breaks = this.#days.flatMap((day, at) => (isBreak(day, at) ? [at] : []));
    return { ...columnsOf((name) => this.#columns[name].slice(0, count)), breaks };
  }

  #sort(): void {
    const [columns, days] = [this.#columns, this.#days];
    const { time } = columns;
    this.#columns = columnsOf(() => new Float64Array(time.length));
    [this.#count, this.#days, this.#isSorted] = [0, [], true];
    for (const at of [...days.keys()].sort((a, b) => time[a]! - time[b]!)) {
      const bar = Object.fromEntries(NAMES.map((name) => [name, columns[name][at]!])) as Bar;
      this.add(bar, days[at]!);
    }
  }

  #begin(day: number): void {
    const { time } = this.#columns;
    if (this.#count === time.length) {
      const grown = columnsOf(() => new Float64Array(time.length * 2));
      for (const name of NAMES) grown[name].set(this.#columns[name]);
      this.#columns = grown;
    }
    this.#days.push(day);
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

export interface TimelineSeries {
  readonly bars: Bars;
  /** By moment the bar that stands there, -1 where none does; null: each bar at its own index. */
  readonly at: Int32Array | null;
}

export interface Timeline {
  readonly times: Float64Array;
  readonly series: ReadonlyMap<string, TimelineSeries>;
}

function mergedTimes(columns: readonly Float64Array[]): Float64Array {
  const merged = new Float64Array(columns.reduce((sum, { length }) => sum + length, 0));
  const next = columns.map(() => 0);
  let count = 0;
  for (;;) {
    const heads = columns.map((times, index) => times[next[index]!] ?? Number.POSITIVE_INFINITY);
    const time = Math.min(...heads);
    if (time === Number.POSITIVE_INFINITY) return merged.slice(0, count);
    merged[count] = time;
    count += 1;
    for (const [index, head] of heads.entries()) if (head === time) next[index]! += 1;
  }
}

function placesOf({ time }: Bars, times: Float64Array): Int32Array {
  const at = new Int32Array(times.length).fill(-1);
  for (let moment = 0, bar = 0; bar < time.length; moment++) {
    if (times[moment] === time[bar]) at[moment] = bar++;
  }
  return at;
}

export function timelineOf(bars: BarsBySymbol): Timeline {
  const all = [...bars];
  if (all.length <= 1) {
    const series = all.map(([symbol, own]) => [symbol, { bars: own, at: null }] as const);
    return { times: all[0]?.[1].time ?? NO_BARS.time, series: new Map(series) };
  }
  const times = mergedTimes(all.map(([, own]) => own.time));
  const series = all.map(
    ([symbol, own]) => [symbol, { bars: own, at: placesOf(own, times) }] as const,
  );
  return { times, series: new Map(series) };
}

/** From one moment to another, both included, as indexes. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** How many moments stand in one place, and which places are drawn. */
export interface Level {
  /** A power of two. */
  readonly size: number;
  /** Moments that the first place lacks, as the last one is full. */
  readonly pad: number;
  /** Places that are drawn, the first included and the second not. */
  readonly start: number;
  readonly end: number;
  /** The last place that is drawn is the last there is. */
  readonly isToLast: boolean;
}

/** The moments in sight, from the left edge to the right one; fractions are parts of a bar. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Widths of the chart that are drawn beside what is in sight: so far one can drag at once. */
const MARGIN_WIDTHS = 1;

/** The smallest group of which no more than `placesMax` are in sight. */
export function groupSize({ from, to }: View, placesMax: number): number {
  const factor = (to - from) / Math.max(1, placesMax);
  return factor <= 1 ? 1 : 2 ** Math.ceil(Math.log2(factor));
}

export function levelOf(view: View, size: number, momentCount: number): Level {
  const pad = (size - (momentCount % size)) % size;
  const margin = (view.to - view.from) * MARGIN_WIDTHS;
  const placeOf = (moment: number) => Math.floor((moment + pad) / size);
  const count = (momentCount + pad) / size;
  const inside = (place: number) => Math.max(0, Math.min(place, count));
  const [start, end] = [inside(placeOf(view.from - margin)), inside(placeOf(view.to + margin) + 1)];
  return { size, pad, start, end, isToLast: end === count };
}

/** The moments of a place; `place` counts from the first that is drawn. */
export function spanOf({ size, pad, start }: Level, place: number): Span {
  const first = (start + place) * size - pad;
  return { first: Math.max(0, first), last: first + size - 1 };
}

export function placeOf({ size, pad, start }: Level, moment: number): number {
  return Math.floor((moment + pad) / size) - start;
}

/** Several bars as one. */
export function groupedBar(bars: Bars, { first, last }: Span): Bar {
  let [high, low, volume] = [bars.high[first]!, bars.low[first]!, 0];
  for (let index = first; index <= last; index++) {
    if (bars.high[index]! > high) high = bars.high[index]!;
    if (bars.low[index]! < low) low = bars.low[index]!;
    volume += bars.volume[index]!;
  }
  const [time, open, close] = [bars.time[first]!, bars.open[first]!, bars.close[last]!];
  return { time, open, high, low, close, volume };
}

/** The bars of the places that are drawn. Only for the bars of one symbol. */
export function groupedBars(bars: Bars, level: Level): Bar[] {
  return Array.from({ length: level.end - level.start }, (_, place) =>
    groupedBar(bars, spanOf(level, place)),
  );
}

/** The last bar at or before `last`, and not before `first`; -1 if there is none. */
export function lastBarIn({ at }: TimelineSeries, { first, last }: Span): number {
  if (at === null) return last;
  for (let moment = last; moment >= first; moment--) if (at[moment] !== -1) return at[moment]!;
  return -1;
}

/** Without a value where the symbol has no bar. */
export function groupedCloses({ times }: Timeline, series: TimelineSeries, level: Level) {
  return Array.from({ length: level.end - level.start }, (_, place) => {
    const span = spanOf(level, place);
    const time = times[span.first]!;
    const bar = lastBarIn(series, span);
    return { time, ...(bar !== -1 && { value: series.bars.close[bar]! }) };
  });
}

/** Price and size of the largest trade of each place that has any, and the volume of all. */
export function groupedTrades({ times }: Timeline, { bars, at }: TimelineSeries, level: Level) {
  return Array.from({ length: level.end - level.start }, (_, place) => {
    const { first, last } = spanOf(level, place);
    let [price, size, volume] = [Number.NaN, -1, 0];
    for (let moment = first; moment <= last; moment++) {
      const trade = at === null ? moment : at[moment]!;
      if (trade === -1) continue;
      volume += bars.volume[trade]!;
      if (bars.volume[trade]! > size) {
        [price, size] = [bars.close[trade]!, bars.volume[trade]!];
      }
    }
    return { place, time: times[first]!, price, size, volume };
  }).filter(({ size }) => size >= 0);
}
