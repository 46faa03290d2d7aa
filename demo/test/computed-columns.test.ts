import { ADJUSTMENT_COLUMNS } from '@ticklake/market/adjustment.ts';
import { CUMULATIVE_FACTOR_COLUMNS } from '@ticklake/market/cumulative-factors.ts';
import {
  EQUITY_DAILY_BAR,
  EQUITY_EXTENDED_BAR,
  EQUITY_MINUTE_BAR,
  EQUITY_TRADE_BAR,
} from '@ticklake/market/equity-bar.ts';
import { EQUITY_DAILY_OHLC_COLUMNS } from '@ticklake/market/equity-daily-ohlc.ts';
import { FUTURES_MINUTE_BAR, FUTURES_TRADE_BAR } from '@ticklake/market/futures-bars.ts';
import { FUTURES_DAY } from '@ticklake/market/futures-day.ts';
import { OPTION_ANALYTICS_COLUMNS } from '@ticklake/market/option-analytics.ts';
import { OPTION_TRADE_BAR } from '@ticklake/market/option-trade-bars.ts';
import {
  CHAIN_LOOKUP_COLUMNS,
  SECURITY_MASTER_COLUMNS,
  TICKER_LOOKUP_COLUMNS,
} from '@ticklake/market/security-master.ts';
import { loadCatalog } from 'ticklake/catalog/load-catalog.ts';
import { describe, expect, it } from 'vitest';

const catalog = loadCatalog([new URL('../../datasets', import.meta.url).pathname]);

const EQUITY_BAR_KEYS = ['TradeDate', 'BarDateTime', 'Ticker', 'ASID'];
const EQUITY_DAY_KEYS = ['TradeDate', 'Ticker', 'ASID'];
const FUTURES_KEYS = ['TradeDate', 'BarDateTime', 'Ticker', 'BaseSymbol'];
const CONTRACT_KEYS = ['Ticker', 'CallPut', 'Strike', 'ExpirationDate'];
const ANALYTICS_KEYS = ['TradeDate', 'Ticker', 'CallPut', 'OptionStyle', 'Strike', 'Expiration'];

describe('computed columns', () => {
  it.each([
    ['eq_taq_1min', EQUITY_BAR_KEYS, EQUITY_MINUTE_BAR.columns],
    ['eq_taq_1min_ind_std', EQUITY_BAR_KEYS, EQUITY_MINUTE_BAR.columns],
    ['eq_taq_1min_ext', EQUITY_BAR_KEYS, EQUITY_EXTENDED_BAR.columns],
    ['eq_trades_1min', EQUITY_BAR_KEYS, EQUITY_TRADE_BAR.columns],
    ['eq_trades_1min_ind_std', EQUITY_BAR_KEYS, EQUITY_TRADE_BAR.columns],
    ['eq_trades_1min_adj', EQUITY_BAR_KEYS, [...EQUITY_TRADE_BAR.columns, ...ADJUSTMENT_COLUMNS]],
    ['eq_taq_daily', EQUITY_DAY_KEYS, EQUITY_DAILY_BAR.columns],
    ['eq_daily_ohlc', EQUITY_DAY_KEYS, EQUITY_DAILY_OHLC_COLUMNS],
    ['eq_daily_ohlc_ind_std', EQUITY_DAY_KEYS, EQUITY_DAILY_OHLC_COLUMNS],
    ['eq_daily_ohlc_adj', EQUITY_DAY_KEYS, [...EQUITY_DAILY_OHLC_COLUMNS, ...ADJUSTMENT_COLUMNS]],
    ['fut_taq_1min', FUTURES_KEYS, FUTURES_MINUTE_BAR.columns],
    ['fut_trades_1min', FUTURES_KEYS, FUTURES_TRADE_BAR.columns],
    ['fut_daily', ['TradeDate', 'Ticker', 'BaseSymbol'], FUTURES_DAY.columns],
    ['opt_trades_1min', ['TradeDate', 'BarDateTime', ...CONTRACT_KEYS], OPTION_TRADE_BAR.columns],
    ['opt_greeks_daily', ANALYTICS_KEYS, OPTION_ANALYTICS_COLUMNS],
    ['eq_adj_factors_cumulative', [], CUMULATIVE_FACTOR_COLUMNS],
    ['eq_sec_master', [], SECURITY_MASTER_COLUMNS],
    ['eq_lookup_files', [], TICKER_LOOKUP_COLUMNS],
    ['eq_secid_chains_lookup', [], CHAIN_LOOKUP_COLUMNS],
  ])('of %s follow its own, in the order of its definition', (textId, keys, computed) => {
    const columns = catalog.byTextId(textId)?.columns.map(({ name }) => name);
    expect(columns).toEqual([...keys, ...computed]);
  });
});
