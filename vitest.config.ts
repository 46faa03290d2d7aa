import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

/** Files whose work lies in what they import; Vitest takes the size of a file for its cost. */
const DEAR = /(duckdb\/engine|oracle|story)\.test\.ts$/;

/** The dearest files first, lest a process run one of them at the end while the others idle. */
class DearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [dear = [], others = []] = [true, false].map((isDear) =>
      files.filter(({ moduleId }) => DEAR.test(moduleId) === isDear),
    );
    return [...dear, ...(await super.sort(others))];
  }
}

export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    sequence: { sequencer: DearestFirst },
    projects: [
      { extends: true, test: TOGETHER },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
    // One more than cores: files also wait, for processes, sockets and disks.
    maxWorkers: availableParallelism() + 1,
  },
});
