/** The ClickHouse engine on a real cluster of two shards with two replicas each. */
import { afterAll, beforeAll, describe } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { describeEngine } from '../../src/engine/conformance/suite.ts';
import { SAMPLED_SHARE } from '../repetitions.ts';
import { ClickHouseCluster, deferredEngine, missingClickHouse } from './cluster.ts';

const cluster = new ClickHouseCluster();
const { engine, open } = deferredEngine();
const isMissing = missingClickHouse() !== null;

describe.skipIf(isMissing)('on a cluster', () => {
  beforeAll(async () => {
    await cluster.start(2, 2);
    open(clickHouseEngine(cluster.options));
  });
  afterAll(() => cluster.close());
  // A cluster answers each case far more slowly than a folder does.
  describeEngine('the ClickHouse engine', engine, { queriesMax: 3 }, { share: SAMPLED_SHARE });
});
