import { describe, expect, it } from 'vitest';
import { auditReference, differences, localActorText, subjectOf } from './audit';

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

describe('localActorText', () => {
  it('says who ran a command on the server, and nothing of others', () => {
    expect(localActorText('local:root')).toBe('root, on the server');
    expect(localActorText('identity:3/key:5')).toBeNull();
  });
});
