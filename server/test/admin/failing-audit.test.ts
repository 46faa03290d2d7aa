/** A change without its row in the audit log is no change at all. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Browser,
  openPeopleService,
  PASSWORD,
  type PeopleService,
} from '../people/people-service.ts';

let service: PeopleService;
let other: DatabaseSync;
let owner: Browser;
let member: { personId: number; email: string };
let keyId: number;

beforeAll(async () => {
  service = await openPeopleService();
  const { email } = await service.newPerson('owner', service.accountId);
  owner = await service.signedIn(email);
  member = await service.newPerson('member', service.accountId);
  keyId = (await service.services.store.keys.listOf(service.accountId))[0]?.keyId as number;
  other = new DatabaseSync(join(service.services.config.home, 'control.db'));
  other.exec(`CREATE TRIGGER no_audit BEFORE INSERT ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log takes nothing'); END`);
});
afterAll(async () => {
  other.close();
  await service.close();
});

/** All that the store holds, but what is written about requests as they come. */
async function everything(): Promise<unknown> {
  // Else the time that a key was last used may be stored between two looks.
  await service.services.usage.flush();
  const tables = other
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'usage_%'")
    .all();
  return tables.map(({ name }) => [name, other.prepare(`SELECT * FROM ${name}`).all()]);
}

const CHANGES: readonly [what: string, path: () => string, body: object][] = [
  ['making an identity', () => '/identities', { name: 'new' }],
  ['changing an identity', () => `/identities/${service.accountId}/update`, { name: 'other' }],
  ['ending an identity', () => `/identities/${service.accountId}/deactivate`, {}],
  [
    'making a key',
    () => `/identities/${service.accountId}/api-keys`,
    { name: 'new', expires_in: '1d' },
  ],
  ['renaming a key', () => `/api-keys/${keyId}/rename`, { name: 'other' }],
  ['deactivating a key', () => `/api-keys/${keyId}/deactivate`, {}],
  ['revoking a key', () => `/api-keys/${keyId}/delete`, {}],
  ['revoking an own key', () => `/account/my/api-keys/${keyId}/delete`, {}],
  ['the own subnets', () => '/account/my/ip-subnets', { ip_subnets: ['127.0.0.0/8'] }],
  ['making a person', () => '/people', { email: 'new@people.example', role: 'owner' }],
  ['resetting a password', () => `/people/${member.personId}/reset-password`, {}],
  ['deactivating a person', () => `/people/${member.personId}/deactivate`, {}],
  ['removing a person', () => `/people/${member.personId}/delete`, {}],
  ['signing in', () => '/session', { email: '', password: PASSWORD }],
  [
    'changing the own password',
    () => '/session/password',
    { current_password: PASSWORD, new_password: 'another good password' },
  ],
  ['signing out', () => '/session/end', {}],
];

it.each(CHANGES)('%s is undone as a whole when the audit log fails', async (_, path, body) => {
  const before = await everything();
  const given = path() === '/session' ? { ...body, email: member.email } : body;
  const answer = await owner.post(path(), given);
  expect([answer.status, answer.body]).toEqual([500, { detail: 'Internal server error' }]);
  expect(answer.headers['set-cookie']).toBeUndefined();
  expect(await everything()).toEqual(before);
  // Nor does the server remember any of it.
  expect((await service.get('/v1/account/my')).statusCode).toBe(200);
  expect((await owner.get('/session')).body.person.role).toBe('owner');
});
