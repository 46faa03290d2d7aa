/**
 * The course of one equity through one trade date, cut into bars. The whole day passes through one
 * `EquityBar`, which is read at each bar's end and then starts anew with the quote that stands.
 */

import { type BarLayout, barLayout, type IdleBars, type Measure } from './bar-layout.ts';
import type { AggregationLogic } from './conditions.ts';
import { isBestAlone, isCountedQuote, TRADE_USE } from './conditions.ts';
import type { EquityDay, EquityEvent } from './events.ts';
import { plus, type Quantity } from './quantity.ts';
import { NationalBest, QuoteBar } from './quote-bar.ts';
import { priceOfTicks, ticksOfPrice } from './rounding.ts';
import { type DayHours, dayHours, US_STOCK_SESSIONS } from './sessions.ts';
import { PLACE, TICK, TradeBar, TradePlacement } from './trade-bar.ts';
import { averagePrice } from './turnover.ts';

export const NANOS_PER_SECOND = 1e9;
export const NANOS_PER_MINUTE = 60e9;

/** The hours of the sessions of an equity's day. */
export function hoursOf({
  sessions = US_STOCK_SESSIONS,
  isHalfDay,
}: Pick<EquityDay, 'sessions' | 'isHalfDay'>): DayHours {
  return dayHours(sessions, isHalfDay);
}

/** Venue name of all off-exchange reports. */
export const FINRA = 'FINRA';

export interface EquityBar {
  readonly quotes: QuoteBar;
  readonly trades: TradeBar;
  /** Nanoseconds since local midnight of the trade date. */
  startNanos: number;
  lengthNanos: number;
}

/** Prices in ten-thousandths that a quote must lie within to count. */
function quoteBand(averagePrice: number | null): { least: number; greatest: number } {
  if (averagePrice === null) return { least: ticksOfPrice(0.03), greatest: ticksOfPrice(19_998) };
  return { least: averagePrice * 500, greatest: averagePrice * 100_000 };
}

export class EquityCourse {
  readonly bar: EquityBar;
  readonly #quotes = new QuoteBar();
  readonly #trades = new TradeBar();
  readonly #bid = new NationalBest();
  readonly #ask = new NationalBest();
  readonly #placement = new TradePlacement();
  readonly #tradeUse: (conditions: number, isRegularHours: boolean) => number;
  readonly #band: { least: number; greatest: number };
  readonly #hours: DayHours;

  constructor(day: EquityDay, logic: AggregationLogic) {
    this.#tradeUse = TRADE_USE[logic];
    this.#band = quoteBand(day.averagePrice);
    this.#hours = hoursOf(day);
    this.bar = { quotes: this.#quotes, trades: this.#trades, startNanos: 0, lengthNanos: 0 };
  }

  startBar(startNanos: number, lengthNanos: number): void {
    this.bar.startNanos = startNanos;
    this.bar.lengthNanos = lengthNanos;
    this.#quotes.reset(this.#bid, this.#ask);
    this.#trades.reset();
  }

  /** Takes an event of the present bar, `nanos` after its start. */
  take(event: EquityEvent, nanos: number): void {
    switch (event.type) {
      case 'TRADE':
      case 'TRADE NB':
        this.#takeTrade(event, nanos);
        break;
      case 'TRADE CANCELLED':
      case 'TRADE NB CANCELLED':
        this.#trades.cancel(event.quantity);
        break;
      case 'QUOTE BID':
      case 'QUOTE BID NB':
        this.#takeQuote(event, nanos, this.#bid, event.type === 'QUOTE BID NB');
        break;
      case 'QUOTE ASK':
      case 'QUOTE ASK NB':
        this.#takeQuote(event, nanos, this.#ask, event.type === 'QUOTE ASK NB');
        break;
    }
  }

  /** A quote from before the first bar: it stands when the bar starts. */
  takeEarlyQuote(event: EquityEvent): void {
    if (event.type.startsWith('QUOTE')) this.take(event, 0);
  }

  #takeTrade(event: EquityEvent, nanos: number): void {
    const { price, quantity, conditions } = event;
    if (price <= 0 || quantity <= 0) return;
    const atNanos = this.bar.startNanos + nanos;
    const { regularStartNanos, regularEndNanos } = this.#hours;
    const isRegularHours = atNanos >= regularStartNanos && atNanos < regularEndNanos;
    const use = this.#tradeUse(conditions, isRegularHours);
    if (use === 0) return;
    const { trade } = this.#placement;
    this.#placement.place(ticksOfPrice(price), this.#bid.ticks, this.#ask.ticks);
    trade.shares = quantity;
    trade.conditions = conditions;
    trade.isFinra = event.exchange === FINRA;
    trade.use = use;
    this.#trades.add(trade, nanos);
  }

