import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/** The tests that need PostgreSQL. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/**/*.postgres.test.ts'],
    isolate: false,
  },
});
