/** A lake in a cluster: its tables begin with its own mark, so that several may lie in one database. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Column } from '../../catalog/dataset.ts';
import type { ColumnBatch } from '../columns.ts';
import { Pages } from './pages.ts';
import { placeOf } from './places.ts';
import { type Login, Server } from './server.ts';
import { Shard, shardAt } from './shards.ts';
import { readRows } from './source-rows.ts';
import type { Source } from './sources.ts';

export interface ClusterOptions {
  /** Of each shard, the addresses of its replicas: `http://host:port`. */
  readonly shards: readonly (readonly string[])[];
  readonly database: string;
  readonly connectionsMax: number;
  readonly timeoutMs: number;
}

/** Rows that are read at once, so that a server need not sort them all. */
const READ_ROWS = 1_048_576;

const MARK_FILE = 'clickhouse-lake';
const MARK = /^[0-9a-f]{12}$/;

/** The mark of a home's lake, which is made with its first part. */
export function markOf(home: string): string {
  const file = join(home, MARK_FILE);
  mkdirSync(home, { recursive: true });
  try {
    writeFileSync(file, randomBytes(6).toString('hex'), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const mark = readFileSync(file, 'utf8').trim();
  if (!MARK.test(mark)) throw new Error(`${file} does not hold the mark of a lake`);
  return mark;
}

export class Lake {
  readonly shards: readonly Shard[];
  readonly pages: Pages;

  constructor({ shards, ...options }: ClusterOptions, login: Login, home: string) {
    const prefix = `l${markOf(home)}_`;
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

  /** How many rows the part has, by the replica that has most; 0: there is none. */
  async rowCountOf(location: string, signal: AbortSignal): Promise<number> {
    const place = placeOf(location);
    const shard = this.shardAt(place.shard);
    const counts = await shard.ofEach((server) => shard.rowCounts(server, [{ place }], signal));
    return Math.max(0, ...counts.flatMap((each) => [...each.values()]));
  }

  /** All rows of a part, which stores the columns, in their order. */
  async *rowsOf(
    location: string,
    columns: readonly Column[],
    signal: AbortSignal,
  ): AsyncGenerator<ColumnBatch> {
    const rowCount = await this.rowCountOf(location, signal);
    if (rowCount === 0) throw new Error(`${location} is missing`);
    const place = placeOf(location);
    const source: Source = {
      ...{
        shard: place.shard,
        table: place.table,
        parts: [{ place, rowCount, start: 0, ranges: null }],
      },
      readOf: (column) => ({ column, stored: column }),
      conditions: [],
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
