import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/admin/operations.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { eventually } from '../eventually.ts';
import { writing } from '../writing.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService();
});
afterAll(() => service.close());

const seen = new Set<string>();

/** Runs a command that has to work, and gives what it prints as JSON. */
async function json<T = Record<string, unknown>>(command: string, ...values: string[]): Promise<T> {
  const words = [...command.split(' '), ...values];
  const { exitCode, stdout, stderr } = await runCommand(
    service.services.config.home,
    ...words,
    '--json',
  );
  expect([exitCode, stderr], stdout).toEqual([0, '']);
  const operation = OPERATIONS.find((one) => one.words.every((word, at) => word === words[at]));
  seen.add(operation?.name ?? '');
  return JSON.parse(stdout);
}

const statusWith = async (key: string) =>
  (await service.get('/v1/account/my', { 'x-api-key': key })).statusCode;

it('identities are administered by commands, with the answers of the endpoints', async () => {
  const created = await json(
    'identity create --admin --max-keys 2 --subnet 192.0.2.0/24 --subnet 2001:db8::/32 --name',
    'Client One',
  );
  expect(created).toMatchObject({
    name: 'Client One',
    is_admin: true,
    max_active_api_keys: 2,
    ip_subnets: ['192.0.2.0/24', '2001:db8::/32'],
  });
  const id = created.identity_id;
  const path = `/identities/${id}`;
  expect(await service.done(path)).toEqual(created);
  expect(await json(`identity show ${id}`)).toEqual(created);
  expect(await json(`identity show --identity ${id}`)).toEqual(created);
  const updated = await json(
    `identity update --identity ${id} --no-admin --no-subnets --max-keys 9 --name One`,
  );
  expect(updated).toEqual({
    ...created,
    name: 'One',
    is_admin: false,
    max_active_api_keys: 9,
    ip_subnets: [],
  });
  expect(await json(`identity update ${id} --admin`)).toEqual({ ...updated, is_admin: true });
  const ending = await json(`identity update ${id} --no-admin --contract-ends 2026-01-01`);
  expect(ending).toMatchObject({ contract_ends_at: '2026-01-01T00:00:00Z', status: 'active' });
  const unending = await json(`identity update ${id} --contract-ends none`);
  expect(unending).toEqual({ ...updated, is_admin: false });
  expect(await json(`identity deactivate ${id}`)).toMatchObject({ is_active: false });
  expect(await json(`identity activate ${id}`)).toMatchObject({ is_active: true });
  expect(await json('identity list --after 0 --limit 2')).toEqual(
    await service.done('/identities?after=0&limit=2'),
  );
});

it('keys are administered by commands, and a server beside them knows at once', async () => {
  const { identity_id: id } = await json('identity create --name Two --max-keys 2');
  const first = await json<{ key_id: number; api_key: string }>(
    `key create --identity ${id} --name laptop --expires-in 90d`,
  );
  expect(first).toMatchObject({ name: 'laptop', expires_at: '2025-09-18T16:00:00Z' });
  expect(await statusWith(first.api_key)).toBe(200);
  await json(`key create --identity ${id} --name desk --expires 2026-01-01T00:00:00+01:00`);
  const home = service.services.config.home;
  const refused = await runCommand(
    home,
    ...`key create --identity ${id} --name third --expires 2026-01-01`.split(' '),
  );
  expect(refused).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ticklake: An account cannot have more than 2 active API keys\n',
  });
  expect(await json(`key rename ${first.key_id} --name old`)).toMatchObject({ name: 'old' });
  // When the key was last used is stored some time after the request.
  await eventually(async () =>
    expect(await json(`key list --identity ${id}`)).toEqual(
      await service.done(`/identities/${id}/api-keys`),
    ),
  );
  expect(await json(`key deactivate --key ${first.key_id}`)).toMatchObject({
    status: 'deactivated',
  });
  expect(await statusWith(first.api_key)).toBe(401);
  expect(await json(`key activate ${first.key_id}`)).toMatchObject({ status: 'active' });
  expect(await statusWith(first.api_key)).toBe(200);
  expect(await json(`key delete ${first.key_id}`)).toEqual({
    key_id: first.key_id,
    is_deleted: true,
  });
  expect(await statusWith(first.api_key)).toBe(401);
});

