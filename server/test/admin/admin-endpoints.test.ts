import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAKE_OPERATIONS, OPERATIONS } from '../../src/admin/operations.ts';
import { writing } from '../writing.ts';
import { type AdminService, dumpOf, openAdminService } from './admin-service.ts';

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService({ bodyBytesMax: 4096 });
});
afterAll(() => service.close());

interface Named {
  identity_id: number;
  key_id: number;
  rule_id: number;
  api_key: string;
}

let serial = 0;
/** An account of its own for a test. */
async function newAccount(body: object = {}): Promise<number> {
  serial += 1;
  const name = `client ${serial}`;
  return (await service.done<Named>('/identities', { name, ...body })).identity_id;
}

function newKey(accountId: number, body: object = {}): Promise<Named> {
  return service.done(`/identities/${accountId}/api-keys`, {
    name: 'key',
    expires_in: '90d',
    ...body,
  });
}

const statusWith = async (key: string) =>
  (await service.get('/v1/account/my', { 'x-api-key': key })).statusCode;

describe('who may administer', () => {
  const ids = (path: string) => path.replaceAll(/:\w+/g, '1');

  it.each([...OPERATIONS, ...LAKE_OPERATIONS])(
    '$method $path is refused to everyone else, whatever is sent',
    async (one) => {
      const before = dumpOf(service.services.config.home);
      const url = `/v1${ids(one.path)}`;
      const bodies = ['', '{"name": "x"', '{}', 'x'.repeat(5000)];
      for (const payload of one.method === 'GET' ? [''] : bodies) {
        const answer = await service.app.inject({
          method: one.method,
          url: `${url}?nope=1`,
          headers: { 'x-api-key': service.key, 'content-type': 'text/plain' },
          payload,
        });
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toEqual({ detail: 'Only an administrator may do this' });
      }
      const nobody = await service.app.inject({ method: one.method, url });
      expect(nobody.statusCode).toBe(401);
      expect(dumpOf(service.services.config.home)).toBe(before);
    },
  );

  it('depends on the admin flag at the moment of the request', async () => {
    const accountId = await newAccount({ is_admin: true });
    const { api_key: key } = await newKey(accountId);
    const list = () => service.get('/v1/identities', { 'x-api-key': key });
    expect((await list()).statusCode).toBe(200);
    await service.done(`/identities/${accountId}/update`, { is_admin: false });
    expect((await list()).statusCode).toBe(403);
  });

  it('serves a path by the methods that it has, and tells them', async () => {
    const headers = { 'x-api-key': service.admin.key };
    const answer = await service.app.inject({ method: 'DELETE', url: '/v1/identities', headers });
    expect([answer.statusCode, answer.headers.allow]).toEqual([405, 'POST, GET']);
    const activate = await service.app.inject({ url: '/v1/api-keys/1/activate', headers });
    expect([activate.statusCode, activate.headers.allow]).toEqual([405, 'POST']);
  });
});

