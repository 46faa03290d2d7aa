/** Records of a control store, table by table. */

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/store/accounts.ts';
import { LIMITED_STATUS, STEP_STATUS } from '../../../src/store/quantities.ts';
import { PLACES_MAX } from '../../../src/store/sign-in-places.ts';
import { EXAMINED_ROWS_MAX, MONTH_SYMBOLS_MAX } from '../../../src/store/usage.ts';
import { ledgerOf } from '../../ledger-of.ts';
import { writing } from '../../writing.ts';
import {
  fill,
  NOW_MS,
  newAccount,
  newHash,
  newKey,
  newOffer,
  newOwner,
  newRule,
  usageOf,
} from './samples.ts';
import type { Stores } from './store-kind.ts';

function testAccounts({ openTwice }: Stores): void {
  it('keeps accounts as they were made and changed, for every client', async () => {
    const { store, other } = await openTwice();
    const limits = { ...UNLIMITED, minute: { ...UNLIMITED.minute, requests: 5 } };
    const account = newAccount({
      name: 'Ünïcode 😀',
      isAdmin: true,
      limits,
      contractEndsAtMs: NOW_MS,
    });
    const accountId = await writing(store).accounts.create(account);
    const own = { limits, contractEndsAtMs: NOW_MS };
    const kept = { ...account, accountId, isActive: true, own, offer: null };
    expect(await other.accounts.find(accountId)).toEqual(kept);
    expect(await other.accounts.findByName('Ünïcode 😀')).toEqual(kept);
    const changes = { isActive: false, ipSubnets: [], contractEndsAtMs: null };
    await writing(other).accounts.update(accountId, changes);
    const changed = { ...kept, ...changes, own: { limits, contractEndsAtMs: null } };
    expect(await store.accounts.find(accountId)).toEqual(changed);
    expect(await store.accounts.findByName('another')).toBeNull();
  });

  it('lists accounts by their ids, a page at a time, and counts who administers', async () => {
    const { store } = await openTwice();
    const ids: number[] = [];
    for (const isAdmin of [true, false, true]) {
      ids.push(await writing(store).accounts.create(newAccount({ isAdmin })));
    }
    const listed = async (after: number, limit: number) =>
      (await store.accounts.list(after, limit)).map(({ accountId }) => accountId);
    expect(await listed(0, 2)).toEqual(ids.slice(0, 2));
    expect(await listed(ids[1] as number, 9)).toEqual(ids.slice(2));
    expect(await store.accounts.countActiveAdmins()).toBe(2);
    await writing(store).accounts.update(ids[0] as number, { isActive: false });
    expect(await store.accounts.countActiveAdmins()).toBe(1);
  });

  it('keeps the greatest numbers, and finds nobody by a text that no record can have', async () => {
    const { store, other } = await openTwice();
    const account = newAccount({ maxActiveApiKeys: Number.MAX_SAFE_INTEGER });
    await writing(store).accounts.create(account);
    expect(await other.accounts.findByName(account.name)).toMatchObject(account);
    expect(await store.accounts.findByName('a\0b')).toBeNull();
    expect(await store.people.findByEmail('a\0b@example.com')).toBeNull();
  });

  it('refuses a second account of a name, and a key of no account', async () => {
    const { store } = await openTwice();
    const account = newAccount();
    await writing(store).accounts.create(account);
    await expect(writing(store).accounts.create(account)).rejects.toThrow();
    await expect(writing(store).keys.create(newKey(4711))).rejects.toThrow();
  });
}