it('rules and limits are administered by commands', async () => {
  const { identity_id: id } = await json('identity create --name Three');
  const rule = await json(
    `rule add --identity ${id} --dataset eq_taq --start 2024-01-01 --end 2024-12-31 --universe A,B`,
  );
  expect(rule).toMatchObject({
    dataset_id: 'US1032',
    start_date: '2024-01-01',
    end_date: '2024-12-31',
    universe_identifiers: ['A', 'B'],
  });
  expect(await json(`rule add --identity ${id} --dataset US1001 --end open`)).toMatchObject({
    start_date: '1900-01-01',
    end_date: null,
  });
  const removal = `rule remove --rule ${rule.rule_id}`;
  const tried = { operation: 'removeDataAccessRule', input: { rule_id: rule.rule_id } };
  const { data } = await service.done<{ data: unknown[] }>('/data-access-rules/what-if', tried);
  expect(data).toMatchObject([{ identity_id: id, effect: 'loses', row_count: 0 }]);
  expect(await json(`${removal} --what-if`)).toEqual({ data });
  expect(await json(removal)).toEqual({ rule_id: rule.rule_id, is_deleted: true });
  const several = `rule add-several ${id} --dataset eq_taq,fut_taq --group us-equity --skip-overlapping`;
  const { added, skipped_dataset_ids } = await json<{
    added: { rule_id: number }[];
    skipped_dataset_ids: string[];
  }>(several);
  expect(added.length).toBeGreaterThan(5);
  expect(skipped_dataset_ids).toEqual(['US1001']);
  for (const each of added.slice(1)) await json(`rule remove ${each.rule_id}`);
  const narrowed = await json(`rule update ${added[0]?.rule_id} --start 2024-01-01 --universe A`);
  expect(narrowed).toMatchObject({ start_date: '2024-01-01', universe_identifiers: ['A'] });
  const wide = await json(`rule update ${added[0]?.rule_id} --no-universe --end open`);
  expect(wide).toEqual({ ...narrowed, universe_identifiers: [] });
  const cut = `rule add --identity ${id} --dataset eq_daily_ohlc --start 2030-01-01 --columns`;
  const columns = ['TradeDate', 'Ticker', 'ASID', 'ClosePrice'];
  const { rule_id: cutId } = await json(`${cut} ${columns}`);
  expect(await json(`rule update ${cutId} --end 2031-01-01`)).toMatchObject({ columns });
  expect(await json(`rule update ${cutId} --columns all`)).toMatchObject({ columns: null });
  await json(`rule remove ${cutId}`);
  const { identity_id: like } = await json('identity create --name Like-three');
  const copied = await json<{ added: unknown[] }>(`rule copy ${like} --from-identity ${id}`);
  expect(copied.added).toHaveLength(2);
  await json(`rule remove ${added[0]?.rule_id}`);
  const rules = await json<unknown[]>(`rule list --identity ${id}`);
  expect(rules).toEqual(await service.done(`/identities/${id}/data-access-rules`));
  expect(rules).toHaveLength(1);

  const limits = await json(
    `quota set --identity ${id} --month-requests 1 --month-scanned 2 --month-returned 3 ` +
      '--minute-requests 4 --minute-scanned 5 --minute-returned 6',
  );
  const own = {
    month: { requests: 1, data_scanned: 2, data_returned: 3 },
    minute: { requests: 4, data_scanned: 5, data_returned: 6 },
  };
  expect(limits).toEqual({
    identity_id: id,
    quotas_limit: own,
    own_quotas_limit: own,
    plan_quotas_limit: null,
  });
  await json(`quota set --identity ${id} --minute-scanned unlimited`);
  const shown = await json(`quota show --identity ${id}`);
  expect(shown).toMatchObject({
    quotas_limit: { minute: { requests: 4, data_scanned: null, data_returned: 6 } },
  });
  expect(shown).toEqual(await service.done(`/identities/${id}/quotas`));
});

