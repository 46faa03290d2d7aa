import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { argon2id, Passwords } from '../../src/access/passwords.ts';
import { parseSubnet, type Subnet } from '../../src/access/subnet.ts';
import { CHEAP_PASSWORDS } from '../harness.ts';
import { writing } from '../writing.ts';
import { openPeopleService, PASSWORD, type PeopleService } from './people-service.ts';

let service: PeopleService;
beforeAll(async () => {
  service = await openPeopleService();
});
afterAll(() => service.close());

const REFUSED = { detail: 'The e-mail address or the password is wrong' };
const TOO_MANY = { detail: 'Too many failed attempts; try again in a minute' };
const COOKIE = /^ticklake_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/;

let minute = 0;
/** Later than what other tests have failed at. */
function nextMinutes(): void {
  minute += 2;
  service.clock.set(new Date(Date.parse('2025-06-20T16:00:00Z') + minute * 60_000).toISOString());
}

function newMember() {
  return service.newPerson('member', service.accountId);
}

describe('signing in', () => {
  it('answers who it is, and begins a session that a cookie carries', async () => {
    const { email, personId } = await newMember();
    const browser = service.browser();
    expect((await browser.get('/session')).body).toEqual({ person: null });
    const { status, body, headers } = await browser.signIn(email.toUpperCase());
    expect(status).toBe(200);
    const now = new Date(service.clock.now()).toISOString().replace('.000', '');
    expect(body).toEqual({
      person: {
        person_id: personId,
        email,
        role: 'member',
        identity_id: service.accountId,
        is_active: true,
        is_password_initial: true,
        has_second_factor: false,
        created_at: now,
        last_sign_in_at: now,
      },
      identity: { identity_id: service.accountId, name: 'everything', contract_ends_at: null },
      csrf_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_at: new Date(service.clock.now() + 8 * 3_600_000).toISOString().replace('.000', ''),
      source_address: '127.0.0.1',
    });
    expect(headers['set-cookie']).toEqual([expect.stringMatching(COOKIE)]);
    expect(headers['cache-control']).toBe('no-store');
    expect((await browser.get('/session')).body).toEqual(body);
    expect((await browser.get('/account/my')).body).toMatchObject({ name: 'everything' });
  });

  it('never goes on with a cookie that was there before, and ends its session', async () => {
    const planted = `ticklake_session=${'A'.repeat(43)}`;
    const { email } = await newMember();
    const victim = service.browser();
    victim.cookie = planted;
    await victim.signIn(email);
    expect(victim.cookie).not.toBe(planted);
    const attacker = service.browser();
    attacker.cookie = planted;
    expect((await attacker.get('/account/my')).status).toBe(401);

    attacker.cookie = victim.cookie;
    await victim.signIn(email);
    expect(victim.cookie).not.toBe(attacker.cookie);
    expect((await attacker.get('/account/my')).status).toBe(401);
    expect((await victim.get('/account/my')).status).toBe(200);
  });

  it('leaves sessions of other browsers alone', async () => {
    const { email } = await newMember();
    const [one, other] = [await service.signedIn(email), await service.signedIn(email)];
    expect((await one.get('/account/my')).status).toBe(200);
    expect((await other.get('/account/my')).status).toBe(200);
  });

  it('is refused in the same words, whatever is wrong', async () => {
    nextMinutes();
    const deactivated = await newMember();
    await writing(service.services.store).people.update(deactivated.personId, { isActive: false });
    const ended = await service.addAccount('ended');
    const ofEnded = await service.newPerson('manager', ended.accountId);
    await writing(service.services.store).accounts.update(ended.accountId, { isActive: false });
    const tries = [
      [(await newMember()).email, 'not the password'],
      ['nobody@people.example', PASSWORD],
      ['no address', PASSWORD],
      [deactivated.email, PASSWORD],
      [ofEnded.email, PASSWORD],
    ] as const;
    for (const [email, password] of tries) {
      const { status, body, headers } = await service.browser().signIn(email, password);
      expect([status, body], email).toEqual([401, REFUSED]);
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it('does the same work for nobody as for somebody', async () => {
    nextMinutes();
    const { email } = await newMember();
    const work: unknown[] = [];
    const counted = new Passwords(CHEAP_PASSWORDS, (parameters) => {
      const { nonce, memory, passes, parallelism, tagLength } = parameters;
      work.push([(nonce as Buffer).byteLength, memory, passes, parallelism, tagLength]);
      return argon2id(parameters);
    });
    const services = service.services as { passwords: Passwords };
    const { passwords } = services;
    services.passwords = counted;
    for (const address of [email, 'nobody@people.example']) {
      expect((await service.browser().signIn(address, 'not the password')).status).toBe(401);
    }
    services.passwords = passwords;
    expect(work).toHaveLength(2);
    expect(work[1]).toEqual(work[0]);
  });

  it('repeats nothing of what was sent when it is not valid', async () => {
    const bodies = [
      { email: 'secret1', pasword: 'secret2' },
      { email: ['secret1'], password: { secret2: 1 } },
      { email: 'secret1'.repeat(99), password: 'secret2'.repeat(999) },
      '{"email": "secret1", "password": "secret2"',
      ['secret1'],
    ];
    for (const body of bodies) {
      const answer = await service.browser().post('/session', body);
      expect(answer.status).toBe(422);
      expect(JSON.stringify(answer.body)).not.toMatch(/secret[12]/);
    }
  });

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'email=a&password=b'],
    ['plain text', 'text/plain', '{"email": "a@b.example", "password": "b"}'],
    ['several parts', 'multipart/form-data; boundary=x', '--x--'],
  ])('is not done by %s, which pages of others could send', async (_, type, body) => {
    const answer = await service.browser().post('/session', body, { 'content-type': type });
    expect([answer.status, answer.body.detail[0].type]).toEqual([422, 'wrong_content_type']);
  });

  it('is refused as a whole with more fields than can be told of', async () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 0]));
    // Two required fields are missing as well, and a hundred problems are told of at most.
    const told = await service.browser().post('/session', fields(100));
    expect([told.status, told.body.detail.length]).toEqual([422, 100]);
    const many = await service.browser().post('/session', fields(101));
    expect([many.status, many.body.detail]).toEqual([
      422,
      [
        {
          type: 'too_many_fields',
          loc: ['body'],
          msg: 'The body should have at most 100 fields',
          input: null,
          ctx: {},
        },
      ],
    ]);
  });

  it('is not done from pages of others', async () => {
    const { email } = await newMember();
    for (const origin of [
      'https://evil.example',
      'null',
      '',
      service.url.replace('http', 'https'),
    ]) {
      const answer = await service
        .browser()
        .post('/session', { email, password: PASSWORD }, { origin });
      expect([origin, answer.status, answer.body]).toEqual([
        origin,
        400,
        { detail: 'Disallowed CORS origin' },
      ]);
    }
  });
});

