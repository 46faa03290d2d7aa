/** The ClickHouse engine over the current release. */
import { afterAll, beforeAll, describe } from 'vitest';
import { clickHouseEngine } from '../../src/engine/clickhouse/engine.ts';
import { describeEngine } from '../../src/engine/conformance/suite.ts';
import { deferredEngine } from './cluster.ts';
import { CurrentServer, currentOptions, currentPython } from './current-server.ts';

const { engine, open } = deferredEngine();

describe.skipIf(currentPython === null)('on the current release', () => {
  const server = new CurrentServer();

  beforeAll(async () => {
    await server.start();
    open(clickHouseEngine(currentOptions(server.url)));
  });
  afterAll(() => server.stop());
  describeEngine('the ClickHouse engine', engine, { queriesMax: 3 });
});
