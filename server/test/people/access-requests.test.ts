/** Asking for access to a dataset, and what becomes of it; the first steps of an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXAMINED_ROWS_MAX } from '../../src/store/usage.ts';
import { type Browser, openPeopleService, type PeopleService } from './people-service.ts';

let service: PeopleService;
let owner: Browser;
beforeAll(async () => {
  service = await openPeopleService();
  owner = await service.signedIn((await service.newPerson('owner', null)).email);
  await service.publish('eq_market_holidays', []);
});
afterAll(() => service.close());

let serial = 0;
async function newAccount() {
  serial += 1;
  const { accountId, key } = await service.addAccount(`asking ${serial}`);
  const { email } = await service.newPerson('member', accountId);
  return { accountId, key, email, member: await service.signedIn(email) };
}

const PATH = '/account/my/access-requests';
const HOLIDAYS = '/data/us-equity-ref/eq-market-holidays';

describe('a request for access', () => {
  it('is granted by one act, which adds the rule', async () => {
    const { member, email, accountId, key } = await newAccount();
    const statusOf = async () =>
      (await service.browser().get(HOLIDAYS, { 'x-api-key': key })).status;
    expect(await statusOf()).toBe(403);
    const dataset = { dataset_id: 'eq_market_holidays', note: 'for our calendar' };
    const asked = await member.post(PATH, dataset);
    expect(asked.body).toMatchObject({
      ...{ identity_id: accountId, asked_by: email, note: 'for our calendar', state: 'open' },
    });
    expect((await member.post(PATH, dataset)).status).toBe(409);
    const open = await owner.get('/access-requests?state=open');
    expect(open.body.data[0]).toEqual(asked.body);
    const path = `/access-requests/${asked.body.request_id}`;
    expect((await member.post(`${path}/grant`)).status).toBe(403);
    const granted = await owner.post(`${path}/grant`, { start_date: '2020-01-01' });
    expect(granted.body).toMatchObject({ state: 'granted', decided_at: '2025-06-20T16:00:00Z' });
    expect(await statusOf()).toBe(200);
    const rules = (await owner.get(`/identities/${accountId}/data-access-rules`)).body;
    expect(rules).toMatchObject([{ start_date: '2020-01-01', end_date: null }]);
    expect((await owner.post(`${path}/grant`)).status).toBe(409);
    expect((await member.post(PATH, dataset)).status).toBe(409);
    const { data } = (await owner.get('/audit-log?newest_first=true&limit=3')).body;
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
      ...['grantAccess', 'addDataAccessRule', 'requestMyAccess'],
    ]);
  });

  it('may be made by who reads a part of the dataset, and is granted beside the rule that there is', async () => {
    const { member, accountId } = await newAccount();
    const known = { dataset_id: 'eq_market_holidays', end_date: '2024-12-31' };
    const { rule_id } = (await owner.post(`/identities/${accountId}/data-access-rules`, known))
      .body;
    const { body } = await member.post(PATH, { dataset_id: 'eq_market_holidays' });
    const grant = `/access-requests/${body.request_id}/grant`;
    const refused = await owner.post(grant);
    expect([refused.status, refused.body.detail]).toMatchObject([
      422,
      [{ loc: ['body', 'start_date'], msg: expect.stringContaining(`window of rule ${rule_id}`) }],
    ]);
    expect((await owner.post(grant, { start_date: '2025-01-01' })).body.state).toBe('granted');
  });

  it('is declined, and may then be made again; no account sees those of others', async () => {
    const { member } = await newAccount();
    const other = await newAccount();
    const { body } = await member.post(PATH, { dataset_id: 'eq_taq' });
    await other.member.post(PATH, { dataset_id: 'eq_taq' });
    const decline = `/access-requests/${body.request_id}/decline`;
    expect((await owner.post(decline)).body.state).toBe('declined');
    expect((await owner.post(decline)).status).toBe(409);
    expect((await member.post(PATH, { dataset_id: 'eq_taq' })).status).toBe(200);
    const { data } = (await member.get(PATH)).body;
    expect(data.map(({ state }: { state: string }) => state)).toEqual(['open', 'declined']);
  });
});

it('the requests of an account are listed with what each cost, refused ones too', async () => {
  const { member, accountId } = await newAccount();
  const { store } = service.services;
  const record = (requestId: string, changes: object) => ({
    ...{ answeredAtMs: service.clock.now(), requestId, accountId, keyId: 7, datasetId: 'US1001' },
    ...{ datasetVersion: 1, countsInMinute: true, rowCount: 3, scannedBytes: 10 },
    ...{ returnedBytes: 20, durationMs: 1.6, status: 200 },
    ...changes,
  });
  const refusal = { status: 429, keyId: 0, datasetId: '', rowCount: 0, scannedBytes: 0 };
  const records = [record('a', {}), record('b', refusal), record('c', { status: 102 })];
  await store.transaction(({ usage }) => usage.add(records));
  const first = (await member.get('/account/my/requests?limit=1')).body;
  expect(first.data).toMatchObject([{ request_id: 'c', is_step: true, requests: 0 }]);
  const before = first.pagination.next_before;
  const rest = (await member.get(`/account/my/requests?before=${before}`)).body;
  expect(rest.data).toMatchObject([
    { request_id: 'b', dataset_id: null, key_id: null, status: 429, requests: 1 },
    { request_id: 'a', dataset_id: 'US1001', key_id: 7, row_count: 3, data_scanned: 10 },
  ]);
  expect(rest.pagination.next_before).toBeNull();
  const refused = (await member.get('/account/my/requests?is_refused=true')).body;
  expect(refused.data).toHaveLength(1);
  const other = await newAccount();
  expect((await other.member.get('/account/my/requests')).body.data).toEqual([]);
});

it('a refused request is listed with what it asked for, why it was refused, and no secret', async () => {
  const { member, key } = await newAccount();
  const secret = `${'c'.repeat(43)}`;
  const asked = `${HOLIDAYS}?MarketDate=2025-01-01&limit=none&token=${secret}`;
  const refused = await service.browser().get(asked, { 'x-api-key': key });
  expect(refused.status).toBe(422);
  await service.services.usage.flush();
  const [entry] = (await member.get('/account/my/requests?is_refused=true')).body.data;
  expect(entry).toMatchObject({
    path: `/v1${HOLIDAYS}?MarketDate=2025-01-01&limit=none&token=*`,
    status: 422,
    reason: "Input should be a valid integer (in 'limit')",
  });
  expect(JSON.stringify(entry)).not.toContain(secret);
  expect(entry.path.length + entry.reason.length).toBeLessThanOrEqual(1000);
});

it('a page of requests that match a filter ends after as many as it may look at, and says where to go on', async () => {
  const { member, accountId } = await newAccount();
  const record = (status: number) => ({
    ...{ answeredAtMs: service.clock.now(), requestId: 'x', accountId, keyId: 7, datasetId: '' },
    ...{ datasetVersion: null, countsInMinute: true, rowCount: 0, scannedBytes: 0 },
    ...{ returnedBytes: 0, durationMs: 1, status },
  });
  const records = [record(429), ...Array.from({ length: EXAMINED_ROWS_MAX }, () => record(200))];
  await service.services.store.transaction(({ usage }) => usage.add(records));
  const path = '/account/my/requests?is_refused=true&limit=1';
  const first = (await member.get(path)).body;
  expect(first.data).toEqual([]);
  const rest = (await member.get(`${path}&before=${first.pagination.next_before}`)).body;
  expect(rest).toMatchObject({ data: [{ status: 429 }], pagination: { next_before: null } });
});

it('the first steps of an account are seen by the server as they are made', async () => {
  const { member, accountId } = await newAccount();
  const steps = async () => (await member.get('/account/my/first-steps')).body;
  expect(await steps()).toEqual({ has_key: true, has_query: false, has_key_query: false });
  const { store } = service.services;
  const used = {
    ...{ answeredAtMs: service.clock.now(), requestId: 'r', accountId, datasetId: 'US1001' },
    ...{ datasetVersion: 1, countsInMinute: true, rowCount: 1, scannedBytes: 10 },
    ...{ returnedBytes: 10, durationMs: 1, status: 200 },
  };
  await store.transaction(({ usage }) => usage.add([{ ...used, keyId: 0 }]));
  expect(await steps()).toMatchObject({ has_query: true, has_key_query: false });
  await store.transaction(({ usage }) => usage.add([{ ...used, keyId: 1 }]));
  expect(await steps()).toMatchObject({ has_query: true, has_key_query: true });
});
