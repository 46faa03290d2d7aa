import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/** The console in a real browser, in front of real server processes. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['console/test/browser/**/*.test.ts'],
    globalSetup: [...TEST_SETTINGS.globalSetup, 'console/test/browser/global-setup.ts'],
    // Each file has a server and a browser of its own.
    maxWorkers: 2,
  },
});
