/** Store state that requests read locally, right after catching up. */
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/store/accounts.ts';
import type { ControlStore, StoreTransaction } from '../../../src/store/control-store.ts';
import { writing } from '../../writing.ts';
import {
  fill,
  NOW_MS,
  newAccount,
  newHash,
  newKey,
  newOffer,
  newRule,
  usageOf,
} from './samples.ts';
import type { Stores } from './store-kind.ts';

type Filled = Awaited<ReturnType<typeof fill>>;

/** Everything that the replica tells of what `fill` has made. */
function toldOf({ replica }: ControlStore, { accountId, hash, tokenHash }: Filled) {
  return {
    credential: replica.findCredential(hash),
    holder: replica.findSession(tokenHash),
    rules: replica.rulesOf(accountId),
    rulesOfDataset: replica.rulesOfDataset(accountId, 'US9001'),
  };
}

/** Like `toldOf`, but read from the store itself. */
async function keptOf(store: ControlStore, { accountId, hash, tokenHash }: Filled) {
  return store.transaction(async (tx) => ({
    credential: await tx.findCredential(hash),
    holder: await tx.findSession(tokenHash),
    rules: await tx.rules.listOf(accountId),
    rulesOfDataset: await tx.rules.listOfDataset(accountId, 'US9001'),
  }));
}

type Change = (tx: StoreTransaction, filled: Filled) => Promise<unknown>;

const CHANGES: Readonly<Record<string, Change>> = {
  'a key that is renamed': ({ keys }, { keyId }) => keys.rename(keyId, 'renamed'),
  'a key that is deactivated': ({ keys }, { keyId }) => keys.setActive(keyId, false),
  'a key that is deleted': ({ keys }, { keyId }) => keys.delete(keyId),
  'an account that is deactivated': ({ accounts }, { accountId }) =>
    accounts.update(accountId, { isActive: false }),
  'limits and subnets': ({ accounts }, { accountId }) =>
    accounts.update(accountId, { ipSubnets: [], maxActiveApiKeys: 9 }),
  'a contract that ends': ({ accounts }, { accountId }) =>
    accounts.update(accountId, { contractEndsAtMs: NOW_MS }),
  'a rule that is changed': ({ rules }, { ruleId }) =>
    rules.update(ruleId, { startDate: '2021-01-01', endDate: null, universe: [] }),
  'an offer that is given, with its rules': async ({ offers, accounts, rules }, filled) => {
    const { accountId } = filled;
    const limits = { ...UNLIMITED, month: { ...UNLIMITED.month, requests: 1 } };
    const offerId = await offers.create(newOffer({ limits, contractDays: 3 }));
    const { accountId: _, ...terms } = newRule(0);
    await rules.add({ offerId, ...terms });
    await accounts.update(accountId, { offer: { offerId, givenAtMs: NOW_MS } });
  },
  'an offer that is taken away': ({ accounts }, { accountId }) =>
    accounts.update(accountId, { offer: null }),
  'limits of the offer': ({ offers }, { offerId }) =>
    offers.update(offerId, {
      limits: { ...UNLIMITED, minute: { ...UNLIMITED.minute, requests: 2 } },
    }),
  'the end of contracts under the offer': ({ offers }, { offerId }) =>
    offers.update(offerId, { contractEndsAtMs: NOW_MS }),
  'a rule that is added to the offer': ({ rules }, { offerId }) => {
    const { accountId: _, ...terms } = newRule(0, 'US9000');
    return rules.add({ offerId, ...terms });
  },
  'a rule of the offer that is changed': ({ rules }, { offeredRuleId }) =>
    rules.update(offeredRuleId, { startDate: '2021-01-01', endDate: null, universe: [] }),
  'a rule of the offer that is deleted': ({ rules }, { offeredRuleId }) =>
    rules.delete(offeredRuleId),
  'a rule that is added': ({ rules }, { accountId }) =>
    rules.add({ ...newRule(accountId), startDate: '2019-01-01', endDate: '2019-12-31' }),
  'a rule of another dataset': ({ rules }, { accountId }) =>
    rules.add(newRule(accountId, 'US9000')),
  'a rule that is deleted': ({ rules }, { ruleId }) => rules.delete(ruleId),
  'a person who gets another role': ({ people }, { personId }) =>
    people.update(personId, { role: 'member' }),
  'a person who is deleted': ({ people }, { personId }) => people.delete(personId),
  'a person of another account': async ({ accounts, people }, { personId }) =>
    people.update(personId, { accountId: await accounts.create(newAccount()) }),
  'a password': ({ people }, { personId }) => people.setPassword(personId, 'new', false),
  'a session that was seen': ({ sessions }, { tokenHash }) =>
    sessions.setSeen(tokenHash, NOW_MS + 1),
  'a session that ends': ({ sessions }, { tokenHash }) => sessions.end(tokenHash),
  'sessions that end with another': async ({ sessions }, { personId }) => {
    await sessions.create({ tokenHash: newHash(), personId, createdAtMs: NOW_MS + 1 });
    await sessions.keepNewestOf(personId, 1);
  },
};

