/** Invitations and links to reset a password, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PEOPLE_MAX } from '../../src/admin/person-operations.ts';
import { UsageError } from '../../src/base/errors.ts';
import { openMailer } from '../../src/mail/mailer.ts';
import { runCommand, runWithSettings } from '../command-line/run-command.ts';
import { writing } from '../writing.ts';
import { startMailServer, type TestMailServer } from './mail-server.ts';
import { type Browser, openPeopleService, PASSWORD, type PeopleService } from './people-service.ts';

const NEW_PASSWORD = 'several unrelated words';
const PUBLIC_URL = 'https://data.example.com';
const HOUR_MS = 3_600_000;

let service: PeopleService;
let mail: TestMailServer;
let owner: Browser;
beforeAll(async () => {
  mail = await startMailServer();
  service = await openPeopleService({
    mailServer: { host: '127.0.0.1', port: mail.port, isSecure: false, user: null },
    mailFrom: 'Data <data@example.com>',
    publicUrl: PUBLIC_URL,
  });
  owner = await inOwnOrigin((await service.newPerson('owner', null)).email);
});
afterAll(async () => {
  await service.close();
  await mail.close();
});

/** A browser on the page of the public address. */
function atOrigin(browser: Browser): Browser {
  const post = browser.post.bind(browser);
  browser.post = (path, body, headers) => post(path, body, { origin: PUBLIC_URL, ...headers });
  return browser;
}

async function inOwnOrigin(email: string): Promise<Browser> {
  const browser = atOrigin(service.browser());
  // Over https the cookie has another name, which this browser keeps as it comes.
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
}

function advance(ms: number): void {
  service.clock.set(new Date(service.clock.now() + ms).toISOString());
}

const nobody = () => atOrigin(service.browser());
const tokenOf = (link: string) => link.split('#')[1] as string;

