/** The rows of option datasets: columns of bars and analytics of a contract and date. */

import { OPTION_ANALYTICS_COLUMNS } from './option-analytics.ts';
import type { StandingQuote } from './option-close.ts';
import { type BarTable, type Cell, type Sources, tableSources } from './row-sources.ts';

const EASTERN = 'America/New_York';

/** A contract on a trade date. */
export interface OptionContractDay {
  readonly date: string;
  /** The root symbol. */
  readonly root: string;
  readonly callPut: 'C' | 'P';
  readonly strike: number;
  /** `YYYY-MM-DD`. */
  readonly expiration: string;
}

/** One row for each minute bar of trades. */
export function optionBarSources(contract: OptionContractDay, table: BarTable): Sources {
  const { date, root, callPut, strike, expiration } = contract;
  return {
    TradeDate: date,
    BarDateTime: { zone: EASTERN, date, nanosOfDay: table.startNanos },
    Ticker: root,
    CallPut: callPut,
    Strike: strike,
    ExpirationDate: expiration,
    ...tableSources(table),
  };
}

/** The quotes of a contract as they stood. */
interface StandingQuotes {
  readonly bid: StandingQuote | null;
  readonly ask: StandingQuote | null;
}

/** The columns of a trade that tell of its contract's quotes, one entry for each trade. */
export function standingQuoteSources(trades: readonly StandingQuotes[]): Sources {
  const numbers = (side: 'bid' | 'ask', name: 'price' | 'quantity') =>
    trades.map((quotes) => quotes[side]?.[name] ?? null);
  return {
    BidPrice: numbers('bid', 'price'),
    BidSize: numbers('bid', 'quantity'),
    BidCondition: trades.map(({ bid }) => bid?.condition ?? null),
    AskPrice: numbers('ask', 'price'),
    AskSize: numbers('ask', 'quantity'),
    AskCondition: trades.map(({ ask }) => ask?.condition ?? null),
  };
}

/** The row of a contract's analytics; `values` in the order of `OPTION_ANALYTICS_COLUMNS`. */
export function optionAnalyticsSources(
  contract: OptionContractDay,
  style: 'A' | 'E',
  values: readonly Cell[],
): Sources {
  const { date, root, callPut, strike, expiration } = contract;
  return {
    TradeDate: date,
    Ticker: root,
    CallPut: callPut,
    OptionStyle: style,
    Strike: strike,
    Expiration: expiration,
    ...Object.fromEntries(OPTION_ANALYTICS_COLUMNS.map((name, i) => [name, values[i] as Cell])),
  };
}
