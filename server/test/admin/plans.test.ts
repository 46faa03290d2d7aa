/** Plans: what accounts get by them, and what becomes of it when they change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminService, openAdminService } from './admin-service.ts';

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService();
  await service.publish('eq_daily_ohlc', []);
});
afterAll(() => service.close());

let serial = 0;

async function newPlan(body: object = {}): Promise<number> {
  serial += 1;
  return (await service.done<{ plan_id: number }>('/plans', { name: `plan ${serial}`, ...body }))
    .plan_id;
}

/** An account with a key. */
async function newAccount(body: object = {}) {
  serial += 1;
  const { identity_id: id } = await service.done<{ identity_id: number }>('/identities', {
    name: `account ${serial}`,
    ...body,
  });
  const { api_key: key } = await service.done<{ api_key: string }>(`/identities/${id}/api-keys`, {
    name: 'k',
    expires_in: '1d',
  });
  return { id, key };
}

const statusOf = async (key: string, url: string) =>
  (await service.get(url, { 'x-api-key': key })).statusCode;
const DAILY = '/v1/data/us-equity/eq-daily-ohlc';

async function refusal(path: string, body: object) {
  const answer = await service.ask(path, body);
  expect(answer.statusCode).toBe(422);
  return answer.json().detail.map(({ loc, msg }: { loc: string[]; msg: string }) => [loc[1], msg]);
}

