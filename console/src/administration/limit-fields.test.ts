import { describe, expect, it } from 'vitest';
import { limitFields, limitProblems, limitsBody } from './limit-fields';

const NONE = { requests: null, data_scanned: null, data_returned: null };
const KEPT = {
  month: { requests: 100_000, data_scanned: 2_500_000_000, data_returned: null },
  minute: NONE,
};

describe('the limits of an identity', () => {
  it('send nothing while they are as they are kept', () => {
    expect(limitsBody(limitFields(KEPT), KEPT)).toEqual({});
  });

  it('send only what was changed, none as null', () => {
    const fields = {
      ...limitFields(KEPT),
      'month.requests': { isUnlimited: true, text: '100000' },
      'minute.data_returned': { isUnlimited: false, text: '50 MB' },
    };
    expect(limitsBody(fields, KEPT)).toEqual({
      month: { requests: null },
      minute: { data_returned: 50_000_000 },
    });
  });

  it('say what is no limit', () => {
    const fields = {
      ...limitFields(KEPT),
      'month.requests': { isUnlimited: false, text: '' },
      'month.data_scanned': { isUnlimited: false, text: '5 lots' },
      'minute.requests': { isUnlimited: true, text: 'ignored' },
    };
    const wrong = Object.entries(limitProblems(fields)).filter(([, problem]) => problem !== '');
    expect(wrong.map(([name]) => name)).toEqual(['month.requests', 'month.data_scanned']);
  });
});
