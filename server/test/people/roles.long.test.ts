import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../src/routes/endpoint.ts';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { Role } from '../../src/store/people.ts';
import { dumpOf } from '../admin/admin-service.ts';
import { loadUploadsHere } from '../ingest/uploads-here.ts';
import { writing } from '../writing.ts';
import {
  type Answer,
  type Browser,
  openPeopleService,
  type PeopleService,
} from './people-service.ts';

type Caller = 'nobody' | 'key' | 'admin key' | Role;

const ADMINISTRATORS: readonly Caller[] = ['admin key', 'owner'];
const MANAGERS: readonly Caller[] = ['manager', 'owner'];
const PEOPLE: readonly Caller[] = ['member', ...MANAGERS];
const KNOWN: readonly Caller[] = ['key', 'admin key', ...PEOPLE];
const EVERYBODY: readonly Caller[] = ['nobody', ...KNOWN];

/** Whom each endpoint is for: every one has to fall under exactly one of these. */
const FOR: readonly (readonly [endpoints: RegExp, callers: readonly Caller[]])[] = [
  [/^GET \/(status|openapi(-data)?\.json|receipts\/keys)$/, EVERYBODY],
  [/^GET \/public\/datasets(\/|$)/, EVERYBODY],
  [/^POST \/public\/enquiries$/, EVERYBODY],
  [/^(GET|POST) \/session$/, EVERYBODY],
  [/^POST \/session\/link(\/password)?$/, EVERYBODY],
  [/^POST \/session\/(end|password)$/, PEOPLE],
  [/^(GET|POST) \/session\/(all|second-factor)(\/|$)/, PEOPLE],
  [/^GET \/account\/my(\/(quotas|api-keys|data-access-rules))?$/, KNOWN],
  [/^GET \/account\/my\/(usage|ip-subnets\/check)$/, PEOPLE],
  [/^GET \/account\/my\/people$/, MANAGERS],
  [/^GET \/account\/my\/(first-steps|requests)$/, PEOPLE],
  [/^(GET|POST) \/account\/my\/access-requests$/, PEOPLE],
  [/^POST \/account\/my\/(?!access-requests)/, MANAGERS],
  [/^GET \/(meta|data|data-scan|bulk|symbology)\//, KNOWN],
  [/^GET \/publications$/, KNOWN],
  [/^POST \/mcp$/, KNOWN],
  [/^(GET|POST) \/admin\//, ADMINISTRATORS],
  [
    /^(GET|POST) \/(identities|api-keys|data-access-rules|plans|people|access-requests|enquiries)(\/|$)/,
    ADMINISTRATORS,
  ],
  [/^[A-Z]+ \/ingest\//, ADMINISTRATORS],
  [/^GET \/(audit-log|publication-status|requests|usage-by-month|usage-ledger)$/, ADMINISTRATORS],
];

/**
 * File links carry their caller and Delta Sharing uses its own header; both are tested elsewhere.
 */
const WITH_OWN_CREDENTIALS = /^\/(files|delta-sharing)\//;
const JUDGED = ENDPOINTS.filter(({ path }) => !WITH_OWN_CREDENTIALS.test(path));

const NOT_FOR_YOU = [
  'Not authenticated',
  'Only an administrator may do this',
  'Only a person who is signed in may do this',
  'Only a manager of the account may do this',
];

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

let service: PeopleService;
/** Keys of the account that asks, and of another one. */
const keys: Partial<Record<Caller, string>> = {};
const people: Partial<Record<Caller, number>> = {};
let other: Record<string, number>;
/** A request for access that is granted, since none can be granted and declined. */
let grantedId = 0;

beforeAll(async () => {
  service = await openPeopleService();
  loadUploadsHere(service);
  const { store } = service.services;
  keys.key = service.key;
  const admin = await service.addAccount('administrators');
  await writing(store).accounts.update(admin.accountId, { isAdmin: true });
  keys['admin key'] = admin.key;
  for (const role of ['member', 'manager', 'owner'] as const) {
    people[role] = await service.addPerson(role, service.accountId);
  }
  const { accountId } = await service.addAccount('the other account');
  const rule = { accountId, datasetId: 'US1001', startDate: '2020-01-01', universe: [] };
  const asked = { accountId, askedBy: 'a@b.example', note: '', createdAtMs: 0 };
  grantedId = await writing(store).accessRequests.add({ ...asked, datasetId: 'US1020' });
  const enquiry = { email: 'c@d.example', datasetId: null, note: '' };
  const offer = { name: 'a plan', limits: UNLIMITED, contractEndsAtMs: null, contractDays: null };
  other = {
    plan_id: await writing(store).offers.create({ ...offer, createdAtMs: 0 }),
    identity_id: accountId,
    key_id: (await store.keys.listOf(accountId))[0]?.keyId as number,
    rule_id: await writing(store).rules.add({ ...rule, endDate: '2020-12-31' }),
    person_id: await service.addPerson('owner', accountId),
    enquiry_id: await writing(store).enquiries.add({ ...enquiry, createdAtMs: 0 }, 1),
    request_id: await writing(store).accessRequests.add({ ...asked, datasetId: 'US1002' }),
  };
});
afterAll(() => service.close());

/** A browser in a new session, or one that sends a key, or nothing. */
async function browserOf(caller: Caller): Promise<Browser> {
  const browser = service.browser();
  const personId = people[caller];
  if (personId === undefined) return browser;
  const { cookie, 'x-csrf-token': csrfToken } = await service.sessionOf(personId);
  browser.cookie = cookie;
  browser.csrfToken = csrfToken;
  return browser;
}

const PLACES: Readonly<Record<string, string>> = {
  dataset_id: 'US1032',
  group: 'us-equity',
  segment: 'eq-taq',
  trade_date: '2025-06-18',
  identifier: 'AAA',
  version: '1',
  publication_id: '1',
  upload_id: 'none',
};

async function ask(caller: Caller, { method, path }: Endpoint, body: object = {}): Promise<Answer> {
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const isGrant = path.endsWith('/grant') && name === 'request_id';
    const value = isGrant ? grantedId : (PLACES[name] ?? other[name]);
    if (value === undefined) throw new Error(`nothing is known of :${name}`);
    return String(value);
  });
  const headers = keys[caller] === undefined ? {} : { 'x-api-key': keys[caller] };
  const browser = await browserOf(caller);
  if (method === 'GET') return await browser.get(url, headers);
  return await browser.change(method, url, body, headers);
}

describe('each endpoint', () => {
  it.each(JUDGED.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s is for those that it should be for',
    async (name, endpoint) => {
      const rows = FOR.filter(([endpoints]) => endpoints.test(name));
      expect(rows).toHaveLength(1);
      const [, callers] = rows[0] as (typeof FOR)[number];
      for (const caller of EVERYBODY) {
        // An unknown member, so that nothing is done.
        const { status, body } = await ask(caller, endpoint, { nope: 1 });
        const isRefused = body ? NOT_FOR_YOU.includes(body.detail) : [401, 403].includes(status);
        expect([caller, isRefused], `${status} ${body?.detail}`).toEqual([
          caller,
          !callers.includes(caller),
        ]);
        if (isRefused) expect(status).toBe(caller === 'nobody' ? 401 : 403);
      }
    },
  );
});

/** Bodies with which an owner is obeyed; without one: an empty one will do. */
const BODIES: Readonly<Record<string, object>> = {
  updateIdentity: { name: 'taken over' },
  createApiKey: { name: 'taken over', expires_in: '1d' },
  renameApiKey: { name: 'taken over' },
  addDataAccessRule: { dataset_id: 'US1032' },
  addDataAccessRules: { groups: ['us-futures'] },
  copyDataAccessRules: { from_plan_id: 1 },
  updateDataAccessRule: { end_date: '2020-11-30' },
  setQuotaLimits: { month: { requests: 1 } },
  updatePerson: { email: 'taken.over@people.example' },
  renameMyApiKey: { name: 'taken over' },
};

const bodyOf = (endpoint: Endpoint) =>
  ('operationId' in endpoint && BODIES[endpoint.operationId]) || {};

const OF_ACCOUNTS = /:(identity_id|key_id|rule_id|person_id|request_id)/;
const NAMING_ACCOUNTS = ENDPOINTS.filter(({ path }) => OF_ACCOUNTS.test(path));
const OWN = NAMING_ACCOUNTS.filter(({ path }) => path.startsWith('/account/my'));
const ADMINISTERED = NAMING_ACCOUNTS.filter(({ path }) => !path.startsWith('/account/my'));

describe('a request that names another account', () => {
  it('is all that has an id in its path', () => {
    const names = JUDGED.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, n]) => n));
    const known = [...Object.keys(PLACES), ...Object.keys(other)];
    expect([...new Set(names)].sort()).toEqual(known.sort());
    expect(OWN.length).toBeGreaterThan(3);
    expect(ADMINISTERED.length).toBeGreaterThan(15);
  });

  it.each(NAMING_ACCOUNTS.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s does nothing and tells nothing to members, managers and keys of an account',
    async (name, endpoint) => {
      const { home } = service.services.config;
      const before = dumpOf(home);
      for (const caller of ['member', 'manager', 'key'] as const) {
        const { status, body } = await ask(caller, endpoint, bodyOf(endpoint));
        const isFound = caller !== 'manager' || !name.includes('/account/my');
        expect([caller, status], JSON.stringify(body)).toEqual([caller, isFound ? 403 : 404]);
        expect(Object.keys(body)).toEqual(['detail']);
        expect(JSON.stringify(body)).not.toContain('the other account');
      }
      expect(dumpOf(home)).toBe(before);
    },
  );

  it.each(OWN.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s answers of a key of another account what it answers of none, also to owners',
    async (_, endpoint) => {
      const { key_id: keyId } = other;
      for (const caller of ['manager', 'owner'] as const) {
        const ofOther = await ask(caller, endpoint, bodyOf(endpoint));
        other.key_id = 999_999;
        const ofNone = await ask(caller, endpoint, bodyOf(endpoint));
        other.key_id = keyId as number;
        expect([ofOther.status, ofOther.body]).toEqual([ofNone.status, ofNone.body]);
        expect(ofOther.status).toBe(404);
      }
    },
  );

  it('takes the account from nothing that is sent', async () => {
    const { identity_id: accountId } = other;
    const manager = await browserOf('manager');
    const before = dumpOf(service.services.config.home);
    for (const [path, body] of [
      ['/account/my/api-keys', { name: 'x', expires_in: '1d', identity_id: accountId }],
      ['/account/my/ip-subnets', { ip_subnets: [], identity_id: accountId }],
    ] as const) {
      const answer = await manager.post(path, body);
      expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'unknown_field']);
    }
    const usage = await manager.get(`/account/my/usage?identity_id=${accountId}`);
    expect([usage.status, usage.body.detail[0].type]).toEqual([422, 'unknown_field']);
    expect((await manager.get('/account/my/usage')).body.identity_id).toBe(service.accountId);
    expect(dumpOf(service.services.config.home)).toBe(before);
  });

  // Owners succeed with the requests refused above, so those were refused for the role alone.
  it.each(
    ADMINISTERED.toSorted(
      (a, b) => Number(a.path.endsWith('/delete')) - Number(b.path.endsWith('/delete')),
    ).map((endpoint) => [nameOf(endpoint), endpoint] as const),
  )('%s obeys an owner', async (_, endpoint) => {
    const { status, body } = await ask('owner', endpoint, bodyOf(endpoint));
    expect(status, JSON.stringify(body)).toBe(200);
  });
});

