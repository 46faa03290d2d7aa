import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MONTH_SYMBOLS_MAX } from '../../../src/store/usage.ts';
import { writing } from '../../writing.ts';
import { testControlStore } from './conformance.ts';
import { usageOf } from './samples.ts';
import { testSnapshots } from './snapshot-tests.ts';
import { openStore } from './sqlite-store.ts';
import { storesOf } from './store-kind.ts';

describe('the control store in SQLite', () => {
  const kind = {
    module: join(import.meta.dirname, 'sqlite-store.ts'),
    openStore,
    newLocation: async () => join(await mkdtemp(join(tmpdir(), 'ticklake-store-')), 'control.db'),
    remove: (location: string) => rm(dirname(location), { recursive: true }),
  };
  testControlStore(kind);
  const stores = storesOf(kind);
  testSnapshots(stores);

  it('keeps no more identifiers of an account and a month than it should, though they come at once', async () => {
    const { store } = await stores.openTwice();
    const symbols = Array.from({ length: MONTH_SYMBOLS_MAX + 1 }, (_, at) => `S${at}`);
    await writing(store).usage.add([usageOf(9, { symbols })]);
    const range = { firstMonth: '2026-11', lastMonth: '2026-11' };
    expect(await store.usage.listMonths(9, range)).toMatchObject([
      { symbolCount: MONTH_SYMBOLS_MAX },
    ]);
  });
});
