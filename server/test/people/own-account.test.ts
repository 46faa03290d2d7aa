import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writing } from '../writing.ts';
import { type Browser, openPeopleService, type PeopleService } from './people-service.ts';

const HOLIDAYS = '/data/us-equity-ref/eq-market-holidays';

let service: PeopleService;
beforeAll(async () => {
  service = await openPeopleService();
});
afterAll(() => service.close());

let serial = 0;
/** An account with a manager and a member, both signed in. */
async function newAccount() {
  serial += 1;
  const { accountId, key } = await service.addAccount(`account ${serial}`);
  const { email, personId } = await service.newPerson('manager', accountId);
  const manager = await service.signedIn(email);
  const member = await service.signedIn((await service.newPerson('member', accountId)).email);
  return { accountId, key, manager, member, managerId: personId };
}

async function statusWith(key: string, path = '/account/my'): Promise<number> {
  return (await service.browser().get(path, { 'x-api-key': key })).status;
}

describe('keys of the own account', () => {
  it('are made, shown once, renamed, deactivated, activated and deleted', async () => {
    const { manager, member, accountId } = await newAccount();
    const made = await manager.post('/account/my/api-keys', { name: 'mine', expires_in: '3d' });
    expect(made.status).toBe(200);
    const { api_key: key, ...shown } = made.body;
    expect(made.headers['cache-control']).toBe('no-store');
    expect(shown).toMatchObject({ identity_id: accountId, name: 'mine', status: 'active' });
    expect(await statusWith(key)).toBe(200);
    const listed = await member.get('/account/my/api-keys');
    expect(listed.body).toHaveLength(2);
    expect(JSON.stringify(listed.body)).not.toContain(key);

    const path = `/account/my/api-keys/${shown.key_id}`;
    expect((await manager.post(`${path}/rename`, { name: 'ours' })).body.name).toBe('ours');
    expect((await manager.post(`${path}/deactivate`)).body.status).toBe('deactivated');
    expect(await statusWith(key)).toBe(401);
    expect((await manager.post(`${path}/activate`)).body.status).toBe('active');
    expect(await statusWith(key)).toBe(200);
    const deleted = { key_id: shown.key_id, is_deleted: true };
    expect((await manager.post(`${path}/delete`)).body).toEqual(deleted);
    expect(await statusWith(key)).toBe(401);
  });

  it('are at most a thousand, those that have ended included', async () => {
    const { manager, accountId } = await newAccount();
    const { store } = service.services;
    const createdAtMs = service.clock.now();
    await store.transaction(async ({ keys }) => {
      for (let count = await keys.countOf(accountId); count < 1000; count++) {
        const [hash, reference] = [randomBytes(32).toString('hex'), 'none'];
        const expiresAtMs = createdAtMs - 1;
        await keys.create({ accountId, name: 'old', hash, reference, createdAtMs, expiresAtMs });
      }
    });
    const make = () => manager.post('/account/my/api-keys', { name: 'k', expires_in: '1d' });
    const { status, body } = await make();
    expect([status, body.detail]).toEqual([
      409,
      'An account cannot keep more than 1000 API keys; delete some that are expired or deactivated',
    ]);
    const old = (await store.keys.listOf(accountId)).find(({ name }) => name === 'old');
    await writing(store).keys.delete(old?.keyId as number);
    expect((await make()).status).toBe(200);
    expect((await make()).status).toBe(409);
  });

  it('stop at the ceiling, and every fault is told at its field', async () => {
    const { manager } = await newAccount();
    const make = (body: object) => manager.post('/account/my/api-keys', body);
    const bad = await make({ expires_at: '2020-01-01', colour: 'red' });
    expect(bad.status).toBe(422);
    expect(bad.body.detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
      ['body', 'colour'],
      ['body', 'name'],
      ['body', 'expires_at'],
    ]);
    expect((await make({ name: 'second', expires_at: '2026-01-01' })).status).toBe(200);
    expect((await make({ name: 'third', expires_in: '1d' })).status).toBe(200);
    const { status, body } = await make({ name: 'fourth', expires_in: '1d' });
    expect([status, body]).toEqual([
      409,
      { detail: 'An account cannot have more than 3 active API keys' },
    ]);
  });

  it('are changed at most 120 times in a minute, as the audit log keeps it all', async () => {
    const { manager, member, accountId } = await newAccount();
    const [key] = await service.services.store.keys.listOf(accountId);
    const rename = (name: string) =>
      manager.post(`/account/my/api-keys/${key?.keyId}/rename`, { name });
    // Signing in was the first.
    for (let at = 1; at < 120; at++) expect((await rename(`name ${at}`)).status).toBe(200);
    const { status, body } = await rename('one too many');
    expect([status, body]).toEqual([429, { detail: 'Too many changes; try again in a minute' }]);
    expect((await member.post('/session/end')).status).toBe(200);
    expect((await manager.get('/account/my/api-keys')).body[0].name).toBe('name 119');
    service.clock.set(new Date(service.clock.now() + 60_000).toISOString());
    expect((await rename('a minute later')).status).toBe(200);
  });

  it('are in the audit log as acts of the person', async () => {
    const { manager, managerId } = await newAccount();
    const owner = await service.signedIn((await service.newPerson('owner', null)).email);
    await manager.post('/account/my/api-keys', { name: 'audited', expires_in: '1d' });
    const { body } = await owner.get(`/audit-log?actor=person:${managerId}`);
    expect(body.data).toMatchObject([
      { operation: 'signIn', target: `person:${managerId}`, before: null, after: null },
      {
        actor: `person:${managerId}`,
        source: '127.0.0.1',
        operation: 'createMyApiKey',
        before: null,
        after: { name: 'audited' },
      },
    ]);
  });
});

