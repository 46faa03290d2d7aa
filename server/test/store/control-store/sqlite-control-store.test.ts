import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { testControlStore } from './conformance.ts';
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
  testSnapshots(storesOf(kind));
});