it('plans are administered by commands', async () => {
  const plan = await json(
    'plan create --name Starter --month-requests 1000 --minute-returned 9 --contract-days 30',
  );
  expect(plan).toMatchObject({ name: 'Starter', contract_days: 30, account_count: 0 });
  const id = plan.plan_id;
  expect(await json(`plan show ${id}`)).toEqual(await service.done(`/plans/${id}`));
  const until = await json(
    `plan update ${id} --contract-ends 2026-01-01 --minute-returned unlimited`,
  );
  expect(until).toMatchObject({
    contract_ends_at: '2026-01-01T00:00:00Z',
    contract_days: null,
    quotas_limit: { month: { requests: 1000 }, minute: { data_returned: null } },
  });
  const { added } = await json<{ added: unknown[] }>(
    `plan add-rules ${id} --dataset US1020 --dataset eq_taq --start 2024-01-01`,
  );
  expect(added).toHaveLength(2);
  expect(await json(`plan rules ${id}`)).toEqual(added);
  const { identity_id: first } = await json(`identity create --name Planned --plan ${id}`);
  const { identity_id: second } = await json('identity create --name Later');
  expect(await json(`plan assign ${id} --identity ${first} --identity ${second}`)).toEqual({
    plan_id: id,
    identity_ids: [first, second],
  });
  const held = await json<{ data: { identity_id: number }[] }>(`identity list --plan ${id}`);
  expect(held.data.map(({ identity_id }) => identity_id)).toEqual([first, second]);
  expect(await json(`rule list --identity ${second}`)).toEqual(added);
  const { plan_id: copy } = await json('plan create --name Copy');
  expect(
    (await json<{ added: unknown[] }>(`plan copy-rules ${copy} --from-plan ${id}`)).added,
  ).toHaveLength(2);
  expect(await json('plan list')).toEqual(await service.done('/plans'));
  expect(await json(`plan delete ${copy}`)).toEqual({ plan_id: copy, is_deleted: true });
  const used = await runCommand(service.services.config.home, 'plan', 'delete', String(id));
  expect([used.exitCode, used.stderr]).toEqual([
    2,
    'ticklake: Accounts have this plan (2); give them another one, or none, first\n',
  ]);
  await json(`identity update ${first} --plan none`);
  expect(await json(`rule list --identity ${first}`)).toEqual([]);
});

it('people are administered by commands, and nobody sees a password twice', async () => {
  const { identity_id: id } = await json('identity create --name Four');
  const owner = await json('user create --owner --email Owner@Four.example');
  expect(owner).toMatchObject({ email: 'owner@four.example', role: 'owner', identity_id: null });
  expect(owner.password).toMatch(/^[A-Za-z0-9]{20}$/);
  const created = await json(`user create --role member --email m@four.example --identity ${id}`);
  const { password, ...person } = created;
  const listed = await json<{ data: object[] }>(`user list --identity ${id}`);
  expect(listed).toEqual(await service.done(`/people?identity_id=${id}`));
  expect(listed.data).toEqual([person]);
  const userId = created.person_id;
  expect(await json(`user update ${userId} --role manager --email n@four.example`)).toEqual({
    ...person,
    role: 'manager',
    email: 'n@four.example',
  });
  expect(await json(`user update ${userId} --owner --identity none`)).toMatchObject({
    role: 'owner',
    identity_id: null,
  });
  expect(await json(`user link ${userId}`)).toMatchObject({
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/console\/choose-password#/),
  });
  const invited = await json(`user invite --role member --email i@four.example --identity ${id}`);
  expect(invited).toMatchObject({ link_kind: 'invitation', is_link_sent: false });
  await json(`user delete ${invited.person_id}`);
  expect(await json(`user sessions ${userId}`)).toEqual([]);
  expect(await json(`user end-sessions ${userId}`)).toEqual({ ended_count: 0 });
  expect(await json(`user reset-second-factor ${userId}`)).toMatchObject({
    has_second_factor: false,
  });
  const reset = await json(`user reset-password ${userId}`);
  expect(reset.password).not.toBe(password);
  expect(await json(`user deactivate ${userId}`)).toMatchObject({ is_active: false });
  expect(await json(`user activate ${userId}`)).toMatchObject({ is_active: true });
  expect(await json(`user delete --user ${userId}`)).toEqual({
    person_id: userId,
    is_deleted: true,
  });
});

