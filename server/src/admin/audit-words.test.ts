import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../store/audit-log.ts';
import { AUDIT_WORDS, type AuditNames, actorName, auditSummary } from './audit-words.ts';
import { LAKE_OPERATIONS, OPERATIONS } from './operations.ts';
import { OWN_OPERATIONS } from './own-operations.ts';

const KNOWN: Readonly<Record<string, string>> = {
  'identity:3': 'Acme',
  'identity:4': 'Blue',
  'plan:2': 'Daily',
  'person:7': 'ana@x.example',
  'key:5': 'laptop',
  'dataset:US1020': 'US Equities Daily OHLC',
};
const NAMES: AuditNames = (kind, id) => KNOWN[`${kind}:${id}`] ?? null;

function said(operation: string, target: string, before: object | null, after: object | null) {
  const entry: AuditEntry = {
    ...{ auditId: 1, happenedAtMs: 0, actor: 'person:7', source: '' },
    ...{ operation, target, before, after },
  };
  return auditSummary(entry, NAMES);
}

describe('the words of the audit log', () => {
  it('are there for every operation that changes something', () => {
    const own = OWN_OPERATIONS.map(({ operation }) => operation);
    const changing = [...OPERATIONS, ...LAKE_OPERATIONS, ...own].filter(
      ({ method }) => method === 'POST',
    );
    for (const { name } of changing) expect(AUDIT_WORDS, name).toHaveProperty(name);
  });

  it('can be said of an entry of any operation that knows nothing of its subject', () => {
    for (const operation of Object.keys(AUDIT_WORDS)) {
      expect(said(operation, 'identity:9', null, null), operation).toMatch(/^[a-z][^.]+$/);
    }
  });

  const key = { key_id: 5, identity_id: 3, name: 'k' };
  const rule = { identity_id: 3, plan_id: null, dataset_id: 'US1020', dataset_name: null };
  it.each<[string, string, object | null, object | null, string]>([
    ['renameApiKey', 'api_key:5', key, { ...key, name: 'K' }, 'renamed the key k of Acme to K'],
    ['deleteApiKey', 'api_key:5', key, null, 'deleted the key k of Acme'],
    ['updateIdentity', 'identity:3', { name: 'A' }, { name: 'B' }, 'renamed the account A to B'],
    [
      'updateIdentity',
      'identity:3',
      { name: 'A', ip_subnets: [], is_admin: false, status: 'active' },
      { name: 'A', ip_subnets: ['10.0.0.0/8'], is_admin: true, status: 'ended' },
      'changed allowed subnets and administration of the account A',
    ],
    ['addDataAccessRule', 'rule:1', null, rule, 'added a rule for US Equities Daily OHLC to Acme'],
    [
      'updateDataAccessRule',
      'rule:1',
      rule,
      { ...rule, identity_id: null, plan_id: 2, start_date: '2020-01-01', end_date: null },
      'changed the rule for US Equities Daily OHLC of the plan Daily, now 2020-01-01 to open',
    ],
    [
      'addPlanRules',
      'plan:2',
      { added_rules: {} },
      { added_rules: { 1: '', 2: '' } },
      'added 2 rules to the plan Daily',
    ],
    [
      'assignPlan',
      'plan:2',
      { plan_ids: { 3: null, 4: 1 } },
      { plan_ids: { 3: 2, 4: 2 } },
      'gave the plan Daily to Acme and Blue',
    ],
    [
      'endPersonSessions',
      'person:7',
      { session_ids: ['a'] },
      { session_ids: [], ended_count: 1 },
      'ended 1 session of ana@x.example',
    ],
    [
      'invitePerson',
      'person:8',
      null,
      { email: 'bo@x.example', role: 'member', identity_id: 4 },
      'invited bo@x.example as member of Blue',
    ],
    [
      'ingest',
      'dataset:US1020',
      null,
      { state: 'published', row_count: 1200 },
      'loaded files into US Equities Daily OHLC, 1,200 rows',
    ],
    ['ingest', 'lake', null, { state: 'failed' }, 'loaded files into the lake, which failed'],
    ['formerOperation', 'thing:1', null, null, 'formerOperation thing:1'],
    ['toString', 'thing:1', null, null, 'toString thing:1'],
  ])('of %s about %s say what was done to whom', (operation, target, before, after, words) => {
    expect(said(operation, target, before, after)).toBe(words);
  });

  it('name who acted where somebody is known', () => {
    const named = [
      'person:7',
      'person:8',
      'identity:3',
      'identity:3/key:5',
      'identity:3/key:6',
      'local:ana',
    ];
    expect(named.map((actor) => actorName(actor, NAMES))).toEqual([
      ...['ana@x.example', null, 'Acme', 'Acme, key laptop', 'Acme', null],
    ]);
  });
});
