import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { testControlStore } from './conformance.ts';
import { openStore } from './sqlite-store.ts';

describe('the control store in SQLite', () => {
  testControlStore({
    module: join(import.meta.dirname, 'sqlite-store.ts'),
    openStore,
    newLocation: async () => join(await mkdtemp(join(tmpdir(), 'ticklake-store-')), 'control.db'),
    remove: (location) => rm(dirname(location), { recursive: true }),
  });
});
