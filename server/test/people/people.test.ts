import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdminService, dumpOf, openAdminService } from '../admin/admin-service.ts';
import { writing } from '../writing.ts';

let service: AdminService;
let accountId: number;
beforeAll(async () => {
  service = await openAdminService();
  accountId = service.accountId;
});
afterAll(() => service.close());

interface Shown {
  readonly person_id: number;
  readonly password?: string;
}

let serial = 0;
const newEmail = () => {
  serial += 1;
  return `person${serial}@people.example`;
};

function create(body: object = {}): Promise<Shown> {
  const whole = { email: newEmail(), role: 'member', identity_id: accountId, ...body };
  return service.done('/people', whole);
}

describe('people', () => {
  it('are made with a password that is shown once', async () => {
    const email = newEmail();
    const created = await create({ email: email.toUpperCase(), role: 'manager' });
    const { password, ...person } = created;
    expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9]{20}$/);
    expect(person).toEqual({
      person_id: created.person_id,
      email,
      role: 'manager',
      identity_id: accountId,
      is_active: true,
      is_password_initial: true,
      has_second_factor: false,
      created_at: '2025-06-20T16:00:00Z',
      last_sign_in_at: null,
    });
    const listed = await service.ask(`/people?identity_id=${accountId}`);
    expect(listed.json().data).toContainEqual(person);
    expect(listed.body).not.toContain(password);
    expect((await service.ask('/audit-log?limit=1000')).body).not.toContain(password);
  });

  it('are listed in pages, all of them or those of an account', async () => {
    const other = (await service.addAccount('with people')).accountId;
    const made = [await create({ identity_id: other }), await create({ identity_id: other })];
    const owner = await create({ role: 'owner', identity_id: undefined });
    const ids = async (query: string) =>
      (await service.done<{ data: Shown[] }>(`/people?${query}`)).data.map((p) => p.person_id);
    expect(await ids(`identity_id=${other}`)).toEqual(made.map((p) => p.person_id));
    expect(await ids(`identity_id=${other}&limit=1`)).toEqual([made[0]?.person_id]);
    expect(await ids(`after=${made[1]?.person_id}`)).toEqual([owner.person_id]);
    expect((await service.ask('/people?identity_id=999')).statusCode).toBe(404);
  });

  it('are changed, and moved only to where they may be', async () => {
    const { person_id: id } = await create();
    const email = newEmail();
    expect(await service.done(`/people/${id}/update`, { email })).toMatchObject({ email });
    expect(await service.done(`/people/${id}/update`, { role: 'owner' })).toMatchObject({
      role: 'owner',
    });
    expect(await service.done(`/people/${id}/update`, { identity_id: null })).toMatchObject({
      identity_id: null,
    });
    const back = await service.ask(`/people/${id}/update`, { role: 'manager' });
    expect([back.statusCode, back.json().detail[0].loc]).toEqual([422, ['body', 'identity_id']]);
  });

  it('get another password, which is initial again', async () => {
    const created = await create();
    const path = `/people/${created.person_id}`;
    await writing(service.services.store).people.setPassword(created.person_id, 'hash', false);
    const reset = await service.done<Shown>(`${path}/reset-password`, {});
    expect(reset).toMatchObject({ is_password_initial: true });
    expect(reset.password).toMatch(/^\w{20}$/);
    expect(reset.password).not.toBe(created.password);
  });

  it('never get the id of one that is gone', async () => {
    const { person_id: id } = await create();
    await service.done(`/people/${id}/delete`, {});
    expect((await create()).person_id).toBeGreaterThan(id);
    expect((await service.ask(`/people/${id}/activate`, {})).statusCode).toBe(404);
  });
});

const GOOD = { email: 'new@people.example', role: 'member', identity_id: 1 };
const EMAIL =
  'should be an e-mail address of at most 254 characters, without letters that look like others';

describe('bad input about people', () => {
  it.each([
    [{ ...GOOD, email: undefined }, 'email', 'is missing'],
    [{ ...GOOD, role: undefined }, 'role', 'is missing'],
    [{ ...GOOD, identity_id: undefined }, 'identity_id', 'is missing; a member must belong'],
    [{ ...GOOD, role: 'admin' }, 'role', 'should be one of member, manager, owner'],
    [{ ...GOOD, role: ['owner'] }, 'role', 'should be one of'],
    [{ ...GOOD, identity_id: '1' }, 'identity_id', 'should be a whole number'],
    [{ ...GOOD, password: 'chosen for somebody' }, 'password', 'is unknown'],
    [{ ...GOOD, email: 'TAKEN@people.example' }, 'email', 'already belongs to person'],
    ...[
      '',
      'a',
      'a@',
      '@b',
      'a@b c',
      'a b@c.example',
      ' a@b.example',
      'a@b.example\n',
      'a@b@c.example',
      'a@.example',
      'a@b..example',
      'a@-b.example',
      '<a@b.example>',
      'a@b.example\u202e',
      'owner-\u2179@b.example',
      '\u043ewner@b.example',
      'a\u0000@b.example',
      `${'a'.repeat(250)}@b.example`,
      5,
      null,
    ].map((email) => [{ ...GOOD, email }, 'email', EMAIL] as const),
  ] as const)('%j is refused at %s', async (body, field, text) => {
    if (!(await service.services.store.people.findByEmail('taken@people.example'))) {
      await create({ email: 'taken@people.example' });
    }
    const before = dumpOf(service.services.config.home);
    const answer = await service.ask('/people', body);
    expect(answer.statusCode, answer.body).toBe(422);
    const [problem] = answer.json().detail;
    expect(problem.loc).toEqual(['body', field]);
    expect(problem.msg).toContain(text);
    expect(dumpOf(service.services.config.home)).toBe(before);
  });

  it('is an account that there is not, too', async () => {
    const answer = await service.ask('/people', { ...GOOD, identity_id: 999 });
    expect([answer.statusCode, answer.json().detail]).toEqual([
      404,
      'The account with the specified id is not found',
    ]);
  });
});
