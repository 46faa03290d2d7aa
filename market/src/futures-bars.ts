/**
 * Minute bars of one futures contract and trade date from its events. A minute exists only where
 * something happened in it; its prices are those of the minute's own events.
 */
import { type BarLayout, BarWriter, barLayout } from './bar-layout.ts';
import { FULL_USE } from './conditions.ts';
import type { FuturesEvent } from './events.ts';
import { PriceBar } from './price-bar.ts';
import { plus, type Quantity, QuantitySum } from './quantity.ts';
import { roundDecimals, roundRatio } from './rounding.ts';
import type { BarTable } from './row-sources.ts';

const NANOS_PER_MINUTE = 60e9;
const NANOS_PER_SECOND = 1e9;
/** Currency futures are quoted to the seventh decimal. */
const PRICE_DECIMALS = 7;
const PRICE_SCALE = 10 ** PRICE_DECIMALS;

const IMPLIED = 1;
const CALCULATED_PRICE = 8;

class AggressorFlow {
  count = 0;
  readonly #quantity = new QuantitySum();

  reset(): void {
    this.count = 0;
    this.#quantity.reset();
  }

  add(quantity: Quantity): void {
    this.count += 1;
    this.#quantity.add(quantity);
  }

  get quantity(): Quantity {
    return this.#quantity.value;
  }
}

/** The accumulators of the present minute or day, and the quote pair that stands. */
export class FuturesBar {
  readonly bid = new PriceBar();
  readonly ask = new PriceBar();
  readonly trade = new PriceBar();
  readonly buy = new AggressorFlow();
  readonly sell = new AggressorFlow();
  readonly none = new AggressorFlow();
  minSpread = Number.NaN;
  maxSpread = Number.NaN;
  quoteCount = 0;
  readonly #worth = new QuantitySum();
  #bidPrice = Number.NaN;
  #askPrice = Number.NaN;

  reset(): void {
    for (const part of [this.bid, this.ask, this.trade, this.buy, this.sell, this.none])
      part.reset();
    this.minSpread = this.maxSpread = Number.NaN;
    this.quoteCount = 0;
    this.#worth.reset();
  }

  get quantity(): Quantity {
    return plus(plus(this.buy.quantity, this.sell.quantity), this.none.quantity);
  }

  get tradeCount(): number {
    return this.buy.count + this.sell.count + this.none.count;
  }

