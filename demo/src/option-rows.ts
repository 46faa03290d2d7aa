/** The option datasets of the days of some equities. */

import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityEvent, OptionTradeEvent } from '@ticklake/market/events.ts';
import { optionAnalytics } from '@ticklake/market/option-analytics.ts';
import {
  exerciseStyleOf,
  LastQuotes,
  optionSnapshot,
  type RootClose,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from '@ticklake/market/option-close.ts';
import {
  type OptionContractDay,
  optionAnalyticsSources,
  optionBarSources,
} from '@ticklake/market/option-rows.ts';
import { optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import { eventMoments, type Sources } from '@ticklake/market/row-sources.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import type { EquityMarket } from './equity-market.ts';
import { sessionOf } from './intraday-path.ts';
import { contractsOn, type OptionChain } from './option-chain.ts';
import {
  DEMO_RATE,
  type OptionDayPlan,
  type OptionEvent,
  optionQuotes,
  optionTrades,
} from './option-events.ts';
import type { UnderlyingDays } from './quote-family.ts';
import { type Random, randomOf } from './random.ts';
import { type Standing, UnderlyingCourse } from './underlying-course.ts';

const EASTERN = 'America/New_York';

/** The columns that the two tick datasets share. */
function eventSources(root: string, date: string, events: readonly OptionEvent[]): Sources {
  return {
    TradeDate: date,
    EventDateTime: eventMoments(EASTERN, date, events),
    Ticker: root,
    CallPut: events.map(({ contract }) => contract.callPut),
    Strike: Float64Array.from(events, ({ contract }) => contract.strike),
    ExpirationDate: events.map(({ contract }) => daysOfDate(contract.expiration)),
    Price: Float64Array.from(events, ({ price }) => price),
    Quantity: Float64Array.from(events, ({ quantity }) => quantity),
    Exchange: events.map(({ exchange }) => exchange),
    ConditionCode: events.map(({ condition }) => condition),
    UnderBidPrice: Float64Array.from(events, ({ underlying }) => underlying.bid.price),
    UnderAskPrice: Float64Array.from(events, ({ underlying }) => underlying.ask.price),
  };
}

function appendTanq(
  buffers: RowBuffers,
  root: string,
  date: string,
  events: readonly OptionEvent[],
): void {
  buffers.of('opt_tanq').append(events.length, {
    ...eventSources(root, date, events),
    EventType: events.map(({ eventByte }) => eventByte),
    Side: events.map(({ side }) => side),
    Action: events.map(({ action }) => action),
  });
}

/** Columns of what stood at each trade; null where nothing did. */
function standingSources(
  date: string,
  names: { readonly price: string; readonly size: string; readonly time: string },
  standings: readonly (Standing | null)[],
): Sources {
  const numbers = (pick: (standing: Standing) => number) =>
    Float64Array.from(standings, (standing) => (standing ? pick(standing) : Number.NaN));
  return {
    [names.price]: numbers(({ price }) => price),
    [names.size]: numbers(({ size }) => size),
    [names.time]: { zone: EASTERN, date, nanosOfDay: numbers(({ nanosOfDay }) => nanosOfDay) },
  };
}

function appendTrades(
  buffers: RowBuffers,
  root: string,
  date: string,
  trades: readonly OptionEvent[],
): void {
  const quotes = (side: 'bid' | 'ask', pick: 'price' | 'size') =>
    Float64Array.from(trades, ({ market }) => market?.[side][pick] ?? Number.NaN);
  const under = (side: string) => ({
    price: `Under${side}Price`,
    size: `Under${side}Size`,
    time: `Under${side}Time`,
  });
  buffers.of('opt_trades').append(trades.length, {
    ...eventSources(root, date, trades),
    EventType: trades.map(({ action }) => action),
    BidPrice: quotes('bid', 'price'),
    BidSize: quotes('bid', 'size'),
    BidCondition: 'A',
    AskPrice: quotes('ask', 'price'),
    AskSize: quotes('ask', 'size'),
    AskCondition: 'A',
    ...standingSources(
      date,
      under('Bid'),
      trades.map(({ underlying }) => underlying.bid),
    ),
    ...standingSources(
      date,
      under('Ask'),
      trades.map(({ underlying }) => underlying.ask),
    ),
    ...standingSources(
      date,
      {
        price: 'UnderLastTradePrice',
        size: 'UnderLastTradeSize',
        time: 'UnderLastTradeTime',
      },
      trades.map(({ underlying }) => underlying.lastTrade),
    ),
  });
}

function tradeOf(event: OptionEvent): OptionTradeEvent {
  return {
    nanosOfDay: event.nanosOfDay,
    type: event.action === 'C' ? 'C' : 'T',
    price: event.price,
    quantity: event.quantity,
    exchange: event.exchange,
    condition: event.condition ?? '',
    underBid: event.underlying.bid.price,
    underAsk: event.underlying.ask.price,
  };
}

function contractDay({ date, chain, contract }: OptionDayPlan): OptionContractDay {
  const { callPut, strike, expiration } = contract;
  return { date, root: chain.root, callPut, strike, expiration };
}

function appendTradeBars(
  buffers: RowBuffers,
  plan: OptionDayPlan,
  trades: readonly OptionEvent[],
): void {
  const table = optionMinuteBars(trades.map(tradeOf));
  buffers.of('opt_trades_1min').append(table.rowCount, optionBarSources(contractDay(plan), table));
}

/** The state of the root's market at the end of stock trading, by all ticks of its contracts in order. */
function rootClose(
  { listed, root }: OptionChain,
  date: string,
  ticks: readonly OptionEvent[],
): RootClose {
  const close = stockCloseNanos(date);
  const last = ticks.findLast(({ nanosOfDay }) => nanosOfDay < close)?.underlying;
  const dividends = listed.actions.filter(({ reason }) => reason === 'CashDiv');
  return {
    ...{ root, date, rate: DEMO_RATE },
    underMid: last ? underlyingMid(last.bid.price, last.ask.price) : null,
    dividendYield: trailingDividendYield(dividends, date),
  };
}

function appendAnalytics(
  buffers: RowBuffers,
  plan: OptionDayPlan,
  quotes: readonly OptionEvent[],
  close: RootClose,
): void {
  const last = new LastQuotes();
  for (const quote of quotes) last.take(quote);
  const contract = contractDay(plan);
  const cells = optionAnalytics(optionSnapshot(close, contract, last));
  const style = exerciseStyleOf(close.root);
  buffers.of('opt_greeks_daily').append(1, optionAnalyticsSources(contract, style, cells));
}

class OptionDays implements UnderlyingDays {
  readonly textIds = ['opt_tanq', 'opt_trades', 'opt_trades_1min', 'opt_greeks_daily'];
  readonly #market: EquityMarket;
  readonly #chains: ReadonlyMap<string, OptionChain>;

  constructor(market: EquityMarket, chains: readonly OptionChain[]) {
    this.#market = market;
    this.#chains = new Map(chains.map((chain) => [chain.root, chain]));
  }

  append(
    buffers: RowBuffers,
    ticker: string,
    date: string,
    underlyingEvents: readonly EquityEvent[],
    hasTicks: boolean,
  ): void {
    const chain = this.#chains.get(ticker) as OptionChain;
    const course = new UnderlyingCourse(underlyingEvents);
    const allQuotes: OptionEvent[] = [];
    const allTrades: OptionEvent[] = [];
    const quoted: [OptionDayPlan, readonly OptionEvent[]][] = [];
    for (const contract of contractsOn(chain, date)) {
      const session = sessionOf(isHalfDay(date));
      const activity = this.#market.timeline.size.activity;
      const plan = { chain, contract, date, session, course, activity };
      const trades = optionTrades(plan, this.#random(plan, 'trades'));
      appendTradeBars(buffers, plan, trades);
      if (!hasTicks) continue;
      const quotes = optionQuotes(plan, this.#random(plan, 'quotes'));
      quoted.push([plan, quotes]);
      allQuotes.push(...quotes);
      allTrades.push(...trades);
    }
    const byTime = (a: OptionEvent, b: OptionEvent) => a.nanosOfDay - b.nanosOfDay;
    const ticks = [...allQuotes, ...allTrades].sort(byTime);
    appendTanq(buffers, ticker, date, ticks);
    const close = rootClose(chain, date, ticks);
    for (const [plan, quotes] of quoted) appendAnalytics(buffers, plan, quotes, close);
    if (hasTicks) appendTrades(buffers, ticker, date, allTrades.sort(byTime));
  }

  #random({ chain, contract, date }: OptionDayPlan, kind: string): Random {
    const { expiration, strike, callPut } = contract;
    const name = `${chain.root} ${expiration} ${strike} ${callPut}`;
    return randomOf(this.#market.seed, 'option', kind, name, date);
  }
}

export function optionDays(market: EquityMarket, chains: readonly OptionChain[]): UnderlyingDays {
  return new OptionDays(market, chains);
}