function testKeysAndRules({ openTwice }: Stores): void {
  it('keeps keys, and never gives the id of a deleted one again', async () => {
    const { store, other } = await openTwice();
    const { accounts, keys } = writing(store);
    const accountId = await accounts.create(newAccount());
    const key = newKey(accountId);
    const keyId = await keys.create(key);
    await keys.rename(keyId, 'renamed');
    await keys.setActive(keyId, false);
    const { hash: _, ...shown } = key;
    const rest = { name: 'renamed', lastUsedAtMs: null, isActive: false };
    expect(await other.keys.find(keyId)).toEqual({ ...shown, keyId, ...rest });
    await keys.delete(keyId);
    expect(await other.keys.find(keyId)).toBeNull();
    expect(await keys.create(newKey(accountId))).toBeGreaterThan(keyId);
  });

  it('counts keys by their state, and tells whether one opens anything', async () => {
    const { store } = await openTwice();
    const { accounts, keys } = writing(store);
    const accountId = await accounts.create(newAccount());
    expect(await store.keys.isAnyUsable(NOW_MS)).toBe(false);
    const [first = 0] = [
      await keys.create(newKey(accountId)),
      await keys.create(newKey(accountId)),
    ];
    await keys.setActive(first, false);
    const counts = async (nowMs: number) => [
      await store.keys.countOf(accountId),
      await store.keys.countActive(accountId, nowMs),
      await store.keys.isAnyUsable(nowMs),
    ];
    expect(await counts(NOW_MS)).toEqual([2, 1, true]);
    expect(await counts(NOW_MS + 1000)).toEqual([2, 0, false]);
    await accounts.update(accountId, { isActive: false });
    expect(await store.keys.isAnyUsable(NOW_MS)).toBe(false);
  });

  it('keeps rules, the oldest window of a dataset first', async () => {
    const { store, other } = await openTwice();
    const { accounts, rules } = writing(store);
    const accountId = await accounts.create(newAccount());
    expect(await store.rules.isAny()).toBe(false);
    const later = newRule(accountId, 'US9002', '2025-01-01');
    const earlier = { ...newRule(accountId, 'US9002', '2020-01-01'), endDate: '2024-12-31' };
    const another = { ...newRule(accountId, 'US9001'), columns: ['Ticker', 'ClosePrice'] };
    const [laterId = 0, earlierId = 0, anotherId = 0] = [
      await rules.add(later),
      await rules.add(earlier),
      await rules.add(another),
    ];
    const ofDataset = [
      { ...earlier, offerId: null, ruleId: earlierId },
      { ...later, offerId: null, ruleId: laterId },
    ];
    expect(await other.rules.listOfDataset(accountId, 'US9002')).toEqual(ofDataset);
    const all = [{ ...another, offerId: null, ruleId: anotherId }, ...ofDataset];
    expect(await other.rules.listOf(accountId)).toEqual(all);
    expect(await other.rules.isAny()).toBe(true);
    const dates = { startDate: '2021-01-01', endDate: '2021-12-31' };
    const terms = { ...dates, universe: ['B'], columns: null };
    await rules.update(anotherId, terms);
    expect(await other.rules.find(anotherId)).toEqual({ ...all[0], ...terms });
    await rules.delete(anotherId);
    expect(await other.rules.find(anotherId)).toBeNull();
    expect(await rules.add(another)).toBeGreaterThan(anotherId);
  });
}

function testAccessRequests({ openTwice }: Stores): void {
  it('keeps requests for access, the newest first, one open for a dataset', async () => {
    const { store, other } = await openTwice();
    const { accounts, accessRequests } = writing(store);
    const accountId = await accounts.create(newAccount());
    const stranger = await accounts.create(newAccount());
    const asked = { accountId, datasetId: 'US9001', askedBy: 'a@b.example', note: "it's 😀" };
    const request = { ...asked, createdAtMs: NOW_MS };
    const first = await accessRequests.add(request);
    await expect(accessRequests.add(request)).rejects.toThrow();
    const second = await accessRequests.add({ ...request, accountId: stranger });
    const open = { state: 'open' as const, decidedAtMs: null };
    expect(await other.accessRequests.find(first)).toEqual({
      ...{ ...request, requestId: first, ...open },
    });
    await accessRequests.decide(first, 'declined', NOW_MS + 1);
    const third = await accessRequests.add(request);
    const ids = async (filter: object, before = 0, limit = 9) =>
      (await other.accessRequests.list(filter, before, limit)).map(({ requestId }) => requestId);
    expect(await ids({})).toEqual([third, second, first]);
    expect(await ids({}, third, 1)).toEqual([second]);
    expect(await ids({ accountId })).toEqual([third, first]);
    expect(await ids({ state: 'open' })).toEqual([third, second]);
    expect(await other.accessRequests.find(first)).toMatchObject({
      state: 'declined',
      decidedAtMs: NOW_MS + 1,
    });
  });
}

function testEnquiries({ openTwice }: Stores): void {
  it('keeps the newest enquiry of an address and dataset, the newest first, and drops the oldest', async () => {
    const { store, other } = await openTwice();
    const { enquiries } = writing(store);
    const add = (email: string, datasetId: string | null, note: string) =>
      enquiries.add({ email, datasetId, note, createdAtMs: NOW_MS }, 3);
    const notes = async () => (await other.enquiries.list(9)).map(({ note }) => note);
    await add('a@b.example', 'US9001', 'first');
    await add('a@b.example', null, 'second');
    await add('a@b.example', 'US9001', 'third');
    await add('a@b.example', null, 'fourth');
    expect(await notes()).toEqual(['fourth', 'third']);
    await add('c@d.example', null, 'fifth');
    await add('e@f.example', null, 'sixth');
    expect(await notes()).toEqual(['sixth', 'fifth', 'fourth']);
  });

  it('keeps enquiries, and removes one or those of an address', async () => {
    const { store, other } = await openTwice();
    const { enquiries } = writing(store);
    const asked = { email: 'a@b.example', note: "it's 😀", createdAtMs: NOW_MS };
    const first = await enquiries.add({ ...asked, datasetId: 'US9001' }, 9);
    const second = await enquiries.add({ ...asked, datasetId: null }, 9);
    const third = await enquiries.add({ ...asked, email: 'c@d.example', datasetId: null }, 9);
    expect(await other.enquiries.list(2)).toEqual([
      { ...asked, email: 'c@d.example', datasetId: null, enquiryId: third },
      { ...asked, datasetId: null, enquiryId: second },
    ]);
    await enquiries.delete(second);
    expect(await other.enquiries.find(second)).toBeNull();
    const taken = await enquiries.takeOf('a@b.example');
    expect(taken).toEqual([{ ...asked, datasetId: 'US9001', enquiryId: first }]);
    expect(await other.enquiries.list(9)).toHaveLength(1);
    expect(await other.enquiries.find(first)).toBeNull();
    expect(await enquiries.takeOf('a@b.example')).toEqual([]);
  });
}

