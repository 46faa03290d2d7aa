import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

useMemoryFolder();

/** The console in a real browser, in front of real servers. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['console/test/browser/**/*.test.ts'],
    globalSetup: [...TEST_SETTINGS.globalSetup, 'console/test/browser/global-setup.ts'],
    // Each file has a server of its own; those of a worker share its browser and what it has loaded.
    isolate: false,
    maxWorkers: 2,
  },
});
