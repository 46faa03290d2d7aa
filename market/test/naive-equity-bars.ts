/**
 * A second program for equity bars that shares nothing with the first: for each bar it goes over
 * the whole day again, in whole numbers of any size, straight from the rules.
 */
import type { EquityEvent } from '../src/events.ts';

export type Logic = 'vendor_default' | 'industry_std';
export type Cell = number | null;

export const MINUTE = 60_000_000_000n;
export const FOUR = 240n * MINUTE;
/** 20:00 on the evening before. */
export const NIGHT = -240n * MINUTE;
export const EIGHT_PM = 1200n * MINUTE;
const NINE_THIRTY = 570n * MINUTE;
export const bits = (...list: number[]) => list.map((bit) => 2 ** bit).reduce((a, b) => a + b, 0);
const hasAny = (mask: number, list: number[]) =>
  list.some((bit) => Math.floor(mask / 2 ** bit) % 2 === 1);

const REJECTED = [14, 20, 22, 23, 24, 25, 26];
const KEPT = [0, 1, 2, 5, 6, 7, 10, 13, 21, 29, 31];

/** counted, may set high and low, may be first and last: `sole` only where there is no other. */
function eligibility(mask: number, logic: Logic, isRegular: boolean) {
  if (logic === 'vendor_default') {
    const counted = !hasAny(mask, REJECTED) && hasAny(mask, KEPT);
    return { counted, extreme: counted, endpoint: counted ? 'always' : 'never' };
  }
  if (hasAny(mask, [24, 26])) return { counted: false, extreme: false, endpoint: 'never' };
  const blocked = [1, 2, 3, 18, 20, 22, 27, 31, ...(isRegular ? [10, 13] : [])];
  if (hasAny(mask, blocked)) return { counted: true, extreme: false, endpoint: 'never' };
  const late = hasAny(mask, [9, 11, 14, 25]);
  return { counted: true, extreme: true, endpoint: late ? 'sole' : 'always' };
}

/** `numerator / denominator` in units of 10^-decimals, the nearest, ties to the even digit. */
function decimal(numerator: bigint, denominator: bigint, decimals: number): number {
  const scaled = numerator * 10n ** BigInt(decimals);
  const sign = scaled < 0n ? -1n : 1n;
  const size = scaled * sign;
  let units = (2n * size + denominator) / (2n * denominator);
  if ((2n * size + denominator) % (2n * denominator) === 0n && units % 2n === 1n) units -= 1n;
  return Number(sign * units) / 10 ** decimals;
}

const tenThousandths = (price: number) => BigInt(Math.round(price * 10_000));
const dollars = (ticks: bigint) => Number(ticks) / 10_000;
const lesser = (a: bigint, b: bigint) => [a, b].sort((x, y) => Number(x - y))[0] as bigint;
const add = (values: bigint[]) => values.reduce((a, b) => a + b, 0n);

interface Side {
  price: bigint;
  size: number;
}
/** State before the event of that index; null before the side's first national best row. */
interface Standing {
  bid: Side | null;
  ask: Side | null;
}

function countsAsQuote(event: EquityEvent, average: number | null): boolean {
  const low = average === null ? 0.03 : 0.05 * average;
  const high = average === null ? 19_998 : 10 * average;
  return (
    event.price > 0 &&
    event.quantity > 0 &&
    event.price >= low - 1e-9 &&
    event.price <= high + 1e-9 &&
    !hasAny(event.conditions, [3, 4, 5, 6, 7, 13]) &&
    hasAny(event.conditions, [0, 1, 2, 11, 21])
  );
}

function standing(events: EquityEvent[], average: number | null): Standing[] {
  const states: Standing[] = [{ bid: null, ask: null }];
  events.forEach((_, index) => {
    const seen = events.slice(0, index + 1);
    const former = states[index] as Standing;
    const side = (word: 'BID' | 'ASK', before: Side | null): Side | null => {
      const rows = seen.filter((e) => e.type.startsWith(`QUOTE ${word}`));
      const best = rows.findLast((e) => e.type.endsWith('NB') && countsAsQuote(e, average));
      if (!best) return null;
      const price = tenThousandths(best.price);
      const size = [...new Set(rows.map((e) => e.exchange))]
        .map((venue) => rows.findLast((e) => e.exchange === venue) as EquityEvent)
        .filter((e) => countsAsQuote(e, average) && tenThousandths(e.price) === price)
        .reduce((sum, e) => sum + Number(e.quantity), 0);
      return { price, size: size > 0 ? size : (before?.size ?? 0) };
    };
    states.push({ bid: side('BID', former.bid), ask: side('ASK', former.ask) });
  });
  return states;
}

