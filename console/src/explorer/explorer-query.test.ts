import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY } from '../../test/fixtures/shapes';
import { ofVariant, queryOfSearch, searchOfQuery, withDataset } from './explorer-query';
import { readExplorerSearch } from './explorer-search';

const FULL = {
  dataset: 'US1020',
  date: '2026-11-19',
  identifier: '000123',
  from: '2026-01-02',
  to: '2026-02-03',
  period: '10Y',
  version: '12',
  columns: ['Ticker', 'OpenPrice'],
  filters: [
    { column: 'Name', operator: 'in', value: '"Alphabet, Inc.",A=B.eq=C' },
    { column: 'Price', operator: 'ge', value: '1e-4' },
    { column: 'Name', operator: 'empty', value: '' },
    { column: '', operator: 'eq', value: '' },
  ],
  sort: [
    { column: 'TradeDate', isDescending: true },
    { column: 'Ticker', isDescending: false },
  ],
} as const;

describe('searchOfQuery and queryOfSearch', () => {
  it.each([
    ['a full query', FULL],
    ['an empty query', { ...EMPTY_QUERY, dataset: '' }],
  ])('keep %s through the address', (_, query) => {
    const search = readExplorerSearch({ ...searchOfQuery(query) });
    expect(queryOfSearch(search)).toEqual(query);
  });

  it('write nothing of what is not set', () => {
    expect(searchOfQuery({ ...EMPTY_QUERY, dataset: 'US1020' })).toEqual({ dataset: 'US1020' });
  });

  it('write nothing of a sorting whose column is not chosen, as nothing would be read of it', () => {
    const unchosen = { column: '', isDescending: false };
    const query = { ...FULL, sort: [unchosen, ...FULL.sort, unchosen] };
    expect(searchOfQuery(query)).toEqual(searchOfQuery(FULL));
    expect(searchOfQuery({ ...EMPTY_QUERY, dataset: 'US1020', sort: [unchosen] })).toEqual({
      dataset: 'US1020',
    });
  });

  it('read a filter without an operator as equality, in a column whose name they do not know', () => {
    const { filters } = queryOfSearch({ filters: ['Ticker=A', 'Odd.thing=1', 'Bare'] });
    expect(filters).toEqual([
      { column: 'Ticker', operator: 'eq', value: 'A' },
      { column: 'Odd.thing', operator: 'eq', value: '1' },
      { column: 'Bare', operator: 'eq', value: '' },
    ]);
  });
});

describe('readExplorerSearch', () => {
  it('drops what it cannot understand', () => {
    const search = { dataset: {}, tab: 'evil', run: 'yes', filters: [null, 3, ['x']], other: '1' };
    expect(readExplorerSearch(search)).toEqual({ filters: ['3'] });
  });

  it('takes an identifier of digits that was written by hand', () => {
    expect(readExplorerSearch({ identifier: 33449, tab: 'chart', run: true })).toEqual({
      identifier: '33449',
      tab: 'chart',
      run: true,
    });
  });
});

describe('ofVariant', () => {
  it('keeps the columns that the variant has, and every filter', () => {
    const asked = { ...FULL, columns: ['Ticker', 'PriceAdjFactor', 'OpenPrice'] };
    const sort = [...FULL.sort, { column: 'PriceAdjFactor', isDescending: false }];
    const change = ofVariant({ ...asked, sort }, DAILY);
    expect(change).toEqual({
      ...{ dataset: DAILY.dataset_id, version: '' },
      ...{ columns: ['Ticker', 'OpenPrice'], sort: FULL.sort },
    });
  });
});

describe('withDataset', () => {
  it('keeps dates and identifier, and drops what depends on columns', () => {
    expect(withDataset(FULL, 'US6011')).toEqual({
      ...FULL,
      dataset: 'US6011',
      period: '',
      version: '',
      columns: [],
      filters: [],
      sort: [],
    });
  });
});