describe('subnets of the own account', () => {
  const set = (browser: Browser, body: object) => browser.post('/account/my/ip-subnets', body);

  it('are replaced, and count for keys and for data', async () => {
    const { manager, member, key, accountId } = await newAccount();
    const rule = { accountId, startDate: '1900-01-01', endDate: null, universe: [] };
    const datasetId = service.dataset('eq_market_holidays').datasetId;
    await writing(service.services.store).rules.add({ ...rule, datasetId });
    const subnets = ['10.0.0.0/8', '2001:db8::/32'];
    const answer = await set(manager, { ip_subnets: subnets, allow_lock_out: true });
    expect([answer.status, answer.body.ip_subnets]).toEqual([200, subnets]);
    expect(await statusWith(key)).toBe(403);
    const rows = await member.get(HOLIDAYS);
    expect([rows.status, rows.body]).toEqual([
      403,
      { detail: 'Forbidden: IP address not allowed' },
    ]);
    expect((await member.get('/account/my')).body.ip_subnets).toEqual(subnets);
    expect((await set(manager, { ip_subnets: [] })).status).toBe(200);
    expect(await statusWith(key)).toBe(200);
    expect((await member.get(HOLIDAYS)).status).toBe(200);
  });

  it('lock the own address out only when that is meant', async () => {
    const { manager } = await newAccount();
    for (const body of [
      { ip_subnets: ['10.0.0.0/8'] },
      { ip_subnets: ['10.0.0.0/8'], allow_lock_out: false },
    ]) {
      const { status, body: refused } = await set(manager, body);
      expect([status, refused]).toEqual([
        409,
        { detail: 'The list would lock out your own address 127.0.0.1' },
      ]);
      expect((await manager.get('/account/my')).body.ip_subnets).toEqual([]);
    }
    expect((await set(manager, { ip_subnets: ['127.0.0.0/8'] })).status).toBe(200);
  });

  it('are refused when one is not valid, and the list stays', async () => {
    const { manager } = await newAccount();
    const { status, body } = await set(manager, { ip_subnets: ['127.0.0.1', '10.1.2.3/8'] });
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'ip_subnets', '1']]);
    expect((await manager.get('/account/my')).body.ip_subnets).toEqual([]);
  });

  it.each([
    ['10.1.2.3', undefined, true, true],
    ['10.1.2.3', '', true, true],
    ['10.1.2.3', '10.0.0.0/8', true, false],
    ['11.1.2.3', '10.0.0.0/8,127.0.0.1', false, true],
    ['::ffff:10.1.2.3', '10.0.0.0/8', true, false],
    ['2001:db8::1', '2001:db8::/32', true, false],
  ])('would let %s in by %s: %s, and the own address: %s', async (address, list, is, isOwn) => {
    const { member } = await newAccount();
    const subnets = list === undefined ? '' : `&subnets=${encodeURIComponent(list)}`;
    const { status, body } = await member.get(
      `/account/my/ip-subnets/check?address=${address}${subnets}`,
    );
    expect([status, body]).toEqual([
      200,
      {
        address: address.replace('::ffff:', ''),
        is_allowed: is,
        source_address: '127.0.0.1',
        is_source_allowed: isOwn,
      },
    ]);
  });

  it('are tried by the list of the account where none is given', async () => {
    const { manager } = await newAccount();
    await set(manager, { ip_subnets: ['127.0.0.0/8'] });
    const { body } = await manager.get('/account/my/ip-subnets/check?address=10.0.0.1');
    expect(body).toMatchObject({ is_allowed: false, is_source_allowed: true });
  });

  it.each([
    ['address=10.1.2', 'address'],
    ['', 'address'],
    ['address=10.0.0.1&subnets=10.0.0.1/8', 'subnets'],
    ['address=10.0.0.1&subnets=x', 'subnets'],
  ])('are not tried with %s', async (query, field) => {
    const { member } = await newAccount();
    const { status, body } = await member.get(`/account/my/ip-subnets/check?${query}`);
    expect([status, body.detail[0].loc.slice(0, 2)]).toEqual([422, ['query', field]]);
  });
});

