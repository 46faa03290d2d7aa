/**
 * The engine: parts as partitions of tables in a ClickHouse cluster. Rows are staged by another
 * engine on their way into it.
 */
import { atEnd } from '../../base/at-end.ts';
import type { Engine, EngineConfig } from '../engine.ts';
import { requireReadable } from './claim-cluster.ts';
import { type ClusterOptions, Lake } from './lake.ts';
import { clickHouseReader } from './reader.ts';
import type { Login } from './server.ts';
import type { OpenStaging } from './staging.ts';
import { clickHouseStorage } from './storage.ts';

export interface ClickHouseOptions extends ClusterOptions {
  /** Makes tables, inserts and drops. */
  readonly writer: Login;
  /** May do nothing but read; its profile limits what a query may take. */
  readonly reader: Login;
  readonly openStaging: OpenStaging;
}

export function clickHouseEngine({
  writer,
  reader,
  openStaging,
  ...cluster
}: ClickHouseOptions): Engine<EngineConfig> {
  const lakeOf = (home: string) => new Lake(cluster, writer, home);
  return {
    prepare: async ({ home }) => {
      const lake = lakeOf(home);
      await using _lake = atEnd(() => lake.close());
      await lake.claim({ needsAll: true });
    },
    openReader: async ({ home }) => {
      const lake = new Lake(cluster, reader, home);
      try {
        await requireReadable(lake.shards);
        return clickHouseReader(lake, home, openStaging);
      } catch (error) {
        await lake.close();
        throw error;
      }
    },
    openStorage: ({ home }) => clickHouseStorage(lakeOf(home), home, openStaging),
  };
}
