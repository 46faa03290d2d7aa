import { expect, it } from 'vitest';
import { AUDIT_OPERATIONS } from '../../../console/src/administration/audit-operations.ts';
import { OPERATIONS } from '../../src/admin/operations.ts';
import { OWN_OPERATIONS } from '../../src/admin/own-operations.ts';

/** Acts of people on their own sessions, which are no operations. */
const SESSION_ACTS = ['signIn', 'signOut', 'changePassword'];

it('offers every operation that the audit log can tell of as a filter in the console', () => {
  const changing = [...OPERATIONS, ...OWN_OPERATIONS.map(({ operation }) => operation)]
    .filter(({ method }) => method === 'POST')
    .map(({ name }) => name);
  expect([...AUDIT_OPERATIONS].sort()).toEqual([...changing, ...SESSION_ACTS].sort());
});
