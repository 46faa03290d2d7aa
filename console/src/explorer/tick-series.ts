/**
 * Seconds on the market's own clock, counted as if it were UTC: charts know no other clock, and
 * people read the hours of the market. Fractions are milliseconds.
 */
export type ChartTime = number;

export interface Point {
  readonly time: ChartTime;
  readonly value: number;
}

export interface Tick extends Point {
  readonly size: number;
}

export interface Quote extends Tick {
  readonly isBest: boolean;
}

export interface TickSeries {
  readonly trades: readonly Tick[];
  readonly bids: readonly Tick[];
  readonly asks: readonly Tick[];
  /** Quotes of single venues were left out, as there are national best ones. */
  readonly hasBestQuotesOnly: boolean;
}

/** The index of the last of so many moments, in order, at or before `time`; -1 if there is none. */
export function lastIndex(
  count: number,
  momentOf: (index: number) => ChartTime,
  time: ChartTime,
): number {
  let [from, to] = [0, count];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (momentOf(middle) <= time) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** The last one at or before a moment. */
export function tickAt(ticks: readonly Tick[], time: ChartTime): Tick | null {
  return ticks[lastIndex(ticks.length, (index) => ticks[index]!.time, time)] ?? null;
}

const RADIUS_MIN_PX = 2;
const RADIUS_MAX_PX = 9;

/** Radius of the dot of a trade, whose area goes by its size; `largest` of all that are drawn. */
export function dotRadius(size: number, largest: number): number {
  if (largest <= 0 || size <= 0) return RADIUS_MIN_PX;
  const part = Math.sqrt(Math.min(1, size / largest));
  return RADIUS_MIN_PX + (RADIUS_MAX_PX - RADIUS_MIN_PX) * part;
}
