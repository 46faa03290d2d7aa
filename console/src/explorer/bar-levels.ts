/**
 * Bars put together until a screen can show them: 2, 4, 8 … of them as one candle, and only those in and
 * near sight. Groups are counted from the last bar, so that earlier bars that come later change none of
 * them but the first.
 */

import type { Bars, ChartTime } from './bar-columns';
import type { Timeline, TimelineSeries } from './bar-timeline';

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
  /** Whether the last place that is drawn is the last there is. */
  readonly isToLast: boolean;
}

/** What is in sight, in moments: `from` at the left edge, `to` at the right one; fractions are parts of a bar. */
export interface View {
  readonly from: number;
  readonly to: number;
}

/** Places beside what is in sight that are drawn too, in widths of the chart: so far one can drag at once. */
const MARGIN_WIDTHS = 1;

/** The smallest group of which no more than `placesMax` are in sight. */
export function groupSize({ from, to }: View, placesMax: number): number {
  const factor = (to - from) / Math.max(1, placesMax);
  return factor <= 1 ? 1 : 2 ** Math.ceil(Math.log2(factor));
}

/** `marginWidths`: `Infinity` draws all places there are. */
export function levelOf(
  view: View,
  size: number,
  momentCount: number,
  marginWidths = MARGIN_WIDTHS,
): Level {
  const pad = (size - (momentCount % size)) % size;
  const margin = (view.to - view.from) * marginWidths;
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

/** The place of a moment, counted from the first that is drawn. */
export function placeOf({ size, pad, start }: Level, moment: number): number {
  return Math.floor((moment + pad) / size) - start;
}

export interface GroupedBar {
  readonly time: ChartTime;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** What several bars come to. */
export function groupedBar(bars: Bars, { first, last }: Span): GroupedBar {
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
export function groupedBars(bars: Bars, level: Level): GroupedBar[] {
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

export interface GroupedClose {
  readonly time: number;
  /** Undefined where the symbol has no bar. */
  readonly value?: number;
}

/** The last close of each place that is drawn. */
export function groupedCloses(
  { times }: Timeline,
  series: TimelineSeries,
  level: Level,
): GroupedClose[] {
  return Array.from({ length: level.end - level.start }, (_, place) => {
    const span = spanOf(level, place);
    const time = times[span.first]!;
    const bar = lastBarIn(series, span);
    return bar === -1 ? { time } : { time, value: series.bars.close[bar]! };
  });
}
