/** What the crosshair points at, in words. */
import { countText } from '../format/amounts';
import { type Bars, indexAt } from './bar-columns';
import { groupedBar, lastBarIn, type Span } from './bar-levels';
import type { Timeline } from './bar-timeline';
import { chartTimeText } from './chart-summary';
import { priceText, scaleDigits } from './price-digits';

/** The scale goes by these. */
const BARS_LOOKED_AT = 500;

export interface LegendEntry {
  readonly term: string;
  readonly text: string;
}

/** Digits after the point of the scale of these bars. */
export function priceDigitsOf({ open, high, low, close }: Bars): number {
  return scaleDigits([open, high, low, close].flatMap((of) => [...of.slice(-BARS_LOOKED_AT)]));
}

function percentText(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(2)}%`;
}

function timeText(times: Float64Array, { first, last }: Span, isDaily: boolean): string {
  const [from, to] = [first, last].map((at) => chartTimeText(times[at]!, isDaily)) as [
    string,
    string,
  ];
  return first === last ? from : `${from} – ${to}`;
}

export interface LegendOf {
  readonly timeline: Timeline;
  readonly isDaily: boolean;
  readonly isCompared: boolean;
  readonly hasVolume: boolean;
  /** Of the one symbol. */
  readonly digits: number;
}

function barEntries(bars: Bars, span: Span, { digits, hasVolume }: LegendOf): LegendEntry[] {
  const bar = groupedBar(bars, span);
  const price = (value: number) => priceText(value, digits);
  return [
    { term: 'Open', text: price(bar.open) },
    { term: 'High', text: price(bar.high) },
    { term: 'Low', text: price(bar.low) },
    { term: 'Close', text: price(bar.close) },
    ...(hasVolume ? [{ term: 'Volume', text: countText(bar.volume) }] : []),
  ];
}

/** The close of each symbol and how far it is from that of the first bar in sight. */
function closeEntries({ times, series }: Timeline, { last }: Span, inSight: number): LegendEntry[] {
  return [...series].flatMap(([term, own]) => {
    const { time, close } = own.bars;
    const here = lastBarIn(own, { first: 0, last });
    if (here === -1) return [];
    const base = Math.max(0, indexAt(time, times[inSight]!));
    const text = priceText(close[here]!, priceDigitsOf(own.bars));
    return [{ term, text: `${text} (${percentText(close[here]! / close[base]! - 1)})` }];
  });
}

/** The moments on the market's clock, and what there is at them. `inSight`: the first one in sight. */
export function legendAt(of: LegendOf, span: Span, inSight: number): LegendEntry[] {
  const { timeline, isDaily, isCompared } = of;
  if (timeline.times.length === 0) return [];
  const moment = { term: 'Time', text: timeText(timeline.times, span, isDaily) };
  if (isCompared) return [moment, ...closeEntries(timeline, span, inSight)];
  const [own] = timeline.series.values();
  return own ? [moment, ...barEntries(own.bars, span, of)] : [moment];
}

export function legendText(entries: readonly LegendEntry[]): string {
  return entries.map(({ term, text }) => `${term} ${text}`).join(', ');
}
