import { defineConfig } from 'vitest/config';

/** The tests that need PostgreSQL. */
export default defineConfig({
  test: {
    include: ['server/test/**/*.postgres.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
