import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

// None of these is about a machine that loses its power.
useMemoryFolder();

const INCLUDED = '{server,market,demo,console,client}/{src,test}/**/*.test.ts';
const EXCLUDED = [
  'console/test/browser/**',
  'console/test/snippets/**',
  'server/test/clickhouse/**',
  '**/*.long.test.ts',
  '**/*.postgres.test.ts',
  '**/*.s3.test.ts',
  '**/node_modules/**',
];

/** What they put into the place of a module, no other file may meet. */
const ALONE = globSync(INCLUDED, { exclude: EXCLUDED }).filter((path) =>
  /\bvi\.(mock|doMock|resetModules)\(/.test(readFileSync(path, 'utf8')),
);

const TOGETHER = {
  name: 'together',
  include: [INCLUDED],
  exclude: [...EXCLUDED, ...ALONE],
  // A process loads the product once, not for every file: that is a quarter of the work.
  isolate: false,
};

export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    projects: [
      { extends: true, test: TOGETHER },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // On two cores the default is one file at a time, which leaves a core idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