  /**
   * A venue's row that does not count still ends the quote that the venue showed before. Of bests
   * alone, a row has the whole size, and the ask's completes the record; one side may be as before.
   */
  #takeQuote(event: EquityEvent, nanos: number, side: NationalBest, isBestRow: boolean): void {
    const ticks = ticksOfPrice(event.price);
    const isCounted =
      ticks > 0 &&
      event.quantity > 0 &&
      ticks >= this.#band.least &&
      ticks <= this.#band.greatest &&
      isCountedQuote(event.conditions);
    const isNationalBest = isCounted && isBestRow;
    const isAlone = isBestRow && isBestAlone(event.conditions);
    const venue = isAlone ? '' : event.exchange;
    const { ticks: formerTicks, size: formerSize } = side;
    side.update(venue, isCounted ? ticks : 0, event.quantity, isNationalBest);
    const isBid = side === this.#bid;
    const isNew = !isAlone || side.ticks !== formerTicks || side.size !== formerSize;
    if (isCounted && isNew) this.#countQuote(isBid, isNationalBest);
    if (side.ticks === 0) return;
    (isBid ? this.#quotes.bid : this.#quotes.ask).update(side.ticks, side.size, nanos);
    if (isAlone ? isBid : !isNationalBest) return;
    this.#quotes.updateSpread(nanos);
    this.#placement.setQuote(this.#bid.ticks, this.#ask.ticks);
  }

  #countQuote(isBid: boolean, isNationalBest: boolean): void {
    if (isBid) this.#quotes.bidCount += 1;
    else this.#quotes.askCount += 1;
    if (isNationalBest) this.#quotes.nationalBestCount += 1;
  }
}

type Layout = BarLayout<EquityBar>;
type Measures = Layout['measures'];

function seconds(nanos: number): number {
  return nanos / NANOS_PER_SECOND;
}

/** Dollars with five decimals of hundred-thousandths. */
function weighted(hundredThousandths: number): number {
  return hundredThousandths / 100_000;
}

function blankZero(shares: Quantity): Quantity {
  return shares === 0 ? Number.NaN : shares;
}

/** Values of bars without trades, by the measures that look at trades alone. */
const withoutTrades = new Map<Measure<EquityBar>, number>();
const NO_TRADES: IdleBars<EquityBar> = {
  has: ({ trades }) => trades.litCount + trades.finraCount + trades.cancelledCount === 0,
  values: withoutTrades,
};

/** A measure that looks at trades alone. */
function ofTrades(measure: Measure<Pick<EquityBar, 'trades'>>): Measure<EquityBar> {
  withoutTrades.set(measure, Number(measure({ trades: new TradeBar() })));
  return measure;
}

const OPEN: Measures = {
  OpenBarTimeOffset: () => 0,
  OpenBidPrice: ({ quotes }) => priceOfTicks(quotes.bid.openPrice),
  OpenBidSize: ({ quotes }) => quotes.bid.openSize,
  OpenAskPrice: ({ quotes }) => priceOfTicks(quotes.ask.openPrice),
  OpenAskSize: ({ quotes }) => quotes.ask.openSize,
  FirstTradeTimeOffset: ofTrades(({ trades }) => seconds(trades.prices.firstNanos)),
  FirstTradePrice: ofTrades(({ trades }) => priceOfTicks(trades.prices.firstPrice)),
  FirstTradeSize: ofTrades(({ trades }) => trades.prices.firstSize),
};

