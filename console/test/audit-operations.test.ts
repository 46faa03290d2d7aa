import { LAKE_OPERATIONS } from 'ticklake/admin/lake-operations.ts';
import { OPERATIONS } from 'ticklake/admin/operations.ts';
import { OWN_OPERATIONS } from 'ticklake/admin/own-operations.ts';
import { expect, it } from 'vitest';
import { AUDIT_OPERATIONS } from '../src/administration/audit-operations.ts';

/** Acts of people on their own sessions, which are no operations. */
const SESSION_ACTS = [
  ...['signIn', 'signOut', 'changePassword', 'choosePassword', 'endMySessions'],
  ...['turnOnSecondFactor', 'renewRecoveryCodes', 'turnOffSecondFactor'],
];

it('offers every operation that the audit log can tell of as a filter in the console', () => {
  const own = OWN_OPERATIONS.map(({ operation }) => operation);
  const changing = [...OPERATIONS, ...LAKE_OPERATIONS, ...own]
    .filter(({ method }) => method === 'POST')
    .map(({ name }) => name);
  expect([...AUDIT_OPERATIONS].sort()).toEqual([...changing, ...SESSION_ACTS].sort());
});
