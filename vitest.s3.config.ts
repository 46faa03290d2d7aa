import { defineConfig } from 'vitest/config';

/** The product with its lake in object storage, on a real S3 server. */
export default defineConfig({
  test: {
    include: ['server/test/**/*.s3.test.ts'],
    // No longer suite tries this engine.
    env: { TICKLAKE_ENGINE_RUNS_FACTOR: '2' },
    testTimeout: 240_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
