import { describe, expect, it } from 'vitest';
import { foundColumns, groupsOf, isFound } from './found-datasets';

const DAILY = {
  dataset_id: 'US1020',
  dataset_text_id: 'eq_daily_ohlc',
  dataset_name: 'US Equities Daily OHLC',
  data_group: 'Equity',
  vendor: 'Demo market',
  description: 'Open, high, low and close of each security.',
  time_granularity: 'Daily',
  column_names: ['TradeDate', 'Ticker', 'MarketHoursVWAP', 'DailyVWAP', 'OpenPrice'],
};

describe('the search for datasets', () => {
  it.each(['vwap', 'US1020', 'EQ_DAILY', 'demo', 'close security', 'daily openprice', ''])(
    'finds by names, descriptions and columns, all words in any order: %j',
    (text) => {
      expect(isFound(DAILY, text)).toBe(true);
    },
  );

  it.each(['vwap futures', 'quotes'])('finds nothing where a word is missing: %j', (text) => {
    expect(isFound(DAILY, text)).toBe(false);
  });

  it('says which columns it was found by, unless its names say so', () => {
    expect(foundColumns(DAILY, 'vwap')).toEqual(['MarketHoursVWAP', 'DailyVWAP']);
    expect(foundColumns(DAILY, 'daily')).toEqual([]);
    expect(foundColumns(DAILY, 'daily vwap')).toEqual(['MarketHoursVWAP', 'DailyVWAP']);
    expect(foundColumns(DAILY, '')).toEqual([]);
  });

  it('names each group once', () => {
    expect(groupsOf([DAILY, { data_group: 'Bond' }, DAILY])).toEqual(['Bond', 'Equity']);
  });
});
