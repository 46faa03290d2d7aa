/** The events of one option contract on one day: open interest, quotes of venues, trades. */

import { europeanOption } from '@ticklake/market/black-scholes.ts';
import { daysOfDate } from 'ticklake/engine/columns.ts';
import { NANOS_PER_MINUTE, type SessionMinutes } from './intraday-path.ts';
import type { OptionChain, OptionContract } from './option-chain.ts';
import type { Random } from './random.ts';
import type { UnderlyingCourse, UnderlyingMoment } from './underlying-course.ts';

export const DEMO_RATE = 0.04;
const DAYS_OF_YEAR = 365;
const VENUES = ['CBOE', 'ISE', 'PHLX', 'ARCA'] as const;
/** Quote refreshes between the first and the last one of the day. */
const REFRESHES = 9;
const TRADE_CONDITIONS = ['I', 'I', 'I', 'I', 'a', 'S', 'B'] as const;
const QUOTE_CONDITION = 'A';
const QUOTE_SPACING_NANOS = 1_700;
const CANCEL_SHARE = 0.01;

/** Kinds and flags of the raw event byte. */
const BYTE = { trade: 1, openInterest: 2, firmQuote: 4, cancel: 16, call: 32, best: 64, bid: 128 };

interface QuoteSide {
  readonly price: number;
  readonly size: number;
  readonly venue: string;
}

/** The quotes of one venue. */
interface VenueMarket {
  readonly bid: QuoteSide;
  readonly ask: QuoteSide;
}

export interface OptionEvent {
  readonly nanosOfDay: number;
  readonly contract: OptionContract;
  readonly action: 'OI' | 'FQ' | 'FQ NB' | 'T' | 'C';
  readonly eventByte: number;
  readonly side: 'B' | 'A' | null;
  readonly price: number;
  readonly quantity: number;
  readonly exchange: string;
  readonly condition: string | null;
  readonly underlying: UnderlyingMoment;
}

export interface OptionDayPlan {
  readonly chain: OptionChain;
  readonly contract: OptionContract;
  readonly date: string;
  readonly session: SessionMinutes;
  readonly course: UnderlyingCourse;
  /** Factor on the number of trades. */
  readonly activity: number;
}

function tickOf(price: number): number {
  return price < 3 ? 0.01 : 0.05;
}

function onTick(price: number): number {
  const tick = tickOf(price);
  return Math.round(Math.round(price / tick) * tick * 100) / 100;
}

/** The model's price and half the spread that venues put around it. */
function fairPrice({ chain, contract, date }: OptionDayPlan, underlying: UnderlyingMoment) {
  const spot = (underlying.bid.price + underlying.ask.price) / 2;
  const { strike, callPut, expiration } = contract;
  const years = (daysOfDate(expiration) - daysOfDate(date) + 0.7) / DAYS_OF_YEAR;
  const isCall = callPut === 'C';
  const distance = Math.log(strike / spot) / Math.sqrt(years + 0.05);
  const volatility = chain.volatility * (1 - 0.12 * distance + 0.2 * distance ** 2);
  const dividendYield = chain.listed.company.dividendYield;
  const terms = { isCall, isAmerican: false, spot, strike, years, rate: DEMO_RATE, dividendYield };
  const { value } = europeanOption(terms, volatility);
  const exercise = Math.max(0, isCall ? spot - strike : strike - spot);
  const fair = Math.max(value, exercise + 0.02, 0.02);
  return { fair, half: Math.max(tickOf(fair), 0.006 * fair) };
}

/** Each venue's quotes at one moment; the first venue stands at the best of both sides. */
function venueMarkets(
  plan: OptionDayPlan,
  underlying: UnderlyingMoment,
  random: Random,
): VenueMarket[] {
  const { fair, half } = fairPrice(plan, underlying);
  const lead = random.integer(0, VENUES.length - 1);
  return VENUES.map((_, i) => {
    const venue = VENUES[(lead + i) % VENUES.length] as string;
    const away = i === 0 ? 0 : tickOf(fair) * random.integer(0, 2);
    const bid = Math.max(0.01, onTick(fair - half - away));
    const ask = Math.max(bid + tickOf(fair), onTick(fair + half + away));
    const size = () => random.integer(1, 60);
    return {
      bid: { price: bid, size: size(), venue },
      ask: { price: Math.round(ask * 100) / 100, size: size(), venue },
    };
  });
}