interface Trade {
  at: bigint;
  ticks: bigint;
  shares: bigint;
  isFinra: boolean;
  conditions: number;
  eligible: ReturnType<typeof eligibility>;
  before: Standing;
  mid: Standing | null;
  place: string;
  tick: string;
}

function placeOf(ticks: bigint, { bid, ask }: Standing): string {
  if (!bid || !ask) return 'none';
  if (bid.price >= ask.price) return 'CrossOrLocked';
  if (ticks <= bid.price) return 'Bid';
  if (ticks >= ask.price) return 'Ask';
  const difference = 2n * ticks - bid.price - ask.price;
  if (difference === 0n) return 'Mid';
  return difference < 0n ? 'BidMid' : 'MidAsk';
}

function tradesOf(events: EquityEvent[], states: Standing[], logic: Logic): Trade[] {
  const trades: Trade[] = [];
  events.forEach((event, index) => {
    const at = BigInt(event.nanosOfDay);
    if (!['TRADE', 'TRADE NB'].includes(event.type)) return;
    if (event.price <= 0 || event.quantity <= 0 || at < NIGHT || at >= EIGHT_PM) return;
    const isRegular = at >= NINE_THIRTY && at < 960n * MINUTE;
    const eligible = eligibility(event.conditions, logic, isRegular);
    if (!eligible.counted) return;
    const ticks = tenThousandths(event.price);
    const before = states[index] as Standing;
    const mid = states
      .slice(0, index + 1)
      .findLast(({ bid, ask }) => bid && ask && bid.price <= ask.price);
    const prices = [...trades.map((trade) => trade.ticks), ticks];
    const last = prices.at(-2);
    const turn = prices.findLastIndex((p, i) => i > 0 && p !== prices[i - 1]);
    const isUp = turn > 0 && (prices[turn] as bigint) > (prices[turn - 1] as bigint);
    const moved = isUp ? 'Uptick' : 'Downtick';
    const tick = turn < 0 ? 'Unknown' : last === ticks ? `Repeat${moved}` : moved;
    trades.push({
      at,
      ticks,
      shares: BigInt(event.quantity),
      isFinra: event.exchange === 'FINRA',
      conditions: event.conditions,
      eligible,
      before,
      mid: mid ?? null,
      place: placeOf(ticks, before),
      tick: tick.replace('RepeatUnknown', 'Unknown'),
    });
  });
  return trades;
}

function average(trades: Trade[]): Cell {
  const shares = add(trades.map((trade) => trade.shares));
  if (shares === 0n) return null;
  return decimal(add(trades.map((t) => t.ticks * t.shares)), shares * 10_000n, 6);
}

/** Mean over the bar of a value of the quote, weighted with the time that it stood. */
function timeWeight(
  pieces: { from: bigint; to: bigint; state: Standing }[],
  quoteValue: (state: Standing) => bigint | null,
): Cell {
  const stood = pieces.filter(({ state }) => quoteValue(state) !== null);
  const time = add(stood.map(({ from, to }) => to - from));
  if (time === 0n) return null;
  const sum = add(stood.map(({ from, to, state }) => (quoteValue(state) as bigint) * (to - from)));
  return decimal(sum, time * 10_000n, 5);
}

/** First, high, low and last of a list of points, as the bar shows them. */
interface Point {
  at: bigint;
  ticks: bigint;
  size: number;
}
function shown(point: Point | undefined, start: bigint): [Cell, Cell, Cell] {
  if (!point) return [null, null, null];
  return [Number(point.at - start) / 1e9, dollars(point.ticks), point.size];
}
const highest = (points: Point[]) =>
  points.find((p) => points.every((other) => other.ticks <= p.ticks));
const lowest = (points: Point[]) =>
  points.find((p) => points.every((other) => other.ticks >= p.ticks));

export interface NaiveDay {
  events: EquityEvent[];
  states: Standing[];
  trades: Trade[];
  averageClose: number | null;
}

