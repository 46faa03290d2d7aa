/** Random rules against random requests, as they are, with the lake in a ClickHouse cluster. */
import { afterAll, describe } from 'vitest';
import { ClickHouseCluster, missingClickHouse } from './cluster.ts';

if (missingClickHouse() !== null) {
  describe.skip('entitlements over a ClickHouse cluster', () => undefined);
} else {
  const cluster = new ClickHouseCluster();
  await cluster.start(2, 2);
  Object.assign(process.env, cluster.environment);
  process.env.TICKLAKE_SUBJECTS_EVERY ??= process.env.TICKLAKE_CASES_EVERY ?? '1';
  process.env.TICKLAKE_ENTITLEMENT_RULE_SETS ??= '8';
  afterAll(() => cluster.close());
  await import('../entitlements/entitlements.test.ts');
}
