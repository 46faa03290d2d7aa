import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

/** How much of the long suite is run: 1 for all of it. */
const SHARE = Number(process.env.TICKLAKE_LONG_SHARE ?? 1);

function share(count: number): string {
  return `${Math.max(1, Math.round(count * SHARE))}`;
}

/** The tests that find more the longer they run, and those that are too long for every change. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: [
      'server/test/oracle/*.test.ts',
      'server/test/entitlements/entitlements.test.ts',
      'server/test/contract/fuzz.test.ts',
      'server/test/past/changes.test.ts',
      'server/test/walk/walk.test.ts',
      'server/test/engine/plain-engine.test.ts',
      'server/src/engine/duckdb/engine.test.ts',
      'server/test/ingest/load-typed.test.ts',
      'client/test/{faults,files}.test.ts',
      'market/test/equity-bars.test.ts',
      'server/test/intervals/intervals.test.ts',
      'server/test/adjustments/adjustments.test.ts',
      'server/test/symbology/entitlement.test.ts',
      '{server,client,demo}/test/**/*.long.test.ts',
    ],
    env: {
      TICKLAKE_ORACLE_REQUESTS: share(500),
      TICKLAKE_ENTITLEMENT_RULE_SETS: share(300),
      TICKLAKE_FUZZ_RUNS: share(4000),
      TICKLAKE_CHANGES_RUNS: share(300),
      TICKLAKE_BACKUP_KILLS: share(30),
      TICKLAKE_WALK_PLANS: share(400),
      TICKLAKE_ENGINE_RUNS_FACTOR: share(36),
      TICKLAKE_BARS_RUNS: share(3000),
      TICKLAKE_INTERVAL_REQUESTS: share(300),
      TICKLAKE_ADJUSTMENT_REQUESTS: share(500),
      TICKLAKE_SYMBOLOGY_MASTERS: share(60),
      TICKLAKE_TYPED_LOADS: share(60),
      TICKLAKE_CLIENT_FAULTS: share(60),
      TICKLAKE_PINNED_WALKS: share(160),
      TICKLAKE_PLAIN_RECORD_FILES: share(1500),
    },
  },
});
