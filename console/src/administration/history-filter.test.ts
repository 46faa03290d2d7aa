import { describe, expect, it } from 'vitest';
import { readHistoryFilter } from './history-filter';

describe('the filter of the history', () => {
  it('takes from an address only what it knows', () => {
    const search = { dataset: 'US1032', state: 'rolled_back', other: 'x' };
    expect(readHistoryFilter(search)).toEqual({ dataset: 'US1032', state: 'rolled_back' });
    expect(readHistoryFilter({ dataset: 7, state: 'toString' })).toEqual({});
    expect(readHistoryFilter({ dataset: '', state: 'ended' })).toEqual({});
    expect(readHistoryFilter({ state: 'open' })).toEqual({ state: 'open' });
  });
});
