/**
 * A second process working on a store. Arguments: module of the store kind, location, task, and the
 * task's own. Prints the task's result as JSON.
 */

import type { ControlStore } from '../../../src/store/control-store.ts';
import { writing } from '../../writing.ts';
import { newKey, newOwner, usageOf } from './samples.ts';

type Task = (store: ControlStore, words: readonly string[]) => Promise<unknown>;

const TASKS: Readonly<Record<string, Task>> = {
  /** Creates keys while there are fewer than so many; says how many it made. */
  fillKeys: async (store, [prefix = '', account, most]) => {
    const accountId = Number(account);
    for (let made = 0; ; ) {
      const hash = `${prefix}${`${made}`.padStart(62, '0')}`;
      const isMade = await store.transaction(async ({ keys }) => {
        if ((await keys.countOf(accountId)) >= Number(most)) return false;
        await keys.create(newKey(accountId, hash));
        return true;
      });
      if (!isMade) return made;
      made++;
    }
  },
  /** Deactivates an owner unless it is the last active one; says whether it did. */
  leave: async (store, [person]) => {
    const personId = Number(person);
    return store.transaction(async ({ people }) => {
      if ((await people.countActiveOwners()) < 2) return false;
      await people.update(personId, { isActive: false });
      return true;
    });
  },
  /** Counts so many requests, each in a transaction of its own. */
  count: async (store, [account, times]) => {
    for (let at = 0; at < Number(times); at++) {
      await store.transaction(({ usage }) => usage.add([usageOf(Number(account))]), 'usage');
    }
  },
  deactivateKey: async (store, [keyId]) => {
    await writing(store).keys.setActive(Number(keyId), false);
  },
  /** Writes in a transaction that never ends; tells when it has written. */
  hold: async (store) => {
    await store.transaction(async ({ people }) => {
      await people.create(newOwner({ email: 'held@example.com' }));
      process.stdout.write('holding\n');
      await new Promise(() => setInterval(() => {}, 600_000));
    });
  },
};

const [module = '', location = '', task = '', ...words] = process.argv.slice(2);
const { openStore } = await import(module);
const store: ControlStore = await openStore(location);
const result = await (TASKS[task] as Task)(store, words);
await store.close();
process.stdout.write(JSON.stringify(result ?? null));
