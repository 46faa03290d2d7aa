import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { argon2id, Passwords } from '../../src/access/passwords.ts';
import { parseSubnet, type Subnet } from '../../src/access/subnet.ts';
import { openControlStore } from '../../src/open-home.ts';
import { CHEAP_PASSWORDS } from '../harness.ts';
import { writing } from '../writing.ts';
import { openPeopleService, PASSWORD, type PeopleService } from './people-service.ts';

const WRONG = 'a wrong password';
const HOME = '198.51.100.7';

let service: PeopleService;
let minute = 0;
/** Ends what holds the work on passwords. */
let release = () => {};
beforeAll(async () => {
  // Callers come from where their proxy, the test, says.
  const trustedProxies = [parseSubnet('127.0.0.1/32') as Subnet];
  service = await openPeopleService({ trustedProxies });
});
afterEach(async () => {
  release();
  vi.restoreAllMocks();
  minute += 2;
  service.clock.set(new Date(Date.parse('2025-06-20T16:00:00Z') + minute * 60_000).toISOString());
});
afterAll(() => service.close());

const newPerson = () => service.newPerson('member', service.accountId);

async function signIn(from: string, email: string, password = PASSWORD): Promise<number> {
  const headers = { 'x-forwarded-for': from };
  return (await service.browser().post('/session', { email, password }, headers)).status;
}

/** How many wrong passwords are looked at, of more than there may be. */
async function wrongTries(from: (at: number) => string, email: string): Promise<number> {
  for (let at = 0; at < 40; at++) {
    const status = await signIn(from(at), email, WRONG);
    if (status === 429) return at;
    expect(status).toBe(401);
  }
  throw new Error('tries have no end');
}

it('failures elsewhere do not keep out who signs in from where they did before', async () => {
  const { email } = await newPerson();
  expect(await signIn(HOME, email)).toBe(200);
  expect(await wrongTries((at) => `192.0.2.${at}`, email)).toBe(10);
  expect(await signIn('203.0.113.1', email)).toBe(429);
  expect(await signIn(HOME, email)).toBe(200);
});

it('an IPv6 place is its network, whichever address signs in', async () => {
  const { email } = await newPerson();
  expect(await signIn('2001:db8:0:1::1', email)).toBe(200);
  expect(await wrongTries((at) => `192.0.2.${at}`, email)).toBe(10);
  expect(await signIn('2001:db8:0:1:ffff::2', email)).toBe(200);
  expect(await signIn('2001:db8:0:2::1', email)).toBe(429);
});

it('a place that is known is no way to guess on, for its person or for others', async () => {
  const { email } = await newPerson();
  const other = await newPerson();
  expect(await signIn(HOME, email)).toBe(200);
  expect(await wrongTries(() => HOME, email)).toBe(10);
  expect(await signIn(HOME, email)).toBe(429);
  expect(await signIn(HOME, other.email, WRONG)).toBe(429);
});

it('ten places are remembered, the latest, for 90 days, also by the next server', async () => {
  const { personId, email } = await newPerson();
  for (let at = 0; at < 12; at++) {
    service.clock.set(new Date(service.clock.now() + 1000).toISOString());
    expect(await signIn(`198.51.100.${at}`, email)).toBe(200);
  }
  const store = await openControlStore({ home: service.services.config.home });
  const known = await Promise.all(
    Array.from({ length: 12 }, (_, at) => store.signInPlaces.has(personId, `198.51.100.${at}`, 0)),
  );
  expect(known).toEqual([false, false, ...Array.from({ length: 10 }, () => true)]);
  await store.close();

  const days = (count: number) => new Date(service.clock.now() + count * 86_400_000).toISOString();
  const later = [days(90), days(90.001)];
  for (const [at, status] of [200, 429].entries()) {
    service.clock.set(later[at] as string);
    expect(await wrongTries((from) => `192.0.2.${from}`, email)).toBe(10);
    expect(await signIn('198.51.100.11', email)).toBe(status);
    if (at === 0)
      await writing(service.services.store).signInPlaces.remember(personId, '198.51.100.11', 0);
  }
  minute += 200 * 24 * 60;
});

it('a new password forgets the places of the old one', async () => {
  const { personId, email } = await newPerson();
  const { signInPlaces } = service.services.store;
  await signIn('192.0.2.200', email);
  const browser = service.browser();
  await browser.post('/session', { email, password: PASSWORD }, { 'x-forwarded-for': HOME });
  const changed = await browser.post(
    '/session/password',
    { current_password: PASSWORD, new_password: 'another good password' },
    { 'x-forwarded-for': HOME },
  );
  expect(changed.status).toBe(200);
  expect(await signInPlaces.has(personId, '192.0.2.200', 0)).toBe(false);
  expect(await signInPlaces.has(personId, HOME, 0)).toBe(true);

  const owner = await service.newPerson('owner', null);
  const asOwner = await service.signedIn(owner.email);
  expect((await asOwner.post(`/people/${personId}/reset-password`)).status).toBe(200);
  expect(await signInPlaces.has(personId, HOME, 0)).toBe(false);
});

