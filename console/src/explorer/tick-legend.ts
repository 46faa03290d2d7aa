/** The trade and the quotes of a moment, in words. */
import { countText } from '../format/amounts';
import type { LegendEntry } from './bar-legend';
import type { ChartTime, Tick, TickSeries } from './chart-series';
import { chartTimeText } from './chart-summary';
import { priceText } from './price-digits';

/** The last one at or before a moment. */
export function tickAt(ticks: readonly Tick[], time: ChartTime): Tick | null {
  let [from, to] = [0, ticks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ticks[middle]!.time <= time) from = middle + 1;
    else to = middle;
  }
  return ticks[from - 1] ?? null;
}

function tickText({ value, size }: Tick, digits: number): string {
  const price = priceText(value, digits);
  return size > 0 ? `${price} × ${countText(size)}` : price;
}

/** What was traded last, and what was bid and asked, each with its size. `digits`: of prices, after the point. */
export function tickLegend(
  { trades, bids, asks }: TickSeries,
  time: ChartTime,
  digits: number,
): LegendEntry[] {
  const entry = (term: string, ticks: readonly Tick[]) => {
    const tick = tickAt(ticks, time);
    return tick ? [{ term, text: tickText(tick, digits) }] : [];
  };
  return [
    { term: 'Time', text: chartTimeText(time, false) },
    ...entry('Trade', trades),
    ...entry('Bid', bids),
    ...entry('Ask', asks),
  ];
}

const RADIUS_MIN_PX = 2;
const RADIUS_MAX_PX = 9;

/** Radius of the dot of a trade, whose area goes by its size; `largest` of all that are drawn. */
export function dotRadius(size: number, largest: number): number {
  if (largest <= 0 || size <= 0) return RADIUS_MIN_PX;
  const part = Math.sqrt(Math.min(1, size / largest));
  return RADIUS_MIN_PX + (RADIUS_MAX_PX - RADIUS_MIN_PX) * part;
}