it('requests for access are listed, granted and declined by commands', async () => {
  const { accountId } = await service.addAccount('asking');
  const asked = { accountId, askedBy: 'a@b.example', note: '', createdAtMs: 0 };
  const { accessRequests } = writing(service.services.store);
  const first = await accessRequests.add({ ...asked, datasetId: 'US1001' });
  const second = await accessRequests.add({ ...asked, datasetId: 'US1032' });
  const listed = await json<{ data: object[] }>(`access list --identity ${accountId} --state open`);
  expect(listed.data).toHaveLength(2);
  const granted = await json(`access grant ${first} --start 2024-01-01 --end 2024-12-31`);
  expect(granted).toMatchObject({ state: 'granted', dataset_id: 'US1001' });
  expect(await json(`access decline ${second}`)).toMatchObject({ state: 'declined' });
  expect(await service.done(`/identities/${accountId}/data-access-rules`)).toMatchObject([
    { dataset_id: 'US1001', start_date: '2024-01-01', end_date: '2024-12-31' },
  ]);
});

it('enquiries are listed and declined by commands', async () => {
  const enquiry = { email: 'a@b.example', datasetId: null, note: 'ticks', createdAtMs: 0 };
  const id = await writing(service.services.store).enquiries.add(enquiry, 1);
  expect(await json('enquiry list')).toMatchObject([{ enquiry_id: id, note: 'ticks' }]);
  expect(await json(`enquiry decline ${id}`)).toEqual({ enquiry_id: id, is_deleted: true });
});

it('usage and the audit log are read by commands', async () => {
  const path = `/identities/${service.accountId}/usage?from=2025-06-01&to=2025-06-30`;
  expect(
    await json(`usage --identity ${service.accountId} --from 2025-06-01 --to 2025-06-30`),
  ).toMatchObject({ from: '2025-06-01', to: '2025-06-30', data: expect.any(Array) });
  expect((await service.ask(path)).statusCode).toBe(200);
  expect(await json('usage-by-month --from 2025-06')).toMatchObject({ to: '2025-06' });
  expect(await json('usage-ledger --limit 1')).toMatchObject({ data: expect.any(Array) });
  const audit = await json<{ data: unknown[] }>('audit --operation addDataAccessRule --limit 1');
  expect(audit).toEqual(await service.done('/audit-log?operation=addDataAccessRule&limit=1'));
  expect(audit.data).toHaveLength(1);
});

it('every operation has been run', () => {
  expect([...seen].sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
});

it('without --json, lists are tables, all else is a line for each value', async () => {
  const home = service.services.config.home;
  const list = await runCommand(home, 'identity', 'list', '--limit', '2');
  expect(list.stdout).toMatch(/^IDENTITY ID {2}NAME +IS ADMIN {2}IS ACTIVE {2}MAX ACTIVE API KEYS/);
  expect(list.stdout).toMatch(/\npagination\.next_after {2}2\n$/);
  const { stdout } = await runCommand(home, ...'key create 1 --name k --expires-in 1d'.split(' '));
  expect(stdout).toMatch(/^api_key {7}[\w-]{35}$/m);
  expect(stdout).toMatch(/\nKeep the api_key: it is shown only once and cannot be read again\.\n$/);
  expect((await runCommand(home, 'usage', '2', '--to', '2020-01-01')).stdout).toMatch(/^none\n\n/);
});

it('no command but those that create the first account, person or plan begins a store', async () => {
  const folder = newFolder();
  const home = join(folder.path, 'mistyped');
  try {
    for (const { name, words, fields } of OPERATIONS.filter(
      ({ name }) =>
        !['createIdentity', 'createPerson', 'invitePerson', 'createPlan'].includes(name),
    )) {
      const hasId = Object.entries(fields).some(
        ([field, { isRequired }]) => field.endsWith('_id') && isRequired,
      );
      const { exitCode, stderr } = await runCommand(home, ...words, ...(hasId ? ['1'] : []));
      const text = `there is no home at ${home}; name another, or run ticklake init`;
      expect([exitCode, stderr], name).toEqual([2, `ticklake: ${text}\n`]);
      expect(existsSync(home), name).toBe(false);
    }
    expect((await runCommand(home, 'identity', 'create', '--name', 'first')).exitCode).toBe(0);
    expect((await runCommand(home, 'identity', 'show', '1')).exitCode).toBe(0);
    const other = join(folder.path, 'other');
    const owner = ['user', 'create', '--owner', '--email', 'owner@first.example'];
    expect((await runCommand(other, ...owner)).exitCode).toBe(0);
  } finally {
    folder.remove();
  }
});
