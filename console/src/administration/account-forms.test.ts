import { describe, expect, it } from 'vitest';
import { draftOf } from '../network/subnet-draft';
import { accountBody, accountProblems, fieldsOf, NEW_ACCOUNT } from './account-forms';

const KEPT = fieldsOf({
  identity_id: 3,
  name: 'One',
  is_admin: false,
  is_active: true,
  max_active_api_keys: 5,
  ip_subnets: ['192.0.2.0/24'],
  plan_id: 4,
  contract_ends_at: '2027-01-01T09:30:00Z',
  own_contract_ends_at: '2027-01-01T09:30:00Z',
  status: 'active',
  created_at: '2026-01-01T00:00:00Z',
});

describe('the fields of an account', () => {
  it('are all sent of a new one', () => {
    expect(accountBody({ ...NEW_ACCOUNT, name: 'One' }, null)).toEqual({
      name: 'One',
      max_active_api_keys: 5,
      ip_subnets: [],
      plan_id: null,
      contract_ends_at: null,
      is_admin: false,
    });
  });

  it('are sent only where they were changed', () => {
    expect(accountBody(KEPT, KEPT)).toEqual({});
    expect(
      accountBody({ ...KEPT, max_active_api_keys: '1,000', ip_subnets: draftOf([]) }, KEPT),
    ).toEqual({
      max_active_api_keys: 1000,
      ip_subnets: [],
    });
  });

  it('send an end of contract only where it was changed, and null where it was taken away', () => {
    expect(KEPT.contract_ends_at).toBe('2027-01-01');
    const later = { ...KEPT, contract_ends_at: '2027-06-30' };
    expect(accountBody(later, KEPT)).toEqual({ contract_ends_at: '2027-06-30' });
    const none = { ...KEPT, contract_ends_at: '' };
    expect(accountBody(none, KEPT)).toEqual({ contract_ends_at: null });
  });

  it('send the plan only where it was changed, and null where it was taken away', () => {
    expect(accountBody({ ...KEPT, plan_id: '5' }, KEPT)).toEqual({ plan_id: 5 });
    expect(accountBody({ ...KEPT, plan_id: '' }, KEPT)).toEqual({ plan_id: null });
  });

  it('say what is wrong with them', () => {
    expect(accountProblems(KEPT)).toEqual({ name: '', max_active_api_keys: '', ip_subnets: '' });
    const bad = accountProblems({ ...KEPT, name: ' ', max_active_api_keys: '-1' });
    expect(bad.name).not.toBe('');
    expect(bad.max_active_api_keys).not.toBe('');
    const ip_subnets = draftOf(['192.0.2.1/24']);
    expect(accountProblems({ ...KEPT, ip_subnets }).ip_subnets).not.toBe('');
  });
});