let serial = 0;
async function invited(body: object = {}) {
  serial += 1;
  const email = `invited${serial}@example.com`;
  const person = { email, role: 'member', identity_id: service.accountId };
  const answer = await owner.post('/people/invite', { ...person, ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { email, ...answer.body };
}

async function operations(personId: number): Promise<string[]> {
  const { store } = service.services;
  const filter = { target: `person:${personId}` };
  const entries = await store.audit.list(filter, 'oldest first', 0, 100);
  return entries.map(({ operation }) => operation);
}

describe('an invitation', () => {
  it('lets a person choose a password once, and signs in nobody by itself', async () => {
    const { email, link, person_id, ...shown } = await invited();
    expect(link).toMatch(/^https:\/\/data\.example\.com\/console\/choose-password#[\w-]{43}$/);
    expect(shown).toMatchObject({ link_kind: 'invitation', is_link_sent: false });
    expect(shown.link_expires_at).toBe('2025-06-27T16:00:00Z');
    const guest = nobody();
    const token = tokenOf(link);
    expect((await guest.post('/session/link', { token })).body).toEqual({
      email,
      identity_name: 'everything',
      link_kind: 'invitation',
      link_expires_at: '2025-06-27T16:00:00Z',
    });
    const choice = { token, new_password: NEW_PASSWORD };
    expect(
      (await guest.post('/session/link/password', { ...choice, new_password: 'short' })).status,
    ).toBe(422);
    const chosen = await guest.post('/session/link/password', choice);
    expect([chosen.status, chosen.body, guest.cookie]).toEqual([200, { email }, '']);
    expect((await guest.signIn(email, NEW_PASSWORD)).body.person).toMatchObject({
      email,
      is_password_initial: false,
    });
    for (const path of ['/session/link', '/session/link/password']) {
      const body = path.endsWith('password') ? choice : { token };
      expect((await nobody().post(path, body)).status, path).toBe(404);
    }
    expect(await operations(person_id)).toEqual(['invitePerson', 'choosePassword', 'signIn']);
  });

  it('is kept as a hash alone, and no log tells of it', async () => {
    const { link, person_id } = await invited();
    const token = tokenOf(link);
    const { store } = service.services;
    const kept = JSON.stringify(await store.audit.list({}, 'newest first', 0, 1000));
    expect(kept).not.toContain(token);
    expect(await store.personLinks.findByHash(token)).toBeNull();
    expect(kept).toContain(`person:${person_id}`);
  });

  it('ends when another one is made, when it expires, and when the person is deactivated', async () => {
    const first = await invited();
    const second = await owner.post(`/people/${first.person_id}/link`);
    expect(second.body).toMatchObject({ link_kind: 'invitation' });
    const statusOf = async (link: string) =>
      (await nobody().post('/session/link', { token: tokenOf(link) })).status;
    expect([await statusOf(first.link), await statusOf(second.body.link)]).toEqual([404, 200]);
    await owner.post(`/people/${first.person_id}/deactivate`);
    expect(await statusOf(second.body.link)).toBe(404);
    expect((await owner.post(`/people/${first.person_id}/link`)).status).toBe(409);
    const short = await service.newPerson('member', service.accountId);
    await writing(service.services.store).people.update(short.personId, { lastSignInAtMs: 1 });
    const { body } = await owner.post(`/people/${short.personId}/link`);
    expect(body).toMatchObject({ link_kind: 'password_reset' });
    advance(24 * HOUR_MS);
    expect(await statusOf(body.link)).toBe(404);
    owner = await inOwnOrigin((await service.newPerson('owner', null)).email);
  });

  it.each([
    ['role', { role: 'manager' }],
    ['account', { role: 'owner', identity_id: null }],
    ['e-mail address', { email: 'moved@example.com' }],
  ])('ends when the person gets another %s, and not when nothing changes', async (_, change) => {
    const { email, link, person_id } = await invited();
    const statusOf = async () =>
      (await nobody().post('/session/link', { token: tokenOf(link) })).status;
    await owner.post(`/people/${person_id}/update`, { email });
    expect(await statusOf()).toBe(200);
    expect((await owner.post(`/people/${person_id}/update`, change)).status).toBe(200);
    expect(await statusOf()).toBe(404);
  });

  it('goes by e-mail where that is asked for, and is then shown to nobody', async () => {
    const { email, link, is_link_sent } = await invited({ send_by_email: true });
    expect([link, is_link_sent]).toEqual([null, true]);
    const message = mail.messages.at(-1)?.replaceAll('=\n', '') ?? '';
    expect(message).toContain(`To: ${email}`);
    expect(message).toContain('From: Data <data@example.com>');
    const [, token] = /choose-password#([\w-]{43})/.exec(message.replaceAll('=3D', '=')) ?? [];
    expect((await nobody().post('/session/link', { token })).body.email).toBe(email);
  });

  it('is refused from pages of others, and to whoever tries too often', async () => {
    const { link } = await invited();
    const token = tokenOf(link);
    const foreign = { origin: 'https://evil.example' };
    expect((await service.browser().post('/session/link', { token }, foreign)).status).toBe(400);
    advance(60_001);
    const statuses: number[] = [];
    for (let at = 0; at < 21; at++) {
      statuses.push((await nobody().post('/session/link', { token: 'x'.repeat(43) })).status);
    }
    expect(statuses).toEqual([...Array(20).fill(404), 429]);
    advance(60_001);
    expect((await nobody().post('/session/link', { token })).status).toBe(200);
  });
});

describe('a link to reset a password', () => {
  it('ends the sessions and the old password when it is used, not before', async () => {
    const { email, personId } = await service.newPerson('member', service.accountId);
    const member = await inOwnOrigin(email);
    const { body } = await owner.post(`/people/${personId}/link`);
    expect((await member.get('/account/my')).status).toBe(200);
    const choice = { token: tokenOf(body.link), new_password: NEW_PASSWORD };
    expect((await nobody().post('/session/link/password', choice)).status).toBe(200);
    expect((await member.get('/account/my')).status).toBe(401);
    expect((await nobody().signIn(email, PASSWORD)).status).toBe(401);
    expect((await nobody().signIn(email, NEW_PASSWORD)).status).toBe(200);
  });

  it('ends when the person changes the password, or an owner resets it', async () => {
    const { email, personId } = await service.newPerson('member', service.accountId);
    const member = await inOwnOrigin(email);
    const linkOf = async () => tokenOf((await owner.post(`/people/${personId}/link`)).body.link);
    const statusOf = async (token: string) =>
      (await nobody().post('/session/link', { token })).status;
    const first = await linkOf();
    const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    expect((await member.post('/session/password', change)).status).toBe(200);
    const second = await linkOf();
    expect((await owner.post(`/people/${personId}/reset-password`)).status).toBe(200);
    expect([await statusOf(first), await statusOf(second)]).toEqual([404, 404]);
  });
});

describe('the people of an account', () => {
  it('are invited, linked and deactivated by its managers, who touch no owner and nobody else', async () => {
    const { accountId } = await service.addAccount('managed');
    const manager = await inOwnOrigin((await service.newPerson('manager', accountId)).email);
    const invitation = { email: 'colleague@example.com', role: 'member' };
    const made = await manager.post('/account/my/people/invite', invitation);
    expect(made.body).toMatchObject({ identity_id: accountId, link_kind: 'invitation' });
    const { person_id: id } = made.body;
    const elsewhereAlready = await service.newPerson('member', service.accountId);
    const taken = { ...invitation, email: elsewhereAlready.email };
    const told = (await manager.post('/account/my/people/invite', taken)).body.detail[0].msg;
    expect(told).toBe("'email' cannot be invited; ask an owner of the service");
    const asOwner = { email: 'more@example.com', role: 'owner' };
    expect((await manager.post('/account/my/people/invite', asOwner)).status).toBe(422);
    const elsewhere = { ...invitation, email: 'x@example.com', identity_id: service.accountId };
    expect((await manager.post('/account/my/people/invite', elsewhere)).status).toBe(422);
    for (const act of ['link', 'deactivate', 'activate']) {
      expect((await manager.post(`/account/my/people/${id}/${act}`)).status, act).toBe(200);
    }
    const stranger = await service.newPerson('member', service.accountId);
    const chief = await service.newPerson('owner', accountId);
    for (const act of ['link', 'deactivate']) {
      const path = (personId: number) => `/account/my/people/${personId}/${act}`;
      expect((await manager.post(path(stranger.personId))).status).toBe(404);
      expect((await manager.post(path(chief.personId))).status).toBe(403);
    }
    const { body } = await manager.get('/account/my/people');
    expect(body.data).toHaveLength(3);
  });
});

describe('managing an account', () => {
  it('has a limit of e-mails in an hour, and nothing is done beyond it', async () => {
    const { accountId } = await service.addAccount('writing');
    const manager = await inOwnOrigin((await service.newPerson('manager', accountId)).email);
    const invite = async (email: string) => {
      const person = { email, role: 'member', send_by_email: true };
      return (await manager.post('/account/my/people/invite', person)).status;
    };
    for (let at = 0; at < 20; at++) expect(await invite(`written${at}@example.com`)).toBe(200);
    expect(await invite('refused@example.com')).toBe(429);
    const { people } = service.services.store;
    expect(await people.findByEmail('refused@example.com')).toBeNull();
    const written = await people.findByEmail('written0@example.com');
    const path = `/people/${written?.personId}/link`;
    const statuses: number[] = [];
    for (let at = 0; at < 3; at++) {
      statuses.push((await owner.post(path, { send_by_email: true })).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
    expect((await owner.post(path)).status).toBe(200);
  });

  it('has a limit of people, also of those whom owners move there', async () => {
    const { accountId } = await service.addAccount('full');
    const manager = await inOwnOrigin((await service.newPerson('manager', accountId)).email);
    const { store } = service.services;
    await store.transaction(async ({ people }) => {
      for (let at = 1; at < PEOPLE_MAX; at++) {
        const email = `full${at}@example.com`;
        const person = { email, role: 'member' as const, accountId, passwordHash: 'x' };
        await people.create({ ...person, createdAtMs: 0 });
      }
    });
    const person = { email: 'beyond@example.com', role: 'member' };
    expect((await manager.post('/account/my/people/invite', person)).status).toBe(409);
    const { personId } = await service.newPerson('member', service.accountId);
    const move = { identity_id: accountId };
    expect((await owner.post(`/people/${personId}/update`, move)).status).toBe(409);
    expect(await store.people.findByEmail('beyond@example.com')).toBeNull();
  });
});

describe('at the command line', () => {
  const settings = {
    TICKLAKE_SMTP_SERVER: 'smtp://ticklake@127.0.0.1:1',
    TICKLAKE_SMTP_PASSWORD_FILE: '/nowhere/smtp-password',
    TICKLAKE_MAIL_FROM: 'data@example.com',
    TICKLAKE_PUBLIC_URL: PUBLIC_URL,
  };
  const words = (email: string) => ['user', 'invite', '--email', email, '--owner', '--send'];

  it("only a command that sends e-mail needs the mail server's password", async () => {
    const { home } = service.services.config;
    const list = await runWithSettings(home, settings, 'user', 'list');
    expect([list.exitCode, list.stderr]).toEqual([0, '']);
    const invite = await runWithSettings(home, settings, ...words('sent@example.com'));
    expect(invite.stderr).toContain('TICKLAKE_SMTP_PASSWORD_FILE');
    expect(await service.services.store.people.findByEmail('sent@example.com')).toBeNull();
  });

  it('an invitation that is not sent names the command that sends another', async () => {
    const { home } = service.services.config;
    const reachable = { ...settings, TICKLAKE_SMTP_SERVER: 'smtp://127.0.0.1:1' };
    const { exitCode, stderr } = await runWithSettings(home, reachable, ...words('un@example.com'));
    const person = await service.services.store.people.findByEmail('un@example.com');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`user link --user ${person?.personId} --send`);
  });
});

describe('without a mail server', () => {
  it('nothing is e-mailed, and whoever asks for it is told so before anything changes', async () => {
    const plain = await openPeopleService();
    try {
      const chief = await plain.signedIn((await plain.newPerson('owner', null)).email);
      const person = { email: 'a@example.com', role: 'owner', send_by_email: true };
      const refused = await chief.post('/people/invite', person);
      expect([refused.status, refused.body.detail[0].loc]).toEqual([
        422,
        ['body', 'send_by_email'],
      ]);
      expect(await plain.services.store.people.findByEmail('a@example.com')).toBeNull();
    } finally {
      await plain.close();
    }
  });

  it('half a configuration is refused at the start', () => {
    const mailServer = { host: 'localhost', port: 25, isSecure: false, user: null };
    const config = {
      mailServer,
      mailPasswordFile: null,
      mailFrom: 'a@b.example',
      publicUrl: PUBLIC_URL,
    };
    expect(openMailer({ ...config, mailServer: null })).toBeNull();
    expect(() => openMailer({ ...config, mailFrom: null })).toThrow('TICKLAKE_MAIL_FROM');
    expect(() => openMailer({ ...config, publicUrl: null })).toThrow('TICKLAKE_PUBLIC_URL');
    const withUser = { ...mailServer, user: 'me' };
    expect(() => openMailer({ ...config, mailServer: withUser })).toThrow(UsageError);
  });
});

it('an e-mail that is not sent gives the link to whoever asked, and the command line an error', async () => {
  const unsent = await openPeopleService({
    mailServer: { host: '127.0.0.1', port: 1, isSecure: false, user: null },
    mailFrom: 'data@example.com',
    publicUrl: PUBLIC_URL,
  });
  try {
    const { personId, email } = await unsent.newPerson('owner', null);
    const chief = atOrigin(unsent.browser());
    await chief.signIn(email);
    const invitation = { email: 'a@example.com', role: 'owner', send_by_email: true };
    const { status, body } = await chief.post('/people/invite', invitation);
    expect([status, body.is_link_sent]).toEqual([200, false]);
    expect(body.link).toContain('#');
    const { exitCode, stderr } = await runCommand(
      unsent.services.config.home,
      ...['user', 'link', String(personId), '--send'],
    );
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('TICKLAKE_SMTP_SERVER')]);
  } finally {
    await unsent.close();
  }
});