/** All venues' quotes as rows, from the moment of the underlying on. */
function quoteEvents(
  { contract }: OptionDayPlan,
  nanosOfDay: number,
  underlying: UnderlyingMoment,
  markets: readonly VenueMarket[],
): OptionEvent[] {
  const best = markets[0] as VenueMarket;
  const callBit = contract.callPut === 'C' ? BYTE.call : 0;
  return markets.flatMap((market, i) =>
    (['bid', 'ask'] as const).map((side, s) => {
      const { price, size, venue } = market[side];
      const isBest = price === best[side].price;
      const flags = (isBest ? BYTE.best : 0) + (side === 'bid' ? BYTE.bid : 0);
      return {
        nanosOfDay: nanosOfDay + (2 * i + s) * QUOTE_SPACING_NANOS,
        contract,
        action: isBest ? 'FQ NB' : 'FQ',
        eventByte: BYTE.firmQuote + callBit + flags,
        side: side === 'bid' ? 'B' : 'A',
        price,
        quantity: size,
        exchange: venue,
        condition: QUOTE_CONDITION,
        underlying,
      };
    }),
  );
}

/** Trades and cancels of a contract's day in order, and the quotes that they met. */
export interface TradedDay {
  readonly trades: readonly OptionEvent[];
  readonly quotes: readonly OptionEvent[];
}

/** The quotes stand before the trade, where no other trade of the contract comes between. */
function tradedAt(plan: OptionDayPlan, nanosOfDay: number, random: Random): TradedDay {
  const { contract, course } = plan;
  const underlying = course.at(nanosOfDay);
  const markets = venueMarkets(plan, underlying, random);
  const market = markets[0] as VenueMarket;
  const quotedAt = nanosOfDay - 2 * markets.length * QUOTE_SPACING_NANOS;
  const quotes = quoteEvents(plan, quotedAt, course.at(quotedAt), markets);
  const side = random.chance(0.5) ? market.ask : market.bid;
  const isMiddle = random.chance(0.2);
  const middle = onTick((market.bid.price + market.ask.price) / 2);
  const trade: OptionEvent = {
    nanosOfDay,
    contract,
    action: 'T',
    eventByte: BYTE.trade + (contract.callPut === 'C' ? BYTE.call : 0),
    side: null,
    price: isMiddle ? middle : side.price,
    quantity: 1 + random.poisson(random.chance(0.1) ? 40 : 3),
    exchange: side.venue,
    condition: random.pick(TRADE_CONDITIONS),
    underlying,
  };
  if (!random.chance(CANCEL_SHARE)) return { trades: [trade], quotes };
  const later = nanosOfDay + 800_000_000;
  const cancel: OptionEvent = {
    ...trade,
    nanosOfDay: later,
    action: 'C',
    eventByte: trade.eventByte + BYTE.cancel,
    underlying: course.at(later),
  };
  return { trades: [trade, cancel], quotes };
}

/** Contracts near the money and near expiry trade most. */
export function optionTrades(plan: OptionDayPlan, random: Random): TradedDay {
  const { contract, course, session, date, activity } = plan;
  const noon = course.at(((session.open + session.close) / 2) * NANOS_PER_MINUTE);
  const days = daysOfDate(contract.expiration) - daysOfDate(date);
  const distance = Math.abs(Math.log(contract.strike / noon.bid.price)) * 12;
  const mean = (9 * activity * Math.exp(-distance)) / (1 + days / 15);
  const first = session.open * NANOS_PER_MINUTE + 120_000_000_000;
  const last = session.close * NANOS_PER_MINUTE - 2_000_000_000;
  const moments = Array.from({ length: random.poisson(mean) }, () =>
    Math.floor(random.uniform(first, last)),
  ).sort((a, b) => a - b);
  const traded = moments.map((nanos) => tradedAt(plan, nanos, random));
  return {
    trades: traded.flatMap(({ trades }) => trades).sort((a, b) => a.nanosOfDay - b.nanosOfDay),
    quotes: traded.flatMap(({ quotes }) => quotes),
  };
}

function openInterestEvent({ contract, course }: OptionDayPlan, random: Random): OptionEvent {
  const nanosOfDay = 390 * NANOS_PER_MINUTE + random.integer(0, 59_000_000_000);
  return {
    nanosOfDay,
    contract,
    action: 'OI',
    eventByte: BYTE.openInterest + (contract.callPut === 'C' ? BYTE.call : 0),
    side: null,
    price: 0,
    quantity: random.integer(20, 6000),
    exchange: 'UNKNOWN',
    condition: null,
    underlying: course.at(nanosOfDay),
  };
}

/** All events of the contract's day but its trades and the quotes that they met, in order. */
export function optionQuotes(plan: OptionDayPlan, random: Random): OptionEvent[] {
  const { open, close } = plan.session;
  const moments = [open * NANOS_PER_MINUTE + random.integer(300_000_000, 8_000_000_000)];
  for (let i = 0; i < REFRESHES; i++)
    moments.push(Math.floor(random.uniform(open + 1, close - 1) * NANOS_PER_MINUTE));
  moments.push(Math.floor(random.uniform(close - 0.9, close - 0.02) * NANOS_PER_MINUTE));
  moments.sort((a, b) => a - b);
  return [
    openInterestEvent(plan, random),
    ...moments.flatMap((nanos) => {
      const underlying = plan.course.at(nanos);
      return quoteEvents(plan, nanos, underlying, venueMarkets(plan, underlying, random));
    }),
  ];
}