describe('a plan', () => {
  it('gives every account that has it its rules, from the next request on', async () => {
    const plan = await newPlan();
    const [first, second] = [await newAccount({ plan_id: plan }), await newAccount()];
    await service.done(`/plans/${plan}/assign`, { identity_ids: [second.id] });
    const statuses = async () => [
      await statusOf(first.key, DAILY),
      await statusOf(second.key, DAILY),
    ];
    expect(await statuses()).toEqual([403, 403]);
    const body = { dataset_ids: ['eq_daily_ohlc'] };
    const { added } = await service.done<{ added: { rule_id: number }[] }>(
      `/plans/${plan}/data-access-rules`,
      body,
    );
    expect(await statuses()).toEqual([200, 200]);
    await service.done(`/data-access-rules/${added[0]?.rule_id}/delete`, {});
    expect(await statuses()).toEqual([403, 403]);
  });

  it('limits each account that has no limit of its own', async () => {
    const plan = await newPlan({ month: { requests: 2 } });
    const account = await newAccount({ plan_id: plan });
    const limits = `/identities/${account.id}/quotas`;
    const own = await service.done<Record<string, unknown>>(limits);
    expect(own).toMatchObject({
      quotas_limit: { month: { requests: 2 } },
      own_quotas_limit: { month: { requests: null } },
      plan_quotas_limit: { month: { requests: 2 } },
    });
    const status = () => statusOf(account.key, '/v1/account/my/quotas');
    expect([await status(), await status(), await status()]).toEqual([200, 200, 403]);
    await service.done(limits, { month: { requests: 100 } });
    expect(await status()).toBe(200);
    await service.done(limits, { month: { requests: null } });
    expect(await status()).toBe(403);
    await service.done(`/plans/${plan}/update`, { month: { requests: null } });
    expect(await status()).toBe(200);
  });

  it('ends contracts at a time or so many days after an account got it, unless one has its own end', async () => {
    const plan = await newPlan({ contract_days: 10 });
    const account = await newAccount({ plan_id: plan });
    const path = `/identities/${account.id}`;
    expect(await service.done(path)).toMatchObject({
      plan_id: plan,
      contract_ends_at: '2025-06-30T16:00:00Z',
      own_contract_ends_at: null,
    });
    const past = { contract_ends_at: '2025-06-20T16:00:00Z' };
    await service.done(`/plans/${plan}/update`, past);
    expect(await statusOf(account.key, '/v1/account/my')).toBe(410);
    expect(await service.done(path)).toMatchObject({ ...past, status: 'ended' });
    await service.done(`${path}/update`, { contract_ends_at: '2025-12-31' });
    expect(await statusOf(account.key, '/v1/account/my')).toBe(200);
    const key = { name: 'k', expires_at: '2025-12-31T00:00:01Z' };
    expect(await refusal(`${path}/api-keys`, key)).toEqual([
      ['expires_at', expect.stringContaining('2025-12-31T00:00:00Z')],
    ]);
  });

  it('counts the days of a contract from when the account got it, once', async () => {
    const plan = await newPlan({ contract_days: 10 });
    const { id } = await newAccount({ plan_id: plan });
    service.clock.set('2025-06-22T16:00:00Z');
    await service.done(`/plans/${plan}/assign`, { identity_ids: [id] });
    await service.done(`/identities/${id}/update`, { plan_id: plan, name: 'the same plan' });
    service.clock.set('2025-06-20T16:00:00Z');
    const end = { contract_ends_at: '2025-06-30T16:00:00Z' };
    expect(await service.done(`/identities/${id}`)).toMatchObject(end);
  });

  it('signs out the people of accounts whose contract ends by it', async () => {
    const plan = await newPlan();
    const { id } = await newAccount({ plan_id: plan });
    const session = await service.sessionOf(await service.addPerson('member', id));
    const status = async () =>
      (await service.app.inject({ url: '/v1/account/my', headers: session })).statusCode;
    expect(await status()).toBe(200);
    await service.done(`/plans/${plan}/update`, { contract_ends_at: '2025-06-20' });
    expect(await status()).toBe(401);
  });

  it('has one kind of end, which takes the place of the other', async () => {
    const both = { name: 'both', contract_days: 1, contract_ends_at: '2026-01-01' };
    expect(await refusal('/plans', both)).toEqual([
      ['contract_days', "'contract_days' should not be given together with 'contract_ends_at'"],
    ]);
    const plan = await newPlan({ contract_days: 1 });
    const at = { contract_ends_at: '2026-01-01T00:00:00Z', contract_days: null };
    const update = (body: object) => service.done(`/plans/${plan}/update`, body);
    expect(await update({ contract_ends_at: '2026-01-01' })).toMatchObject(at);
    expect(await update({ name: `still ${plan}` })).toMatchObject(at);
    const days = { contract_ends_at: null, contract_days: 7 };
    expect(await update({ contract_days: 7 })).toMatchObject(days);
    expect(await update({ contract_ends_at: null })).toMatchObject(days);
    expect(await update({ contract_days: null })).toMatchObject({ ...days, contract_days: null });
  });

  it('is kept as long as an account has it, and goes with its rules', async () => {
    const plan = await newPlan();
    const { id } = await newAccount({ plan_id: plan });
    await service.done(`/plans/${plan}/data-access-rules`, { groups: ['us-futures'] });
    const refused = await service.ask(`/plans/${plan}/delete`, {});
    expect([refused.statusCode, refused.json()]).toEqual([
      409,
      { detail: 'Accounts have this plan (1); give them another one, or none, first' },
    ]);
    await service.done(`/identities/${id}/update`, { plan_id: null });
    await service.done(`/plans/${plan}/delete`, {});
    expect((await service.ask(`/plans/${plan}`)).statusCode).toBe(404);
    expect(await service.done(`/identities/${id}/data-access-rules`)).toEqual([]);
  });

  it('is given to all accounts that are named or to none', async () => {
    const plan = await newPlan();
    const { id } = await newAccount();
    const ids = [id, service.admin.accountId];
    const refused = await service.ask(`/plans/${plan}/assign`, { identity_ids: ids });
    expect(refused.statusCode).toBe(409);
    const unknown = await service.ask(`/plans/${plan}/assign`, { identity_ids: [id, 999_999] });
    expect(unknown.statusCode).toBe(404);
    expect(await service.done(`/identities/${id}`)).toMatchObject({ plan_id: null });
    const missing = await service.ask(`/identities/${id}/update`, { plan_id: 999_999 });
    expect([missing.statusCode, missing.json().detail]).toEqual([
      404,
      'The plan with the specified id is not found',
    ]);
  });
});

