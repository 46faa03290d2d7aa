import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/** The product with its lake in object storage, on a real S3 server. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: ['server/test/**/*.s3.test.ts'],
    // A process loads the product once, not for every file; files say where the lake is.
    isolate: false,
    setupFiles: [...TEST_SETTINGS.setupFiles, 'server/test/clean-environment.ts'],
    // No longer suite tries this engine.
    env: {
      ...TEST_SETTINGS.env,
      TICKLAKE_ENGINE_RUNS_FACTOR: process.env.TICKLAKE_ENGINE_RUNS_FACTOR ?? '2',
    },
  },
});
