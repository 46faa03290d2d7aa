/** The ClickHouse engine on a real cluster of two shards with two replicas each. */
import { afterAll, beforeAll, describe } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { describeEngine } from '../../src/engine/conformance/suite.ts';
import type { Engine, EngineConfig } from '../../src/engine/engine.ts';
import { ClickHouseCluster, missingClickHouse } from './cluster.ts';

const cluster = new ClickHouseCluster();
let opened: Engine | null = null;

/** The engine, whose servers are known only once they run. */
const engine: Engine<EngineConfig> = {
  openReader: (config) => (opened as Engine).openReader(config),
  openStorage: (config, tryLock) => (opened as Engine).openStorage(config, tryLock),
};

const missing = missingClickHouse();
describe.skipIf(missing !== null)(`on a cluster${missing ? ` (left out: ${missing})` : ''}`, () => {
  beforeAll(async () => {
    await cluster.start(2, 2);
    opened = clickHouseEngine(cluster.options);
  });
  afterAll(() => cluster.close());
  describeEngine('the ClickHouse engine', engine, { queriesMax: 3 });
});
