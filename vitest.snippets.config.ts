import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

useMemoryFolder();

/** The console's snippets, run by real interpreters against a real server. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['console/test/snippets/**/*.test.ts'],
    globalSetup: [...TEST_SETTINGS.globalSetup, 'console/test/snippets/global-setup.ts'],
  },
});
