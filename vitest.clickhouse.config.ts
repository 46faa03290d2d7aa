import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/** The tests of the ClickHouse engine, on servers that they start. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/clickhouse/*.test.ts'],
    isolate: false,
    // One cluster at a time: each has several servers.
    fileParallelism: false,
    // No longer suite tries this engine.
    env: {
      ...TEST_SETTINGS.env,
      TICKLAKE_ENGINE_RUNS_FACTOR: process.env.TICKLAKE_ENGINE_RUNS_FACTOR ?? '2',
    },
  },
});
