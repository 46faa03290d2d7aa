/**
 * LEAN's rule for bars of trades, expressed as the same trades with other conditions in another
 * order. LEAN documents which conditions set prices; its handling of auctions was inferred by
 * comparing its bars with its ticks.
 */
import { TRADE_USE, tradeMask } from '@ticklake/market/conditions.ts';
import type { EquityEvent } from '@ticklake/market/events.ts';
import type { LeanTrade } from './lean-files.ts';

/** Listing exchange of each ticker in 2013, by LEAN's letters. */
export const LISTED_AT: Readonly<Record<string, string>> = { ibm: 'N', spy: 'P' };

const SETS_PRICES = tradeMask(
  ...([
    'Regular',
    'Cash settlement',
    'Next-day settlement',
    'Opening print',
    'Closing print',
  ] as const),
  ...(['Form T', 'Extended hours', 'Official close', 'Official open'] as const),
);
const SETS_NONE = tradeMask('Intermarket sweep', 'Trade-through exempt', 'Odd lot');
const OPENING = tradeMask('Opening print');
const CLOSING = tradeMask('Closing print');
const OFFICIAL = tradeMask('Official open', 'Official close');

/** Under the industry's standard. */
const COUNTS_FULLY = tradeMask('Regular');
const COUNTS_IN_VOLUME = tradeMask('Odd lot');

const OPEN_NANOS = 34_200e9;
const CLOSE_NANOS = 57_600e9;
const MINUTE_NANOS = 60e9;

const has = ({ conditions }: EquityEvent, mask: number) => (conditions & mask) !== 0;

function isAuction(trade: LeanTrade): boolean {
  return has(trade, OPENING | CLOSING | OFFICIAL);
}

function counted(trade: LeanTrade): EquityEvent {
  const isPrice = has(trade, SETS_PRICES) || !has(trade, SETS_NONE);
  const conditions = isPrice && !trade.isSuspicious ? COUNTS_FULLY : COUNTS_IN_VOLUME;
  return { ...trade, conditions };
}

/**
 * The listing exchange's first opening print, as the first trade of 09:30, if printed in that
 * minute.
 */
function opening(trades: readonly LeanTrade[], exchange: string): EquityEvent[] {
  const print = trades.find((trade) => has(trade, OPENING) && trade.exchange === exchange);
  if (!print || print.nanosOfDay >= OPEN_NANOS + MINUTE_NANOS) return [];
  return [{ ...print, nanosOfDay: OPEN_NANOS, conditions: COUNTS_FULLY }];
}

/** The listing exchange's first closing print, as the last trade of 15:59, whenever it came. */
function closing(trades: readonly LeanTrade[], exchange: string): EquityEvent[] {
  const print = trades.find((trade) => has(trade, CLOSING) && trade.exchange === exchange);
  return print ? [{ ...print, nanosOfDay: CLOSE_NANOS - 1, conditions: COUNTS_FULLY }] : [];
}

/** The trades of a day as LEAN counts them, in the order in which it does. */
export function leanCounts(ticker: string, trades: readonly LeanTrade[]): EquityEvent[] {
  const exchange = LISTED_AT[ticker] as string;
  const others = trades.filter((trade) => !isAuction(trade)).map(counted);
  const before = (nanos: number) => others.filter(({ nanosOfDay }) => nanosOfDay < nanos);
  const from = (nanos: number) => others.filter(({ nanosOfDay }) => nanosOfDay >= nanos);
  return [
    ...before(OPEN_NANOS),
    ...opening(trades, exchange),
    ...before(CLOSE_NANOS).filter(({ nanosOfDay }) => nanosOfDay >= OPEN_NANOS),
    ...closing(trades, exchange),
    ...from(CLOSE_NANOS),
  ];
}

export const DIFFERENCES = [
  'merely a sweep or exempt from trade-through',
  'in volume alone by the tapes',
  'a print of an auction',
  'an official price',
  'marked as suspicious',
] as const;

/**
 * Why LEAN's bar for the trade's minute may differ from the industry standard's; null if it may
 * not.
 */
export function differenceOf(trade: LeanTrade): (typeof DIFFERENCES)[number] | null {
  if (has(trade, OFFICIAL)) return 'an official price';
  if (isAuction(trade)) return 'a print of an auction';
  if (trade.isSuspicious) return 'marked as suspicious';
  const isRegularHours = trade.nanosOfDay >= OPEN_NANOS && trade.nanosOfDay < CLOSE_NANOS;
  const theirs = TRADE_USE.industry_std(counted(trade).conditions, isRegularHours);
  const ours = TRADE_USE.industry_std(trade.conditions, isRegularHours);
  if (theirs === ours) return null;
  return theirs < ours
    ? 'merely a sweep or exempt from trade-through'
    : 'in volume alone by the tapes';
}

/** The minutes of the day whose bars a trade may enter under either rule. */
export function minutesOf(trade: LeanTrade): number[] {
  const own = Math.floor(trade.nanosOfDay / MINUTE_NANOS);
  if (has(trade, OPENING)) return [own, OPEN_NANOS / MINUTE_NANOS];
  if (has(trade, CLOSING | tradeMask('Official close'))) {
    return [own, CLOSE_NANOS / MINUTE_NANOS - 1];
  }
  return [own];
}
