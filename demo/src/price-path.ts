/**
 * Ten years of daily prices of one security: logarithms that wander around a trend, moved together
 * by the market, stepped down by dividends and share changes, and rounded to cents.
 */
import type { PlannedAction } from './planned-actions.ts';
import { randomOf } from './random.ts';
import type { Security } from './securities.ts';
import type { Timeline } from './timeline.ts';
import type { Company } from './universe.ts';

const DAYS_OF_YEAR = 252;
/** Share of the distance to the trend that a day takes back. */
const REVERSION = 0.004;
const MARKET_SHARE = 0.5;
const LEAST_PRICE = 0.05;

/** Values of the days from `firstDay` of the timeline on. Prices are raw dollars on the cent. */
export interface PricePath {
  readonly firstDay: number;
  readonly lastDay: number;
  /** Prices of the opening and the closing cross. */
  readonly open: Float64Array;
  readonly close: Float64Array;
  /** Close of the day before, in the terms of the day itself (after dividends and splits). */
  readonly reference: Float64Array;
  /** How busy the day is; 1 is an average day. */
  readonly activity: Float64Array;
}

export function roundCents(price: number): number {
  return Math.max(LEAST_PRICE, Math.round(price * 100) / 100);
}

/** The whole market's draw of each day, shared by all securities. */
export function marketDraws(seed: number, timeline: Timeline): Float64Array {
  const random = randomOf(seed, 'market');
  return Float64Array.from(timeline.days, () => random.normal());
}

/** Daily returns without corporate actions. */
function logReturns(
  seed: number,
  security: Security,
  company: Company,
  timeline: Timeline,
  market: Float64Array,
): Float64Array {
  const random = randomOf(seed, 'path', company.name);
  const own = Math.sqrt(1 - MARKET_SHARE ** 2);
  const drift = company.trend / DAYS_OF_YEAR;
  const returns = new Float64Array(security.lastDay - security.firstDay + 1);
  let distance = 0;
  for (let i = 1; i < returns.length; i++) {
    const day = security.firstDay + i;
    const draw = MARKET_SHARE * (market[day] as number) + own * random.normal();
    const shock = company.special.shocks?.find(({ age }) => age === timeline.ageOf(day));
    const move = shock ? shock.logReturn : drift - REVERSION * distance + company.volatility * draw;
    distance += move - drift;
    returns[i] = move;
  }
  return returns;
}

/** The shares of a day in the terms of the last one: fewer change hands before a split. */
function laterShareSteps(actions: readonly PlannedAction[], security: Security): Float64Array {
  const scale = new Float64Array(security.lastDay - security.firstDay + 1).fill(1);
  for (const { dayIndex, logStep, change } of actions)
    if (change && change.reason !== 'DeMerg')
      for (let i = 0; i < dayIndex - security.firstDay; i++)
        scale[i] = (scale[i] as number) * Math.exp(logStep);
  return scale;
}

/** The price path of a listed security; `actions` are those of its life, oldest first. */
export function buildPricePath(
  seed: number,
  security: Security,
  timeline: Timeline,
  market: Float64Array,
  actions: readonly PlannedAction[],
): PricePath {
  const company = security.company as Company;
  const returns = logReturns(seed, security, company, timeline, market);
  const steps = new Map<number, number>();
  for (const { dayIndex, logStep } of actions)
    steps.set(dayIndex, (steps.get(dayIndex) ?? 0) + logStep);
  const { firstDay, lastDay } = security;
  const levels = new Float64Array(returns.length);
  for (let i = 1; i < levels.length; i++)
    levels[i] = (levels[i - 1] as number) + (returns[i] as number) + (steps.get(firstDay + i) ?? 0);
  const scale = Math.log(company.lastPrice) - (levels.at(-1) as number);
  const close = levels.map((level) => roundCents(Math.exp(level + scale)));
  const random = randomOf(seed, 'open', company.name);
  const reference = close.map((price, i) =>
    i === 0 ? price : roundCents((close[i - 1] as number) * Math.exp(steps.get(firstDay + i) ?? 0)),
  );
  const open = reference.map((price, i) => {
    const gap = 0.4 * (returns[i] as number) + 0.25 * company.volatility * random.normal();
    return roundCents(price * Math.exp(gap));
  });
  const shareScale = laterShareSteps(actions, security);
  const activity = returns.map(
    (move, i) =>
      Math.min(3, Math.exp(0.2 * random.normal()) * (1 + 6 * Math.abs(move))) *
      (shareScale[i] as number),
  );
  return { firstDay, lastDay, open, close, reference, activity };
}

/** Average close of the ten days before a day (an index of the timeline), or null on the first. */
export function averagePriceBefore(path: PricePath, dayIndex: number): number | null {
  const end = dayIndex - path.firstDay;
  const closes = path.close.subarray(Math.max(0, end - 10), end);
  if (closes.length === 0) return null;
  return closes.reduce((sum, price) => sum + price, 0) / closes.length;
}