const DAY_MS = 86_400_000;

function testOffers({ openTwice }: Stores): void {
  it('keeps offers as they were made and changed, and lists them by their ids', async () => {
    const { store, other } = await openTwice();
    const { offers } = writing(store);
    const limits = { ...UNLIMITED, month: { ...UNLIMITED.month, requests: 5 } };
    const offer = newOffer({ name: 'Ünïcode 😀', limits, contractDays: 30 });
    const offerId = await offers.create(offer);
    const nextId = await offers.create(newOffer());
    expect(await other.offers.find(offerId)).toEqual({ ...offer, offerId });
    expect(await other.offers.findByName('Ünïcode 😀')).toEqual({ ...offer, offerId });
    expect(await other.offers.findByName('a\0b')).toBeNull();
    expect((await other.offers.list(0, 1)).map((each) => each.offerId)).toEqual([offerId]);
    expect((await other.offers.list(offerId, 9)).map((each) => each.offerId)).toEqual([nextId]);
    const changes = { name: 'renamed', limits: UNLIMITED, contractEndsAtMs: NOW_MS };
    await offers.update(offerId, { ...changes, contractDays: null });
    const changed = { ...offer, ...changes, contractDays: null, offerId };
    expect(await other.offers.find(offerId)).toEqual(changed);
    await expect(offers.create(newOffer({ name: 'renamed' }))).rejects.toThrow();
    await expect(offers.update(offerId, { contractDays: 1 })).rejects.toThrow();
    await offers.delete(nextId);
    expect(await other.offers.find(nextId)).toBeNull();
    expect(await offers.create(newOffer())).toBeGreaterThan(nextId);
  });

  it('gives accounts the terms of their offer wherever they have none of their own', async () => {
    const { store, other } = await openTwice();
    const { offers, accounts } = writing(store);
    const month = { requests: 7, scannedBytes: 8, returnedBytes: null };
    const limits = { ...UNLIMITED, month };
    const offerId = await offers.create(newOffer({ limits, contractDays: 10 }));
    const ownLimits = { ...UNLIMITED, month: { ...UNLIMITED.month, requests: 1 } };
    const offer = { offerId, givenAtMs: NOW_MS };
    const accountId = await accounts.create(newAccount({ limits: ownLimits, offer }));
    const own = { limits: ownLimits, contractEndsAtMs: null };
    expect(await other.accounts.find(accountId)).toMatchObject({
      limits: { ...UNLIMITED, month: { ...month, requests: 1 } },
      contractEndsAtMs: NOW_MS + 10 * DAY_MS,
      own,
      offer,
    });
    expect(await other.offers.countAccounts(offerId)).toBe(1);
    const without = await accounts.create(newAccount());
    expect((await other.accounts.list(0, 9, { offerId })).map((each) => each.accountId)).toEqual([
      accountId,
    ]);
    const [first] = await other.accounts.list(0, 1);
    const { name = '' } = first ?? {};
    const found = await other.accounts.list(0, 9, { nameText: name.slice(1).toUpperCase() });
    expect(found.map((each) => each.name)).toContain(name);
    expect(await other.accounts.list(0, 9, { nameText: 'nobody% has_this' })).toEqual([]);
    expect(await other.accounts.list(0, 9)).toHaveLength(2);
    await expect(offers.delete(offerId)).rejects.toThrow();
    await offers.update(offerId, { contractDays: null, contractEndsAtMs: NOW_MS + 5 });
    expect(await other.accounts.find(accountId)).toMatchObject({ contractEndsAtMs: NOW_MS + 5 });
    // A change of something else takes nothing over from the offer.
    await accounts.update(accountId, { name: 'renamed' });
    expect(await other.accounts.find(accountId)).toMatchObject({ name: 'renamed', own, offer });
    await accounts.update(accountId, { contractEndsAtMs: NOW_MS + 9 });
    expect(await other.accounts.find(accountId)).toMatchObject({ contractEndsAtMs: NOW_MS + 9 });
    await accounts.update(accountId, { offer: null, contractEndsAtMs: null });
    expect(await other.accounts.find(accountId)).toMatchObject({ ...own, own, offer: null });
    await offers.delete(offerId);
    expect(await other.accounts.find(without)).not.toBeNull();
  });

  it('lists the rules of an offer for the accounts that have it, and ends them with it', async () => {
    const { store, other } = await openTwice();
    const { offers, accounts, rules } = writing(store);
    const offerId = await offers.create(newOffer());
    const offer = { offerId, givenAtMs: NOW_MS };
    const accountId = await accounts.create(newAccount({ offer }));
    const { accountId: _, ...terms } = newRule(0, 'US9002', '2022-01-01');
    const offered = await rules.add({ offerId, ...terms });
    const own = await rules.add(newRule(accountId, 'US9002', '2021-01-01'));
    const another = await rules.add(newRule(accountId, 'US9001'));
    const idsOf = (all: readonly { ruleId: number }[]) => all.map(({ ruleId }) => ruleId);
    expect(idsOf(await other.rules.listOf(accountId))).toEqual([another, own, offered]);
    expect(idsOf(await other.rules.listOfDataset(accountId, 'US9002'))).toEqual([own, offered]);
    expect(await other.rules.listOfHolder({ offerId })).toEqual([
      { ...terms, accountId: null, offerId, ruleId: offered },
    ]);
    await accounts.update(accountId, { offer: null });
    expect(idsOf(await other.rules.listOf(accountId))).toEqual([another, own]);
    await offers.delete(offerId);
    expect(await other.rules.find(offered)).toBeNull();
  });
}

