/** The store and the ledger in PostgreSQL, parts in a ClickHouse cluster, whose replicas die. */
import { describe } from 'vitest';
import { ClickHousePlace } from '../kills/clickhouse-place.ts';
import { describeKills } from '../kills/kill-suite.ts';
import { isPostgresMissing } from '../postgres/start-postgres.ts';
import { missingClickHouse } from './cluster.ts';

if (missingClickHouse() !== null || isPostgresMissing()) {
  describe.skip('kills over ClickHouse', () => undefined);
} else
  describeKills('two nodes over PostgreSQL and a shard of two replicas', new ClickHousePlace());
