/** The futures of the demo market: three invented products and their contracts. */
import { isTradingDay, previousTradingDay } from '@ticklake/market/calendar.ts';

export interface FuturesProduct {
  readonly root: string;
  readonly tickSize: number;
  readonly lastPrice: number;
  /** Standard deviation of a day's logarithmic return. */
  readonly volatility: number;
  /** Delivery months, 1 to 12. */
  readonly months: readonly number[];
  /** Contracts that trade at the same time. */
  readonly contractCount: number;
  /** Relative price difference from one contract to the next. */
  readonly carry: number;
  /** Trades and quote changes of the front contract's average day. */
  readonly tradeCount: number;
  readonly quoteCount: number;
  readonly openInterest: number;
}

const QUARTERLY = [3, 6, 9, 12];
const MONTHLY = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** In the order of their roots. */
export const FUTURES_PRODUCTS: readonly FuturesProduct[] = [
  {
    root: 'XQE',
    tickSize: 0.01,
    lastPrice: 71.4,
    volatility: 0.019,
    months: MONTHLY,
    contractCount: 4,
    carry: -0.004,
    tradeCount: 350,
    quoteCount: 700,
    openInterest: 240_000,
  },
  {
    root: 'XQI',
    tickSize: 0.25,
    lastPrice: 5412.5,
    volatility: 0.01,
    months: QUARTERLY,
    contractCount: 3,
    carry: 0.009,
    tradeCount: 700,
    quoteCount: 1300,
    openInterest: 410_000,
  },
  {
    root: 'XQN',
    tickSize: 0.015625,
    lastPrice: 110.59375,
    volatility: 0.004,
    months: QUARTERLY,
    contractCount: 3,
    carry: -0.002,
    tradeCount: 250,
    quoteCount: 500,
    openInterest: 330_000,
  },
];

/** Share of the front contract's events that each later contract sees. */
const RANK_ACTIVITY = [1, 0.1, 0.02, 0.01] as const;
const MONTH_LETTERS = 'FGHJKMNQUVXZ';
const DAY_MS = 86_400_000;

export interface FuturesContract {
  readonly product: FuturesProduct;
  /** Root, month letter and one digit of the year. */
  readonly ticker: string;
  readonly securityId: number;
  /** 0 for the front contract. */
  readonly rank: number;
  /** Share of the front contract's events. */
  readonly activity: number;
  /** Relative to the product's own price. */
  readonly priceFactor: number;
}

/** Last trading day: the third Friday of the delivery month, or the trading day before it. */
function lastTradeDate(year: number, month: number): string {
  const first = Date.UTC(year, month - 1, 1);
  const firstFriday = (5 - new Date(first).getUTCDay() + 7) % 7;
  const date = new Date(first + (firstFriday + 14) * DAY_MS).toISOString().slice(0, 10);
  return isTradingDay(date) ? date : previousTradingDay(date);
}

/** The contracts of a product that trade in the session of a trading day, front first. */
export function contractsOf(product: FuturesProduct, session: string): FuturesContract[] {
  const contracts: FuturesContract[] = [];
  let year = Number(session.slice(0, 4));
  let month = Number(session.slice(5, 7));
  while (contracts.length < product.contractCount) {
    if (product.months.includes(month) && lastTradeDate(year, month) >= session) {
      const rank = contracts.length;
      contracts.push({
        product,
        ticker: `${product.root}${MONTH_LETTERS.charAt(month - 1)}${year % 10}`,
        securityId:
          800_000 + FUTURES_PRODUCTS.indexOf(product) * 10_000 + (year % 100) * 12 + month,
        rank,
        activity: RANK_ACTIVITY[rank] as number,
        priceFactor: (1 + product.carry) ** rank,
      });
    }
    month = (month % 12) + 1;
    if (month === 1) year++;
  }
  return contracts;
}

/** A stretch of one session on one calendar date, in hours of the Chicago clock. */
export interface SessionPart {
  /** The calendar date, which is the trade date of the rows. */
  readonly date: string;
  /** The trading day whose session it is. */
  readonly session: string;
  readonly fromHour: number;
  readonly toHour: number;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - DAY_MS).toISOString().slice(0, 10);
}

/**
 * The session of a trading day: from 17:00 of the calendar day before to 16:00. Markets here keep
 * the closures of the equity markets.
 */
export function sessionParts(session: string): SessionPart[] {
  return [
    { date: dayBefore(session), session, fromHour: 17, toHour: 24 },
    { date: session, session, fromHour: 0, toHour: 16 },
  ];
}