  get averagePrice(): number {
    if (this.quantity === 0) return Number.NaN;
    return roundRatio(this.#worth.value, 10, this.quantity) / (PRICE_SCALE * 10);
  }

  addTrade(event: FuturesEvent, flow: AggressorFlow, nanos: number): void {
    this.trade.add(event.price, event.quantity, nanos, FULL_USE);
    this.#worth.addProduct(Math.round(event.price * PRICE_SCALE), event.quantity);
    flow.add(event.quantity);
  }

  /** A quote of no contracts empties its side until the next one. */
  addQuote(event: FuturesEvent, isBid: boolean, nanos: number): void {
    this.quoteCount += 1;
    const price = event.quantity > 0 ? event.price : Number.NaN;
    if (isBid) this.#bidPrice = price;
    else this.#askPrice = price;
    if (Number.isNaN(price)) return;
    (isBid ? this.bid : this.ask).add(price, event.quantity, nanos, FULL_USE);
    const spread = roundDecimals(this.#askPrice - this.#bidPrice, PRICE_DECIMALS);
    if (Number.isNaN(spread)) return;
    if (!(spread >= this.minSpread)) this.minSpread = spread;
    if (!(spread <= this.maxSpread)) this.maxSpread = spread;
  }

  emptyBook(): void {
    this.#bidPrice = this.#askPrice = Number.NaN;
  }
}

function isImplied(event: FuturesEvent): boolean {
  return (event.flags & IMPLIED) !== 0;
}

function isPrint(event: FuturesEvent): boolean {
  return event.quantity > 0 && (event.flags & CALCULATED_PRICE) === 0;
}

type Take = (bar: FuturesBar, event: FuturesEvent, nanos: number) => void;

/** Events of other types are session statistics and enter no bar. */
const TAKE: Readonly<Record<string, Take>> = {
  'QUOTE BID': (bar, event, nanos) => {
    if (!isImplied(event)) bar.addQuote(event, true, nanos);
  },
  'QUOTE SELL': (bar, event, nanos) => {
    if (!isImplied(event)) bar.addQuote(event, false, nanos);
  },
  TRADE: (bar, event, nanos) => {
    if (isPrint(event)) bar.addTrade(event, bar.none, nanos);
  },
  'TRADE AGRESSOR ON BUY': (bar, event, nanos) => {
    if (isPrint(event)) bar.addTrade(event, bar.buy, nanos);
  },
  'TRADE AGRESSOR ON SELL': (bar, event, nanos) => {
    if (isPrint(event)) bar.addTrade(event, bar.sell, nanos);
  },
  'EMPTY BOOK FINAL': (bar) => bar.emptyBook(),
};

/** `nanos` count from the beginning of the bar. */
export function takeFuturesEvent(bar: FuturesBar, event: FuturesEvent, nanos: number): void {
  TAKE[event.type]?.(bar, event, nanos);
}

type Measures = BarLayout<FuturesBar>['measures'];

const POINTS = [
  ['Open', 'first'],
  ['High', 'high'],
  ['Low', 'low'],
  ['Close', 'last'],
] as const;
const SERIES = [
  ['Bid', 'bid'],
  ['Ask', 'ask'],
  ['Trade', 'trade'],
] as const;

const POINT_MEASURES: Measures = Object.fromEntries(
  POINTS.flatMap(([pointName, point]) =>
    SERIES.flatMap(([seriesName, series]): [string, (bar: FuturesBar) => Quantity][] => [
      [
        `${pointName}${seriesName}TimeOffset`,
        (bar) => bar[series][`${point}Nanos`] / NANOS_PER_SECOND,
      ],
      [`${pointName}${seriesName}Price`, (bar) => bar[series][`${point}Price`]],
      [`${pointName}${seriesName}Size`, (bar) => bar[series][`${point}Size`]],
    ]),
  ),
);

/** `fut_taq_1min`: 48 columns. */
export const FUTURES_MINUTE_BAR: BarLayout<FuturesBar> = barLayout(
  {
    ...POINT_MEASURES,
    MinSpread: (bar) => bar.minSpread,
    MaxSpread: (bar) => bar.maxSpread,
    VolumeWeightPrice: (bar) => bar.averagePrice,
    TotalRegularQuotes: (bar) => bar.quoteCount,
    BuyAggressorTrades: (bar) => bar.buy.count,
    SellAggressorTrades: (bar) => bar.sell.count,
    NoAggressorTrades: (bar) => bar.none.count,
    BuyAggressorQuantity: (bar) => bar.buy.quantity,
    SellAggressorQuantity: (bar) => bar.sell.quantity,
    NoAggressorQuantity: (bar) => bar.none.quantity,
    Volume: (bar) => bar.quantity,
    TotalTrades: (bar) => bar.tradeCount,
  },
  (bar) => bar.quoteCount + bar.tradeCount > 0,
);

/** `fut_trades_1min`: 11 columns. */
export const FUTURES_TRADE_BAR: BarLayout<FuturesBar> = barLayout(
  {
    OpenPrice: (bar) => bar.trade.firstPrice,
    HighPrice: (bar) => bar.trade.highPrice,
    LowPrice: (bar) => bar.trade.lowPrice,
    ClosePrice: (bar) => bar.trade.lastPrice,
    VolumeWeightPrice: (bar) => bar.averagePrice,
    TotalQuantity: (bar) => bar.quantity,
    BuyAggressorQuantity: (bar) => bar.buy.quantity,
    SellAggressorQuantity: (bar) => bar.sell.quantity,
    TotalTrades: (bar) => bar.tradeCount,
    BuyAggressorTrades: (bar) => bar.buy.count,
    SellAggressorTrades: (bar) => bar.sell.count,
  },
  (bar) => bar.tradeCount > 0,
);

/**
 * One table for each layout in their order. Spreads are of the pair that stands after each quote
 * of the minute, its other side carried from earlier minutes. Events come in feed order; one
 * stamped before its predecessor is taken at the predecessor's time.
 */
export function futuresMinuteBars(
  events: Iterable<FuturesEvent>,
  layouts: readonly BarLayout<FuturesBar>[],
): BarTable[] {
  const writers = layouts.map((layout) => new BarWriter(layout));
  const bar = new FuturesBar();
  // If clocks are set back, the first hour lies before the midnight that noon's offset gives.
  let startNanos = Number.NEGATIVE_INFINITY;
  let lastNanos = Number.NEGATIVE_INFINITY;
  const writeBar = () => {
    for (const writer of writers) writer.write(bar, startNanos);
    bar.reset();
  };
  for (const event of events) {
    lastNanos = Math.max(event.nanosOfDay, lastNanos);
    if (lastNanos >= startNanos + NANOS_PER_MINUTE) {
      writeBar();
      startNanos = Math.floor(lastNanos / NANOS_PER_MINUTE) * NANOS_PER_MINUTE;
    }
    takeFuturesEvent(bar, event, lastNanos - startNanos);
  }
  writeBar();
  return writers.map((writer) => writer.table());
}
