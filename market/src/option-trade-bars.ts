/** Minute bars of one option contract and trade date from its trades; no trade, no bar. */
import { type BarLayout, BarWriter, barLayout } from './bar-layout.ts';
import { FULL_USE } from './conditions.ts';
import type { OptionTradeEvent } from './events.ts';
import { PriceBar } from './price-bar.ts';
import { priceOfTicks, ticksOfPrice } from './rounding.ts';
import type { BarTable } from './row-sources.ts';
import { averagePrice, Turnover } from './turnover.ts';

const NANOS_PER_MINUTE = 60e9;

/** OPRA conditions of trades that enter no bar, with their meanings. */
export const LEFT_OUT_CONDITIONS: ReadonlyMap<string, string> = new Map([
  ['A', 'cancels a trade that was reported before'],
  ['B', 'late and out of sequence'],
  ['C', 'cancels the last trade'],
  ['F', 'late report of the opening trade'],
  ['G', 'cancels the only trade'],
  ['N', 'price agreed on the floor'],
  ['O', 'cancels a stopped trade'],
  ['T', 'at a benchmark price'],
]);

class OptionBar {
  readonly prices = new PriceBar();
  readonly turnover = new Turnover();
  tradeCount = 0;
  first: OptionTradeEvent | null = null;
  last: OptionTradeEvent | null = null;

  reset(): void {
    this.prices.reset();
    this.turnover.reset();
    this.tradeCount = 0;
    this.first = this.last = null;
  }

  add(event: OptionTradeEvent, nanos: number): void {
    const ticks = ticksOfPrice(event.price);
    this.prices.add(ticks, event.quantity, nanos, FULL_USE);
    this.turnover.add(ticks, event.quantity);
    this.tradeCount += 1;
    this.first ??= event;
    this.last = event;
  }
}

/** `opt_trades_1min`: 11 columns. The underlying's quotes are those at first and last trade. */
export const OPTION_TRADE_BAR: BarLayout<OptionBar> = barLayout(
  {
    OpenTradePrice: (bar) => priceOfTicks(bar.prices.firstPrice),
    HighTradePrice: (bar) => priceOfTicks(bar.prices.highPrice),
    LowTradePrice: (bar) => priceOfTicks(bar.prices.lowPrice),
    CloseTradePrice: (bar) => priceOfTicks(bar.prices.lastPrice),
    UnderOpenBidPrice: (bar) => bar.first?.underBid ?? Number.NaN,
    UnderOpenAskPrice: (bar) => bar.first?.underAsk ?? Number.NaN,
    UnderCloseBidPrice: (bar) => bar.last?.underBid ?? Number.NaN,
    UnderCloseAskPrice: (bar) => bar.last?.underAsk ?? Number.NaN,
    VolumeWeightPrice: (bar) => averagePrice(bar.turnover),
    Volume: (bar) => bar.turnover.shares,
    TotalTrades: (bar) => bar.tradeCount,
  },
  (bar) => bar.tradeCount > 0,
);

/** True if a trade enters bars. */
export function isCounted(
  event: Pick<OptionTradeEvent, 'type' | 'price' | 'quantity' | 'condition'>,
): boolean {
  return (
    event.type === 'T' &&
    event.price > 0 &&
    event.quantity > 0 &&
    !LEFT_OUT_CONDITIONS.has(event.condition)
  );
}

/** Events in feed order; one stamped before its predecessor is taken at the predecessor's time. */
export function optionMinuteBars(events: Iterable<OptionTradeEvent>): BarTable {
  const writer = new BarWriter(OPTION_TRADE_BAR);
  const bar = new OptionBar();
  // If clocks are set back, the first hour lies before the midnight that noon's offset gives.
  let startNanos = Number.NEGATIVE_INFINITY;
  let lastNanos = Number.NEGATIVE_INFINITY;
  for (const event of events) {
    if (!isCounted(event)) continue;
    lastNanos = Math.max(event.nanosOfDay, lastNanos);
    if (lastNanos >= startNanos + NANOS_PER_MINUTE) {
      writer.write(bar, startNanos);
      bar.reset();
      startNanos = Math.floor(lastNanos / NANOS_PER_MINUTE) * NANOS_PER_MINUTE;
    }
    bar.add(event, lastNanos - startNanos);
  }
  writer.write(bar, startNanos);
  return writer.table();
}