describe('identities', () => {
  it('are created, shown, changed and listed', async () => {
    const created = await service.done<Named>('/identities', {
      name: 'Alpha Fund',
      max_active_api_keys: 2,
      ip_subnets: ['192.0.2.7', '2001:DB8::/32', '192.0.2.7/32'],
    });
    const view = {
      identity_id: created.identity_id,
      name: 'Alpha Fund',
      is_admin: false,
      is_active: true,
      max_active_api_keys: 2,
      ip_subnets: ['192.0.2.7/32', '2001:db8::/32'],
      plan_id: null,
      contract_ends_at: null,
      own_contract_ends_at: null,
      status: 'active',
      created_at: '2025-06-20T16:00:00Z',
    };
    expect(created).toEqual(view);
    const path = `/identities/${created.identity_id}`;
    expect(await service.done(path)).toEqual(view);
    const changed = { ...view, name: 'Alpha', ip_subnets: [] };
    expect(await service.done(`${path}/update`, { name: 'Alpha', ip_subnets: [] })).toEqual(
      changed,
    );
    expect(await service.done(path)).toEqual(changed);
    const { data } = await service.done<{ data: object[] }>('/identities?limit=1000');
    expect(data).toContainEqual(changed);
  });

  it('are paged so that each appears once', async () => {
    const all = await service.done<{ data: Named[] }>('/identities?limit=1000');
    const seen: number[] = [];
    let after: number | null = 0;
    while (after !== null) {
      const page: { data: Named[]; pagination: { next_after: number | null } } = await service.done(
        `/identities?limit=2&after=${after}`,
      );
      seen.push(...page.data.map(({ identity_id }) => identity_id));
      after = page.pagination.next_after;
    }
    expect(seen).toEqual(all.data.map(({ identity_id }) => identity_id));
  });

  it('are let in again after a deactivation, with all that they had', async () => {
    const accountId = await newAccount();
    const { api_key: key } = await newKey(accountId);
    expect(await statusWith(key)).toBe(200);
    await service.done(`/identities/${accountId}/deactivate`, {});
    const refused = await service.get('/v1/account/my', { 'x-api-key': key });
    expect(refused.statusCode).toBe(410);
    expect(refused.json()).toEqual({ detail: 'The account is deactivated' });
    await service.done(`/identities/${accountId}/activate`, {});
    expect(await statusWith(key)).toBe(200);
  });

  it('are refused from the end of their contract on, as long as it has one', async () => {
    const accountId = await newAccount({ contract_ends_at: '2025-06-21' });
    const { api_key: key } = await newKey(accountId, { expires_in: '8h' });
    const path = `/identities/${accountId}`;
    service.clock.set('2025-06-20T23:59:59.999Z');
    expect(await statusWith(key)).toBe(200);
    service.clock.set('2025-06-21T00:00:00Z');
    const refused = await service.get('/v1/account/my', { 'x-api-key': key });
    expect([refused.statusCode, refused.json()]).toEqual([
      410,
      { detail: "The account's contract has ended" },
    ]);
    expect(await service.done(path)).toMatchObject({
      is_active: true,
      contract_ends_at: '2025-06-21T00:00:00Z',
      status: 'ended',
    });
    service.clock.set('2025-06-20T16:00:00Z');
    const past = { contract_ends_at: '2025-06-20T10:00:00-04:00' };
    expect(await service.done(`${path}/update`, past)).toMatchObject({
      contract_ends_at: '2025-06-20T14:00:00Z',
      status: 'ended',
    });
    expect(await statusWith(key)).toBe(410);
    const none = { contract_ends_at: null };
    expect(await service.done(`${path}/update`, none)).toMatchObject({ ...none, status: 'active' });
    expect(await statusWith(key)).toBe(200);
  });

  it('that administer have neither a plan nor an end of contract, so that no date locks anybody out', async () => {
    const detail = "An administrator's account can have neither a plan nor an end of contract";
    const end = { contract_ends_at: '2030-01-01' };
    const created = await service.ask('/identities', { name: 'both', is_admin: true, ...end });
    expect([created.statusCode, created.json()]).toEqual([409, { detail }]);
    const path = `/identities/${service.admin.accountId}/update`;
    expect((await service.ask(path, end)).statusCode).toBe(409);
    const ending = await newAccount(end);
    const raised = await service.ask(`/identities/${ending}/update`, { is_admin: true });
    expect([raised.statusCode, raised.json()]).toEqual([409, { detail }]);
  });

  it('keep an administrator among them', async () => {
    const path = `/identities/${service.admin.accountId}`;
    const detail = 'The last active administrator cannot lose the admin flag or be deactivated';
    for (const [action, body] of [
      ['deactivate', {}],
      ['update', { is_admin: false }],
    ] as const) {
      const answer = await service.ask(`${path}/${action}`, body);
      expect([answer.statusCode, answer.json()]).toEqual([409, { detail }]);
    }
    const second = await newAccount({ is_admin: true });
    const { api_key: key } = await newKey(second);
    await service.done(`${path}/update`, { is_admin: false });
    expect((await service.ask('/identities')).statusCode).toBe(403);
    const answer = await service.app.inject({
      method: 'POST',
      url: `/v1${path}/update`,
      headers: { 'x-api-key': key },
      payload: { is_admin: true },
    });
    expect(answer.statusCode).toBe(200);
    await service.done(`/identities/${second}/deactivate`, {});
  });
});