interface Rules {
  added: { rule_id: number; dataset_id: string; start_date: string }[];
  skipped_dataset_ids: string[];
}

describe('rules in bulk', () => {
  const futures = () =>
    service.services.catalog.datasets.filter(({ group }) => group === 'us-futures');

  it('are added for groups and datasets, each once, in one step', async () => {
    const { id } = await newAccount();
    const path = `/identities/${id}/data-access-rules`;
    const { added } = await service.done<Rules>(`${path}/several`, {
      dataset_ids: ['eq_taq', 'US1032', futures()[0]?.textId],
      groups: ['us-futures'],
      start_date: '2024-01-01',
    });
    const ids = ['US1032', ...futures().map(({ datasetId }) => datasetId)];
    expect(added.map(({ dataset_id }) => dataset_id).sort()).toEqual(ids.sort());
    expect(new Set(added.map(({ start_date }) => start_date))).toEqual(new Set(['2024-01-01']));
    expect(await service.done<unknown[]>(path)).toHaveLength(ids.length);
  });

  it('are refused as a whole where one is in the way, or leave that dataset out', async () => {
    const { id } = await newAccount();
    const path = `/identities/${id}/data-access-rules`;
    const { rule_id: ruleId } = await service.done<{ rule_id: number }>(path, {
      dataset_id: 'US1032',
    });
    const body = { dataset_ids: ['US1032', 'eq_daily_ohlc'] };
    const text = `overlaps the window of rule ${ruleId} for US1032, 1900-01-01 to open`;
    expect(await refusal(`${path}/several`, body)).toEqual([
      ['dataset_ids', `'dataset_ids' ${text}`],
    ]);
    expect(await service.done<unknown[]>(path)).toHaveLength(1);
    const skipping = { ...body, skip_overlapping: true };
    const { added, skipped_dataset_ids } = await service.done<Rules>(`${path}/several`, skipping);
    expect([added.length, skipped_dataset_ids]).toEqual([1, ['US1032']]);
  });

  it.each([
    [{}, 'dataset_ids', "'dataset_ids' is missing; give it or 'groups'"],
    [{ dataset_ids: ['nope'] }, 'dataset_ids', 'names an unknown dataset, nope'],
    [{ groups: ['nope'] }, 'groups', 'names an unknown group, nope; groups are us-equity, '],
    [
      { groups: ['us-equity'], start_date: '2024-02-01', end_date: '2024-01-01' },
      'end_date',
      'should not be before the start date',
    ],
  ])('%j is bad input that adds nothing', async (body, field, text) => {
    const { id } = await newAccount();
    const path = `/identities/${id}/data-access-rules`;
    expect(await refusal(`${path}/several`, body)).toEqual([
      [field, expect.stringContaining(text)],
    ]);
    expect(await service.done(path)).toEqual([]);
  });

  it('have so many identifiers at most together, and the audit log shows the first ones', async () => {
    const { id } = await newAccount();
    const path = `/identities/${id}/data-access-rules`;
    const datasets = service.services.catalog.datasets.filter(
      ({ universeColumns }) => universeColumns.length > 0,
    );
    const universe = Array.from({ length: 10_000 }, (_, i) => `S${i}`);
    const bodyOf = (count: number) => ({
      dataset_ids: datasets.slice(0, count).map(({ datasetId }) => datasetId),
      universe_identifiers: universe,
    });
    expect(await refusal(`${path}/several`, bodyOf(11))).toEqual([
      ['universe_identifiers', expect.stringContaining('at most 100000 identifiers together')],
    ]);
    expect(await service.done(path)).toEqual([]);
    const { added } = await service.done<Rules>(`${path}/several`, bodyOf(2));
    expect(added).toHaveLength(2);
    const [entry] = await service.services.store.audit.list({}, 'newest first', 0, 1);
    expect(JSON.stringify(entry?.after)).toContain('S18 S19 and 9980 more');
  });

  it('are copied from an account or a plan, own rules alone', async () => {
    const plan = await newPlan();
    await service.done(`/plans/${plan}/data-access-rules`, { groups: ['us-futures'] });
    const from = await newAccount({ plan_id: plan });
    const rule = { dataset_id: 'US1032', end_date: '2024-12-31', universe_identifiers: ['A'] };
    const columns = ['TradeDate', 'EventDateTime', 'Ticker', 'ASID'];
    await service.done(`/identities/${from.id}/data-access-rules`, { ...rule, columns });
    const to = await newAccount();
    const path = `/identities/${to.id}/data-access-rules`;
    const copied = await service.done<Rules>(`${path}/copy`, { from_identity_id: from.id });
    expect(copied.added).toMatchObject([{ ...rule, columns, identity_id: to.id, plan_id: null }]);
    const ofPlan = await service.done<Rules>(`${path}/copy`, { from_plan_id: plan });
    expect(ofPlan.added).toHaveLength(futures().length);
    for (const body of [{}, { from_plan_id: plan, from_identity_id: from.id }]) {
      expect(await refusal(`${path}/copy`, body)).toEqual([
        ['from_identity_id', expect.stringContaining("'from_plan_id'")],
      ]);
    }
    const made = await newPlan();
    const body = { from_identity_id: to.id };
    const ofAccount = await service.done<Rules>(`/plans/${made}/data-access-rules/copy`, body);
    expect(ofAccount.added).toHaveLength(futures().length + 1);
  });
});

