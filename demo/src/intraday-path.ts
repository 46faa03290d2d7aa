/**
 * One day of a price, minute by minute, and how the day's events are spread over it: quiet before
 * the open and after the close, busy at both ends of the regular session.
 */
import type { Random } from './random.ts';

export const NANOS_PER_MINUTE = 60_000_000_000;

/** Minutes since local midnight. */
export interface SessionMinutes {
  readonly start: number;
  readonly open: number;
  readonly close: number;
  readonly end: number;
}

const FULL_DAY: SessionMinutes = { start: 240, open: 570, close: 960, end: 1200 };
const HALF_DAY: SessionMinutes = { start: 240, open: 570, close: 780, end: 1020 };

export function sessionOf(isHalfDay: boolean): SessionMinutes {
  return isHalfDay ? HALF_DAY : FULL_DAY;
}

/** Shares of the day's events outside the regular session. */
const PRE_MARKET_SHARE = 0.03;
const POST_MARKET_SHARE = 0.03;

function shapeAt(minute: number, session: SessionMinutes): number {
  if (minute < session.open) return 1 + (minute - session.start) / 60;
  if (minute >= session.close) return Math.exp((session.close - minute) / 60);
  const position = (minute - session.open) / (session.close - session.open);
  return 1 + 2.4 * (2 * position - 1) ** 2;
}

/** Expected share of the day's events in each minute from `session.start` on; they add up to 1. */
export function minuteWeights(session: SessionMinutes): Float64Array {
  const weights = new Float64Array(session.end - session.start);
  const parts: readonly (readonly [from: number, to: number, share: number])[] = [
    [session.start, session.open, PRE_MARKET_SHARE],
    [session.open, session.close, 1 - PRE_MARKET_SHARE - POST_MARKET_SHARE],
    [session.close, session.end, POST_MARKET_SHARE],
  ];
  for (const [from, to, share] of parts) {
    let total = 0;
    for (let minute = from; minute < to; minute++) total += shapeAt(minute, session);
    for (let minute = from; minute < to; minute++)
      weights[minute - session.start] = (shapeAt(minute, session) / total) * share;
  }
  return weights;
}

/** The places that a path leads from and to, and the prices there. */
interface Bridge {
  readonly from: number;
  readonly to: number;
  readonly first: number;
  readonly last: number;
  /** Standard deviation of the price in logarithms, over the whole way. */
  readonly deviation: number;
}

/** Fills `levels[from..to]` with a walk that starts and ends at the given prices. */
export function fillBridge(
  levels: Float64Array,
  { from, to, deviation, ...prices }: Bridge,
  random: Random,
): void {
  const steps = to - from;
  const stepDeviation = deviation / Math.sqrt(steps);
  const walk = new Float64Array(steps + 1);
  for (let i = 1; i <= steps; i++)
    walk[i] = (walk[i - 1] as number) + stepDeviation * random.normal();
  const first = Math.log(prices.first);
  const slope = (Math.log(prices.last) - first - (walk[steps] as number)) / steps;
  for (let i = 0; i <= steps; i++)
    levels[from + i] = Math.exp(first + slope * i + (walk[i] as number));
}

export interface DayPrices {
  readonly reference: number;
  readonly open: number;
  readonly close: number;
  /** Standard deviation of the day's logarithmic return. */
  readonly volatility: number;
}

/** The price at each minute's start, from `session.start` to `session.end`. */
export function minuteLevels(
  session: SessionMinutes,
  { reference, open, close, volatility }: DayPrices,
  random: Random,
): Float64Array {
  const levels = new Float64Array(session.end - session.start + 1);
  const openAt = session.open - session.start;
  const closeAt = session.close - session.start;
  const last = close * Math.exp(0.1 * volatility * random.normal());
  const opening = { from: 0, to: openAt, first: reference, last: open };
  fillBridge(levels, { ...opening, deviation: 0.2 * volatility }, random);
  const middle = { from: openAt, to: closeAt, first: open, last: close };
  fillBridge(levels, { ...middle, deviation: 0.8 * volatility }, random);
  const closing = { from: closeAt, to: levels.length - 1, first: close, last };
  fillBridge(levels, { ...closing, deviation: 0.1 * volatility }, random);
  return levels;
}

/** `count` moments of one minute in order, in nanoseconds since midnight. */
export function momentsOfMinute(minute: number, count: number, random: Random): Float64Array {
  const moments = new Float64Array(count);
  // Inserted in order: a minute has few events, and sorting small arrays costs more.
  for (let i = 0; i < count; i++) {
    const share = 0.001 + 0.999 * random.next();
    const moment = minute * NANOS_PER_MINUTE + Math.floor(share * NANOS_PER_MINUTE);
    let at = i;
    for (; at > 0 && (moments[at - 1] as number) > moment; at--)
      moments[at] = moments[at - 1] as number;
    moments[at] = moment;
  }
  return moments;
}
