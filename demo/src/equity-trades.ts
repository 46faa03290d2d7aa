/** How single trades of the demo market look: size, venue, price and conditions. */
import { tradeMask } from '@ticklake/market/conditions.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import type { Random } from './random.ts';

const TRADE = {
  regular: tradeMask('Regular'),
  sweep: tradeMask('Regular', 'Intermarket sweep'),
  openingPrint: tradeMask('Opening print'),
  closingPrint: tradeMask('Closing print'),
  reopeningPrint: tradeMask('Regular', 'Re-opening print'),
  formT: tradeMask('Form T'),
  officialClose: tradeMask('Official close'),
  officialOpen: tradeMask('Official open'),
  oddLot: tradeMask('Odd lot'),
} as const;

const ODD_LOT_SHARE = 0.35;
const FINRA_SHARE = 0.3;
/** Reports of off-exchange trades begin at 08:00. */
const FINRA_START_NANOS = 8 * 3_600_000_000_000;
const SPECIAL_SHARE = 0.02;
const SPECIALS = [
  tradeMask('Average price'),
  tradeMask('Prior reference price'),
  tradeMask('Derivatively priced'),
  tradeMask('Out of sequence'),
];

/** The quote a trade executes against: national best in cents, and a venue on each side. */
export interface Market {
  readonly bidCents: number;
  readonly askCents: number;
  readonly bidVenue: string;
  readonly askVenue: string;
  readonly isRegularSession: boolean;
}

function drawShares(random: Random): number {
  if (random.chance(ODD_LOT_SHARE)) return random.integer(1, 99);
  let lots = 1;
  while (lots < 40 && random.chance(0.5)) lots += random.integer(1, 2);
  return lots * 100;
}

function finraTrade(market: Market, isBuy: boolean, random: Random) {
  const { bidCents, askCents } = market;
  const kind = random.next();
  const touch = isBuy ? askCents : bidCents;
  const improvement = random.integer(1, 20) / 100;
  const cents =
    kind < 0.4
      ? (bidCents + askCents) / 2
      : kind < 0.7
        ? touch
        : touch + (isBuy ? -improvement : improvement);
  const isSpecial = market.isRegularSession && random.chance(SPECIAL_SHARE);
  return {
    cents,
    exchange: 'FINRA',
    conditions: isSpecial ? random.pick(SPECIALS) : TRADE.regular,
  };
}

function litTrade(market: Market, isBuy: boolean, random: Random) {
  const { bidCents, askCents } = market;
  const kind = random.next();
  const isHidden = kind < 0.05;
  const isSweep = kind > 0.75;
  const cents = isHidden ? (bidCents + askCents) / 2 : isBuy ? askCents : bidCents;
  return {
    cents,
    exchange: isBuy ? market.askVenue : market.bidVenue,
    conditions: isSweep ? TRADE.sweep : TRADE.regular,
  };
}

/** One ordinary trade against the market as it stands. */
export function drawTrade(nanosOfDay: number, market: Market, random: Random): EquityEvent {
  const isBuy = random.chance(0.5);
  const isFinra = nanosOfDay >= FINRA_START_NANOS && random.chance(FINRA_SHARE);
  const { cents, exchange, conditions } = (isFinra ? finraTrade : litTrade)(market, isBuy, random);
  const quantity = drawShares(random);
  const isAtBest = cents === market.bidCents || cents === market.askCents;
  const extended = market.isRegularSession ? 0 : TRADE.formT;
  return {
    nanosOfDay,
    type: isAtBest ? 'TRADE NB' : 'TRADE',
    price: Math.round(cents * 100) / 10_000,
    quantity,
    exchange,
    conditions: conditions + extended + (quantity < 100 ? TRADE.oddLot : 0),
  };
}

/** The withdrawal of a trade, reported later. */
export function cancelOf(trade: EquityEvent, nanosOfDay: number): EquityEvent {
  const type = trade.type === 'TRADE NB' ? 'TRADE NB CANCELLED' : 'TRADE CANCELLED';
  return { ...trade, nanosOfDay, type };
}

/** An auction of the listing venue: the print, then its repetition as official price. */
export function auctionTrades(
  nanosOfDay: number,
  kind: 'open' | 'close' | 'reopen',
  auction: { readonly price: number; readonly shares: number; readonly exchange: string },
): EquityEvent[] {
  const print = {
    open: TRADE.openingPrint,
    close: TRADE.closingPrint,
    reopen: TRADE.reopeningPrint,
  }[kind];
  const trade: EquityEvent = {
    nanosOfDay,
    type: 'TRADE',
    price: auction.price,
    quantity: auction.shares,
    exchange: auction.exchange,
    conditions: print,
  };
  if (kind === 'reopen') return [trade];
  const official = kind === 'open' ? TRADE.officialOpen : TRADE.officialClose;
  return [trade, { ...trade, nanosOfDay: nanosOfDay + 250_000, conditions: official }];
}
