import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

useMemoryFolder();

/** The tests that need PostgreSQL. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/**/*.postgres.test.ts'],
    // The suite of kills has these, and that of object storage kills the same processes.
    exclude: ['server/test/kills/**'],
    isolate: false,
  },
});
