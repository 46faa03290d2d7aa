import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { writing } from '../writing.ts';
import { type Browser, openPeopleService, PASSWORD, type PeopleService } from './people-service.ts';

const START = '2025-06-20T16:00:00Z';
const HOUR_MS = 3_600_000;

let service: PeopleService;
beforeAll(async () => {
  service = await openPeopleService();
});
afterAll(() => service.close());
beforeEach(async () => service.clock.set(START));

const ROWS: CellValue[][] = [
  [
    ...['2025-06-18', BigInt(Date.parse('2025-06-18T13:30:00Z')) * 1_000_000n, 'TRADE', 'AAA', 11n],
    ...[100, 10, 'NYSE', 1],
  ],
];

const NOT_SIGNED_IN = [401, { detail: 'Not authenticated' }];

function pass(ms: number): void {
  service.clock.set(new Date(service.clock.now() + ms).toISOString());
}

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { status, body } = await browser.get('/account/my');
  const shown = (await browser.get('/session')).body;
  expect(shown.person === null).toBe(status !== 200);
  if (status !== 200) expect([status, body]).toEqual(NOT_SIGNED_IN);
  return status === 200;
}

/** A copy of the cookie and token; the browser itself may receive new ones. */
function copyOf(browser: Browser): Browser {
  const copy = service.browser();
  copy.cookie = browser.cookie;
  copy.csrfToken = browser.csrfToken;
  return copy;
}

async function newSession(role: 'member' | 'manager' | 'owner' = 'manager') {
  const person = await service.newPerson(role, service.accountId);
  return { ...person, browser: await service.signedIn(person.email) };
}

