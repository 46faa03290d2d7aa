/**
 * Every kind of request that the demo answers, for a home with the LEAN sample and data derived
 * from it. Nothing that the data suffices to compute may be empty.
 */
export const IBM = 'Ticker=IBM&TradeDate=2013-10-08';

/** Option ticks of the sample are open interest: no quotes to value contracts by, and no trades. */
export const OF_NOTHING = ['opt_greeks_daily', 'opt_trades'];

/** Requests whose answers have rows, by what they show. */
export const ROWS: Readonly<Record<string, string>> = {
  'ticks of a day': '/data/us-equity/eq-taq/2013-10-08/IBM?limit=5',
  'trades among ticks': '/data/us-equity/eq-trades/2013-10-08/SPY?EventType.like=TRADE*&limit=5',
  'adjusted ticks': '/data/us-equity/eq-trades/2013-10-08/IBM?adjusted=true&limit=5',
  'trade bars': `/data/us-equity/eq-trades-1min?${IBM}&limit=5`,
  'trade bars of the other logic': `/data/us-equity/eq-trades-1min?${IBM}&limit=5&aggregation_logic=industry_std`,
  'adjusted trade bars': `/data/us-equity/eq-trades-1min?${IBM}&limit=5&adjusted=true`,
  'quote bars': '/data/us-equity/eq-taq-1min/IBM?TradeDate=2013-10-08&limit=5',
  'extended quote bars': '/data/us-equity/eq-taq-1min-ext/IBM?TradeDate=2013-10-08&limit=5',
  'daily measures': `/data/us-equity/eq-taq-daily?${IBM}`,
  'daily prices by ticks': `/data/us-equity/eq-daily-ohlc?${IBM}&aggregation_logic=industry_std`,
  'daily prices by minute bars':
    '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&TradeDate=2014-06-05&aggregation_logic=industry_std',
  'adjusted daily prices by minute bars':
    '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&TradeDate=2014-06-05&aggregation_logic=industry_std&adjusted=true',
  'daily prices of decades': '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&period=40Y&limit=5',
  'adjusted daily prices':
    '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&period=40Y&adjusted=true&sort=-TradeDate&limit=5',
  'prices adjusted as of a date':
    '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&period=40Y&adjusted=true&adjusted_as_of=2014-01-02&limit=5',
  'splits alone':
    '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&period=40Y&adjusted=true&adjustments=splits&limit=5',
  'bars of hours': `/data/us-equity/eq-trades-1min?${IBM}&interval=1h`,
  'bars of months': '/data/us-equity/eq-daily-ohlc?Ticker=AAPL&period=40Y&interval=1mo&limit=5',
  'a company through its tickers':
    '/data/us-equity/eq-daily-ohlc?Ticker=GOOGL&period=40Y&continuous=true&limit=5',
  'bars of options': '/data/us-equity-opt/opt-trades-1min?Ticker=GOOG&TradeDate=2015-12-24&limit=5',
  'ticks of options': '/data/us-equity-opt/opt-tanq/2015-12-24/GOOG?limit=5',
  'trades of futures': '/data/us-futures/fut-trades/2013-10-08/GCZ3?limit=5',
  'bars of futures': '/data/us-futures/fut-trades-1min?BaseSymbol=ES&TradeDate=2013-10-08&limit=5',
  'quote bars of futures': '/data/us-futures/fut-taq-1min/ESZ3?TradeDate=2013-10-08&limit=5',
  'daily values of futures': '/data/us-futures/fut-daily?BaseSymbol=ES&period=40Y&limit=5',
  'a continuous contract by calendar':
    '/data/us-futures/fut-trades-1min?Ticker=ES.c.0&period=40Y&limit=5',
  'a continuous contract by volume':
    '/data/us-futures/fut-trades-1min?Ticker=GC.v.0&period=40Y&interval=1d&limit=5',
  'the security master': '/data/us-equity-ref/eq-sec-master?Ticker=AAPL',
  'adjustment factors': '/data/us-equity-ref/eq-adj-factors-basic?Ticker=AAPL&limit=5',
  'cumulative factors': '/data/us-equity-ref/eq-adj-factors-cumulative?Ticker=AAPL&limit=5',
  holidays: '/data/us-equity-ref/eq-market-holidays?limit=5',
};
