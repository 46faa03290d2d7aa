/** What the configurations of all test suites have in common. */
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

export const TEST_SETTINGS = {
  setupFiles: [join(ROOT, 'server/test/seed.ts')],
  reporters: ['default', join(ROOT, 'scripts/failed-tests.ts')],
  // Limits of what hangs, not of what is slow: nothing goes by how soon something happens.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 300_000 } },
};
