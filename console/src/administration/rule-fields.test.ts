import { describe, expect, it } from 'vitest';
import { NEW_RULE, ruleBody, ruleProblems } from './rule-fields';

describe('a new rule', () => {
  it('needs a dataset, and an end that is not before the start', () => {
    expect(ruleProblems(NEW_RULE).dataset_id).not.toBe('');
    const reversed = { ...NEW_RULE, start_date: '2026-02-01', end_date: '2026-01-31' };
    expect(ruleProblems(reversed).end_date).not.toBe('');
    expect(ruleProblems({ ...reversed, end_date: '2026-02-01' }).end_date).toBe('');
  });

  it('leaves out what was left empty', () => {
    expect(ruleBody({ ...NEW_RULE, dataset_id: 'US1032' })).toEqual({ dataset_id: 'US1032' });
  });

  it('takes identifiers apart by commas, spaces and lines, each once', () => {
    const fields = { ...NEW_RULE, dataset_id: 'US1032', universe_identifiers: 'AAPL, MSFT\nAAPL ' };
    expect(ruleBody({ ...fields, start_date: '2026-01-01', end_date: '2026-01-31' })).toEqual({
      dataset_id: 'US1032',
      start_date: '2026-01-01',
      end_date: '2026-01-31',
      universe_identifiers: ['AAPL', 'MSFT'],
    });
  });
});
