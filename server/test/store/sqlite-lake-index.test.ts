import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe } from 'vitest';
import { testLakeIndex } from './lake-index-conformance.ts';
import { openIndex } from './sqlite-index.ts';

describe('the index in SQLite', () => {
  testLakeIndex({
    module: join(import.meta.dirname, 'sqlite-index.ts'),
    openIndex,
    newLocation: async () => join(await mkdtemp(join(tmpdir(), 'ticklake-index-')), 'lake.db'),
    remove: (location) => rm(dirname(location), { recursive: true }),
    // Locks of files end with their process.
    isDeathToldLate: false,
  });
});