const HIGH: Measures = {
  HighBidTimeOffset: ({ quotes }) => seconds(quotes.bid.prices.highNanos),
  HighBidPrice: ({ quotes }) => priceOfTicks(quotes.bid.prices.highPrice),
  HighBidSize: ({ quotes }) => quotes.bid.prices.highSize,
  HighAskTimeOffset: ({ quotes }) => seconds(quotes.ask.prices.highNanos),
  HighAskPrice: ({ quotes }) => priceOfTicks(quotes.ask.prices.highPrice),
  HighAskSize: ({ quotes }) => quotes.ask.prices.highSize,
  HighTradeTimeOffset: ofTrades(({ trades }) => seconds(trades.prices.highNanos)),
  HighTradePrice: ofTrades(({ trades }) => priceOfTicks(trades.prices.highPrice)),
  HighTradeSize: ofTrades(({ trades }) => trades.prices.highSize),
};

const LOW: Measures = {
  LowBidTimeOffset: ({ quotes }) => seconds(quotes.bid.prices.lowNanos),
  LowBidPrice: ({ quotes }) => priceOfTicks(quotes.bid.prices.lowPrice),
  LowBidSize: ({ quotes }) => quotes.bid.prices.lowSize,
  LowAskTimeOffset: ({ quotes }) => seconds(quotes.ask.prices.lowNanos),
  LowAskPrice: ({ quotes }) => priceOfTicks(quotes.ask.prices.lowPrice),
  LowAskSize: ({ quotes }) => quotes.ask.prices.lowSize,
  LowTradeTimeOffset: ofTrades(({ trades }) => seconds(trades.prices.lowNanos)),
  LowTradePrice: ofTrades(({ trades }) => priceOfTicks(trades.prices.lowPrice)),
  LowTradeSize: ofTrades(({ trades }) => trades.prices.lowSize),
};

const CLOSE: Measures = {
  CloseBarTimeOffset: ({ lengthNanos }) => seconds(lengthNanos - 1),
  CloseBidPrice: ({ quotes }) => priceOfTicks(quotes.bid.prices.lastPrice),
  CloseBidSize: ({ quotes }) => quotes.bid.prices.lastSize,
  CloseAskPrice: ({ quotes }) => priceOfTicks(quotes.ask.prices.lastPrice),
  CloseAskSize: ({ quotes }) => quotes.ask.prices.lastSize,
  LastTradeTimeOffset: ofTrades(({ trades }) => seconds(trades.prices.lastNanos)),
  LastTradePrice: ofTrades(({ trades }) => priceOfTicks(trades.prices.lastPrice)),
  LastTradeSize: ofTrades(({ trades }) => trades.prices.lastSize),
};

const QUOTES: Measures = {
  MinSpread: ({ quotes }) => priceOfTicks(quotes.minSpread),
  MaxSpread: ({ quotes }) => priceOfTicks(quotes.maxSpread),
  CancelSize: ofTrades(({ trades }) => blankZero(trades.cancelledShares.value)),
  CancelCount: ofTrades(({ trades }) => trades.cancelledCount),
  VolumeWeightPrice: ofTrades(({ trades }) => averagePrice(trades.lit)),
  TotalVolumeWeightPrice: ofTrades(({ trades }) => averagePrice(trades.lit, trades.finra)),
  VolumeWeightPriceExcludePRP: ofTrades(({ trades }) => averagePrice(trades.litCurrent)),
  TotalVolumeWeightPriceExcludePRP: ofTrades(({ trades }) =>
    averagePrice(trades.litCurrent, trades.finraCurrent),
  ),
  NBBOQuoteCount: ({ quotes }) => quotes.nationalBestCount,
  TotalQuoteCount: ({ quotes }) => quotes.bidCount + quotes.askCount,
  BidQuoteCount: ({ quotes }) => quotes.bidCount,
  AskQuoteCount: ({ quotes }) => quotes.askCount,
};