it('signing in and changes are for pages of the service, also where others may call it', async () => {
  const origin = 'https://app.example.com';
  const listed = await openPeopleService({ corsOrigins: [origin] });
  try {
    const { email } = await listed.newPerson('manager', listed.accountId);
    const { status, body, headers } = await listed
      .browser()
      .post('/session', { email, password: PASSWORD }, { origin });
    expect([status, body]).toEqual([400, { detail: 'Disallowed CORS origin' }]);
    expect(headers['set-cookie']).toBeUndefined();
    const browser = await listed.signedIn(email);
    const foreign = { origin, 'sec-fetch-site': 'same-site' };
    expect((await browser.post('/session/end', {}, foreign)).status).toBe(401);
    const seen = await browser.get('/session', foreign);
    expect([seen.body, seen.headers['access-control-allow-credentials']]).toEqual([
      { person: null },
      undefined,
    ]);
    expect((await browser.get('/account/my')).status).toBe(200);
  } finally {
    await listed.close();
  }
});

describe('failed tries', () => {
  it('are ten in a minute for an e-mail address, from wherever, whether anybody has it', async () => {
    for (const email of [(await newMember()).email, 'nobody.at.all@people.example']) {
      nextMinutes();
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => service.browser().signIn(email, 'a wrong password')),
      );
      const counts = Map.groupBy(answers, ({ status }) => status);
      expect([counts.get(401)?.length, counts.get(429)?.length]).toEqual([10, 4]);
      expect(counts.get(429)?.[0]?.body).toEqual(TOO_MANY);
      expect((await service.browser().signIn(email)).status).toBe(429);
    }
  });

  it('are ten for an e-mail address also when each is from somewhere else', async () => {
    const trustedProxies = [parseSubnet('127.0.0.1/32') as Subnet];
    const proxied = await openPeopleService({ trustedProxies });
    try {
      const { email } = await proxied.newPerson('member', proxied.accountId);
      const tryFrom = async (address: string, whose: string, password: string) => {
        const body = { email: whose, password };
        const headers = { 'x-forwarded-for': address };
        return (await proxied.browser().post('/session', body, headers)).status;
      };
      for (let at = 0; at < 12; at++) {
        const status = await tryFrom(`192.0.2.${at}`, email, 'a wrong password');
        expect(status).toBe(at < 10 ? 401 : 429);
      }
      expect(await tryFrom('198.51.100.1', email, PASSWORD)).toBe(429);
      expect(await tryFrom('192.0.2.1', 'nobody@people.example', PASSWORD)).toBe(401);
    } finally {
      await proxied.close();
    }
  });

  it('are ten in a minute from an address, for whomever', async () => {
    nextMinutes();
    for (let i = 0; i < 10; i++) {
      expect((await service.browser().signIn(`guess${i}@people.example`)).status).toBe(401);
    }
    const { email } = await newMember();
    expect((await service.browser().signIn(email)).body).toEqual(TOO_MANY);
    nextMinutes();
    expect((await service.browser().signIn(email)).status).toBe(200);
  });

  it('are not undone by signing in between', async () => {
    nextMinutes();
    const { email } = await newMember();
    await service.signedIn(email);
    for (let i = 0; i < 5; i++) {
      await service.browser().signIn(email, 'a wrong password');
      await service.browser().signIn(email, 'a wrong password');
      if (i < 4) expect((await service.browser().signIn(email)).status).toBe(200);
    }
    expect((await service.browser().signIn(email)).status).toBe(429);
  });

  it('do not count what succeeds or is not valid', async () => {
    nextMinutes();
    const { email } = await newMember();
    for (let i = 0; i < 12; i++) {
      expect((await service.browser().signIn(email)).status).toBe(200);
      expect((await service.browser().post('/session', { email })).status).toBe(422);
    }
  });

  it('count against the person who changes a password, too', async () => {
    nextMinutes();
    const browser = await service.signedIn((await newMember()).email);
    const change = { current_password: 'a wrong password', new_password: 'a new password' };
    for (let i = 0; i < 10; i++) {
      const { status, body } = await browser.post('/session/password', change);
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'current_password']]);
    }
    expect((await browser.post('/session/password', change)).body).toEqual(TOO_MANY);
    nextMinutes();
  });
});
