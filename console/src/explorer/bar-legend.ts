/** What the crosshair points at, in words. */
import { countText } from '../format/amounts';
import type { Bar, BarsBySymbol } from './bar-page';
import type { ChartTime } from './chart-series';
import { chartTimeText } from './chart-summary';

const PRICE_DIGITS_MAX = 6;
/** Prices of a series have the digits of these. */
const PRICES_LOOKED_AT = 2000;

export interface LegendEntry {
  readonly term: string;
  readonly text: string;
}

/** Digits after the point that all prices are told with: as many as they have, at least two. */
export function priceDigitsOf(bars: readonly Bar[]): number {
  const digits = bars
    .slice(-PRICES_LOOKED_AT)
    .flatMap(({ open, high, low, close }) => [open, high, low, close])
    .map((price) => String(price).split('.')[1]?.length ?? 0);
  return Math.min(
    PRICE_DIGITS_MAX,
    digits.reduce((most, count) => Math.max(most, count), 2),
  );
}

/** The index of the last bar at or before a time; -1 if there is none. */
export function indexAt(bars: readonly { readonly time: ChartTime }[], time: ChartTime): number {
  let [from, to] = [0, bars.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (bars[middle]!.time <= time) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function percentText(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(2)} %`;
}

function barEntries(bar: Bar, digits: number, hasVolume: boolean): LegendEntry[] {
  const price = (value: number) => value.toFixed(digits);
  return [
    { term: 'Open', text: price(bar.open) },
    { term: 'High', text: price(bar.high) },
    { term: 'Low', text: price(bar.low) },
    { term: 'Close', text: price(bar.close) },
    ...(hasVolume ? [{ term: 'Volume', text: countText(bar.volume) }] : []),
  ];
}

/** The close of each symbol and how far it is from that of the first bar in sight. */
function closeEntries(bars: BarsBySymbol, time: ChartTime, from: ChartTime): LegendEntry[] {
  return [...bars].flatMap(([symbol, { bars: own }]) => {
    const bar = own[indexAt(own, time)];
    if (!bar) return [];
    const base = own[Math.max(0, indexAt(own, from))] ?? bar;
    const close = bar.close.toFixed(priceDigitsOf(own));
    return [{ term: symbol, text: `${close} (${percentText(bar.close / base.close - 1)})` }];
  });
}

export interface LegendOf {
  readonly bars: BarsBySymbol;
  readonly isDaily: boolean;
  readonly isCompared: boolean;
  readonly hasVolume: boolean;
  readonly digits: number;
}

/** The moment on the market's clock, and what there is at it. `from`: the first moment in sight. */
export function legendAt(of: LegendOf, time: ChartTime, from: ChartTime): LegendEntry[] {
  const moment = { term: 'Time', text: chartTimeText(time, of.isDaily) };
  if (of.isCompared) return [moment, ...closeEntries(of.bars, time, from)];
  const [own] = of.bars.values();
  const bar = own?.bars[indexAt(own.bars, time)];
  return bar ? [moment, ...barEntries(bar, of.digits, of.hasVolume)] : [moment];
}

export function legendText(entries: readonly LegendEntry[]): string {
  return entries.map(({ term, text }) => `${term} ${text}`).join(', ');
}

/** The moments of all symbols, in order. */
export function timesOf(bars: BarsBySymbol): ChartTime[] {
  const [first, ...others] = [...bars.values()].map((own) => own.bars.map(({ time }) => time));
  if (first === undefined || others.length === 0) return first ?? [];
  return [...new Set([first, ...others].flat())].sort((a, b) => a - b);
}
