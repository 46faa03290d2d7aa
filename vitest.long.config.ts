import { defineConfig } from 'vitest/config';

/** The tests that find more the longer they run, and those that are too long for every change. */
export default defineConfig({
  test: {
    include: [
      'server/test/oracle/*.test.ts',
      'server/test/entitlements/entitlements.test.ts',
      'server/test/contract/fuzz.test.ts',
      'server/test/past/changes.test.ts',
      'server/test/walk/walk.test.ts',
      'server/test/engine/plain-engine.test.ts',
      'server/src/engine/duckdb/engine.test.ts',
      'market/test/equity-bars.test.ts',
      '{server,client}/test/**/*.long.test.ts',
    ],
    env: {
      TICKLAKE_ORACLE_REQUESTS: '500',
      TICKLAKE_ENTITLEMENT_RULE_SETS: '300',
      TICKLAKE_FUZZ_RUNS: '4000',
      TICKLAKE_CHANGES_RUNS: '300',
      TICKLAKE_BACKUP_KILLS: '30',
      TICKLAKE_WALK_PLANS: '400',
      TICKLAKE_ENGINE_RUNS_FACTOR: '8',
      TICKLAKE_BARS_RUNS: '3000',
    },
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 15_000 } },
  },
});