function testPeople({ openTwice }: Stores): void {
  it('counts the people of an account', async () => {
    const { store, other } = await openTwice();
    const { accountId } = await store.transaction(fill);
    await writing(store).people.create(newOwner({ accountId }));
    await writing(store).people.create(newOwner());
    expect(await other.people.countOf(accountId)).toBe(2);
  });

  it('lists the first owners who are active', async () => {
    const { store, other } = await openTwice();
    const { accountId } = await store.transaction(fill);
    const { people } = writing(store);
    const inactive = await people.create(newOwner());
    await people.update(inactive, { isActive: false });
    await people.create({ ...newOwner({ accountId }), role: 'manager' });
    const owners = [await people.create(newOwner()), await people.create(newOwner())];
    const listed = (await other.people.listActiveOwners(9)).map(({ personId }) => personId);
    expect(listed.filter((personId) => personId >= inactive)).toEqual(owners);
    expect(await other.people.listActiveOwners(1)).toHaveLength(1);
  });

  it('keeps people and their passwords, and deletes their sessions with them', async () => {
    const { store, other } = await openTwice();
    const { people, sessions } = writing(store);
    const { passwordHash, ...owner } = newOwner({ email: 'owner@example.com' });
    const personId = await people.create({ ...owner, passwordHash });
    const rest = { isActive: true, lastSignInAtMs: null, hasSecondFactor: false };
    const kept = { ...owner, personId, ...rest };
    const isInitial = { isPasswordInitial: true };
    expect(await other.people.findByEmail('owner@example.com')).toEqual({ ...kept, ...isInitial });
    expect(await other.people.passwordHash(personId)).toBe('a hash');
    await people.setPassword(personId, 'another hash', false);
    expect(await other.people.passwordHash(personId)).toBe('another hash');
    expect(await other.people.find(personId)).toEqual({ ...kept, isPasswordInitial: false });
    expect(await other.people.countActiveOwners()).toBe(1);
    const tokenHash = newHash();
    await sessions.create({ tokenHash, personId, createdAtMs: NOW_MS });
    await people.delete(personId);
    expect(await store.transaction((tx) => tx.findSession(tokenHash))).toBeNull();
    expect(await other.people.list(null, 0, 9)).toEqual([]);
  });

  it('refuses a second person of an address, and one without an account who is no owner', async () => {
    const { store } = await openTwice();
    const { people } = writing(store);
    const owner = newOwner();
    await people.create(owner);
    await expect(people.create(owner)).rejects.toThrow();
    await expect(people.create({ ...newOwner(), role: 'member' })).rejects.toThrow();
  });

  it('ends sessions that are over, and the oldest beyond so many', async () => {
    const { store } = await openTwice();
    const personId = await writing(store).people.create(newOwner());
    const hashes = [newHash(), newHash(), newHash(), newHash()];
    await store.transaction(async ({ sessions }) => {
      for (const [at, tokenHash] of hashes.entries()) {
        await sessions.create({ tokenHash, personId, createdAtMs: NOW_MS + at });
      }
      await sessions.keepNewestOf(personId, 3);
      await sessions.setSeen(hashes[1] as string, NOW_MS + 10);
      await sessions.deleteOver(NOW_MS, NOW_MS + 2);
    });
    await store.catchUp();
    const live = hashes.filter((hash) => store.replica.findSession(hash) !== null);
    expect(live).toEqual([hashes[1], hashes[3]]);
  });

  it('keeps a second factor, tells of it in the person, and drops it with the person', async () => {
    const { store, other } = await openTwice();
    const { people, secondFactors } = writing(store);
    const personId = await people.create(newOwner());
    const pending = {
      ...{ personId, secret: 'ABC', isOn: false, lastStep: 0, failureCount: 0 },
      recoveryHashes: [],
    };
    const isTold = async () => (await other.people.find(personId))?.hasSecondFactor;
    await secondFactors.put(pending);
    expect(await other.secondFactors.find(personId)).toEqual(pending);
    expect(await isTold()).toBe(false);
    const factor = { ...pending, isOn: true, lastStep: 2 ** 33, recoveryHashes: ['a', 'b'] };
    await secondFactors.put(factor);
    expect(await other.secondFactors.find(personId)).toEqual(factor);
    expect(await isTold()).toBe(true);
    await secondFactors.delete(personId);
    expect(await other.secondFactors.find(personId)).toBeNull();
    expect(await isTold()).toBe(false);
    await secondFactors.put(factor);
    await people.delete(personId);
    expect(await other.secondFactors.find(personId)).toBeNull();
  });

  it('lists the sessions of a person, the one used last first', async () => {
    const { store, other } = await openTwice();
    const { people, sessions } = writing(store);
    const personId = await people.create(newOwner());
    const [first, second] = [newHash(), newHash()];
    const described = { source: '10.0.0.1', browser: 'Firefox' };
    await sessions.create({ tokenHash: first, personId, createdAtMs: NOW_MS, ...described });
    await sessions.create({ tokenHash: second, personId, createdAtMs: NOW_MS });
    await sessions.setSeen(first, NOW_MS + 1);
    const plain = { source: '', browser: '' };
    expect(await other.sessions.listOf(personId)).toEqual([
      { tokenHash: first, personId, createdAtMs: NOW_MS, seenAtMs: NOW_MS + 1, ...described },
      { tokenHash: second, personId, createdAtMs: NOW_MS, seenAtMs: NOW_MS, ...plain },
    ]);
  });

  it('keeps one link of a person by its hash, and drops it with the person', async () => {
    const { store, other } = await openTwice();
    const { people, personLinks } = writing(store);
    const personId = await people.create(newOwner());
    const [first, second] = [newHash(), newHash()];
    const times = { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1000 };
    const invitation = { tokenHash: first, personId, kind: 'invitation' as const, ...times };
    await personLinks.put(invitation);
    expect(await other.personLinks.findByHash(first)).toEqual(invitation);
    expect(await other.personLinks.findByHash(second)).toBeNull();
    const reset = { ...invitation, tokenHash: second, kind: 'password_reset' as const };
    await personLinks.put(reset);
    expect(await other.personLinks.findByHash(first)).toBeNull();
    expect(await other.personLinks.findByHash(second)).toEqual(reset);
    await personLinks.deleteOf(personId);
    expect(await other.personLinks.findByHash(second)).toBeNull();
    await personLinks.put(reset);
    await personLinks.deleteAll();
    expect(await other.personLinks.findByHash(second)).toBeNull();
    await personLinks.put(reset);
    await people.delete(personId);
    expect(await other.personLinks.findByHash(second)).toBeNull();
  });

  it('remembers the places that people signed in from last, few of each', async () => {
    const { store, other } = await openTwice();
    const { people, signInPlaces } = writing(store);
    const personId = await people.create(newOwner());
    for (let at = 0; at <= PLACES_MAX; at++) await signInPlaces.remember(personId, `${at}`, at);
    expect(await other.signInPlaces.has(personId, '0', 0)).toBe(false);
    expect(await other.signInPlaces.has(personId, '1', 1)).toBe(true);
    expect(await other.signInPlaces.has(personId, '1', 2)).toBe(false);
    await signInPlaces.forgetAllOf(personId);
    expect(await other.signInPlaces.has(personId, '1', 0)).toBe(false);
  });
}

