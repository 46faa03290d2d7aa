import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

useMemoryFolder();

/** The tests that need PostgreSQL. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/**/*.postgres.test.ts'],
    isolate: false,
  },
});
