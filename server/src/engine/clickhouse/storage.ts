/** Keeps parts as partitions of tables, on every replica of a shard. */
import { join } from 'node:path';
import { openProcessFolder } from '../../base/process-lock.ts';
import type { Column } from '../../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  dateOfDays,
} from '../columns.ts';
import { digestOfRows, sumOfDigests } from '../content-digest.ts';
import { type PartStorage, type StoredPart, UnreadablePartError } from '../engine.ts';
import { columnsStored } from '../stored-columns.ts';
import type { DigestedPart, PartRowsReader } from '../stored-parts.ts';
import { clusterMark } from './claim-cluster.ts';
import type { Lake } from './lake.ts';
import { locationOf, newPlace, placeOf } from './places.ts';
import type { OpenStaging, StagingEngine } from './staging.ts';
import { digestOfPart, dropPart } from './stored-rows.ts';
import { openWriter } from './writer.ts';

/** Each look at a part is a question to each server that may have it. */
const LOOK_MS = 3_600_000;

const never = new AbortController().signal;

export interface StorageOptions {
  readonly lake: Lake;
  readonly home: string;
  readonly openStaging: OpenStaging;
  /** The lake of another home in the same cluster. */
  readonly lakeOf: (home: string) => Lake;
}

/** The digest of what the first replica has that has all rows. */
async function digestOf(lake: Lake, location: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const place = placeOf(location);
  const shard = lake.shardAt(place.shard);
  const rowCount = await lake.rowCountOf(location, signal);
  if (rowCount === null) throw new Error(`${location} is missing`);
  return await shard.byAny(async (server) => {
    await shard.requireParts(server, [{ place, rowCount }], signal);
    return await digestOfPart({ server, shard, place }, rowCount, signal);
  });
}

async function copyTo(
  lake: Lake,
  { location, digest }: DigestedPart,
  other: Lake,
  signal: AbortSignal,
) {
  const place = placeOf(location);
  if ((await digestOf(lake, location, signal)) !== digest) {
    throw new UnreadablePartError(`the part ${location} is altered`, null);
  }
  const shard = lake.shardAt(place.shard);
  const target = other.shardAt(place.shard);
  await dropPart(target, place);
  try {
    const [from, to] = [shard, target].map((each) => each.tableSql(place.table));
    for (const server of shard.replicas) {
      await server.run(`CREATE TABLE IF NOT EXISTS ${to} AS ${from}`, signal);
      await server.run(
        `INSERT INTO ${to} SELECT * FROM ${from} WHERE part = ${place.number}`,
        signal,
      );
    }
    if ((await digestOf(other, location, signal)) === digest) return;
    throw new Error(`the copy of ${location} is not the same`);
  } catch (error) {
    await dropPart(target, place).catch(() => undefined);
    throw error;
  }
}

async function findDamage(lake: Lake, { location }: StoredPart): Promise<string | null> {
  try {
    const rowCount = await lake.rowCountOf(location, never);
    return rowCount !== null ? null : `the part ${location} is missing`;
  } catch (error) {
    return `the part ${location} cannot be read: ${(error as Error).message}`;
  }
}

async function* locations(lake: Lake): AsyncGenerator<string> {
  for (const [number, shard] of lake.shards.entries()) {
    const found = new Set<string>();
    for (const server of shard.replicas) {
      for (const [table, part] of await shard.allParts(server, never)) {
        found.add(locationOf({ shard: number, table, number: BigInt(part) }));
      }
    }
    yield* found;
  }
}

/** Rows with dates as texts, as digests have them. */
function* rowsOfBatch(columns: readonly Column[], batch: ColumnBatch): Generator<CellValue[]> {
  for (let row = 0; row < batch.rowCount; row++) {
    yield columns.map(({ dataType }, c) => {
      const cell = cellAt(batch.columns[c] as ColumnVector, row);
      return dataType === 'date' && cell !== null ? dateOfDays(cell as number) : cell;
    });
  }
}

function rowsReader(lake: Lake): PartRowsReader {
  return {
    read: async ({ location, storedColumns }, signal) => {
      signal.throwIfAborted();
      const columns = columnsStored(storedColumns);
      const digests: string[] = [];
      let rowCount = 0;
      for await (const batch of lake.rowsOf(location, columns, signal)) {
        digests.push(digestOfRows(columns, rowsOfBatch(columns, batch)));
        rowCount += batch.rowCount;
      }
      return { rows: { rowCount, contentDigest: sumOfDigests(digests) }, identifierOrder: null };
    },
    close: async () => {},
  };
}

export function clickHouseStorage({
  lake,
  home,
  openStaging,
  lakeOf,
}: StorageOptions): PartStorage {
  let staging: StagingEngine | null = null;
  const opened = () => {
    staging ??= openStaging(openProcessFolder(join(home, 'clickhouse'), 'staged'));
    return staging;
  };
  return {
    damageLookMs: LOOK_MS,
    ready: () => lake.claim({ needsAll: false }),
    mark: clusterMark(lake.shardAt(0)),
    newLocation: (dataset, key) => locationOf(newPlace(dataset, key, lake.shards.length)),
    openWriter: (dataset, signal = never, writersMax = 1) =>
      openWriter(lake, opened(), dataset, signal, writersMax),
    remove: async (all) => {
      for (const location of all) {
        const place = placeOf(location);
        await dropPart(lake.shardAt(place.shard), place);
      }
    },
    openRowsReader: async () => rowsReader(lake),
    findDamage: (part) => findDamage(lake, part),
    // Each process has its own folder, which the next one removes.
    sweep: async () => {},
    locations: () => locations(lake),
    digestOf: (location, signal = never) => digestOf(lake, location, signal),
    copyTo: async (part, other, signal = never) => {
      const target = lakeOf(other);
      try {
        await copyTo(lake, part, target, signal);
      } finally {
        await target.close();
      }
    },
  };
}
