import { countText } from '../format/texts';
import {
  type Bars,
  type ChartTime,
  groupedBar,
  indexAt,
  lastBarIn,
  type Span,
  type Timeline,
} from './bars';

const DIGITS_MIN = 2;
const DIGITS_MAX = 6;
/** Trades between the steps of a market's prices are few, and a scale need not show theirs. */
const SHARE_ON_SCALE = 0.75;

/** Digits that computing left behind are none of the price. */
function digitsOf(price: number): number {
  return String(Number(price.toFixed(DIGITS_MAX))).split('.')[1]?.length ?? 0;
}

/** As many digits as three in four prices need, at least two. */
export function scaleDigits(prices: readonly number[]): number {
  const digits = prices.map(digitsOf).sort((a, b) => a - b);
  const needed = digits[Math.ceil(digits.length * SHARE_ON_SCALE) - 1] ?? DIGITS_MIN;
  return Math.max(DIGITS_MIN, needed);
}

/** A price as it is: with the digits of its scale, and with more where it has more. */
export function priceText(price: number, digits = DIGITS_MIN): string {
  return price.toFixed(Math.max(digits, digitsOf(price)));
}

const MILLISECONDS_PER_SECOND = 1000;

/** `2026-11-18 09:30:00.123` on the market's clock; dates and whole minutes are shorter. */
export function chartTimeText(time: ChartTime, isDaily: boolean): string {
  const text = new Date(Math.round(time * MILLISECONDS_PER_SECOND)).toISOString();
  if (isDaily) return text.slice(0, 10);
  const seconds = text.slice(0, 19).replace('T', ' ');
  return Number.isInteger(time) ? seconds : `${seconds}.${text.slice(20, 23)}`;
}

const BARS_LOOKED_AT = 500;

export interface LegendEntry {
  readonly term: string;
  readonly text: string;
}

export function priceDigitsOf(...all: readonly Bars[]): number {
  const columns = all.flatMap(({ open, high, low, close }) => [open, high, low, close]);
  return scaleDigits(columns.flatMap((of) => [...of.slice(-BARS_LOOKED_AT)]));
}

function percentText(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(2)}%`;
}

function timeText(times: Float64Array, { first, last }: Span, isDaily: boolean): string {
  const textAt = (at: number) => chartTimeText(times[at]!, isDaily);
  return first === last ? textAt(first) : `${textAt(first)} – ${textAt(last)}`;
}

interface LegendOf {
  readonly timeline: Timeline;
  readonly kind: 'candles' | 'closes' | 'ticks';
  readonly isDaily: boolean;
  readonly hasVolume: boolean;
  /** After the point, for the prices of one symbol. */
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

/** The last trade, bid and ask, each with its size. */
function tickEntries({ series }: Timeline, { last }: Span, { digits }: LegendOf): LegendEntry[] {
  return [...series].flatMap(([term, own]) => {
    const here = lastBarIn(own, { first: 0, last });
    if (here === -1) return [];
    const [price, size] = [priceText(own.bars.close[here]!, digits), own.bars.volume[here]!];
    return [{ term, text: size > 0 ? `${price} × ${countText(size)}` : price }];
  });
}

/** The moments on the market's clock, and the values there. `inSight`: the first one in sight. */
export function legendAt(of: LegendOf, span: Span, inSight: number): LegendEntry[] {
  const { timeline, kind, isDaily } = of;
  const { times, series } = timeline;
  if (times.length === 0) return [];
  const moment = { term: 'Time', text: timeText(times, span, isDaily) };
  if (kind === 'ticks') return [moment, ...tickEntries(timeline, span, of)];
  if (kind === 'closes') return [moment, ...closeEntries(timeline, span, inSight)];
  const [own] = series.values();
  return own ? [moment, ...barEntries(own.bars, span, of)] : [moment];
}

export function legendText(entries: readonly LegendEntry[]): string {
  return entries.map(({ term, text }) => `${term} ${text}`).join(', ');
}
