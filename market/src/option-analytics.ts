/** The end-of-day analytics row of one option contract from its last quote of the day. */
import {
  CONVERGED,
  impliedVolatility,
  type OptionMeasures,
  optionMeasures,
} from './option-value.ts';
import { roundDecimals, ticksOfPrice } from './rounding.ts';

const DAYS_PER_YEAR = 365;
const DAY_MS = 86_400_000;
const NANOS_PER_MINUTE = 60e9;
const NANOS_PER_MILLISECOND = 1e6;
const DECIMALS = 6;

export interface OptionSnapshot {
  readonly tradeDate: string;
  readonly expiration: string;
  readonly isCall: boolean;
  readonly isAmerican: boolean;
  readonly strike: number;
  readonly isHalfDay: boolean;
  /** Midpoint of the underlying's best quote in the calculation minute; null without one. */
  readonly underMid: number | null;
  /** The option's last national best quote; null where a side has none. */
  readonly bid: QuoteStamp | null;
  readonly ask: QuoteStamp | null;
  /** Continuous, a year. */
  readonly rate: number;
  readonly dividendYield: number;
}

export interface QuoteStamp {
  readonly price: number;
  readonly nanosOfDay: number;
}

/** The columns that `optionAnalytics` computes, in the order of the dataset. */
export const OPTION_ANALYTICS_COLUMNS = [
  'YearsToMaturity',
  'DaysToMaturity',
  'UnderLastMidPrice',
  'UnderLastMidTime',
  'LastBidPrice',
  'LastBidTime',
  'LastMidPrice',
  'LastAskPrice',
  'LastAskTime',
  'MidImpliedVol',
  'MidTheoPrice',
  'MidDelta',
  'MidGamma',
  'MidTheta',
  'MidVega',
  'MidRho',
  'ImpliedVolConvergence',
] as const;

function two(value: number): string {
  return String(value).padStart(2, '0');
}

/** `HH:MM` of nanoseconds since midnight. */
function minuteText(nanosOfDay: number): string {
  const minutes = Math.floor(nanosOfDay / NANOS_PER_MINUTE);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** `HH:MM:SS.mmm` of nanoseconds since midnight. */
function timeText(nanosOfDay: number): string {
  const milliseconds = Math.floor(nanosOfDay / NANOS_PER_MILLISECOND) % 60_000;
  const fraction = String(milliseconds % 1000).padStart(3, '0');
  return `${minuteText(nanosOfDay)}:${two(Math.floor(milliseconds / 1000))}.${fraction}`;
}

interface Solution {
  readonly volatility: number | null;
  readonly measures: OptionMeasures | null;
  readonly outcome: string;
}

function unsolved(outcome: string): Solution {
  return { volatility: null, measures: null, outcome };
}

function solve(snapshot: OptionSnapshot, mid: number | null, years: number): Solution {
  if (mid === null) return unsolved('No two-sided quote');
  if (snapshot.underMid === null) return unsolved('No underlying quote');
  if (years <= 0) return unsolved('No time to expiry');
  const terms = { ...snapshot, spot: snapshot.underMid, years };
  const { volatility, outcome } = impliedVolatility(terms, mid);
  if (outcome !== CONVERGED) return unsolved(outcome);
  return { volatility, measures: optionMeasures(terms, volatility), outcome };
}

/** The last minute of regular equity trading, `HH:MM`. */
function calculationMinute(isHalfDay: boolean): string {
  return isHalfDay ? '12:59' : '15:59';
}

/** One cell for each of `OPTION_ANALYTICS_COLUMNS`; model values are null unless it converged. */
export function optionAnalytics(snapshot: OptionSnapshot): (string | number | null)[] {
  const { tradeDate, expiration, bid, ask, underMid } = snapshot;
  const days = (Date.parse(expiration) - Date.parse(tradeDate)) / DAY_MS;
  const years = days / DAYS_PER_YEAR;
  const mid =
    bid === null || ask === null
      ? null
      : (ticksOfPrice(bid.price) + ticksOfPrice(ask.price)) / 20_000;
  const { volatility, measures, outcome } = solve(snapshot, mid, years);
  const model = [
    volatility,
    ...(['value', 'delta', 'gamma', 'theta', 'vega', 'rho'] as const).map(
      (name) => measures?.[name] ?? null,
    ),
  ].map((value) => (value === null ? null : roundDecimals(value, DECIMALS)));
  return [
    roundDecimals(years, 4),
    days,
    underMid,
    underMid === null ? null : calculationMinute(snapshot.isHalfDay),
    bid?.price ?? null,
    bid === null ? null : timeText(bid.nanosOfDay),
    mid,
    ask?.price ?? null,
    ask === null ? null : timeText(ask.nanosOfDay),
    ...model,
    outcome,
  ];
}
