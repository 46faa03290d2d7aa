import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/**
 * The tests that kill at random moments, many times over. On a disk: there, a process spends most of
 * its time between two writes, and that is where it is to be killed.
 */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/kills/*.test.ts', 'server/test/clickhouse/kills.test.ts'],
    env: {
      ...TEST_SETTINGS.env,
      TICKLAKE_KILL_ROUNDS: process.env.TICKLAKE_KILL_ROUNDS ?? '100',
    },
    // Each has a deployment of its own, and moments are to be those of one that is not starved.
    fileParallelism: false,
  },
});