function testUsage({ openTwice }: Stores): void {
  it('sums up usage by day, key and dataset, and keeps a row for each request', async () => {
    const { store, other } = await openTwice();
    const { accountId, keyId } = await store.transaction(fill);
    const later = usageOf(accountId, { answeredAtMs: NOW_MS + 86_400_000, countsInMinute: false });
    const byKey = usageOf(accountId, { keyId });
    await writing(store).usage.add([usageOf(accountId), byKey, usageOf(accountId), later]);
    const range = { firstDay: '2026-11-20', lastDay: '2026-11-21' };
    const twice = { requests: 2, scannedBytes: 2 ** 41, returnedBytes: 200 };
    const once = { requests: 1, scannedBytes: 2 ** 40, returnedBytes: 100 };
    const ofDay = { day: '2026-11-20', datasetId: 'US9001' };
    expect(await other.usage.listDays(accountId, range)).toEqual([
      expect.objectContaining({ ...ofDay, keyId: 0, ...twice }),
      expect.objectContaining({ ...ofDay, keyId, ...once }),
      expect.objectContaining({ ...ofDay, day: '2026-11-21', keyId: 0, ...once }),
    ]);
    expect(await other.usage.total(accountId, range)).toMatchObject({ requests: 4 });
    const ledger = await ledgerOf(other.usage, accountId, NOW_MS + 1);
    expect(ledger).toMatchObject([later]);
    expect((await other.keys.find(keyId))?.lastUsedAtMs).toBe(NOW_MS);
  });

  it('lists the latest requests of an account, also only those that were refused', async () => {
    const { store, other } = await openTwice();
    const { accountId, keyId } = await store.transaction(fill);
    const stranger = await writing(store).accounts.create(newAccount());
    const at = (id: string, changes: object = {}) =>
      usageOf(accountId, { requestId: id, ...changes });
    const refused = { status: 429, keyId, datasetId: '' };
    const told = { path: '/v1/data?a=\0', reason: "'limit' should be 1\0" };
    const records = [at('a'), at('b', { ...refused, ...told }), usageOf(stranger), at('c')];
    await writing(store).usage.add(records);
    const ids = async (filter: object, before = 0, limit = 9) =>
      (await other.usage.listLatest({ accountId, ...filter }, before, limit)).rows.map(
        ({ requestId }) => requestId,
      );
    expect(await ids({})).toEqual(['c', 'b', 'a']);
    const [latest] = (await other.usage.listLatest({ accountId }, 0, 1)).rows;
    expect(latest).toEqual({ ...at('c'), ledgerId: expect.any(Number) });
    const [known] = (await other.usage.listLatest({ accountId, isRefused: true }, 0, 1)).rows;
    expect(known).toMatchObject({
      path: '/v1/data?a=\uFFFD',
      reason: "'limit' should be 1\uFFFD",
    });
    expect(await ids({}, latest?.ledgerId, 1)).toEqual(['b']);
    expect(await ids({ isRefused: true })).toEqual(['b']);
    expect(await ids({ keyId })).toEqual(['b']);
    expect(await ids({ datasetId: 'US9001' })).toEqual(['c', 'a']);
  });

  it('looks at so many requests of an account at once, and tells where it stopped', async () => {
    const { store, other } = await openTwice();
    const { accountId } = await store.transaction(fill);
    const { usage } = writing(store);
    const refused = usageOf(accountId, { status: 429 });
    const quiet = Array.from({ length: EXAMINED_ROWS_MAX }, () => usageOf(accountId));
    await usage.add([refused, ...quiet]);
    const filter = { accountId, isRefused: true };
    const first = await other.usage.listLatest(filter, 0, 9);
    expect(first.rows).toEqual([]);
    const next = await other.usage.listLatest(filter, Number(first.unexaminedId) + 1, 9);
    expect(next).toMatchObject({ rows: [{ status: 429 }], unexaminedId: null });
  });

  it('tells whether rows were read for an account, and with a key', async () => {
    const { store, other } = await openTwice();
    const { accountId, keyId } = await store.transaction(fill);
    const { usage } = writing(store);
    const uses = () => other.usage.firstUses(accountId);
    await usage.add([usageOf(accountId, { keyId, scannedBytes: 0 })]);
    expect(await uses()).toEqual({ hasAsked: false, hasAskedByKey: false });
    await usage.add([usageOf(accountId)]);
    expect(await uses()).toEqual({ hasAsked: true, hasAskedByKey: false });
    await usage.add([usageOf(accountId, { keyId })]);
    expect(await uses()).toEqual({ hasAsked: true, hasAskedByKey: true });
  });

  it('tells the usage of a minute, the requests of a second together', async () => {
    const { store } = await openTwice();
    const { accountId } = await store.transaction(fill);
    const at = (ms: number) => usageOf(accountId, { answeredAtMs: NOW_MS + ms });
    await writing(store).usage.add([at(0), at(1), at(500), at(1000), at(9000)]);
    const moments = await store.usage.listMoments(NOW_MS, NOW_MS + 1000);
    expect(moments.map(({ atMs, requests }) => [atMs - NOW_MS, requests])).toEqual([
      [500, 2],
      [1000, 1],
    ]);
  });

  it('drops old rows of the ledger, a few at once, and no sums', async () => {
    const { store } = await openTwice();
    const { accountId } = await store.transaction(fill);
    const { usage } = writing(store);
    await usage.add(Array.from({ length: 5 }, () => usageOf(accountId)));
    expect(await usage.deleteLedger(NOW_MS, 9)).toBe(0);
    expect(await usage.deleteLedger(NOW_MS + 1, 3)).toBe(3);
    expect(await usage.deleteLedger(NOW_MS + 1, 3)).toBe(2);
    const day = { firstDay: '2026-11-20', lastDay: '2026-11-20' };
    expect((await store.usage.total(accountId, day)).requests).toBe(5);
  });
}

