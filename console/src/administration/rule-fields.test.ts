import { describe, expect, it } from 'vitest';
import { NEW_RULES, rulesBody, rulesProblems, termsBody, termsOf } from './rule-fields';

const CHOSEN = { ...NEW_RULES, dataset_ids: ['US1032'], groups: ['us-futures'] };

describe('the fields of new rules', () => {
  it('send the datasets and groups, and the terms of their rules', () => {
    const datasets = { dataset_ids: ['US1032'], groups: ['us-futures'] };
    expect(rulesBody(CHOSEN)).toEqual({
      ...{ ...datasets, skip_overlapping: false, start_date: '1900-01-01', end_date: null },
      ...{ universe_identifiers: [], columns: null },
    });
    const full = { ...CHOSEN, start_date: '2024-01-01', end_date: '2024-12-31' };
    const universe_identifiers = ' AAPL, MSFT\nAAPL ';
    const columns = 'TradeDate Ticker, Price';
    expect(rulesBody({ ...full, universe_identifiers, columns, skip_overlapping: true })).toEqual({
      ...datasets,
      start_date: '2024-01-01',
      end_date: '2024-12-31',
      universe_identifiers: ['AAPL', 'MSFT'],
      columns: ['TradeDate', 'Ticker', 'Price'],
      skip_overlapping: true,
    });
  });

  it('ask for a dataset or a group, and dates in order', () => {
    expect(rulesProblems(NEW_RULES).dataset_ids).not.toBe('');
    expect(rulesProblems({ ...NEW_RULES, groups: ['us-equity'] }).dataset_ids).toBe('');
    const reversed = { ...CHOSEN, start_date: '2024-02-01', end_date: '2024-01-01' };
    expect(rulesProblems(reversed).end_date).not.toBe('');
    expect(rulesProblems({ ...reversed, end_date: '' }).end_date).toBe('');
  });
});

describe('the fields of a rule that is there', () => {
  const RULE = {
    ...{ rule_id: 1, identity_id: 2, plan_id: null, dataset_id: 'US1032', dataset_name: null },
    ...{ dataset_text_id: null, dataset_version: 'latest', universe_identifiers: ['A', 'B'] },
    ...{ start_date: '1900-01-01', end_date: null, columns: ['Ticker', 'Price'] },
  };

  it('send what was taken away as well', () => {
    expect(termsOf(RULE)).toEqual({
      ...{ start_date: '', end_date: '', universe_identifiers: 'A, B', columns: 'Ticker, Price' },
    });
    expect(termsBody(termsOf(RULE))).toEqual({
      start_date: '1900-01-01',
      end_date: null,
      universe_identifiers: ['A', 'B'],
      columns: ['Ticker', 'Price'],
    });
    const dates = { start_date: '2024-01-01', end_date: '2024-12-31' };
    expect(termsBody({ ...dates, universe_identifiers: '', columns: '' })).toEqual({
      ...{ ...dates, universe_identifiers: [], columns: null },
    });
  });
});
