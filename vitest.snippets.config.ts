import { defineConfig } from 'vitest/config';

/** The console's snippets, run by real interpreters against a real server. */
export default defineConfig({
  test: {
    include: ['console/test/snippets/**/*.test.ts'],
    globalSetup: ['console/test/snippets/global-setup.ts'],
    testTimeout: 240_000,
    hookTimeout: 300_000,
  },
});
