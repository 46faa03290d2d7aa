/**
 * The days whose session has a trade date of its own in the product groups of CME Group.
 *
 * On most holidays of the stock exchanges Globex trades for some hours, and that session belongs to
 * the next trade date. Unforeseen closures of the stock exchanges, such as days of mourning and
 * hurricanes, were trade dates of all groups. So were, for financial futures, those Good Fridays on
 * which the employment report was published.
 *
 * Source: the calendars by product of pandas_market_calendars 5.5.0, without the Good Fridays of
 * 2024 and 2025, which had no report and which exchange_calendars 4.13.2 has as closed. The two
 * disagree about 2025-01-09: a day on which a group traded in its day hours keeps its session.
 */
import { isScheduledTradingDay } from './calendar.ts';

/** Equity indices, currencies, interest rates and cryptocurrencies. */
const FINANCIAL_ROOTS: ReadonlySet<string> = new Set([
  ...[
    'ES',
    'MES',
    'NQ',
    'MNQ',
    'RTY',
    'M2K',
    'EMD',
    'SP',
    'SMC',
    'YM',
    'MYM',
    'NKD',
    'NIY',
    'RS1',
    'SDA',
  ],
  ...['XAB', 'XAE', 'XAF', 'XAI', 'XAK', 'XAP', 'XAR', 'XAU', 'XAV', 'XAY', 'XAZ'],
  ...[
    '6A',
    '6B',
    '6C',
    '6E',
    '6J',
    '6L',
    '6M',
    '6N',
    '6R',
    '6S',
    '6Z',
    'E7',
    'J7',
    'SEK',
    'NOK',
    'RP',
    'RY',
  ],
  ...['M6A', 'M6B', 'M6E', 'MCD', 'MIR', 'MJY', 'MSF', 'SIR'],
  ...[
    'GE',
    'SR1',
    'SR3',
    'ZQ',
    'ZT',
    'Z3N',
    'ZF',
    'ZN',
    'TN',
    'ZB',
    'UB',
    'TWE',
    '2YY',
    '5YY',
    '10Y',
    '30Y',
  ],
  ...['BTC', 'MBT', 'ETH', 'MET', 'SOL', 'MSL', 'XRP', 'MXP'],
]);

const SHORT_GOOD_FRIDAYS: ReadonlySet<string> = new Set([
  ...['2010-04-02', '2012-04-06', '2015-04-03', '2021-04-02', '2023-04-07', '2026-04-03'],
]);

/** A root of each product group whose days differ; null: any other. */
export const ROOTS_OF_GROUPS: readonly (string | null)[] = [null, 'ES'];

/** Without a root: whether it is a trade date of all product groups. */
export function isFuturesTradingDay(date: string, root: string | null): boolean {
  if (SHORT_GOOD_FRIDAYS.has(date)) return root !== null && FINANCIAL_ROOTS.has(root);
  return isScheduledTradingDay(date);
}
