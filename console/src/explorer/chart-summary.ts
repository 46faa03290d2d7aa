/** Describes a chart in words. */
import { countText, plural } from '../format/amounts';
import type { ChartSeries, ChartTime, Point } from './chart-series';
import { priceText } from './price-digits';

const MILLISECONDS_PER_SECOND = 1000;

/** `2026-11-18 09:30:00.123` on the market's clock; dates and whole minutes are shorter. */
export function chartTimeText(time: ChartTime, isDaily: boolean): string {
  const text = new Date(Math.round(time * MILLISECONDS_PER_SECOND)).toISOString();
  if (isDaily) return text.slice(0, 10);
  const seconds = text.slice(0, 19).replace('T', ' ');
  return Number.isInteger(time) ? seconds : `${seconds}.${text.slice(20, 23)}`;
}

/** Whether all points are at midnight, as those of days are. */
export function isDailySeries(times: readonly ChartTime[]): boolean {
  return times.every((time) => time % 86_400 === 0);
}

function extent(points: readonly { readonly low: number; readonly high: number }[]) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const point of points) {
    if (point.low < low) low = point.low;
    if (point.high > high) high = point.high;
  }
  return { low, high };
}

export interface ChartFact {
  readonly term: string;
  readonly text: string;
}

function priceFacts(
  noun: string,
  times: readonly ChartTime[],
  prices: readonly { readonly low: number; readonly high: number }[],
  last: number,
): ChartFact[] {
  const { low, high } = extent(prices);
  const isDaily = isDailySeries(times);
  return [
    { term: noun, text: countText(times.length) },
    { term: 'First', text: chartTimeText(times[0]!, isDaily) },
    { term: 'Last', text: chartTimeText(times.at(-1)!, isDaily) },
    { term: 'Lowest', text: priceText(low) },
    { term: 'Highest', text: priceText(high) },
    { term: 'Last price', text: priceText(last) },
  ];
}

function asRange({ value }: Point) {
  return { low: value, high: value };
}

/** Empty where there is nothing to draw. */
export function chartFacts(series: ChartSeries): ChartFact[] {
  if (series.kind === 'candles') {
    const { candles } = series;
    const last = candles.at(-1);
    if (!last) return [];
    return priceFacts(
      'Bars',
      candles.map(({ time }) => time),
      candles,
      last.close,
    );
  }
  const { trades, bids, asks } = series;
  const quotes: ChartFact[] =
    bids.length + asks.length > 0
      ? [{ term: 'Quotes', text: countText(bids.length + asks.length) }]
      : [];
  const shown = trades.length > 0 ? trades : [...bids, ...asks].sort((a, b) => a.time - b.time);
  const last = shown.at(-1);
  if (!last) return [];
  const noun = trades.length > 0 ? 'Trades' : 'Points';
  const times = shown.map(({ time }) => time);
  return [...priceFacts(noun, times, shown.map(asRange), last.value), ...quotes];
}

/** Sentences about what the chart leaves out. */
export function chartRemarks(series: ChartSeries): string[] {
  const what = series.kind === 'candles' ? 'row' : 'event';
  return [
    ...(series.merged > 0
      ? [
          `${plural(series.merged, what)} ${series.merged === 1 ? 'isn’t' : 'aren’t'} drawn because a later ${what} has the same ${series.kind === 'candles' ? 'time' : 'millisecond'}.`,
        ]
      : []),
    ...(series.kind === 'ticks' && series.trades.some(({ size }) => size > 0)
      ? ['The larger the dot, the larger the trade.']
      : []),
    ...(series.kind === 'ticks' && series.hasBestQuotesOnly
      ? ['Only quotes at the national best bid and ask are drawn.']
      : []),
  ];
}