describe('keys', () => {
  it('are shown once and kept as hashes alone', async () => {
    const accountId = await newAccount();
    const created = await newKey(accountId, { name: 'laptop', expires_in: '36h' });
    expect(created).toEqual({
      key_id: created.key_id,
      identity_id: accountId,
      name: 'laptop',
      reference: created.api_key.slice(-4),
      created_at: '2025-06-20T16:00:00Z',
      expires_at: '2025-06-22T04:00:00Z',
      last_used_at: null,
      is_active: true,
      status: 'active',
      api_key: expect.stringMatching(/^[A-Za-z0-9_-]{35}$/),
    });
    expect(await statusWith(created.api_key)).toBe(200);
    const listed = await service.ask(`/identities/${accountId}/api-keys`);
    expect(listed.json()).toMatchObject([{ key_id: created.key_id, name: 'laptop' }]);
    expect(listed.body).not.toContain(created.api_key);
    expect(dumpOf(service.services.config.home)).not.toContain(created.api_key);
  });

  it('never outlive the contract of their account', async () => {
    const accountId = await newAccount({ contract_ends_at: '2025-07-01T12:00:00Z' });
    const path = `/identities/${accountId}/api-keys`;
    for (const [field, value] of [
      ['expires_in', '90d'],
      ['expires_at', '2025-07-01T12:00:01Z'],
    ] as const) {
      const refused = await service.ask(path, { name: 'k', [field]: value });
      expect(refused.statusCode).toBe(422);
      expect(refused.json().detail).toMatchObject([
        {
          loc: ['body', field],
          msg: `'${field}' should not be after the end of the account's contract, 2025-07-01T12:00:00Z`,
        },
      ]);
    }
    expect(await service.done(path)).toEqual([]);
    const kept = await service.done(path, { name: 'k', expires_at: '2025-07-01T12:00:00Z' });
    expect(kept).toMatchObject({ status: 'active' });
  });

  it('are renamed, deactivated, activated and deleted, from the next request on', async () => {
    const { key_id: keyId, api_key: key } = await newKey(await newAccount());
    expect(await service.done(`/api-keys/${keyId}/rename`, { name: 'desk' })).toMatchObject({
      name: 'desk',
    });
    expect(await service.done(`/api-keys/${keyId}/deactivate`, {})).toMatchObject({
      is_active: false,
      status: 'deactivated',
    });
    expect(await statusWith(key)).toBe(401);
    expect(await service.done(`/api-keys/${keyId}/activate`, {})).toMatchObject({
      is_active: true,
      status: 'active',
    });
    expect(await statusWith(key)).toBe(200);
    expect(await service.done(`/api-keys/${keyId}/delete`, {})).toEqual({
      key_id: keyId,
      is_deleted: true,
    });
    expect(await statusWith(key)).toBe(401);
    expect((await service.ask(`/api-keys/${keyId}/activate`, {})).statusCode).toBe(404);
  });

  it('never get the id of a deleted one', async () => {
    const accountId = await newAccount();
    const { key_id: first } = await newKey(accountId);
    await service.done(`/api-keys/${first}/delete`, {});
    expect((await newKey(accountId)).key_id).toBeGreaterThan(first);
  });

  it('stop at the ceiling, which counts neither deactivated nor expired ones', async () => {
    const accountId = await newAccount({ max_active_api_keys: 2 });
    const ceiling = { detail: 'An account cannot have more than 2 active API keys' };
    const first = await newKey(accountId);
    await newKey(accountId, { expires_in: undefined, expires_at: '2025-06-20T16:00:01Z' });
    const body = { name: 'third', expires_in: '1d' };
    const refused = await service.ask(`/identities/${accountId}/api-keys`, body);
    expect([refused.statusCode, refused.json()]).toEqual([409, ceiling]);
    await service.done(`/api-keys/${first.key_id}/deactivate`, {});
    await newKey(accountId);
    const again = await service.ask(`/api-keys/${first.key_id}/activate`, {});
    expect([again.statusCode, again.json()]).toEqual([409, ceiling]);
    service.clock.set('2025-06-20T16:00:01Z');
    await service.done(`/api-keys/${first.key_id}/activate`, {});
    service.clock.set('2025-06-20T16:00:00Z');
  });

  it('outlive a ceiling that is lowered beneath them', async () => {
    const accountId = await newAccount();
    const keys = [await newKey(accountId), await newKey(accountId)];
    await service.done(`/identities/${accountId}/update`, { max_active_api_keys: 0 });
    for (const { api_key: key, key_id: keyId } of keys) {
      expect(await statusWith(key)).toBe(200);
      expect((await service.ask(`/api-keys/${keyId}/activate`, {})).statusCode).toBe(200);
    }
    const refused = await service.ask(`/identities/${accountId}/api-keys`, {
      name: 'x',
      expires_in: '1d',
    });
    expect(refused.json()).toEqual({
      detail: 'An account cannot have more than 0 active API keys',
    });
  });

  it('are not brought back once they have expired', async () => {
    const { key_id: keyId, api_key: key } = await newKey(await newAccount(), { expires_in: '1s' });
    await service.done(`/api-keys/${keyId}/deactivate`, {});
    service.clock.set('2025-06-20T16:00:01Z');
    const answer = await service.ask(`/api-keys/${keyId}/activate`, {});
    service.clock.set('2025-06-20T16:00:00Z');
    expect([answer.statusCode, answer.json()]).toEqual([
      409,
      { detail: 'An expired API key cannot be activated' },
    ]);
    expect(await statusWith(key)).toBe(401);
  });

  it('are rotated without a gap', async () => {
    const accountId = await newAccount({ max_active_api_keys: 2 });
    const old = await newKey(accountId);
    const next = await newKey(accountId);
    expect([await statusWith(old.api_key), await statusWith(next.api_key)]).toEqual([200, 200]);
    await service.done(`/api-keys/${old.key_id}/delete`, {});
    expect([await statusWith(old.api_key), await statusWith(next.api_key)]).toEqual([401, 200]);
  });
});