export function naiveDay(
  events: EquityEvent[],
  logic: Logic,
  averageClose: number | null,
): NaiveDay {
  const states = standing(events, averageClose);
  return { events, states, trades: tradesOf(events, states, logic), averageClose };
}

/** When the bars of a day begin: with the night if the equity traded in it. */
export function naiveStart(events: readonly EquityEvent[]): bigint {
  const isOfNight = ({ type, price, quantity, nanosOfDay }: EquityEvent) =>
    ['TRADE', 'TRADE NB'].includes(type) &&
    price > 0 &&
    quantity > 0 &&
    nanosOfDay >= NIGHT &&
    nanosOfDay < FOUR;
  return events.some(isOfNight) ? NIGHT : FOUR;
}

/** Every column of the extended bar from `start` on for `length` nanoseconds. */
export function naiveBar(
  { events, states, trades, averageClose }: NaiveDay,
  start: bigint,
  length: bigint,
): Record<string, Cell> {
  const end = start + length;
  const isIn = (at: bigint) => at >= start && at < end;
  const firstIndex = events.findIndex((e) => BigInt(e.nanosOfDay) >= start);
  const openIndex = firstIndex < 0 ? events.length : firstIndex;
  const open = states[openIndex] as Standing;
  const inBar = events
    .map((event, index) => ({
      event,
      at: BigInt(event.nanosOfDay),
      after: states[index + 1] as Standing,
    }))
    .filter(({ at }) => isIn(at));
  const close = inBar.at(-1)?.after ?? open;
  const course = [
    { at: start, state: open },
    ...inBar.map(({ at, after }) => ({ at, state: after })),
  ];
  const pieces = course.map(({ at, state }, i) => ({
    from: at,
    to: course[i + 1]?.at ?? end,
    state,
  }));
  const points = (side: 'bid' | 'ask'): Point[] =>
    course.flatMap(({ at, state }) => {
      const quote = state[side];
      return quote ? [{ at, ticks: quote.price, size: quote.size }] : [];
    });
  const spreads = course.flatMap(({ state: { bid, ask } }) =>
    bid && ask ? [ask.price - bid.price] : [],
  );
  const open2 = spreads.filter((spread) => spread > 0n);
  const shownSpreads = open2.length > 0 ? open2 : spreads.length > 0 ? [0n] : [];
  const spreadOf = (pick: (a: bigint, b: bigint) => bigint): Cell =>
    shownSpreads.length === 0 ? null : dollars(shownSpreads.reduce(pick));
  const mine = trades.filter(({ at }) => isIn(at));
  const lit = mine.filter((t) => !t.isFinra);
  const finra = mine.filter((t) => t.isFinra);
  const current = (list: Trade[]) => list.filter((t) => !hasAny(t.conditions, [25]));
  const asPoint = (t: Trade): Point => ({ at: t.at, ticks: t.ticks, size: Number(t.shares) });
  const extremes = mine.filter((t) => t.eligible.extreme).map(asPoint);
  const endpoints = mine
    .filter((t) => t.eligible.endpoint !== 'never')
    .filter((t, i) => t.eligible.endpoint === 'always' || i === 0)
    .map(asPoint);
  const shares = (list: Trade[]) => Number(add(list.map((t) => t.shares)));
  const cancels = inBar.filter(({ event }) => event.type.endsWith('CANCELLED'));
  const quotes = inBar.filter(
    ({ event }) => event.type.startsWith('QUOTE') && countsAsQuote(event, averageClose),
  );
  const measured = lit.filter((t) => t.mid !== null);
  const distance = (t: Trade) =>
    2n * t.ticks - (t.mid?.bid?.price as bigint) - (t.mid?.ask?.price as bigint);
  const spreadAt = (t: Trade) =>
    Number((t.mid?.ask?.price as bigint) - (t.mid?.bid?.price as bigint));
  const cell: Record<string, Cell> = {
    OpenBarTimeOffset: 0,
    CloseBarTimeOffset: Number(length - 1n) / 1e9,
    MinSpread: spreadOf(lesser),
    MaxSpread: spreadOf((a, b) => -lesser(-a, -b)),
    CancelSize: cancels.reduce((sum, { event }) => sum + Number(event.quantity), 0) || null,
    CancelCount: cancels.length,
    VolumeWeightPrice: average(lit),
    TotalVolumeWeightPrice: average(mine),
    VolumeWeightPriceExcludePRP: average(current(lit)),
    TotalVolumeWeightPriceExcludePRP: average(current(mine)),
    FinraVolumeWeightPrice: average(finra),
    FinraVolumeWeightPriceExcludePRP: average(current(finra)),
    NBBOQuoteCount: quotes.filter(({ event }) => event.type.endsWith('NB')).length,
    TotalQuoteCount: quotes.length,
    BidQuoteCount: quotes.filter(({ event }) => event.type.includes('BID')).length,
    AskQuoteCount: quotes.filter(({ event }) => event.type.includes('ASK')).length,
    Volume: shares(lit),
    TotalTrades: mine.length,
    TotalVolume: shares(mine),
    FinraVolume: shares(finra),
    FinraTrades: finra.length,
    TradeToMidVolWeight:
      measured.length === 0
        ? null
        : decimal(
            add(measured.map((t) => t.shares * distance(t))),
            200n * add(measured.map((t) => t.shares)),
            5,
          ),
    TradeToMidVolWeightRelative:
      measured.length === 0
        ? null
        : measured.reduce(
            (sum, t) =>
              sum + (Number(t.shares) * Number(distance(t))) / 200 / Math.max(1, spreadAt(t) / 100),
            0,
          ) / shares(measured),
    TimeWeightBid: timeWeight(pieces, ({ bid }) => bid?.price ?? null),
    TimeWeightAsk: timeWeight(pieces, ({ ask }) => ask?.price ?? null),
    TimeWeightSpread: timeWeight(pieces, ({ bid, ask }) =>
      bid && ask ? ask.price - bid.price : null,
    ),
    OddLotTradeCount: mine.filter((t) => hasAny(t.conditions, [31])).length,
    OddLotVolume: shares(mine.filter((t) => hasAny(t.conditions, [31]))),
  };
  for (const name of ['Bid', 'BidMid', 'Mid', 'MidAsk', 'Ask', 'CrossOrLocked']) {
    const list = mine.filter((t) => t.place === name);
    cell[`TradeAt${name}`] = shares(list);
    cell[`TradeAt${name}Count`] = list.length;
  }
  for (const name of ['Uptick', 'Downtick', 'RepeatUptick', 'RepeatDowntick', 'UnknownTick']) {
    const list = mine.filter((t) => (t.tick === 'Unknown' ? 'UnknownTick' : t.tick) === name);
    cell[`${name}Volume`] = shares(list);
    cell[`${name}Count`] = list.length;
  }
  const fraction = (t: Trade) => Number(t.ticks % 100n) / 100;
  const buys = finra.filter((t) => fraction(t) > 0.6);
  const sells = finra.filter((t) => fraction(t) > 0 && fraction(t) < 0.4);
  Object.assign(cell, {
    RetailTRFBuySize: shares(buys),
    RetailTRFBuyCount: buys.length,
    RetailTRFSellSize: shares(sells),
    RetailTRFSellCount: sells.length,
  });
  for (const [name, side, word] of [
    ['Bid', 'bid', 'Bid'],
    ['Ask', 'ask', 'Ask'],
  ] as const) {
    cell[`Open${name}Price`] = open[side] ? dollars(open[side].price) : null;
    cell[`Open${name}Size`] = open[side]?.size ?? null;
    cell[`Close${name}Price`] = close[side] ? dollars(close[side].price) : null;
    cell[`Close${name}Size`] = close[side]?.size ?? null;
    for (const [label, pick] of [
      ['High', highest],
      ['Low', lowest],
    ] as const) {
      const [time, price, size] = shown(pick(points(side)), start);
      Object.assign(cell, {
        [`${label}${word}TimeOffset`]: time,
        [`${label}${word}Price`]: price,
        [`${label}${word}Size`]: size,
      });
    }
  }
  for (const [label, point] of [
    ['First', endpoints[0]],
    ['High', highest(extremes)],
    ['Low', lowest(extremes)],
    ['Last', endpoints.at(-1)],
  ] as const) {
    const [time, price, size] = shown(point, start);
    Object.assign(cell, {
      [`${label}TradeTimeOffset`]: time,
      [`${label}TradePrice`]: price,
      [`${label}TradeSize`]: size,
    });
  }
  return cell;
}
