import { describe, expect, it } from 'vitest';
import {
  auditReference,
  differences,
  nameLabel,
  referenceOf,
  referenceText,
  subjectOf,
} from './audit';

describe('the differences of an entry of the audit log', () => {
  it('are the values that changed, also deep inside', () => {
    const before = { name: 'One', quotas_limit: { month: { requests: null }, minute: { a: 1 } } };
    const after = { name: 'One', quotas_limit: { month: { requests: 500 }, minute: { a: 1 } } };
    expect(differences(before, after)).toEqual([
      { field: 'quotas_limit.month.requests', before: 'none', after: '500' },
    ]);
  });

  it('are everything of what was created or deleted', () => {
    const state = { name: 'One', ip_subnets: ['10.0.0.0/8', '192.0.2.0/24'], note: '' };
    expect(differences(null, state)).toEqual([
      { field: 'name', before: null, after: 'One' },
      { field: 'ip_subnets', before: null, after: '10.0.0.0/8, 192.0.2.0/24' },
      { field: 'note', before: null, after: '(empty)' },
    ]);
    expect(differences(state, null).map(({ after }) => after)).toEqual([null, null, null]);
  });

  it('tell a field that came from one that was none', () => {
    expect(differences({ a: null }, { a: null, b: null })).toEqual([
      { field: 'b', before: null, after: 'none' },
    ]);
  });
});

describe('the subject of an entry', () => {
  it('is what people call it, also when it is gone', () => {
    const rule = { rule_id: 3, dataset_id: 'US1', dataset_name: 'Trades' };
    expect(subjectOf({ before: rule, after: null })).toBe('Trades');
    expect(subjectOf({ before: null, after: { name: 'laptop' } })).toBe('laptop');
    expect(subjectOf({ before: null, after: null })).toBe('');
  });
});

describe('a name of the audit log', () => {
  it('stands for an account, also with one of its keys, or for a person', () => {
    expect(auditReference('identity:3')).toEqual({ kind: 'identity', id: 3 });
    expect(auditReference('identity:3/key:5')).toEqual({ kind: 'identity', id: 3 });
    expect(auditReference('person:12')).toEqual({ kind: 'person', id: 12 });
  });

  it.each(['local:person', 'api_key:5', 'rule:1', 'xidentity:3', 'identity:3x', ''])(
    'stands for neither as %j',
    (name) => {
      expect(auditReference(name)).toBeNull();
    },
  );
});

describe('the words of a name', () => {
  it.each([
    ['identity:3', 'account 3'],
    ['api_key:5', 'API key 5'],
    ['dataset:US1032', 'dataset US1032'],
    ['receipts', 'receipts'],
  ])('of %s are %s, and stand for it when it is looked for', (name, words) => {
    expect(referenceText(name)).toBe(words);
    expect(referenceOf(words)).toBe(name);
    expect(referenceOf(name)).toBe(name);
  });

  it('tell an account from its key, and who was on the server', () => {
    expect(referenceText('identity:3/key:5')).toBe('account 3, key 5');
    expect(referenceText('local:root')).toBe('root, on the server');
  });

  it('are spaced in the name of a field', () => {
    expect(nameLabel('quotas_limit.month.requests')).toBe('Quotas limit: month: requests');
    expect(nameLabel('identity_id')).toBe('Account ID');
  });
});
