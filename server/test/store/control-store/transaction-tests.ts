/** Transaction guarantees, within one client and among several. */

import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/store/control-store.ts';
import { ledgerOf } from '../../ledger-of.ts';
import { writing } from '../../writing.ts';
import { fill, NOW_MS, newAccount, newKey, newOwner, usageOf } from './samples.ts';
import type { Stores } from './store-kind.ts';

function testWork({ openTwice }: Stores): void {
  it('commits all of its work, however long that waits, and gives back its result', async () => {
    const { store, other } = await openTwice();
    const ids = await store.transaction(async ({ accounts }) => {
      const first = await accounts.create(newAccount());
      for (let at = 0; at < 20; at++) await turn();
      return [first, await accounts.create(newAccount())];
    });
    const kept = (await other.accounts.list(0, 9)).map(({ accountId }) => accountId);
    expect(kept).toEqual(ids);
  });

  it('leaves nothing of work that rejects, at once or after a wait', async () => {
    const { store, other } = await openTwice();
    for (const pause of [async () => undefined, turn]) {
      const work = store.transaction(async (tx) => {
        await fill(tx);
        await pause();
        throw new Error('stop');
      });
      await expect(work).rejects.toThrow('stop');
    }
    expect(await other.accounts.list(0, 9)).toEqual([]);
    expect(await store.people.list(null, 0, 9)).toEqual([]);
  });

  it('reads its own writes; nobody else does before it is committed', async () => {
    const { store, other } = await openTwice();
    const account = newAccount();
    await store.transaction(async ({ accounts }) => {
      const accountId = await accounts.create(account);
      expect((await accounts.find(accountId))?.name).toBe(account.name);
      await turn();
      expect(await store.accounts.findByName(account.name)).toBeNull();
      expect(await other.accounts.findByName(account.name)).toBeNull();
    });
    expect((await store.accounts.findByName(account.name))?.name).toBe(account.name);
  });

  it('can be used only until its work has ended', async () => {
    const { store } = await openTwice();
    let kept: StoreTransaction | null = null;
    await store.transaction(async (tx) => {
      kept = tx;
    });
    const leaked = kept as unknown as StoreTransaction;
    await expect(leaked.accounts.create(newAccount())).rejects.toThrow();
    await store.transaction(async () => {
      await expect(leaked.accounts.create(newAccount())).rejects.toThrow();
    });
    expect(await store.accounts.list(0, 9)).toEqual([]);
  });

  it('begins no other one inside, which would wait for itself', async () => {
    const { store } = await openTwice();
    const nested = store.transaction(() => store.transaction(async () => undefined));
    await expect(nested).rejects.toThrow('inside another');
    await expect(store.transaction(async () => 'goes on')).resolves.toBe('goes on');
  });
}

function testOrder({ openTwice, begin }: Stores): void {
  it('is as if all ran one after the other, in one client and in two', async () => {
    const { store, other } = await openTwice();
    const accountId = await writing(store).accounts.create(newAccount({ maxActiveApiKeys: 0 }));
    const increase = (client: typeof store) =>
      client.transaction(async ({ accounts }) => {
        const { maxActiveApiKeys: count = 0 } = (await accounts.find(accountId)) ?? {};
        await turn();
        await accounts.update(accountId, { maxActiveApiKeys: count + 1 });
      });
    await Promise.all(Array.from({ length: 20 }, (_, at) => increase(at % 2 ? store : other)));
    expect((await store.accounts.find(accountId))?.maxActiveApiKeys).toBe(20);
  });

  it('keeps a limit on creation, however many ask at once', async () => {
    const { store, other } = await openTwice();
    const accountId = await writing(store).accounts.create(newAccount());
    const create = (client: typeof store) =>
      client.transaction(async ({ keys }) => {
        if ((await keys.countActive(accountId, NOW_MS)) >= 3) return false;
        await turn();
        await keys.create(newKey(accountId));
        return true;
      });
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, at) => create(at % 2 ? store : other)),
    );
    expect(made.filter((isMade) => isMade)).toHaveLength(3);
  });

  it('keeps what another process counts at the same time', async () => {
    const { store } = await openTwice();
    const { accountId } = await store.transaction(fill);
    const elsewhere = begin('count', accountId, 50);
    for (let at = 0; at < 50; at++) await writing(store).usage.add([usageOf(accountId)]);
    await elsewhere.result();
    const day = { firstDay: '2026-11-20', lastDay: '2026-11-20' };
    expect((await store.usage.total(accountId, day)).requests).toBe(100);
    expect(await ledgerOf(store.usage, accountId)).toHaveLength(100);
  });
}

function testProcesses({ openTwice, begin }: Stores): void {
  it('keeps a limit on creation that two processes reach together', async () => {
    const { store } = await openTwice();
    const accountId = await writing(store).accounts.create(newAccount());
    const racing = ['aa', 'bb'].map((prefix) => begin('fillKeys', prefix, accountId, 40));
    const made = await Promise.all(racing.map((each) => each.result<number>()));
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(await store.keys.countOf(accountId)).toBe(40);
  });

  it('leaves an owner where two processes take the last two at the same time', async () => {
    const { store } = await openTwice();
    const { people } = writing(store);
    const ids = [await people.create(newOwner()), await people.create(newOwner())];
    const left = await Promise.all(ids.map((id) => begin('leave', id).result<boolean>()));
    expect(left.toSorted()).toEqual([false, true]);
    expect(await store.people.countActiveOwners()).toBe(1);
  });

  it('leaves nothing of a process that dies in a transaction, and lets others go on', async () => {
    const { store } = await openTwice();
    const holder = begin('hold');
    await new Promise((resolve) => holder.child.stdout?.once('data', resolve));
    await holder.end();
    await writing(store).people.create(newOwner({ email: 'held@example.com' }));
    expect(await store.people.list(null, 0, 9)).toHaveLength(1);
  });
}

export function testTransactions(stores: Stores): void {
  describe('a transaction', () => {
    testWork(stores);
    testOrder(stores);
    testProcesses(stores);
  });
}