describe('a request by a signed-in person', () => {
  async function newReader() {
    const account = await newAccount();
    const { datasetId } = service.dataset('eq_market_holidays');
    const window = { startDate: '1900-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({
      accountId: account.accountId,
      datasetId,
      ...window,
    });
    return { ...account, datasetId };
  }

  it('counts for the account, by no key, where it is data, and else not at all', async () => {
    const { member, key, accountId, datasetId } = await newReader();
    for (const path of [
      '/account/my',
      '/account/my/quotas',
      '/account/my/usage',
      '/meta/datasets',
      `/meta/datasets/${datasetId}/status`,
      '/session',
    ]) {
      expect((await member.get(path)).status, path).toBe(200);
    }
    expect((await member.get(HOLIDAYS)).status).toBe(200);
    expect((await member.get(`${HOLIDAYS}?nope=1`)).status).toBe(422);
    await statusWith(key);
    await service.services.usage.flush();
    const { body } = await member.get('/account/my/usage');
    expect(body).toMatchObject({ identity_id: accountId, total: { requests: 3 } });
    const counted = body.data.map((row: Record<string, unknown>) => [
      row.dataset_id,
      row.key_id === null,
      row.requests,
    ]);
    expect(counted.sort()).toEqual(
      [
        [null, true, 1],
        [datasetId, true, 1],
        [null, false, 1],
      ].sort(),
    );
    const { body: quotas } = await member.get('/account/my/quotas');
    expect(quotas.quotas_usage.month.requests).toBe(3);
  });

  it('is read by the rules of the account that they belong to when their turn comes', async () => {
    const { accountId, datasetId } = await newReader();
    const other = await newAccount();
    const { store, gate } = service.services;
    const person = await service.newPerson('member', accountId);
    const member = await service.signedIn(person.email);
    const window = { startDate: '1901-01-01', endDate: null, universe: [] };
    await writing(store).rules.add({ accountId, datasetId, ...window });
    const isTurn = Promise.withResolvers<void>();
    const { run } = gate;
    const waiting = vi.spyOn(gate, 'run').mockImplementationOnce(async (...turn) => {
      await isTurn.promise;
      return run.apply(gate, turn);
    });
    const answer = member.get(HOLIDAYS);
    await expect.poll(() => waiting.mock.calls.length).toBe(1);
    await writing(store).people.update(person.personId, { accountId: other.accountId });
    isTurn.resolve();
    expect((await answer).status).toBe(403);
    waiting.mockRestore();
  });

  it('is refused as data when a limit is used up, and else still answered', async () => {
    const { member, accountId } = await newReader();
    const none = { requests: null, scannedBytes: null, returnedBytes: null };
    await writing(service.services.store).accounts.update(accountId, {
      limits: { month: none, minute: { ...none, requests: 2 } },
    });
    for (const status of [200, 200, 429]) {
      expect((await member.get(HOLIDAYS)).status).toBe(status);
    }
    for (const path of ['/account/my', '/account/my/quotas', '/meta/datasets', '/session']) {
      expect((await member.get(path)).status, path).toBe(200);
    }
  });

  it('is data by the rules of the account', async () => {
    const { member } = await newAccount();
    const { status, body } = await member.get(HOLIDAYS);
    expect([status, body.detail]).toEqual([
      403,
      expect.stringContaining('The account is not authorized to access the dataset'),
    ]);
  });

  it('may be kept by the browser only to be asked about', async () => {
    const { member } = await newReader();
    const first = await member.get(HOLIDAYS);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    const { headers } = await member.get('/account/my');
    expect([headers['cache-control'], headers['x-content-type-options']]).toEqual([
      'no-store',
      'nosniff',
    ]);
  });
});
