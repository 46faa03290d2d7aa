/** The option datasets of the days of some equities. */

import { isHalfDay } from '@ticklake/market/calendar.ts';
import type { EquityEvent, OptionTradeEvent } from '@ticklake/market/events.ts';
import { optionAnalytics } from '@ticklake/market/option-analytics.ts';
import {
  exerciseStyleOf,
  LastQuotes,
  optionSnapshot,
  type RootClose,
  type StandingQuote,
  stockCloseNanos,
  trailingDividendYield,
  underlyingMid,
} from '@ticklake/market/option-close.ts';
import {
  type OptionContractDay,
  optionAnalyticsSources,
  optionBarSources,
  standingQuoteSources,
} from '@ticklake/market/option-rows.ts';
import { optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import { eventMoments, type Sources } from '@ticklake/market/row-sources.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';
import type { EquityMarket } from './equity-market.ts';
import { sessionOf } from './intraday-path.ts';
import { contractsOn, type OptionChain, type OptionContract } from './option-chain.ts';
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

/** A trade and its contract's quotes then. */
interface QuotedTrade {
  readonly trade: OptionEvent;
  readonly bid: StandingQuote | null;
  readonly ask: StandingQuote | null;
}

const isTrade = ({ action }: OptionEvent) => action === 'T' || action === 'C';

/** The quotes of contracts after all ticks of a day, and at each trade. */
function standingQuotes(ticks: readonly OptionEvent[]) {
  const last = new Map<OptionContract, LastQuotes>();
  const trades: QuotedTrade[] = [];
  for (const tick of ticks) {
    const quotes = last.get(tick.contract) ?? new LastQuotes();
    last.set(tick.contract, quotes);
    quotes.take(tick);
    if (isTrade(tick)) trades.push({ trade: tick, bid: quotes.bid, ask: quotes.ask });
  }
  return { last, trades };
}

function appendTrades(
  buffers: RowBuffers,
  root: string,
  date: string,
  quoted: readonly QuotedTrade[],
): void {
  const trades = quoted.map(({ trade }) => trade);
  const under = (side: string) => ({
    price: `Under${side}Price`,
    size: `Under${side}Size`,
    time: `Under${side}Time`,
  });
  buffers.of('opt_trades').append(trades.length, {
    ...eventSources(root, date, trades),
    EventType: trades.map(({ action }) => action),
    ...standingQuoteSources(quoted),
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

/** The state of the root's market when stock trading ends, by the ticks of its contracts. */
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
  last: LastQuotes,
  close: RootClose,
): void {
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
    const ticks: OptionEvent[] = [];
    const plans: OptionDayPlan[] = [];
    for (const contract of contractsOn(chain, date)) {
      const session = sessionOf(isHalfDay(date));
      const activity = this.#market.timeline.size.activity;
      const plan = { chain, contract, date, session, course, activity };
      const { trades, quotes } = optionTrades(plan, this.#random(plan, 'trades'));
      appendTradeBars(buffers, plan, trades);
      if (!hasTicks) continue;
      plans.push(plan);
      ticks.push(...optionQuotes(plan, this.#random(plan, 'quotes')), ...quotes, ...trades);
    }
    ticks.sort((a, b) => a.nanosOfDay - b.nanosOfDay);
    appendTanq(buffers, ticker, date, ticks);
    const close = rootClose(chain, date, ticks);
    const { last, trades } = standingQuotes(ticks);
    for (const plan of plans) {
      appendAnalytics(buffers, plan, last.get(plan.contract) ?? new LastQuotes(), close);
    }
    appendTrades(buffers, ticker, date, trades);
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
