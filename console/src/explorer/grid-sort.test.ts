import { describe, expect, it } from 'vitest';
import type { SortRow } from './explorer-query';
import { directionOf, sortedBy, sortedOnce } from './grid-sort';

const up = (column: string) => ({ column, isDescending: false });
const down = (column: string) => ({ column, isDescending: true });

describe('sorting by the header', () => {
  it('goes up, down and back to the natural order', () => {
    let sort: readonly SortRow[] = [];
    const seen = [1, 2, 3].map(() => {
      sort = sortedOnce(sort, 'Price', false);
      return directionOf(sort, 'Price');
    });
    expect(seen).toEqual(['ascending', 'descending', null]);
    expect(sort).toEqual([]);
  });

  it('takes the place of other columns, unless it is added to them', () => {
    expect(sortedOnce([up('Ticker')], 'Price', false)).toEqual([up('Price')]);
    expect(sortedOnce([up('Ticker')], 'Price', true)).toEqual([up('Ticker'), up('Price')]);
    expect(sortedOnce([up('A'), up('B'), up('C')], 'B', true)).toEqual([
      up('A'),
      down('B'),
      up('C'),
    ]);
    expect(sortedBy([up('A'), up('B')], 'A', null, true)).toEqual([up('B')]);
  });

  it('forgets rows whose column is not chosen yet', () => {
    expect(sortedBy([up('')], 'A', 'descending', true)).toEqual([down('A')]);
  });
});