describe('rules', () => {
  it('open a dataset, named by either id, and close it again', async () => {
    const accountId = await newAccount();
    const { api_key: key } = await newKey(accountId);
    const path = `/identities/${accountId}/data-access-rules`;
    const status = async () =>
      (await service.get('/v1/meta/datasets/US1032/status', { 'x-api-key': key })).statusCode;
    expect(await status()).toBe(403);
    const rule = await service.done<Named>(path, {
      dataset_id: 'eq_taq',
      start_date: '2024-01-01',
      end_date: null,
      universe_identifiers: ['AAPL', '1010000000000001', 'AAPL'],
    });
    const view = {
      rule_id: rule.rule_id,
      identity_id: accountId,
      plan_id: null,
      dataset_id: 'US1032',
      dataset_name: 'US Equities Trade and Quote',
      dataset_text_id: 'eq_taq',
      dataset_version: 'latest',
      start_date: '2024-01-01',
      end_date: null,
      universe_identifiers: ['AAPL', '1010000000000001'],
      columns: null,
    };
    expect(rule).toEqual(view);
    expect(await service.done(path)).toEqual([view]);
    expect(await status()).toBe(200);
    expect(await service.done(`/data-access-rules/${rule.rule_id}/delete`, {})).toEqual({
      rule_id: rule.rule_id,
      is_deleted: true,
    });
    expect(await service.done(path)).toEqual([]);
    expect(await status()).toBe(403);
  });

  it('begin with the earliest date unless told otherwise', async () => {
    const path = `/identities/${await newAccount()}/data-access-rules`;
    expect(await service.done(path, { dataset_id: 'US1032' })).toMatchObject({
      start_date: '1900-01-01',
      end_date: null,
      universe_identifiers: [],
    });
  });

  it('may touch but not overlap', async () => {
    const path = `/identities/${await newAccount()}/data-access-rules`;
    const add = (start_date: string, end_date: string | null, dataset_id = 'US1032') =>
      service.ask(path, { dataset_id, start_date, end_date });
    const { rule_id: ruleId } = (await add('2024-01-01', '2024-12-31')).json() as Named;
    for (const [start, end] of [
      ['2024-12-31', '2025-12-31'],
      ['2023-01-01', '2024-01-01'],
      ['2024-06-01', '2024-06-01'],
      ['1900-01-01', null],
    ] as const) {
      const answer = await add(start, end);
      expect(answer.statusCode).toBe(422);
      expect(answer.json().detail).toMatchObject([
        {
          loc: ['body', 'start_date'],
          msg:
            `'start_date' overlaps the window of rule ${ruleId} for the same dataset, ` +
            '2024-01-01 to 2024-12-31',
        },
      ]);
    }
    expect((await add('2023-01-01', '2023-12-31')).statusCode).toBe(200);
    expect((await add('2025-01-01', null)).statusCode).toBe(200);
    expect((await add('2024-01-01', null, 'US1001')).statusCode).toBe(200);
    expect((await add('2199-12-31', null)).json().detail[0].msg).toMatch(/2025-01-01 to open$/);
    // The earliest of several windows is named.
    expect((await add('1900-01-01', null)).json().detail).toMatchObject([
      { msg: expect.stringMatching(/2023-01-01 to 2023-12-31$/) },
    ]);
  });
});

