/** A lake in a cluster: the names of its tables begin with a mark of the deployment. */
import { createHash } from 'node:crypto';
import { deploymentOf } from '../../base/home-layout.ts';
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import { claimCluster } from './claim-cluster.ts';
import type { ClusterAddress } from './cluster-address.ts';
import { BoundValues, nameSql } from './conditions.ts';
import { Pages } from './pages.ts';
import { placeOf } from './places.ts';
import { type Login, Server, type ServerOptions } from './server.ts';
import { Shard, shardAt } from './shards.ts';
import { readRows, type Source } from './sources.ts';
import { isEmptyPart } from './stored-rows.ts';

export type ClusterOptions = ClusterAddress & Pick<ServerOptions, 'connectionsMax' | 'timeoutMs'>;

/** Rows that are read at once, so that a server need not sort them all. */
const READ_ROWS = 1_048_576;

const MARK_DIGITS = 12;

/** Prefix of a deployment's table names. */
function prefixOf(deployment: string): string {
  return `l${createHash('sha256').update(deployment).digest('hex').slice(0, MARK_DIGITS)}_`;
}

export class Lake {
  readonly shards: readonly Shard[];
  readonly pages: Pages;
  readonly #deployment: string;

  constructor({ shards, ...options }: ClusterOptions, login: Login, home: string) {
    this.#deployment = deploymentOf(home);
    const prefix = prefixOf(this.#deployment);
    this.shards = shards.map(
      (urls) =>
        new Shard(
          urls.map((url) => new Server({ ...options, ...login, url })),
          prefix,
        ),
    );
    this.pages = new Pages(this.shards);
  }

  shardAt(number: number): Shard {
    return shardAt(this.shards, number);
  }

  /** As `claimCluster` says. */
  claim(options: { readonly needsAll: boolean }): Promise<void> {
    return claimCluster(this.shards, this.#deployment, options);
  }

  /** How many rows the part has, by the replica that has most; null: there is no such part. */
  async rowCountOf(location: string, signal: AbortSignal): Promise<number | null> {
    const place = placeOf(location);
    const shard = this.shardAt(place.shard);
    const counts = await shard.ofEach(async (server) => {
      const [count = 0] = (await shard.rowCounts(server, [{ place }], signal)).values();
      const isEmpty = count === 1 && (await isEmptyPart({ server, shard, place }, signal));
      return { count, isEmpty };
    });
    const most = Math.max(...counts.map(({ count }) => count));
    if (most === 0) return null;
    return counts.some(({ isEmpty }) => isEmpty) ? 0 : most;
  }

  /** All rows of a part, which stores the columns, in their order. */
  async *rowsOf(
    location: string,
    columns: readonly Column[],
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const rowCount = await this.rowCountOf(location, signal);
    if (rowCount === null) throw new Error(`${location} is missing`);
    const place = placeOf(location);
    const source: Source = {
      ...{
        shard: place.shard,
        table: place.table,
        parts: [{ place, rowCount, start: 0, ranges: null }],
      },
      readOf: (column) => ({ column, sql: nameSql(column.name) }),
      conditions: [],
      values: new BoundValues(),
      granted: null,
    };
    for (let start = 0; start < rowCount; start += READ_ROWS) {
      const window = { start, end: start + READ_ROWS, offset: 0, limit: READ_ROWS };
      yield* readRows(this.shardAt(place.shard), source, { columns, sort: [], ...window }, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.shards.flatMap(({ replicas }) => replicas.map((server) => server.close())),
    );
  }
}