describe('owners', () => {
  it('without an account administer all, and have none of their own', async () => {
    const owner = await browserOf('nobody');
    Object.assign(owner, {
      cookie: (await service.sessionOf(await service.addPerson('owner', null))).cookie,
    });
    expect((await owner.get('/session')).body).toMatchObject({ identity: null });
    expect((await owner.get('/identities')).status).toBe(200);
    expect((await owner.get('/meta/datasets')).status).toBe(200);
    expect((await owner.get('/meta/datasets/my')).body).toEqual([]);
    expect((await owner.get('/meta/datasets/US1032/status')).status).toBe(403);
    for (const path of [
      '/account/my',
      '/account/my/quotas',
      '/account/my/api-keys',
      '/account/my/data-access-rules',
      '/account/my/usage',
      '/account/my/ip-subnets/check?address=10.0.0.1',
      '/data/us-equity-ref/eq-market-holidays',
    ]) {
      const { status, body } = await owner.get(path);
      expect([path, status, body.detail]).toEqual([path, 404, 'You do not belong to an account']);
    }
  });

  it('keep one among them who is active', async () => {
    const { store } = service.services;
    const only = await openPeopleService();
    try {
      const { personId, email } = await only.newPerson('owner', only.accountId);
      await writing(only.services.store).people.update(
        (await only.newPerson('owner', null)).personId,
        {
          isActive: false,
        },
      );
      const browser = await only.signedIn(email);
      const detail = 'The last active owner cannot be deleted, deactivated or given another role';
      for (const [action, body] of [
        ['deactivate', {}],
        ['delete', {}],
        ['update', { role: 'manager' }],
      ] as const) {
        const answer = await browser.post(`/people/${personId}/${action}`, body);
        expect([action, answer.status, answer.body]).toEqual([action, 409, { detail }]);
      }
      await only.newPerson('owner', null);
      expect((await browser.post(`/people/${personId}/delete`)).status).toBe(200);
    } finally {
      await only.close();
    }
    expect(await store.people.countActiveOwners()).toBeGreaterThan(0);
  });

  it('take the admin flag from the last account that has it, as they can go on without', async () => {
    const marked = await openPeopleService();
    try {
      const { accounts, people } = writing(marked.services.store);
      const { accountId, key } = await marked.addAccount('marked by mistake');
      await accounts.update(accountId, { isAdmin: true });
      const { personId, email } = await marked.newPerson('owner', null);
      const owner = await marked.signedIn(email);
      const path = `/identities/${accountId}`;
      expect((await owner.post(`${path}/deactivate`)).status).toBe(200);
      expect((await owner.post(`${path}/activate`)).status).toBe(200);
      await people.update(personId, { isActive: false });
      const asKey = { 'x-api-key': key };
      const detail = 'The last active administrator cannot lose the admin flag or be deactivated';
      const refused = await marked.browser().post(`${path}/update`, { is_admin: false }, asKey);
      expect([refused.status, refused.body]).toEqual([409, { detail }]);
      await people.update(personId, { isActive: true });
      expect((await owner.post(`${path}/update`, { is_admin: false })).body.is_admin).toBe(false);
    } finally {
      await marked.close();
    }
  });

  it('alone change an account that administers: a key of it would be one for all', async () => {
    const { store } = service.services;
    const { accountId } = await service.addAccount('marked');
    const manager = await service.signedIn((await service.newPerson('manager', accountId)).email);
    const owner = await service.signedIn((await service.newPerson('owner', accountId)).email);
    await writing(store).accounts.update(accountId, { isAdmin: true });
    const body = { name: 'k', expires_in: '1d' };
    const refused = await manager.post('/account/my/api-keys', body);
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'Only an owner may change an administrator account' },
    ]);
    expect((await manager.get('/identities')).status).toBe(403);
    expect((await owner.post('/account/my/api-keys', body)).status).toBe(200);
  });
});