describe('limits', () => {
  it('change one by one, and null takes one off', async () => {
    const path = `/identities/${await newAccount()}/quotas`;
    const none = { requests: null, data_scanned: null, data_returned: null };
    expect(await service.done(path)).toMatchObject({ quotas_limit: { month: none, minute: none } });
    await service.done(path, { month: { requests: 10, data_scanned: 2 ** 40 } });
    const answer = await service.done(path, {
      month: { requests: null },
      minute: { data_returned: 0 },
    });
    expect(answer).toMatchObject({
      quotas_limit: {
        month: { ...none, data_scanned: 2 ** 40 },
        minute: { ...none, data_returned: 0 },
      },
    });
    expect(await service.done(path)).toEqual(answer);
  });
});

describe('usage', () => {
  it('is told by day, dataset and key, and as a total', async () => {
    const accountId = await newAccount();
    const { key_id: keyId } = await newKey(accountId);
    const { store } = service.services;
    const record = (iso: string, datasetId: string, scannedBytes: number) => ({
      answeredAtMs: Date.parse(iso),
      requestId: 'r',
      accountId,
      keyId,
      datasetId,
      datasetVersion: null,
      countsInMinute: true,
      rowCount: 1,
      scannedBytes,
      returnedBytes: 7,
      durationMs: 1,
      status: 200,
    });
    await writing(store).usage.add([
      record('2025-05-31T23:59:59Z', '', 0),
      record('2025-06-01T00:00:00Z', 'US1032', 100),
      record('2025-06-01T23:59:59Z', 'US1032', 50),
      record('2025-06-20T15:00:00Z', '', 0),
    ]);
    const path = `/identities/${accountId}/usage`;
    const june = [
      {
        day: '2025-06-01',
        dataset_id: 'US1032',
        key_id: keyId,
        requests: 2,
        data_scanned: 150,
        data_returned: 14,
      },
      {
        day: '2025-06-20',
        dataset_id: null,
        key_id: keyId,
        requests: 1,
        data_scanned: 0,
        data_returned: 7,
      },
    ];
    expect(await service.done(path)).toEqual({
      identity_id: accountId,
      from: '2025-06-01',
      to: '2025-06-20',
      data: june,
      total: { requests: 3, data_scanned: 150, data_returned: 21 },
    });
    const may = await service.done(`${path}?from=2025-05-31&to=2025-05-31`);
    expect(may).toMatchObject({ data: [{ day: '2025-05-31' }], total: { requests: 1 } });
    for (const [query, name] of [
      ['from=2025-06-02&to=2025-06-01', 'to'],
      ['from=2024-06-01&to=2025-06-02', 'to'],
      ['from=2025-02-29', 'from'],
      ['from=2025-06-01&from=2025-06-01', 'from'],
      ['since=2025-06-01', 'since'],
    ]) {
      const answer = await service.ask(`${path}?${query}`);
      expect(answer.statusCode, query).toBe(422);
      expect(answer.json().detail[0].loc).toEqual(['query', name]);
    }
  });
});
