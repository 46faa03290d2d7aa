import { describe, expect, it } from 'vitest';
import { auditReference, localActorText } from './audit-reference';

describe('a name of the audit log', () => {
  it('stands for an identity, also with one of its keys, or for a person', () => {
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
