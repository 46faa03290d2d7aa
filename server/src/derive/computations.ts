/** The computations by the names that definitions call them. */
import type { ComputationName } from '../catalog/derivation.ts';
import { ADJUSTED_ROWS } from './adjusted-rows.ts';
import { ADJUSTMENT_FACTORS } from './adjustment-factors.ts';
import { BARS_BY_DATE, EQUITY_PRICES_OF_BARS } from './bars-by-date.ts';
import type { Computation } from './computation.ts';
import { CUMULATIVE_FACTORS } from './cumulative-factors.ts';
import { EQUITY_COMPUTATIONS } from './equity-computations.ts';
import {
  FUTURES_DAILY_VALUES,
  FUTURES_QUOTE_BARS,
  FUTURES_TRADE_BARS,
} from './futures-computations.ts';
import { OPTION_GREEKS } from './option-greeks.ts';
import { OPTION_TRADE_BARS, OPTION_TRADE_TICKS } from './option-trades.ts';
import { SECURITY_MASTER, SYMBOL_LOOKUP } from './security-computations.ts';
import { TRADE_TICKS } from './trade-ticks.ts';

export const COMPUTATIONS: Readonly<Record<ComputationName, Computation>> = {
  ...EQUITY_COMPUTATIONS,
  trade_ticks: TRADE_TICKS,
  adjusted_rows: ADJUSTED_ROWS,
  adjustment_factors: ADJUSTMENT_FACTORS,
  cumulative_factors: CUMULATIVE_FACTORS,
  symbol_lookup: SYMBOL_LOOKUP,
  security_master: SECURITY_MASTER,
  futures_trade_bars: FUTURES_TRADE_BARS,
  futures_quote_bars: FUTURES_QUOTE_BARS,
  futures_daily_values: FUTURES_DAILY_VALUES,
  bars_by_date: BARS_BY_DATE,
  equity_prices_of_bars: EQUITY_PRICES_OF_BARS,
  option_trade_ticks: OPTION_TRADE_TICKS,
  option_trade_bars: OPTION_TRADE_BARS,
  option_greeks: OPTION_GREEKS,
};
