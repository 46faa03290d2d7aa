import { describe, expect, it } from 'vitest';
import { readCatalogueSearch } from './catalogue-search';
import { foundColumns, groupsOf, isFound, matchingEntries } from './dataset-search';

const DAILY = {
  dataset_id: 'US1020',
  dataset_text_id: 'eq_daily_ohlc',
  dataset_name: 'US Equities Daily OHLC',
  data_group: 'Equity',
  vendor: 'Demo market',
  description: 'Open, high, low and close of each security.',
  time_granularity: 'Daily',
  first_trade_date: '2025-01-02',
  last_trade_date: '2025-06-30',
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

  it('names each group once, in the order of the catalogue', () => {
    expect(groupsOf([DAILY, { data_group: 'Bond' }, DAILY])).toEqual(['Equity', 'Bond']);
  });
});

const UNKNOWN = { first_trade_date: null, last_trade_date: null, row_count: null };
const ENTRIES = [
  {
    ...{ dataset_id: 'US1032', dataset_name: 'US Equities Trade and Quote', data_group: 'Equity' },
    ...{ vendor: 'Demo market', dataset_text_id: 'eq_taq', description: 'Every trade.' },
    ...{ time_granularity: 'Tick', column_names: ['Ticker', 'Price'], is_entitled: true },
    ...UNKNOWN,
  },
  {
    ...{ dataset_id: 'US2001', dataset_name: 'Option Trades', data_group: 'Option' },
    ...{ vendor: 'Another feed', dataset_text_id: 'opt_trades', description: 'Trades of options.' },
    ...{ time_granularity: 'Tick', column_names: ['Strike'], is_entitled: false },
    ...UNKNOWN,
  },
];
const idsOf = (rows: readonly { dataset_id: string }[]) => rows.map((row) => row.dataset_id);

describe('the search of the catalogue', () => {
  it('finds datasets by names, descriptions and columns', () => {
    for (const q of ['quote', 'us1032', 'EQ_TAQ', 'demo', 'every', 'price']) {
      expect(idsOf(matchingEntries(ENTRIES, { q })), q).toEqual(['US1032']);
    }
    expect(matchingEntries(ENTRIES, { q: 'trade futures' })).toEqual([]);
  });

  it('narrows to a group and to what the account may read', () => {
    expect(idsOf(matchingEntries(ENTRIES, { group: 'Option' }))).toEqual(['US2001']);
    expect(idsOf(matchingEntries(ENTRIES, { mine: true }))).toEqual(['US1032']);
  });

  it('takes from an address only what it knows, also words that read as numbers', () => {
    expect(readCatalogueSearch({ q: 1032, group: ['x'], mine: 'yes', other: 1 })).toEqual({
      q: '1032',
    });
    expect(readCatalogueSearch({ q: '', mine: true })).toEqual({ mine: true });
  });
});
