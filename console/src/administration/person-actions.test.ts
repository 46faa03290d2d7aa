import type { Person, Role } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import {
  firstRole,
  newPersonBody,
  type PersonFields,
  personChanges,
  personProblems,
} from './person-actions';

const MEMBER: PersonFields = { email: 'a@example.com', role: 'member', identity_id: '3' };

describe('the role of a new person', () => {
  const person = (role: Role, identity_id: number | null, is_active = true) =>
    ({ person_id: 1, email: 'b@example.com', role, identity_id, is_active }) as Person;

  it('is manager where nobody manages the account yet, and member otherwise', () => {
    expect(firstRole([], '3')).toBe('manager');
    expect(firstRole([person('member', 3), person('manager', 4)], '3')).toBe('manager');
    expect(firstRole([person('manager', 3, false)], '3')).toBe('manager');
    expect(firstRole([person('member', 3), person('manager', 3)], '3')).toBe('member');
    expect(firstRole([person('owner', 3)], '3')).toBe('member');
    expect(firstRole([], '')).toBe('member');
  });
});

describe('the fields of a person', () => {
  it('need an e-mail address and, but of owners, an account', () => {
    expect(personProblems(MEMBER)).toEqual({ email: '', identity_id: '' });
    const { email, identity_id } = personProblems({ ...MEMBER, email: 'a b', identity_id: '' });
    expect(email).not.toBe('');
    expect(identity_id).toContain('member');
    expect(personProblems({ ...MEMBER, role: 'owner', identity_id: '' }).identity_id).toBe('');
  });

  it('are sent without an account where there is none', () => {
    expect(newPersonBody({ ...MEMBER, email: ' a@example.com ' })).toEqual({
      email: 'a@example.com',
      role: 'member',
      identity_id: 3,
    });
    expect(newPersonBody({ ...MEMBER, role: 'owner', identity_id: '' })).toEqual({
      email: 'a@example.com',
      role: 'owner',
    });
  });

  it('are sent of a known person only where they changed', () => {
    expect(personChanges(MEMBER, MEMBER)).toEqual({});
    expect(personChanges({ ...MEMBER, role: 'owner', identity_id: '' }, MEMBER)).toEqual({
      role: 'owner',
      identity_id: null,
    });
  });
});
