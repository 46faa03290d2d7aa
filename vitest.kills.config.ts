import { defineConfig } from 'vitest/config';

/** The tests that kill at random moments, many times over. */
export default defineConfig({
  test: {
    include: ['server/test/kills/*.test.ts', 'server/test/clickhouse/kills.test.ts'],
    env: { TICKLAKE_KILL_ROUNDS: process.env.TICKLAKE_KILL_ROUNDS ?? '100' },
    // Each has a deployment of its own, and moments are to be those of one that is not starved.
    fileParallelism: false,
    // Tells of each round at once.
    reporters: ['verbose'],
    testTimeout: 300_000,
    hookTimeout: 1_800_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
