/** The moments that a chart has places for, and which bar of each symbol stands there. */
import { type Bars, type BarsBySymbol, NO_BARS } from './bar-columns';
import type { TickSeries } from './tick-series';

export interface TimelineSeries {
  readonly bars: Bars;
  /** By moment the bar that stands there, -1 where none does; null: each bar at its own index. */
  readonly at: Int32Array | null;
}

export interface Timeline {
  readonly times: Float64Array;
  readonly series: ReadonlyMap<string, TimelineSeries>;
  /** Trades and quotes in place of bars; null where bars are drawn. */
  readonly ticks: TickSeries | null;
}

/** The times of all, each once, in order. */
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

/** For bars of symbols, or for trades and quotes. */
export function timelineOf(drawn: BarsBySymbol | TickSeries): Timeline {
  if ('trades' in drawn) {
    const { trades, bids, asks } = drawn;
    const columns = [trades, bids, asks].map((ticks) =>
      Float64Array.from(ticks, ({ time }) => time),
    );
    return { times: mergedTimes(columns), series: new Map(), ticks: drawn };
  }
  const all = [...drawn];
  if (all.length <= 1) {
    const series = all.map(([symbol, bars]) => [symbol, { bars, at: null }] as const);
    return { times: all[0]?.[1].time ?? NO_BARS.time, series: new Map(series), ticks: null };
  }
  const times = mergedTimes(all.map(([, own]) => own.time));
  const series = all.map(
    ([symbol, own]) => [symbol, { bars: own, at: placesOf(own, times) }] as const,
  );
  return { times, series: new Map(series), ticks: null };
}