const PLACES: Measures = {
  TradeAtBid: ofTrades(({ trades }) => trades.placeShares[PLACE.bid]!.value),
  TradeAtBidMid: ofTrades(({ trades }) => trades.placeShares[PLACE.bidMid]!.value),
  TradeAtMid: ofTrades(({ trades }) => trades.placeShares[PLACE.mid]!.value),
  TradeAtMidAsk: ofTrades(({ trades }) => trades.placeShares[PLACE.midAsk]!.value),
  TradeAtAsk: ofTrades(({ trades }) => trades.placeShares[PLACE.ask]!.value),
  TradeAtCrossOrLocked: ofTrades(({ trades }) => trades.placeShares[PLACE.crossOrLocked]!.value),
  TradeAtBidCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.bid]!),
  TradeAtBidMidCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.bidMid]!),
  TradeAtMidCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.mid]!),
  TradeAtMidAskCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.midAsk]!),
  TradeAtAskCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.ask]!),
  TradeAtCrossOrLockedCount: ofTrades(({ trades }) => trades.placeCounts[PLACE.crossOrLocked]!),
};

const VOLUMES: Measures = {
  Volume: ofTrades(({ trades }) => trades.lit.shares),
  TotalTrades: ofTrades(({ trades }) => trades.litCount + trades.finraCount),
  TotalVolume: ofTrades(({ trades }) => plus(trades.lit.shares, trades.finra.shares)),
  FinraVolume: ofTrades(({ trades }) => trades.finra.shares),
  FinraVolumeWeightPrice: ofTrades(({ trades }) => averagePrice(trades.finra)),
  FinraVolumeWeightPriceExcludePRP: ofTrades(({ trades }) => averagePrice(trades.finraCurrent)),
  FinraTrades: ofTrades(({ trades }) => trades.finraCount),
};

const TICK_DIRECTIONS: Measures = {
  UptickVolume: ofTrades(({ trades }) => trades.tickShares[TICK.up]!.value),
  DowntickVolume: ofTrades(({ trades }) => trades.tickShares[TICK.down]!.value),
  RepeatUptickVolume: ofTrades(({ trades }) => trades.tickShares[TICK.repeatUp]!.value),
  RepeatDowntickVolume: ofTrades(({ trades }) => trades.tickShares[TICK.repeatDown]!.value),
  UnknownTickVolume: ofTrades(({ trades }) => trades.tickShares[TICK.unknown]!.value),
  UptickCount: ofTrades(({ trades }) => trades.tickCounts[TICK.up]!),
  DowntickCount: ofTrades(({ trades }) => trades.tickCounts[TICK.down]!),
  RepeatUptickCount: ofTrades(({ trades }) => trades.tickCounts[TICK.repeatUp]!),
  RepeatDowntickCount: ofTrades(({ trades }) => trades.tickCounts[TICK.repeatDown]!),
  UnknownTickCount: ofTrades(({ trades }) => trades.tickCounts[TICK.unknown]!),
};

const WEIGHTS: Measures = {
  TradeToMidVolWeight: ofTrades(({ trades }) => trades.midDistance.cents),
  TradeToMidVolWeightRelative: ofTrades(({ trades }) => trades.midDistance.spreads),
  TimeWeightBid: ({ quotes, lengthNanos }) => weighted(quotes.bid.weight.average(lengthNanos)),
  TimeWeightAsk: ({ quotes, lengthNanos }) => weighted(quotes.ask.weight.average(lengthNanos)),
  TimeWeightSpread: ({ quotes, lengthNanos }) => weighted(quotes.spreadWeight.average(lengthNanos)),
  OddLotTradeCount: ofTrades(({ trades }) => trades.oddLotCount),
  OddLotVolume: ofTrades(({ trades }) => trades.oddLotShares.value),
  RetailTRFBuySize: ofTrades(({ trades }) => trades.retail.buyShares.value),
  RetailTRFSellSize: ofTrades(({ trades }) => trades.retail.sellShares.value),
  RetailTRFBuyCount: ofTrades(({ trades }) => trades.retail.buyCount),
  RetailTRFSellCount: ofTrades(({ trades }) => trades.retail.sellCount),
};