/** Tells no number of the uses of a key, which are not among what requests need. */
function judged({ credential, ...rest }: ReturnType<typeof toldOf>) {
  return { credential: credential && { ...credential, key: { ...credential.key } }, ...rest };
}

export function testReplica({ openTwice, begin }: Stores): void {
  describe('the replica', () => {
    for (const [name, change] of Object.entries(CHANGES)) {
      it(`follows ${name}, here and in another process, once it has caught up`, async () => {
        const { store, other } = await openTwice();
        for (const [changing, following] of [
          [store, other],
          [other, other],
        ] as const) {
          const filled = await changing.transaction(fill);
          await following.catchUp();
          const before = judged(toldOf(following, filled));
          expect(before).toEqual(await keptOf(following, filled));
          await changing.transaction((tx) => change(tx, filled));
          await following.catchUp();
          const after = judged(toldOf(following, filled));
          expect(after).toEqual(await keptOf(following, filled));
          if (name !== 'a password') expect(after).not.toEqual(before);
        }
      });
    }

    it('begins with all that the store holds', async () => {
      const { store, other } = await openTwice();
      const filled = await Promise.all(Array.from({ length: 5 }, () => store.transaction(fill)));
      await other.catchUp();
      for (const each of filled) {
        expect(judged(toldOf(other, each))).toEqual(await keptOf(store, each));
      }
    });

    it('knows nothing of a change that was taken back, nor of one that is not committed', async () => {
      const { store, other } = await openTwice();
      const filled = await store.transaction(fill);
      await Promise.all([store.catchUp(), other.catchUp()]);
      const before = toldOf(store, filled);
      const change = store.transaction(async ({ keys, sessions }) => {
        await keys.delete(filled.keyId);
        await sessions.end(filled.tokenHash);
        await Promise.all([store.catchUp(), other.catchUp()]);
        expect([toldOf(store, filled), toldOf(other, filled)]).toEqual([before, before]);
        throw new Error('taken back');
      });
      await expect(change).rejects.toThrow('taken back');
      await Promise.all([store.catchUp(), other.catchUp()]);
      expect([toldOf(store, filled), toldOf(other, filled)]).toEqual([before, before]);
    });

    it('is not read again because keys were used', async () => {
      const { store, other } = await openTwice();
      const { accountId, keyId, hash } = await store.transaction(fill);
      await store.catchUp();
      const credential = store.replica.findCredential(hash);
      for (const each of [store, other]) {
        await writing(each).usage.add([usageOf(accountId, { keyId })]);
      }
      await store.catchUp();
      expect(store.replica.findCredential(hash)).toBe(credential);
    });

    it('counts a change by another process for every request that begins after it', async () => {
      const { store } = await openTwice();
      const { accountId } = await store.transaction(fill);
      for (let round = 0; round < 3; round++) {
        const hash = newHash();
        const keyId = await writing(store).keys.create(newKey(accountId, hash));
        await store.catchUp();
        expect(store.replica.findCredential(hash)?.key.isActive).toBe(true);
        await begin('deactivateKey', keyId).result();
        await Promise.all(
          Array.from({ length: 20 }, async () => {
            await store.catchUp();
            expect(store.replica.findCredential(hash)?.key.isActive).toBe(false);
          }),
        );
      }
    });
  });
}
