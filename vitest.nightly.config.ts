import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';
import { TEST_SETTINGS } from './scripts/test-settings.ts';

// Another seed each night. The reporter prints it, and it repeats the night's draws.
process.env.TICKLAKE_TEST_SEED ??= `${randomInt(1, 1_000_000_000)}`;

/** The tests that find more the longer they run, tried many times. */
export default defineConfig({
  test: {
    ...TEST_SETTINGS,
    include: [
      'server/test/oracle/*.test.ts',
      'server/test/entitlements/{entitlements,hints,option-chains,previews,public-samples}.test.ts',
      'server/test/contract/fuzz.test.ts',
      'server/test/past/{changes,pinned-walks}.test.ts',
      'server/test/walk/{page-workers,walk}.test.ts',
      'server/test/lake/{lake,versions}.test.ts',
      'server/test/console-api/scan.test.ts',
      'server/test/receipts/replayed-requests.test.ts',
      'server/src/engine/duckdb/engine.test.ts',
      'server/src/formats/{row-bytes,arrow/arrow}.test.ts',
      'server/src/ingest/lean/assign-numbers.test.ts',
      'server/src/request/data-request.test.ts',
      'server/test/ingest/{load-csv,load-typed,plain-records}.test.ts',
      'client/test/{faults,files}.test.ts',
      'market/test/equity-bars.test.ts',
      'server/test/intervals/intervals.test.ts',
      'server/test/adjustments/adjustments.test.ts',
      'server/test/symbology/entitlement.test.ts',
      '{server,client,demo,market}/**/*.long.test.ts',
    ],
    globalSetup: [...TEST_SETTINGS.globalSetup, 'server/test/import-lean/sample-home.ts'],
    env: {
      ...TEST_SETTINGS.env,
      TICKLAKE_ORACLE_REQUESTS: '500',
      TICKLAKE_ENTITLEMENT_RULE_SETS: '300',
      TICKLAKE_OPTION_CHAIN_LAKES: '40',
      TICKLAKE_FUZZ_RUNS: '4000',
      TICKLAKE_CHANGES_RUNS: '300',
      TICKLAKE_BACKUP_KILLS: '30',
      TICKLAKE_LAKE_KILLS: '200',
      TICKLAKE_WATCH_KILLS: '12',
      TICKLAKE_IMPORT_KILLS: '12',
      TICKLAKE_DERIVE_KILLS: '5',
      TICKLAKE_AS_OF_DATES: '12',
      TICKLAKE_LAKE_STEPS: '300',
      TICKLAKE_WALK_PLANS: '400',
      TICKLAKE_ENGINE_RUNS_FACTOR: '72',
      TICKLAKE_BARS_RUNS: '3000',
      TICKLAKE_INTERVAL_REQUESTS: '300',
      TICKLAKE_ADJUSTMENT_REQUESTS: '500',
      TICKLAKE_SYMBOLOGY_MASTERS: '60',
      TICKLAKE_CSV_LOADS: '60',
      TICKLAKE_TYPED_LOADS: '60',
      TICKLAKE_CLIENT_FAULTS: '60',
      TICKLAKE_PINNED_WALKS: '160',
      TICKLAKE_PLAIN_RECORD_FILES: '1500',
      // All of them, not every third.
      TICKLAKE_HINTS_EVERY: '1',
      TICKLAKE_PREVIEWS: '60',
      TICKLAKE_PUBLIC_SAMPLES: '20',
      TICKLAKE_SCANS: '200',
      TICKLAKE_REPLAYED_REQUESTS: '100',
      TICKLAKE_ROW_BYTES_RUNS: '1000',
      TICKLAKE_ARROW_RUNS: '1000',
      TICKLAKE_NUMBERED_IMPORTS: '4000',
      TICKLAKE_QUERY_TEXTS: '10000',
      TICKLAKE_WORKER_PAGES: '100',
      TICKLAKE_WORKER_KILLS: '30',
    },
  },
});
