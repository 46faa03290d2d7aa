import { defineConfig } from 'vitest/config';

/** The console in a real browser, in front of real server processes. */
export default defineConfig({
  test: {
    include: ['console/test/browser/**/*.test.ts'],
    globalSetup: ['console/test/browser/global-setup.ts'],
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
    testTimeout: 240_000,
    hookTimeout: 300_000,
    // As long as the browser's own waits: a page that loads takes seconds where cores are few.
    expect: { poll: { timeout: 30_000 } },
  },
});
