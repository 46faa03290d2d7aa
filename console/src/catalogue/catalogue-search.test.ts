import { describe, expect, it } from 'vitest';
import { groupsOf, matchingRows, readCatalogueSearch } from './catalogue-search';

const ROWS = [
  {
    dataset_id: 'US1032',
    dataset_name: 'US Equities Trade and Quote',
    data_group: 'Equity',
    vendor: 'Demo market',
    dataset_text_id: 'eq_taq',
  },
  {
    dataset_id: 'US2001',
    dataset_name: 'Option Trades',
    data_group: 'Option',
    vendor: 'Another feed',
    dataset_text_id: 'opt_trades',
  },
];
const NONE = new Set<string>();
const idsOf = (rows: readonly { dataset_id: string }[]) => rows.map((row) => row.dataset_id);

describe('the search of the catalogue', () => {
  it('finds datasets by name, id, text id and vendor, in any case', () => {
    for (const q of ['quote', 'us1032', 'EQ_TAQ', 'demo']) {
      expect(idsOf(matchingRows(ROWS, { q }, NONE))).toEqual(['US1032']);
    }
  });

  it('wants every word, in any order', () => {
    expect(idsOf(matchingRows(ROWS, { q: '  trade equities' }, NONE))).toEqual(['US1032']);
    expect(matchingRows(ROWS, { q: 'trade futures' }, NONE)).toEqual([]);
  });

  it('narrows to a group and to what the account may read', () => {
    expect(idsOf(matchingRows(ROWS, { group: 'Option' }, NONE))).toEqual(['US2001']);
    expect(matchingRows(ROWS, { mine: true }, NONE)).toEqual([]);
    expect(idsOf(matchingRows(ROWS, { mine: true }, new Set(['US1032'])))).toEqual(['US1032']);
  });

  it('takes from an address only what it knows, also words that read as numbers', () => {
    expect(readCatalogueSearch({ q: 1032, group: ['x'], mine: 'yes', other: 1 })).toEqual({
      q: '1032',
    });
    expect(readCatalogueSearch({ q: '', mine: true })).toEqual({ mine: true });
  });

  it('names each group once', () => {
    expect(groupsOf([...ROWS, ...ROWS])).toEqual(['Equity', 'Option']);
  });
});