const EXTENDED: Measures = {
  ...OPEN,
  ...HIGH,
  ...LOW,
  ...CLOSE,
  ...QUOTES,
  ...PLACES,
  ...VOLUMES,
  ...TICK_DIRECTIONS,
  ...WEIGHTS,
};

const IN_EXTENDED_BARS_ONLY =
  /Count$|^Total(?!Trades$)|ExcludePRP$|^FinraTrades$|^TimeWeightSpread$|^OddLot|^RetailTRF/;

function without(measures: Measures, pattern: RegExp, except: string): Measures {
  return Object.fromEntries(
    Object.entries(measures).filter(([name]) => name === except || !pattern.test(name)),
  );
}

const STANDARD = without(EXTENDED, IN_EXTENDED_BARS_ONLY, 'NBBOQuoteCount');

/** A day has no quote to carry, so its opening quote is its first. */
const DAILY: Measures = {
  ...STANDARD,
  OpenBidPrice: ({ quotes }) => priceOfTicks(quotes.bid.prices.firstPrice),
  OpenBidSize: ({ quotes }) => quotes.bid.prices.firstSize,
  OpenAskPrice: ({ quotes }) => priceOfTicks(quotes.ask.prices.firstPrice),
  OpenAskSize: ({ quotes }) => quotes.ask.prices.firstSize,
  TotalVolume: EXTENDED.TotalVolume!,
  TotalVolumeWeightPrice: EXTENDED.TotalVolumeWeightPrice!,
  FinraTrades: EXTENDED.FinraTrades!,
  TimeWeightSpread: EXTENDED.TimeWeightSpread!,
};

/** The part of a bar that bars of trades alone are read from. */
export interface TradedBar {
  readonly trades: Pick<TradeBar, 'prices' | 'lit' | 'finra' | 'litCount' | 'finraCount'>;
}

const TRADES_ALONE: BarLayout<TradedBar>['measures'] = {
  FirstTradePrice: ({ trades }) => priceOfTicks(trades.prices.firstPrice),
  HighTradePrice: ({ trades }) => priceOfTicks(trades.prices.highPrice),
  LowTradePrice: ({ trades }) => priceOfTicks(trades.prices.lowPrice),
  LastTradePrice: ({ trades }) => priceOfTicks(trades.prices.lastPrice),
  VolumeWeightPrice: ({ trades }) => averagePrice(trades.lit, trades.finra),
  Volume: ({ trades }) => plus(trades.lit.shares, trades.finra.shares),
  TotalTrades: ({ trades }) => trades.litCount + trades.finraCount,
};

function isEveryBar(): boolean {
  return true;
}

function hasTrade({ trades }: TradedBar): boolean {
  return trades.litCount + trades.finraCount > 0;
}

/** `eq_taq_1min` and its industry-standard variant: 58 columns. */
export const EQUITY_MINUTE_BAR: Layout = barLayout(STANDARD, isEveryBar, NO_TRADES);
/** `eq_taq_1min_ext`: 86 columns. */
export const EQUITY_EXTENDED_BAR: Layout = barLayout(EXTENDED, isEveryBar, NO_TRADES);
/** `eq_trades_1min` and its industry-standard variant: 7 columns. */
export const EQUITY_TRADE_BAR: BarLayout<TradedBar> = barLayout(TRADES_ALONE, hasTrade);
/** `eq_taq_daily`: 62 columns. */
export const EQUITY_DAILY_BAR: Layout = barLayout(DAILY, isEveryBar);
