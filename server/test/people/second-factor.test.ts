/** The second factor and the list of sessions, over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAILURES_MAX } from '../../src/access/second-factor.ts';
import { stepOf, totpCode } from '../../src/access/totp.ts';
import { type Browser, openPeopleService, PASSWORD, type PeopleService } from './people-service.ts';

let service: PeopleService;
beforeAll(async () => {
  service = await openPeopleService();
});
afterAll(() => service.close());
// So that no code was used before.
beforeEach(() => advance(60_000));

function advance(ms: number): void {
  service.clock.set(new Date(service.clock.now() + ms).toISOString());
}

const codeOf = (secret: string) => totpCode(secret, stepOf(service.clock.now()));

async function enrolled() {
  const { email, personId } = await service.newPerson('member', service.accountId);
  const browser = await service.signedIn(email);
  const begun = await browser.post('/session/second-factor/begin', { current_password: PASSWORD });
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const { secret, uri } = begun.body;
  expect(uri).toContain(`secret=${secret}`);
  const on = await browser.post('/session/second-factor/on', { code: codeOf(secret) });
  expect(on.status, JSON.stringify(on.body)).toBe(200);
  advance(30_000);
  return { email, personId, browser, secret, codes: on.body.recovery_codes as string[] };
}

async function tryIn(email: string, code?: string, password = PASSWORD) {
  const browser = service.browser();
  const given = code === undefined ? {} : { code };
  return { browser, answer: await browser.post('/session', { email, password, ...given }) };
}

describe('signing in with a second factor', () => {
  it('takes the password, and then a code that counts once', async () => {
    const { email, secret } = await enrolled();
    const without = await tryIn(email);
    expect([without.answer.status, without.answer.body]).toEqual([
      200,
      { person: null, needs_code: true },
    ]);
    expect(without.browser.cookie).toBe('');
    const code = codeOf(secret);
    const within = await tryIn(email, code);
    expect(within.answer.body.person).toMatchObject({ email, has_second_factor: true });
    expect((await tryIn(email, code)).answer.status).toBe(401);
    advance(30_000);
    expect((await tryIn(email, codeOf(secret))).answer.status).toBe(200);
  });

  it('tells nobody with a wrong password whether there is a second factor', async () => {
    const { email, secret } = await enrolled();
    const wrong = 'certainly not the password';
    const answers = [
      await tryIn(email, undefined, wrong),
      await tryIn(email, codeOf(secret), wrong),
    ];
    for (const { answer } of answers) {
      expect([answer.status, answer.body.detail]).toEqual([
        401,
        'The e-mail address or the password is wrong',
      ]);
    }
  });

  it('takes each recovery code once', async () => {
    const { email, codes, browser } = await enrolled();
    expect(codes).toHaveLength(10);
    expect((await tryIn(email, codes[3])).answer.status).toBe(200);
    expect((await tryIn(email, codes[3])).answer.status).toBe(401);
    const { body } = await browser.get('/session/second-factor');
    expect(body).toEqual({ is_on: true, recovery_codes_left: 9 });
  });

  it('refuses right codes after too many wrong ones, until a recovery code is given', async () => {
    const { email, secret, codes } = await enrolled();
    for (let at = 0; at < FAILURES_MAX; at++)
      expect((await tryIn(email, '000000')).answer.status).toBe(401);
    expect((await tryIn(email, codeOf(secret))).answer.status).toBe(401);
    expect((await tryIn(email, codes[0])).answer.status).toBe(200);
    expect((await tryIn(email, codeOf(secret))).answer.status).toBe(200);
  });

  it('counts one of many sign-ins at once with the same code', async () => {
    const { email, secret } = await enrolled();
    const code = codeOf(secret);
    const tries = await Promise.all(Array.from({ length: 4 }, () => tryIn(email, code)));
    expect(tries.filter(({ answer }) => answer.status === 200)).toHaveLength(1);
  });
});

describe('the own second factor', () => {
  it('cannot be turned on by guessing: after too many wrong codes a new secret is needed', async () => {
    const { email } = await service.newPerson('member', service.accountId);
    const browser = await service.signedIn(email);
    const begin = async () =>
      (await browser.post('/session/second-factor/begin', { current_password: PASSWORD })).body;
    const turnOn = async (code: string) =>
      (await browser.post('/session/second-factor/on', { code })).status;
    const { secret } = await begin();
    for (let at = 0; at < FAILURES_MAX; at++) expect(await turnOn('000000')).toBe(422);
    expect(await turnOn(codeOf(secret))).toBe(422);
    expect(await turnOn(codeOf((await begin()).secret))).toBe(200);
  });

  it('is on only once a code has shown that the app has the secret', async () => {
    const { email } = await service.newPerson('member', service.accountId);
    const browser = await service.signedIn(email);
    const begin = (current_password: string) =>
      browser.post('/session/second-factor/begin', { current_password });
    expect((await begin('certainly not it')).status).toBe(422);
    const { body } = await begin(PASSWORD);
    expect((await browser.post('/session/second-factor/on', { code: '000000' })).status).toBe(422);
    expect((await tryIn(email)).answer.body.person).toMatchObject({ has_second_factor: false });
    const elsewhere = await service.signedIn(email);
    const on = await browser.post('/session/second-factor/on', { code: codeOf(body.secret) });
    expect(on.status).toBe(200);
    expect((await elsewhere.get('/account/my')).status).toBe(401);
    expect((await browser.get('/account/my')).status).toBe(200);
    expect((await begin(PASSWORD)).status).toBe(409);
  });

  it('is turned off, and gets new recovery codes, with the password and a code', async () => {
    const { email, browser, secret, codes } = await enrolled();
    const both = (code: string) => ({ current_password: PASSWORD, code });
    const path = '/session/second-factor';
    expect((await browser.post(`${path}/off`, both('000000'))).status).toBe(422);
    const renewed = await browser.post(`${path}/recovery-codes`, both(codeOf(secret)));
    expect(renewed.body.recovery_codes).toHaveLength(10);
    expect((await tryIn(email, codes[0])).answer.status).toBe(401);
    const off = await browser.post(`${path}/off`, both(renewed.body.recovery_codes[0]));
    expect(off.body).toEqual({ is_on: false, recovery_codes_left: 0 });
    expect((await tryIn(email)).answer.body.person).toMatchObject({ email });
  });

  it('stays on through a link for a new password, and an owner resets it', async () => {
    const { email, personId, secret } = await enrolled();
    const owner = await service.signedIn((await service.newPerson('owner', null)).email);
    const { body } = await owner.post(`/people/${personId}/link`);
    const choice = { token: body.link.split('#')[1], new_password: 'several unrelated words' };
    await service.browser().post('/session/link/password', choice);
    const chosen = choice.new_password;
    expect((await tryIn(email, undefined, chosen)).answer.body).toEqual({
      person: null,
      needs_code: true,
    });
    const session = (await tryIn(email, codeOf(secret), chosen)).browser;
    const reset = await owner.post(`/people/${personId}/reset-second-factor`);
    expect(reset.body.has_second_factor).toBe(false);
    expect((await session.get('/account/my')).status).toBe(401);
    expect((await tryIn(email, undefined, chosen)).answer.body.person).toMatchObject({ email });
  });

  it('is in no log', async () => {
    const { personId, secret, codes } = await enrolled();
    const { store } = service.services;
    const entries = await store.audit.list({}, 'newest first', 0, 1000);
    const log = JSON.stringify(entries);
    for (const each of [secret, ...codes]) expect(log).not.toContain(each);
    expect(entries.filter(({ target }) => target === `person:${personId}`)[0]).toMatchObject({
      operation: 'turnOnSecondFactor',
    });
  });
});

describe('sessions', () => {
  const listed = async (browser: Browser) => (await browser.get('/session/all')).body;

  it('are listed with where they began, and ended one by one or all others at once', async () => {
    const { email } = await service.newPerson('member', service.accountId);
    const browsers = [];
    for (const agent of ['One/1', 'Two/2', 'Three/3']) {
      const browser = service.browser();
      const signIn = { email, password: PASSWORD };
      expect((await browser.post('/session', signIn, { 'user-agent': agent })).status).toBe(200);
      browsers.push(browser);
    }
    const [one, two, three] = browsers as [Browser, Browser, Browser];
    const sessions = await listed(one);
    expect(sessions).toHaveLength(3);
    const own = sessions.find((each: { is_current: boolean }) => each.is_current);
    expect(own).toMatchObject({ browser: 'One/1', source_address: '127.0.0.1' });
    const second = sessions.find((each: { browser: string }) => each.browser === 'Two/2');
    const end = (body: object) => one.post('/session/all/end', body);
    expect((await end({ session_id: own.session_id })).status).toBe(404);
    expect((await end({ session_id: second.session_id })).body).toEqual({ ended_count: 1 });
    expect((await two.get('/account/my')).status).toBe(401);
    expect((await three.get('/account/my')).status).toBe(200);
    expect((await end({})).body).toEqual({ ended_count: 1 });
    expect((await three.get('/account/my')).status).toBe(401);
    expect(await listed(one)).toHaveLength(1);
  });

  it('belonging to others are listed and ended by owners alone', async () => {
    const { email, personId } = await service.newPerson('member', service.accountId);
    const member = await service.signedIn(email);
    await service.signedIn(email);
    const owner = await service.signedIn((await service.newPerson('owner', null)).email);
    const { body } = await owner.get(`/people/${personId}/sessions`);
    expect(body).toHaveLength(2);
    expect((await member.get(`/people/${personId}/sessions`)).status).toBe(403);
    const path = `/people/${personId}/end-sessions`;
    expect((await owner.post(path, { session_id: 'another' })).status).toBe(404);
    expect((await owner.post(path, { session_id: body[0].session_id })).body.ended_count).toBe(1);
    expect((await owner.post(path)).body.ended_count).toBe(1);
    expect((await member.get('/account/my')).status).toBe(401);
  });
});