describe('a session', () => {
  it('ends when it is not used for its idle time', async () => {
    const { browser } = await newSession();
    for (let i = 0; i < 2; i++) {
      pass(8 * HOUR_MS - 60_001);
      expect(await isSignedIn(browser)).toBe(true);
    }
    pass(8 * HOUR_MS);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is not used by a link that was made in it', async () => {
    await service.publish('eq_taq', ROWS);
    const { browser } = await newSession();
    const { body } = await browser.get('/bulk/us-equity/eq-taq');
    const link = new URL(body.files[0].url).pathname;
    const fetched = async () => (await service.app.inject({ url: link })).statusCode;
    pass(5 * HOUR_MS);
    expect(await fetched()).toBe(200);
    pass(4 * HOUR_MS);
    expect(await fetched()).toBe(401);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends after its whole time, however much it is used', async () => {
    const { browser } = await newSession();
    for (let hour = 1; hour < 24; hour++) {
      pass(HOUR_MS);
      expect(await isSignedIn(browser)).toBe(true);
    }
    const { expires_at: expiresAt } = (await browser.get('/session')).body;
    expect(expiresAt).toBe('2025-06-21T16:00:00Z');
    pass(HOUR_MS - 1000);
    expect(await isSignedIn(browser)).toBe(true);
    pass(1000);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('tells when it ends, and does', async () => {
    const { browser } = await newSession();
    pass(3 * HOUR_MS + 17_000);
    const { expires_at: expiresAt } = (await browser.get('/session')).body;
    service.clock.set(new Date(Date.parse(expiresAt) - 1).toISOString());
    const copy = copyOf(browser);
    service.clock.set(expiresAt);
    expect(await isSignedIn(copy)).toBe(false);
  });

  it('is ended on the server by signing out', async () => {
    const { browser } = await newSession();
    const copy = copyOf(browser);
    const { status, body, headers } = await browser.post('/session/end');
    expect([status, body]).toEqual([200, { person: null }]);
    expect(headers['set-cookie']).toEqual([
      'ticklake_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0',
    ]);
    expect(browser.cookie).toBe('');
    expect(await isSignedIn(copy)).toBe(false);
  });

  it('goes on as a new one, and all others end, when the password is changed', async () => {
    const { browser, email } = await newSession();
    const other = await service.signedIn(email);
    const copy = copyOf(browser);
    const password = 'pässword of many letters';
    const change = { current_password: PASSWORD, new_password: password };
    const { status, body } = await browser.post('/session/password', change);
    expect([status, body.person.is_password_initial]).toEqual([200, false]);
    expect([browser.cookie === copy.cookie, browser.csrfToken === copy.csrfToken]).toEqual([
      false,
      false,
    ]);
    expect(await isSignedIn(browser)).toBe(true);
    expect(await isSignedIn(copy)).toBe(false);
    expect(await isSignedIn(other)).toBe(false);
    expect((await service.browser().signIn(email)).status).toBe(401);
    expect((await service.browser().signIn(email, password.normalize('NFD'))).status).toBe(200);
  });

  it.each([
    ['short', 'x'.repeat(11), 'illegal_value'],
    ['long', 'x'.repeat(1025), 'illegal_value'],
    ['old', PASSWORD, 'same_password'],
  ])('keeps its password when the new one is too %s', async (_, password, type) => {
    const { browser, email } = await newSession();
    const copy = copyOf(browser);
    const change = { current_password: PASSWORD, new_password: password };
    const { status, body } = await browser.post('/session/password', change);
    expect([status, body.detail]).toEqual([
      422,
      [expect.objectContaining({ type, loc: ['body', 'new_password'], input: null })],
    ]);
    expect(await isSignedIn(copy)).toBe(true);
    expect((await service.browser().signIn(email)).status).toBe(200);
  });

  it.each([
    ['deactivates the person', (id: number) => [`/people/${id}/deactivate`, {}]],
    ['deletes the person', (id: number) => [`/people/${id}/delete`, {}]],
    ['resets the password', (id: number) => [`/people/${id}/reset-password`, {}]],
    ['changes the role', (id: number) => [`/people/${id}/update`, { role: 'member' }]],
    [
      'moves the person to another account',
      async (id: number) => [
        `/people/${id}/update`,
        { identity_id: (await service.addAccount(`other ${id}`)).accountId },
      ],
    ],
  ] as const)('ends when an owner %s', async (_, act) => {
    const { browser, personId } = await newSession();
    const { browser: owner } = await newSession('owner');
    expect(await isSignedIn(browser)).toBe(true);
    const [path, body] = await act(personId);
    expect((await owner.post(path as string, body)).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends for all but owners with the account', async () => {
    const { accountId } = await service.addAccount('to be ended');
    const manager = await service.signedIn((await service.newPerson('manager', accountId)).email);
    const owner = await service.signedIn((await service.newPerson('owner', accountId)).email);
    await writing(service.services.store).accounts.update(accountId, { isActive: false });
    expect(await isSignedIn(manager)).toBe(false);
    const own = await owner.get('/account/my');
    expect([own.status, own.body]).toEqual([410, { detail: 'The account is deactivated' }]);
    expect((await owner.post(`/identities/${accountId}/activate`)).status).toBe(200);
    expect((await owner.get('/account/my')).status).toBe(200);
  });

  it("ends for all but owners with the account's contract", async () => {
    const { accountId } = await service.addAccount('whose contract ends');
    const manager = await service.signedIn((await service.newPerson('manager', accountId)).email);
    const owner = await service.signedIn((await service.newPerson('owner', accountId)).email);
    const contractEndsAtMs = service.clock.now();
    await writing(service.services.store).accounts.update(accountId, { contractEndsAtMs });
    expect(await isSignedIn(manager)).toBe(false);
    const own = await owner.get('/account/my');
    expect([own.status, own.body]).toEqual([410, { detail: "The account's contract has ended" }]);
    const later = { contract_ends_at: '2030-01-01' };
    expect((await owner.post(`/identities/${accountId}/update`, later)).status).toBe(200);
    expect((await owner.get('/account/my')).status).toBe(200);
  });

  it('is one of at most twenty, of which the oldest ends', async () => {
    const { browser, personId } = await newSession();
    for (let i = 0; i < 20; i++) {
      pass(1);
      await service.sessionOf(personId);
      expect(await isSignedIn(browser)).toBe(i < 19);
    }
  });

  it('cannot be had from the store', async () => {
    const { browser } = await newSession();
    const [, token] = browser.cookie.split('=');
    const { home } = service.services.config;
    const database = new DatabaseSync(join(home, 'control.db'), { readOnly: true });
    const rows = database.prepare('SELECT token_hash AS hash FROM session').all();
    const people = database.prepare('SELECT * FROM person').all();
    database.close();
    expect(JSON.stringify([rows, people])).not.toContain(token);
    expect(JSON.stringify([rows, people])).not.toContain(PASSWORD);
    expect(JSON.stringify([rows, people])).not.toContain(browser.csrfToken);
    for (const { hash } of rows) {
      const thief = service.browser();
      thief.cookie = `ticklake_session=${hash}`;
      expect((await thief.get('/account/my')).status).toBe(401);
    }
  });
});

describe('the cookie', () => {
  it('counts only where its name comes once', async () => {
    const { browser } = await newSession();
    const { cookie } = browser;
    const other = (await newSession()).browser.cookie;
    for (const [sent, status] of [
      [`a=b; ${cookie}; c=d`, 200],
      [`${other}; ${cookie}`, 401],
      [`${cookie}; ${cookie}`, 401],
      [`x${cookie}`, 401],
      [cookie.replace('=', '= '), 401],
      [`${cookie}x`, 401],
      [`${cookie}"`, 401],
      [cookie.toUpperCase(), 401],
      [`__Host-${cookie}`, 401],
    ] as const) {
      expect([sent, (await browser.get('/account/my', { cookie: sent })).status]).toEqual([
        sent,
        status,
      ]);
    }
  });

  it('is not looked at beside a key, not even a wrong one', async () => {
    const { browser } = await newSession('owner');
    const other = await service.addAccount('by key');
    const byKey = await browser.get('/account/my', { 'x-api-key': other.key });
    expect(byKey.body).toMatchObject({ name: 'by key' });
    expect((await browser.get('/people', { 'x-api-key': other.key })).status).toBe(403);
    expect((await browser.get('/session', { 'x-api-key': other.key })).body).toEqual({
      person: null,
    });
    for (const key of ['', 'wrong']) {
      expect((await browser.get('/account/my', { 'x-api-key': key })).status).toBe(401);
    }
    const end = await browser.post('/session/end', {}, { 'x-api-key': other.key });
    expect([end.status, end.body]).toEqual([
      403,
      { detail: 'Only a person who is signed in may do this' },
    ]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is not looked at in what pages of other sites have a browser send', async () => {
    const { browser } = await newSession();
    for (const [site, status] of [
      ['same-origin', 200],
      ['none', 200],
      ['same-site', 401],
      ['cross-site', 401],
    ] as const) {
      const headers = { 'sec-fetch-site': site };
      expect((await browser.get('/account/my', headers)).status, site).toBe(status);
    }
  });

  it('is not looked at for a page that may call with a key, also where no site is told', async () => {
    const origin = 'http://app.example.com';
    const listed = await openPeopleService({ corsOrigins: [origin] });
    try {
      const browser = await listed.signedIn(
        (await listed.newPerson('member', listed.accountId)).email,
      );
      expect((await browser.get('/account/my', { origin })).status).toBe(401);
      expect((await browser.get('/session', { origin })).body).toEqual({ person: null });
      expect((await browser.get('/account/my', { origin: listed.url })).status).toBe(200);
    } finally {
      await listed.close();
    }
  });

  it('is for TLS alone where the service is reached so, and no other one counts there', async () => {
    const secure = await openPeopleService({ publicUrl: 'https://data.example.com' });
    try {
      const { email } = await secure.newPerson('member', secure.accountId);
      const browser = secure.browser();
      const origin = 'https://data.example.com';
      const { headers } = await browser.post('/session', { email, password: PASSWORD }, { origin });
      expect(headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-ticklake_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
        ),
      ]);
      expect((await browser.get('/account/my')).status).toBe(200);
      const plain = browser.cookie.replace('__Host-', '');
      expect((await browser.get('/account/my', { cookie: plain })).status).toBe(401);
      const foreign = await browser.post('/session', { email, password: PASSWORD });
      expect(foreign.body).toEqual({ detail: 'Disallowed CORS origin' });
    } finally {
      await secure.close();
    }
  });
});

describe('a change', () => {
  const NEW_KEY = { name: 'made', expires_in: '1d' };
  const NO_TOKEN = [403, { detail: "The request does not carry the session's CSRF token" }];
  const BAD_ORIGIN = [400, { detail: 'Disallowed CORS origin' }];

  it("needs the session's own CSRF token", async () => {
    const { browser } = await newSession();
    const { csrfToken: foreign } = (await newSession()).browser;
    const { csrfToken } = browser;
    const keys = (await service.services.store.keys.listOf(service.accountId)).length;
    for (const token of [
      undefined,
      '',
      foreign,
      `${csrfToken}x`,
      csrfToken.slice(1),
      browser.cookie.split('=')[1],
    ]) {
      for (const [path, body] of [
        ['/account/my/api-keys', NEW_KEY],
        ['/session/end', {}],
        ['/session/password', { current_password: PASSWORD, new_password: 'x'.repeat(20) }],
      ] as const) {
        const { status, body: answer } = await browser.post(path, body, { 'x-csrf-token': token });
        expect([status, answer], `${token} ${path}`).toEqual(NO_TOKEN);
      }
    }
    expect(await service.services.store.keys.listOf(service.accountId)).toHaveLength(keys);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is not done from pages of others, also with the token', async () => {
    const { browser } = await newSession();
    const port = new URL(service.url).port;
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      `http://localhost:${port}`,
      'http://127.0.0.1',
      `http://127.0.0.1:${Number(port) + 1}`,
      `${service.url}.evil.example`,
      `${service.url}/`,
      `${service.url}, https://evil.example`,
    ]) {
      const { status, body } = await browser.post('/account/my/api-keys', NEW_KEY, { origin });
      expect([status, body], origin).toEqual(BAD_ORIGIN);
    }
  });

  it('is not let in from nowhere where nobody can tell where it came to', async () => {
    const { browser } = await newSession();
    const headers = { host: 'not/a/host', origin: '' };
    const { status, body } = await browser.post('/account/my/api-keys', NEW_KEY, headers);
    expect([status, body]).toEqual(BAD_ORIGIN);
  });

  it("is not let in by a proxy's headers that no trusted proxy sent", async () => {
    const { browser } = await newSession();
    const { status, body } = await browser.post('/account/my/api-keys', NEW_KEY, {
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
    });
    expect([status, body]).toEqual(BAD_ORIGIN);
  });

  it('is not a form', async () => {
    const { browser } = await newSession();
    for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
      const answer = await browser.post('/account/my/api-keys', JSON.stringify(NEW_KEY), {
        'content-type': type,
      });
      expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'wrong_content_type']);
    }
  });

  it('is done from a page of the service, and by what is no browser', async () => {
    const { accountId } = await service.addAccount('changing');
    const browser = await service.signedIn((await service.newPerson('manager', accountId)).email);
    for (const origin of [service.url, undefined]) {
      expect((await browser.post('/account/my/api-keys', NEW_KEY, { origin })).status).toBe(200);
    }
  });

  it('is no GET', async () => {
    const { browser } = await newSession('owner');
    const { status, headers } = await browser.get('/session/end');
    expect([status, headers.allow]).toEqual([405, 'POST']);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
