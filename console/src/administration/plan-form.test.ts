import { describe, expect, it } from 'vitest';
import { NEW_PLAN, planBody, planEndText, planFields, planProblems } from './plan-form';

const NONE = { requests: null, data_scanned: null, data_returned: null };
const KEPT = {
  plan_id: 4,
  name: 'Starter',
  account_count: 2,
  quotas_limit: { month: { ...NONE, requests: 1000 }, minute: NONE },
  contract_ends_at: null,
  contract_days: 30,
  created_at: '2026-01-01T00:00:00Z',
};

describe('the fields of a plan', () => {
  it('send all of a new one', () => {
    const requests = { isUnlimited: false, text: '5' };
    expect(planBody({ ...NEW_PLAN, name: 'One', 'minute.requests': requests }, null)).toEqual({
      name: 'One',
      minute: { requests: 5 },
      contract_ends_at: null,
      contract_days: null,
    });
  });

  it('send only what was changed', () => {
    const fields = planFields(KEPT);
    expect(planBody(fields, KEPT)).toEqual({});
    expect(planBody({ ...fields, contract_days: '31' }, KEPT)).toEqual({ contract_days: 31 });
    const at = { ...fields, contract: 'date' as const, contract_ends_at: '2027-01-01' };
    expect(planBody(at, KEPT)).toEqual({ contract_ends_at: '2027-01-01' });
    expect(planBody({ ...fields, contract: 'none' }, KEPT)).toEqual({
      contract_ends_at: null,
      contract_days: null,
    });
    const limit = { isUnlimited: true, text: '' };
    expect(planBody({ ...fields, 'month.requests': limit }, KEPT)).toEqual({
      month: { requests: null },
    });
  });

  it('say what is wrong with them', () => {
    expect(Object.values(planProblems(planFields(KEPT))).every((text) => text === '')).toBe(true);
    expect(planProblems({ ...NEW_PLAN, contract: 'date' }).contract_ends_at).toBe('Choose a date');
    expect(
      planProblems({ ...NEW_PLAN, contract: 'days', contract_days: '0' }).contract_days,
    ).not.toBe('');
    expect(planProblems(NEW_PLAN).name).not.toBe('');
  });

  it('tell the end of contracts in words', () => {
    expect(planEndText(KEPT)).toBe('After 30 days');
    expect(planEndText({ ...KEPT, contract_days: null })).toBe('No end');
    const at = { contract_days: null, contract_ends_at: '2027-01-01T00:00:00Z' };
    expect(planEndText({ ...KEPT, ...at })).toBe('2027-01-01');
  });
});
