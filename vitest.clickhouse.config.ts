import { defineConfig } from 'vitest/config';

/** The tests of the ClickHouse engine, on servers that they start. */
export default defineConfig({
  test: {
    include: ['server/test/clickhouse/*.test.ts'],
    // One cluster at a time: each has several servers.
    fileParallelism: false,
    // No longer suite tries this engine.
    env: { TICKLAKE_ENGINE_RUNS_FACTOR: '2' },
    testTimeout: 240_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