function testBilling({ openTwice }: Stores): void {
  it('sums up months by account with rows and different identifiers, also after the ledger has gone', async () => {
    const { store, other } = await openTwice();
    const { usage } = writing(store);
    const NOVEMBER = { answeredAtMs: Date.parse('2026-11-30T23:59:59Z') };
    const DECEMBER = { answeredAtMs: Date.parse('2026-12-01T00:00:00Z') };
    await usage.add([usageOf(7), usageOf(7, { ...NOVEMBER, symbols: ['AAA', 'BBB'] })]);
    await usage.add([usageOf(7, NOVEMBER), usageOf(7, DECEMBER), usageOf(8, { symbols: [] })]);
    await usage.add([
      usageOf(8, { status: STEP_STATUS, rowCount: 0, scannedBytes: 0, symbols: [] }),
    ]);
    const range = { firstMonth: '2026-11', lastMonth: '2026-12' };
    const one = { requests: 1, scannedBytes: 2 ** 40, returnedBytes: 100, rowCount: 5 };
    const expected = [
      {
        ...{ month: '2026-11', accountId: 7, requests: 3, scannedBytes: 3 * 2 ** 40 },
        ...{ returnedBytes: 300, rowCount: 15, symbolCount: 3 },
      },
      { ...one, month: '2026-11', accountId: 8, returnedBytes: 200, symbolCount: 0 },
      { ...one, month: '2026-12', accountId: 7, symbolCount: 2 },
    ];
    expect(await other.usage.listMonths(null, range)).toEqual(expected);
    await usage.deleteLedger(Number.MAX_SAFE_INTEGER, 100);
    expect(await other.usage.listMonths(null, range)).toEqual(expected);
    const last = { firstMonth: '2026-12', lastMonth: '2026-12' };
    expect(await other.usage.listMonths(8, range)).toEqual([expected[1]]);
    expect(await other.usage.listMonths(8, last)).toEqual([]);
  });

  it('keeps about as many identifiers of an account and a month as it should, and all of the next', async () => {
    const { store, other } = await openTwice();
    const { usage } = writing(store);
    const symbols = Array.from({ length: MONTH_SYMBOLS_MAX }, (_, at) => `S${at}`);
    await usage.add([usageOf(9, { symbols })]);
    await usage.add([usageOf(9, { symbols: ['one more'] }), usageOf(10, { symbols: ['one'] })]);
    const range = { firstMonth: '2026-11', lastMonth: '2026-11' };
    const counts = (await other.usage.listMonths(null, range)).map((month) => month.symbolCount);
    expect(counts).toEqual([MONTH_SYMBOLS_MAX, 1]);
  });

  it('counts requests that named what no security can be called, and keeps nothing of those names', async () => {
    const { store, other } = await openTwice();
    const incompressible = randomBytes(9000).toString('base64');
    const symbols = ['AAA', incompressible, 'a\0b', 'ö'.repeat(64)];
    await writing(store).usage.add([usageOf(7, { symbols })]);
    const range = { firstMonth: '2026-11', lastMonth: '2026-11' };
    expect(await other.usage.listMonths(7, range)).toMatchObject([{ requests: 1, symbolCount: 2 }]);
    expect(await ledgerOf(other.usage, 7)).toMatchObject([{ symbols: ['AAA', 'ö'.repeat(64)] }]);
  });

  it('lists the ledger by time, page by page, of an account or of all', async () => {
    const { store, other } = await openTwice();
    const { usage } = writing(store);
    const late = usageOf(7, { answeredAtMs: NOW_MS + 2, requestId: 'late' });
    await usage.add([late, usageOf(7, { requestId: 'a' }), usageOf(8, { requestId: 'b' })]);
    const filter = { accountId: null, fromMs: NOW_MS, toMs: NOW_MS + 3 };
    const all = await other.usage.listLedger(filter, 0, 9);
    expect(all.map(({ requestId }) => requestId)).toEqual(['a', 'b', 'late']);
    expect(all[2]).toEqual({ ...late, ledgerId: all[2]?.ledgerId });
    const after = all[0]?.ledgerId as number;
    expect(await other.usage.listLedger(filter, after, 1)).toEqual([all[1]]);
    expect(await other.usage.listLedger({ ...filter, accountId: 7 }, after, 9)).toEqual([all[2]]);
    expect(await other.usage.listLedger({ ...filter, toMs: NOW_MS + 2 }, 0, 9)).toHaveLength(2);
  });
}

