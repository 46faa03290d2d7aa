/** Contents of a store snapshot, and the effect on others meanwhile. */
import { describe, expect, it } from 'vitest';
import type { ControlStore } from '../../../src/store/control-store.ts';
import { writing } from '../../writing.ts';
import { newAccount } from './samples.ts';
import type { Stores } from './store-kind.ts';

async function namesIn(store: ControlStore): Promise<string[]> {
  return (await store.accounts.list(0, 9)).map(({ name }) => name);
}

export function testSnapshots({ openTwice, newLocation, open }: Stores): void {
  describe('a snapshot', () => {
    it('holds what was committed before it, by anybody, and nothing of later', async () => {
      const { store, other } = await openTwice();
      const [first, second, later] = [newAccount(), newAccount(), newAccount()];
      await writing(store).accounts.create(first);
      await writing(other).accounts.create(second);
      const [snapshot] = await store.openSnapshot(async () => undefined);
      await writing(store).accounts.create(later);
      await writing(other).accounts.create(newAccount());
      const copies = [await newLocation(), await newLocation()];
      for (const copy of copies) await snapshot.copyTo(copy);
      await snapshot.close();
      for (const copy of copies) {
        expect(await namesIn(await open(copy))).toEqual([first.name, second.name]);
      }
      expect(await namesIn(store)).toHaveLength(4);
    });

    it('is taken while nobody writes, until what is done meanwhile is over', async () => {
      const { store, other } = await openTwice();
      const acts: string[] = [];
      let written: Promise<unknown>[] = [];
      const [snapshot, result] = await store.openSnapshot(async () => {
        written = [store, other].map((each) =>
          writing(each)
            .accounts.create(newAccount())
            .then(() => acts.push('written')),
        );
        // Long enough for several transactions of the others.
        for (let at = 0; at < 30; at++) await Promise.all([store, other].map(namesIn));
        acts.push('over');
        return 'done';
      });
      await Promise.all(written);
      expect([result, acts]).toEqual(['done', ['over', 'written', 'written']]);
      const copy = await newLocation();
      await snapshot.copyTo(copy);
      await snapshot.close();
      expect(await namesIn(await open(copy))).toEqual([]);
    });

    it('is none where what is done meanwhile fails, and others may write again', async () => {
      const { store, other } = await openTwice();
      const snapshot = store.openSnapshot(async () => {
        throw new Error('stop');
      });
      await expect(snapshot).rejects.toThrow('stop');
      await writing(other).accounts.create(newAccount());
      expect(await namesIn(store)).toHaveLength(1);
    });

    it('is never copied over something', async () => {
      const { store, other } = await openTwice();
      await writing(other).accounts.create(newAccount());
      const [snapshot] = await store.openSnapshot(async () => undefined);
      const copy = await newLocation();
      await snapshot.copyTo(copy);
      await expect(snapshot.copyTo(copy)).rejects.toThrow();
      await snapshot.close();
      expect(await namesIn(await open(copy))).toHaveLength(1);
    });
  });
}
