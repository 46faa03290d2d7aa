import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS, useMemoryFolder } from './scripts/test-settings.ts';

useMemoryFolder();

/**
 * The tests that are too long for `npm test`: processes that are killed, starved or stalled, many
 * that are started, whole markets and examples.
 */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['{server,client,demo,market}/**/*.long.test.ts'],
    globalSetup: [...TEST_SETTINGS.globalSetup, 'server/test/import-lean/sample-home.ts'],
    isolate: false,
  },
});