function testRefusedUsage({ openTwice }: Stores): void {
  it('counts the requests of each account that a limit refused, from a moment on', async () => {
    const { store, other } = await openTwice();
    const refused = (accountId: number, answeredAtMs: number, status = LIMITED_STATUS) =>
      usageOf(accountId, { answeredAtMs, status });
    await writing(store).usage.add([
      refused(7, NOW_MS - 1),
      refused(7, NOW_MS),
      refused(7, NOW_MS + 1, 403),
      refused(8, NOW_MS + 2),
      refused(8, NOW_MS + 1),
    ]);
    const eight = { accountId: 8, requestCount: 2, lastAtMs: NOW_MS + 2 };
    expect(await other.usage.listRefused(NOW_MS, 9)).toEqual([
      eight,
      { accountId: 7, requestCount: 1, lastAtMs: NOW_MS },
    ]);
    expect(await other.usage.listRefused(NOW_MS, 1)).toEqual([eight]);
    expect(await other.usage.listRefused(NOW_MS + 3, 9)).toEqual([]);
  });
}

function testLedgerPages({ openTwice }: Stores): void {
  it('goes on with the ledger where retention has taken the row that a page ended with', async () => {
    const { store, other } = await openTwice();
    const { usage } = writing(store);
    const at = (ms: number) => usageOf(7, { answeredAtMs: NOW_MS + ms, requestId: `${ms}` });
    await usage.add([at(3), at(2), at(1), at(0), at(3)]);
    const toMs = NOW_MS + 9;
    const ids = async (afterId: number, fromMs = 0) => {
      const span = { accountId: null, fromMs, toMs };
      const rows = await other.usage.listLedger(span, afterId, 9);
      return rows.map(({ requestId }) => requestId);
    };
    const rows = await other.usage.listLedger({ accountId: 7, fromMs: 0, toMs }, 0, 9);
    const idAt = (place: number) => Number(rows[place]?.ledgerId);
    expect(await ids(idAt(1))).toEqual(['2', '3', '3']);
    expect(await ids(idAt(3))).toEqual(['3']);
    expect(await ids(idAt(0), NOW_MS + 2)).toEqual(['2', '3', '3']);
    // The oldest go first, though they were not counted first.
    expect(await usage.deleteLedger(NOW_MS + 3, 2)).toBe(2);
    expect(await ids(0)).toEqual(['2', '3', '3']);
    expect(await ids(idAt(1))).toEqual(['2', '3', '3']);
  });
}