/** Makes password checks wait. `begun` lists those in progress, in the order of their turns. */
function holdPasswords() {
  const begun: { password: string; end(): void }[] = [];
  let isHeld = true;
  const held = new Passwords(CHEAP_PASSWORDS, async (parameters) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    begun.push({ password: String(parameters.message), end: resolve });
    if (isHeld) await promise;
    return await argon2id(parameters);
  });
  const services = service.services as { passwords: Passwords };
  const { passwords } = services;
  services.passwords = held;
  release = () => {
    isHeld = false;
    services.passwords = passwords;
    for (const { end } of begun) end();
  };
  return { begun, asked: vi.spyOn(held, 'isRight') };
}

const FLOOD = 100;
/** Two checks in progress and 64 waiting. */
const LOOKED_AT = 66;

it('a flood from many addresses slows itself, not a person who signed in before', async () => {
  const { email } = await newPerson();
  expect(await signIn(HOME, email)).toBe(200);
  const { begun, asked } = holdPasswords();
  const ends: number[] = [];
  const flood = Array.from({ length: FLOOD }, async (_, at) => {
    ends.push(await signIn(`10.7.0.${at}`, `flood${at}@people.example`, WRONG));
  });
  await expect.poll(() => ends.length).toBe(FLOOD - LOOKED_AT);
  expect(new Set(ends)).toEqual(new Set([503]));
  const own = signIn(HOME, email);
  await expect.poll(() => asked.mock.calls.length).toBe(FLOOD + 1);
  // The next two turns.
  for (const { end } of [...begun]) end();
  await expect.poll(() => begun.length).toBe(4);
  expect(begun.slice(2).map(({ password }) => password)).toContain(PASSWORD);
  release();
  expect(await own).toBe(200);
  await Promise.all(flood);
  const counts = Map.groupBy(ends, (status) => status);
  expect([counts.get(401)?.length, counts.get(503)?.length]).toEqual([
    LOOKED_AT,
    FLOOD - LOOKED_AT,
  ]);
});

it('a flood from one address leaves room for somebody who signs in for the first time', async () => {
  const { email } = await newPerson();
  const { asked } = holdPasswords();
  const { passwords } = service.services;
  const flood = Promise.allSettled(
    Array.from({ length: FLOOD }, () =>
      passwords.isRight(WRONG, null, { source: '10.8.0.1', isKnown: false }),
    ),
  );
  const own = signIn('203.0.113.9', email);
  await expect.poll(() => asked.mock.calls.length).toBe(FLOOD + 1);
  release();
  expect(await own).toBe(200);
  const looked = (await flood).filter(({ status }) => status === 'fulfilled');
  // One had to make room.
  expect(looked).toHaveLength(LOOKED_AT - 1);
});

it('whoever is deactivated while the password is looked at is not signed in', async () => {
  const { personId, email } = await newPerson();
  const { store, passwords } = service.services;
  const isRight = passwords.isRight.bind(passwords);
  vi.spyOn(passwords, 'isRight').mockImplementationOnce(async (...args) => {
    const answer = await isRight(...args);
    await writing(store).people.update(personId, { isActive: false });
    return answer;
  });
  expect(await signIn(HOME, email)).toBe(401);
  expect(await signIn(HOME, email)).toBe(401);
  await writing(store).people.update(personId, { isActive: true });
  expect(await signIn(HOME, email)).toBe(200);
});

it('whose account is ended while the password is looked at is not signed in', async () => {
  const { accountId } = await service.addAccount('soon ended');
  const { email } = await service.newPerson('manager', accountId);
  const { store, passwords } = service.services;
  const isRight = passwords.isRight.bind(passwords);
  vi.spyOn(passwords, 'isRight').mockImplementationOnce(async (...args) => {
    const answer = await isRight(...args);
    await writing(store).accounts.update(accountId, { isActive: false });
    return answer;
  });
  expect(await signIn(HOME, email)).toBe(401);
});

it('the store is asked as much about an address that nobody has', async () => {
  const { accounts, people, signInPlaces } = service.services.store;
  const questions = [
    vi.spyOn(people, 'findByEmail'),
    vi.spyOn(accounts, 'find'),
    vi.spyOn(people, 'passwordHash'),
    vi.spyOn(signInPlaces, 'has'),
  ];
  const countsOf = async (email: string) => {
    for (const question of questions) question.mockClear();
    expect(await signIn('192.0.2.77', email, WRONG)).toBe(401);
    return questions.map((question) => question.mock.calls.length);
  };
  const { email, personId } = await newPerson();
  const ofSomebody = await countsOf(email);
  expect(ofSomebody).toEqual([1, 1, 1, 1]);
  expect(await countsOf('nobody@people.example')).toEqual(ofSomebody);
  await writing(service.services.store).people.update(personId, { isActive: false });
  expect(await countsOf(email)).toEqual(ofSomebody);
});
