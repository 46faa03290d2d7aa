import { AUDIT_WORDS } from 'ticklake/admin/audit-words.ts';
import { expect, it } from 'vitest';
import { AUDIT_OPERATIONS, nameLabel } from '../src/administration/audit.ts';

it('offers every operation that the audit log can tell of as a filter in the console', () => {
  expect([...AUDIT_OPERATIONS].sort()).toEqual(Object.keys(AUDIT_WORDS).sort());
});

it('gives each of them a label of its own, in words', () => {
  expect(nameLabel('renameMyApiKey')).toBe('Rename own API key');
  expect(nameLabel('createIdentity')).toBe('Create account');
  const labels = AUDIT_OPERATIONS.map(nameLabel);
  expect(new Set(labels).size).toBe(labels.length);
});