function testAuditLog({ openTwice }: Stores): void {
  it('keeps the audit log in its order, and finds entries by what they are about', async () => {
    const { store, other } = await openTwice();
    const entry = (actor: string, atMs: number) => ({
      happenedAtMs: NOW_MS + atMs,
      ...{ actor, source: '10.0.0.1', operation: 'act', target: 'rule:7' },
      before: null,
      after: { text: "it's 😀", list: [1, null] },
    });
    const actors = ['identity:3/key:5', 'identity:31', 'identity:3/key:6', 'person:2'];
    await store.transaction(async ({ audit }) => {
      for (const [at, actor] of actors.entries()) await audit.append(entry(actor, at));
    });
    const all = await other.audit.list({}, 'oldest first', 0, 9);
    expect(all.map(({ auditId: _, ...rest }) => rest)).toEqual(actors.map(entry));
    const found = async (filter: object, order: 'oldest first' | 'newest first', after = 0) =>
      (await other.audit.list(filter, order, after, 2)).map(({ actor }) => actor);
    expect(await found({ actor: 'identity:3' }, 'oldest first')).toEqual([actors[0], actors[2]]);
    expect(await found({}, 'newest first')).toEqual([actors[3], actors[2]]);
    expect(await found({}, 'newest first', all[2]?.auditId)).toEqual([actors[1], actors[0]]);
    expect(await found({ actor: 'key:6' }, 'oldest first')).toEqual([actors[2]]);
    expect(await found({ fromMs: NOW_MS + 1, toMs: NOW_MS + 2 }, 'oldest first')).toEqual([
      actors[1],
    ]);
    expect(await found({ operation: 'another' }, 'oldest first')).toEqual([]);
  });

  it('finds entries by what those who acted are or were called', async () => {
    const { store, other } = await openTwice();
    const base = { happenedAtMs: NOW_MS, source: '10.0.0.1', operation: 'act' };
    const acted = (actor: string) => ({
      ...base,
      actor,
      target: 'rule:7',
      before: null,
      after: null,
    });
    const known = (target: string, before: object | null, after: object | null) => ({
      ...base,
      ...{ actor: 'local:root', target, before, after },
    });
    const entries = [
      known('person:2', null, { email: 'ana@é.example' }),
      known('person:2', { email: 'ana@é.example' }, null),
      known('identity:3', { name: 'Early' }, { name: 'Late' }),
      known('api_key:5', { name: 'laptop' }, null),
      // An account may be called like a person's address, or a rule have a name.
      known('rule:9', { name: 'Early' }, { email: 'ana@é.example' }),
      ...['person:2', 'person:21', 'identity:3/key:5', 'identity:3/key:6', 'identity:4'].map(acted),
    ];
    await store.transaction(async ({ audit }) => {
      for (const entry of entries) await audit.append(entry);
    });
    const found = async (actorName: string) =>
      (await other.audit.list({ actorName }, 'oldest first', 0, 99)).map(({ actor }) => actor);
    expect(await found('Ana@É.example')).toEqual(['person:2']);
    for (const name of ['Early', 'Late']) {
      expect(await found(name)).toEqual(['identity:3/key:5', 'identity:3/key:6']);
    }
    expect(await found('laptop')).toEqual(['identity:3/key:5']);
    for (const name of ['early', 'person:2', 'rule:9', 'nobody']) {
      expect(await found(name)).toEqual([]);
    }
  });

  it('finds entries by what those who acted are called today', async () => {
    const { store, other } = await openTwice();
    const { accounts, people } = writing(store);
    const accountId = await accounts.create(newAccount({ name: 'Current' }));
    const personId = await people.create({ ...newOwner(), email: 'now@x.example' });
    const actors = [`identity:${accountId}/key:77`, `person:${personId}`];
    const entry = { happenedAtMs: NOW_MS, source: '', operation: 'act', target: 'rule:7' };
    await store.transaction(async ({ audit }) => {
      for (const actor of actors)
        await audit.append({ ...entry, actor, before: null, after: null });
    });
    const found = async (actorName: string) =>
      (await other.audit.list({ actorName }, 'oldest first', 0, 99)).map(({ actor }) => actor);
    expect(await found('Current')).toEqual([actors[0]]);
    expect(await found('NOW@x.example')).toEqual([actors[1]]);
  });
}

export function testRecords(stores: Stores): void {
  describe('records', () => {
    testAccounts(stores);
    testKeysAndRules(stores);
    testAccessRequests(stores);
    testEnquiries(stores);
    testOffers(stores);
    testPeople(stores);
    testUsage(stores);
    testBilling(stores);
    testRefusedUsage(stores);
    testLedgerPages(stores);
    testAuditLog(stores);
  });
}
