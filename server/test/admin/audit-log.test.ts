import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/admin/operations.ts';
import { runCommand } from '../command-line/run-command.ts';
import { writing } from '../writing.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

let service: AdminService;
let ownerId = 0;
beforeAll(async () => {
  service = await openAdminService();
  // So that another owner can become something else.
  ownerId = await service.addPerson('owner', null);
});
afterAll(() => service.close());

interface Entry {
  readonly audit_id: number;
  readonly actor: string;
  readonly actor_name: string | null;
  readonly summary: string;
  readonly operation: string;
  readonly target: string;
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

async function entries(query = ''): Promise<Entry[]> {
  return (await service.done<{ data: Entry[] }>(`/audit-log?limit=1000&${query}`)).data;
}

const secrets: string[] = [];
let accountId = 0;
/** Operations in an order that creates each thing before it is needed; `:x` is the last id. */
const ACTS: readonly (readonly [operation: string, path: string, body: object])[] = [
  ['createIdentity', '/identities', { name: 'audited' }],
  ['updateIdentity', '/identities/:i/update', { name: 'Audited' }],
  ['createApiKey', '/identities/:i/api-keys', { name: 'k', expires_in: '1d' }],
  ['renameApiKey', '/api-keys/:k/rename', { name: 'K' }],
  ['deactivateApiKey', '/api-keys/:k/deactivate', {}],
  ['activateApiKey', '/api-keys/:k/activate', {}],
  ['addDataAccessRule', '/identities/:i/data-access-rules', { dataset_id: 'US1032' }],
  ['updateDataAccessRule', '/data-access-rules/:r/update', { end_date: '2024-12-31' }],
  ['removeDataAccessRule', '/data-access-rules/:r/delete', {}],
  ['declineAccess', '/access-requests/:a/decline', {}],
  ['declineEnquiry', '/enquiries/:e/decline', {}],
  ['grantAccess', '/access-requests/:b/grant', {}],
  ['addDataAccessRules', '/identities/:i/data-access-rules/several', { groups: ['us-futures'] }],
  ['setQuotaLimits', '/identities/:i/quotas', { minute: { requests: 5 } }],
  ['createPlan', '/plans', { name: 'audited', month: { requests: 9 } }],
  ['updatePlan', '/plans/:o/update', { contract_days: 30 }],
  ['addPlanRules', '/plans/:o/data-access-rules', { dataset_ids: ['US1032', 'eq_daily_ohlc'] }],
  ['copyDataAccessRules', '/identities/:i/data-access-rules/copy', { from_plan_id: 1 }],
  ['assignPlan', '/plans/:o/assign', { identity_ids: [1] }],
  ['createPlan', '/plans', { name: 'another' }],
  ['copyPlanRules', '/plans/:o/data-access-rules/copy', { from_plan_id: 1 }],
  ['deletePlan', '/plans/:o/delete', {}],
  ['deleteApiKey', '/api-keys/:k/delete', {}],
  ['createPerson', '/people', { email: 'a@b.example', role: 'owner' }],
  ['updatePerson', '/people/:p/update', { role: 'member', identity_id: 1 }],
  ['makePersonLink', '/people/:p/link', {}],
  ['resetPersonPassword', '/people/:p/reset-password', {}],
  ['endPersonSessions', '/people/:p/end-sessions', {}],
  ['resetSecondFactor', '/people/:p/reset-second-factor', {}],
  ['deactivatePerson', '/people/:p/deactivate', {}],
  ['activatePerson', '/people/:p/activate', {}],
  ['deletePerson', '/people/:p/delete', {}],
  ['invitePerson', '/people/invite', { email: 'c@d.example', role: 'member', identity_id: 1 }],
  ['deactivateIdentity', '/identities/:i/deactivate', {}],
  ['activateIdentity', '/identities/:i/activate', {}],
];

function askFor(datasetId: string): Promise<number> {
  const { accountId } = service.admin;
  const asked = { accountId, datasetId, askedBy: 'a@b.example', note: '', createdAtMs: 0 };
  return writing(service.services.store).accessRequests.add(asked);
}

describe('the audit log', () => {
  it('has one row for each act: who, from where, what, before and after', async () => {
    expect([...new Set(ACTS.map(([name]) => name))].sort()).toEqual(
      OPERATIONS.filter(({ method }) => method === 'POST')
        .map(({ name }) => name)
        .sort(),
    );
    const ids: Record<string, number> = { a: await askFor('US1001'), b: await askFor('US1002') };
    const enquiry = { email: 'a@b.example', datasetId: null, note: '', createdAtMs: 0 };
    ids.e = await writing(service.services.store).enquiries.add(enquiry, 1);
    for (const [operation, path, body] of ACTS) {
      const url = path.replace(/:(\w)/, (_, name: string) => String(ids[name]));
      const answer = await service.done<Record<string, number | string>>(url, body);
      ids.i ??= Number(answer.identity_id);
      ids.p = Number(answer.person_id ?? ids.p);
      ids.k = Number(answer.key_id ?? ids.k);
      ids.r = Number(answer.rule_id ?? ids.r);
      ids.o = Number(answer.plan_id ?? ids.o);
      secrets.push(
        ...[answer.api_key, answer.password, String(answer.link ?? '').split('#')[1]]
          .filter((each) => each)
          .map(String),
      );
      const added = await entries(`after=${ids.after ?? 0}`);
      const entry = added.at(-1);
      // A grant is a rule, which has its own row.
      expect(added).toHaveLength(operation === 'grantAccess' ? 2 : 1);
      ids.after = entry?.audit_id as number;
      expect(entry, operation).toMatchObject({
        happened_at: '2025-06-20T16:00:00Z',
        actor: expect.stringMatching(`^identity:${service.admin.accountId}/key:\\d+$`),
        source: '127.0.0.1',
        operation,
      });
      const isNew = /^(create|invite|addDataAccessRule$)/.test(operation);
      const isGone = /^(delete|remove|declineEnquiry)/.test(operation);
      expect([entry?.before === null, entry?.after === null], operation).toEqual([isNew, isGone]);
    }
    accountId = ids.i as number;
  });

  it('tells what was and what is', async () => {
    const changes = (await entries()).map(({ operation, target, before, after }) => {
      const names = Object.keys(before ?? after ?? {});
      const differing = names.filter((name) => `${before?.[name]}` !== `${after?.[name]}`);
      return [operation, target.split(':')[0], before && after ? differing : []];
    });
    expect(changes.slice(0, 6)).toEqual([
      ['createIdentity', 'identity', []],
      ['updateIdentity', 'identity', ['name']],
      ['createApiKey', 'api_key', []],
      ['renameApiKey', 'api_key', ['name']],
      ['deactivateApiKey', 'api_key', ['is_active', 'status']],
      ['activateApiKey', 'api_key', ['is_active', 'status']],
    ]);
    const [limits] = await entries('operation=setQuotaLimits');
    expect(limits).toMatchObject({
      before: { quotas_limit: { minute: { requests: null } } },
      after: { quotas_limit: { minute: { requests: 5 } } },
    });
  });

  it('never holds a key or a password', async () => {
    expect(secrets.map(({ length }) => length)).toEqual([35, 20, 43, 20, 43]);
    const log = JSON.stringify(await entries());
    for (const secret of secrets) expect(log).not.toContain(secret);
  });

  it('says in words what was done, and who did it', async () => {
    const all = await entries();
    const [account] = await service.services.store.accounts.list(service.admin.accountId - 1, 1);
    expect(new Set(all.map(({ actor_name }) => actor_name?.split(', key ')[0]))).toEqual(
      new Set([account?.name]),
    );
    const said = Object.fromEntries(all.map(({ operation, summary }) => [operation, summary]));
    expect(said).toMatchObject({
      createIdentity: 'created the account audited',
      updateIdentity: 'renamed the account audited to Audited',
      renameApiKey: 'renamed the key k of Audited to K',
      setQuotaLimits: 'set the limits of Audited',
      updatePlan: 'changed contract days of the plan audited',
      deletePerson: 'deleted a@b.example',
      endPersonSessions: 'ended 0 sessions of a@b.example',
    });
    expect(said.updateDataAccessRule).toMatch(
      /^changed the rule for US .* of Audited, now .* 2024-12-31$/,
    );
    for (const { summary } of all) expect(summary).not.toMatch(/undefined|null|NaN/);
  });

  it('is filtered by actor, operation, target and time, and paged', async () => {
    const all = await entries();
    const count = async (query: string) => (await entries(query)).length;
    expect(await count(`actor=identity:${service.admin.accountId}`)).toBe(all.length);
    expect(await count(`actor=identity:${service.admin.accountId}/key:2`)).toBe(all.length);
    expect(await count('actor=identity')).toBe(0);
    expect(await count(`actor=identity:${service.admin.accountId}0`)).toBe(0);
    expect(await count('operation=renameApiKey')).toBe(1);
    expect(await count(`target=identity:${accountId}`)).toBe(7);
    expect(await count('from=2025-06-20T16:00:00Z')).toBe(all.length);
    expect(await count('to=2025-06-20T16:00:00Z')).toBe(0);
    expect(await count('from=2025-06-20&to=2025-06-21')).toBe(all.length);
    const page = await service.done<object>('/audit-log?limit=5');
    expect(page).toMatchObject({
      data: all.slice(0, 5),
      pagination: { after: 0, limit: 5, next_after: all[4]?.audit_id },
    });
  });

  it('begins with the newest where that is asked, and goes on with what is older', async () => {
    const newest = (await entries()).reverse();
    expect(await entries('newest_first=true')).toEqual(newest);
    const query = 'newest_first=true&limit=5';
    const first = await service.done<object>(`/audit-log?${query}`);
    const after = newest[4]?.audit_id;
    expect(first).toMatchObject({ data: newest.slice(0, 5), pagination: { next_after: after } });
    const second = await service.done<object>(`/audit-log?${query}&after=${after}`);
    expect(second).toMatchObject({ data: newest.slice(5, 10) });
  });

  it('tells acts at the command line by the name of the user', async () => {
    const { home } = service.services.config;
    await runCommand(home, 'identity', 'create', '--name', 'by hand');
    const [entry] = (await entries()).slice(-1);
    expect(entry).toMatchObject({
      actor: expect.stringMatching(/^local:./),
      source: 'command line',
      operation: 'createIdentity',
      after: { name: 'by hand' },
    });
    const { stdout } = await runCommand(
      home,
      'audit',
      '--after',
      String((entry?.audit_id ?? 0) - 1),
      '--json',
    );
    expect(JSON.parse(stdout).data).toEqual([entry]);
    const { stdout: text } = await runCommand(home, 'audit', '--operation', 'renameApiKey');
    expect(text).toMatch(
      /renamed the key k of Audited to K .*renameApiKey {2}api_key:\d+ {2}name k -> K\n/,
    );
  });

  it('has no row of what was refused', async () => {
    const before = await entries();
    const { ask } = service;
    expect((await ask('/identities', { name: 'Audited' })).statusCode).toBe(422);
    expect((await ask('/identities/999/deactivate', {})).statusCode).toBe(404);
    expect((await ask(`/people/${ownerId}/deactivate`, {})).statusCode).toBe(409);
    expect(await entries()).toEqual(before);
  });

  it('has no row of an act that leaves everything as it is', async () => {
    const { home } = service.services.config;
    const created = await service.done<{ key_id: number }>(`/identities/${accountId}/api-keys`, {
      name: 'same',
      expires_in: '1d',
    });
    const before = await entries();
    for (const [path, body] of [
      [`/api-keys/${created.key_id}/activate`, {}],
      [`/api-keys/${created.key_id}/rename`, { name: 'same' }],
      [`/identities/${accountId}/activate`, {}],
      [`/identities/${accountId}/update`, { name: 'Audited', ip_subnets: [] }],
      [`/identities/${accountId}/quotas`, { minute: { requests: 5 } }],
    ] as const) {
      await service.done(path, body);
    }
    const { exitCode } = await runCommand(home, 'key', 'activate', String(created.key_id));
    expect([exitCode, await entries()]).toEqual([0, before]);
  });

  it('is filtered by the e-mail address of a person, or the name of an account or key', async () => {
    const { accountId: adminId } = service.admin;
    const all = (await entries()).filter(({ actor }) => actor.startsWith('identity:'));
    const account = await service.services.store.accounts.find(adminId);
    const byName = await entries(`actor=${encodeURIComponent(account?.name ?? '')}`);
    expect(byName).toEqual(all);
    expect(await entries(`actor=key:${all[0]?.actor.split('/key:')[1]}`)).toEqual(all);
    expect(await entries('actor=nobody@b.example')).toEqual([]);
    const act = {
      ...{ happenedAtMs: 0, source: '', operation: 'signIn' },
      before: null,
      after: null,
    };
    const gone = all.find(({ operation }) => operation === 'deletePerson');
    const target = String(gone?.target);
    await service.services.store.transaction(({ audit }) =>
      audit.append({ ...act, actor: target, target }),
    );
    expect(await entries('actor=A@b.example')).toMatchObject([
      { actor: target, actor_name: 'a@b.example', summary: 'signed in' },
    ]);
  });

  it('cannot be changed or shortened, not even in the store', async () => {
    const before = await entries();
    const database = new DatabaseSync(join(service.services.config.home, 'control.db'));
    for (const sql of [
      "UPDATE audit_log SET actor = 'nobody'",
      'DELETE FROM audit_log WHERE audit_id = 1',
      'DELETE FROM audit_log',
      ...['OR REPLACE', 'OR IGNORE', ''].flatMap((conflict) =>
        [1, before.length, 0, -1].map(
          (id) =>
            `INSERT ${conflict} INTO audit_log VALUES (${id}, 0, 'nobody', '', '', '', NULL, NULL)`,
        ),
      ),
      'REPLACE INTO audit_log SELECT * FROM audit_log',
    ]) {
      expect(() => database.exec(sql), sql).toThrow('the audit log is append-only');
    }
    database.close();
    expect(await entries()).toEqual(before);
  });
});
