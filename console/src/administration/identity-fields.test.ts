import { describe, expect, it } from 'vitest';
import { draftOf } from '../network/subnet-draft';
import { fieldsOf, identityBody, identityProblems, NEW_IDENTITY } from './identity-fields';

const KEPT = fieldsOf({
  identity_id: 3,
  name: 'One',
  is_admin: false,
  is_active: true,
  max_active_api_keys: 5,
  ip_subnets: ['192.0.2.0/24'],
  created_at: '2026-01-01T00:00:00Z',
});

describe('the fields of an identity', () => {
  it('are all sent of a new one', () => {
    expect(identityBody({ ...NEW_IDENTITY, name: 'One' }, null)).toEqual({
      name: 'One',
      max_active_api_keys: 5,
      ip_subnets: [],
      is_admin: false,
    });
  });

  it('are sent only where they were changed', () => {
    expect(identityBody(KEPT, KEPT)).toEqual({});
    expect(
      identityBody({ ...KEPT, max_active_api_keys: '1,000', ip_subnets: draftOf([]) }, KEPT),
    ).toEqual({
      max_active_api_keys: 1000,
      ip_subnets: [],
    });
  });

  it('say what is wrong with them', () => {
    expect(identityProblems(KEPT)).toEqual({ name: '', max_active_api_keys: '', ip_subnets: '' });
    const bad = identityProblems({ ...KEPT, name: ' ', max_active_api_keys: '-1' });
    expect(bad.name).not.toBe('');
    expect(bad.max_active_api_keys).not.toBe('');
    const ip_subnets = draftOf(['192.0.2.1/24']);
    expect(identityProblems({ ...KEPT, ip_subnets }).ip_subnets).not.toBe('');
  });
});