describe('a rule', () => {
  it('is changed in place, from the next request on, and keeps its id', async () => {
    const { id, key } = await newAccount();
    const path = `/identities/${id}/data-access-rules`;
    const added = await service.done<{ rule_id: number }>(path, { dataset_id: 'eq_daily_ohlc' });
    expect(await statusOf(key, `${DAILY}?TradeDate=2024-05-01`)).toBe(200);
    const update = `/data-access-rules/${added.rule_id}/update`;
    const ended = { end_date: '2024-04-30', universe_identifiers: ['AAA'] };
    expect(await service.done(update, ended)).toEqual({ ...added, ...ended });
    expect(await statusOf(key, `${DAILY}?TradeDate=2024-05-01`)).toBe(422);
    expect(await service.done(update, { end_date: null })).toMatchObject({ end_date: null });
    expect(await statusOf(key, `${DAILY}?TradeDate=2024-05-01`)).toBe(200);
  });

  it('never overlaps with another one of its holder, but may with those of the plan', async () => {
    const plan = await newPlan();
    const { added } = await service.done<Rules>(`/plans/${plan}/data-access-rules`, {
      dataset_ids: ['US1032'],
    });
    const { id } = await newAccount({ plan_id: plan });
    const path = `/identities/${id}/data-access-rules`;
    const dataset = { dataset_id: 'US1032' };
    await service.done(path, { ...dataset, end_date: '2023-12-31' });
    const later = await service.done<{ rule_id: number }>(path, {
      ...dataset,
      start_date: '2024-01-01',
    });
    const update = { start_date: '2023-12-31' };
    expect(await refusal(`/data-access-rules/${later.rule_id}/update`, update)).toEqual([
      ['start_date', expect.stringContaining('overlaps the window of rule')],
    ]);
    const ofPlan = `/data-access-rules/${added[0]?.rule_id}/update`;
    expect(await service.done(ofPlan, update)).toMatchObject({ plan_id: plan, ...update });
    expect(await refusal(ofPlan, { end_date: '2020-01-01' })).toEqual([
      ['end_date', expect.stringContaining('should not be before the start date, 2023-12-31')],
    ]);
  });
});
