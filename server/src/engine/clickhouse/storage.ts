/** Keeps parts as partitions of tables, on every replica of a shard. */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import { openProcessFolder } from '../../base/process-lock.ts';
import type { CheckRule } from '../../catalog/checks.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  dateOfDays,
} from '../columns.ts';
import { digestOfRows, sumOfDigests } from '../content-digest.ts';
import {
  type BrokenRows,
  type DigestedPart,
  type EngineReader,
  type ExistingPart,
  type PartComparison,
  type PartRowsReader,
  type PartStorage,
  type PartWriter,
  type RemovedRows,
  type StoredPart,
  UnreadablePartError,
} from '../engine.ts';
import type { ParquetLoader, RecordLoader } from '../file-loading.ts';
import type { Part, StoredColumn, WrittenPart } from '../part.ts';
import { planOfAll } from '../plan-of-all.ts';
import { columnsStored, storedColumnsOf } from '../stored-columns.ts';
import { clusterMark } from './claim-cluster.ts';
import type { Lake } from './lake.ts';
import { locationOf, newPlace, type Place, placeOf } from './places.ts';
import { ServerDownError } from './server.ts';
import type { Shard } from './shards.ts';
import {
  listDataset,
  type OpenStaging,
  type StagedPart,
  type StagingEngine,
  stageRows,
} from './staging.ts';
import {
  checksumOfPart,
  digestOfPart,
  dropPart,
  insertRows,
  type StoredRows,
} from './stored-rows.ts';

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

type Existing = Pick<Part, 'location' | 'storedColumns'>;

/** Says why reading goes on while a replica is away, but loading does not. */
function notWritten(error: unknown): never {
  if (!(error instanceof ServerDownError)) throw error;
  throw new UsageError(
    `${failureText(error)}; a load has to reach every replica, since a version names only parts that all of them have`,
  );
}

/** Rows are staged, checked and sorted here before they are sent to all replicas of a shard. */
class ClickHouseWriter implements PartWriter {
  readonly #lake: Lake;
  readonly #dataset: Dataset;
  readonly #staging: StagingEngine;
  readonly #staged: PartWriter;
  readonly #signal: AbortSignal;
  /** Published parts whose rows were fetched, by their location. */
  readonly #fetched = new Map<string, Promise<StagedPart | null>>();
  #reader: Promise<EngineReader> | null = null;
  readonly records?: RecordLoader;
  readonly parquet?: ParquetLoader;

  constructor(
    lake: Lake,
    dataset: Dataset,
    staging: StagingEngine,
    staged: PartWriter,
    signal: AbortSignal,
  ) {
    this.#lake = lake;
    this.#dataset = dataset;
    this.#staging = staging;
    this.#staged = staged;
    this.#signal = signal;
    if (staged.records) this.records = staged.records;
    if (staged.parquet) this.parquet = staged.parquet;
  }

  append(batch: ColumnBatch): Promise<void> {
    return this.#staged.append(batch);
  }

  partitionKeys(): Promise<string[]> {
    return this.#staged.partitionKeys();
  }

  rowCount(key: string): Promise<number> {
    return this.#staged.rowCount(key);
  }

  dates(): Promise<readonly string[]> {
    return this.#staged.dates();
  }

  async compare(
    key: string,
    existing: Existing,
    removed: RemovedRows | null,
  ): Promise<PartComparison> {
    return await this.#staged.compare(key, await this.#local(existing), removed);
  }

  async check(
    rules: readonly CheckRule[],
    existing: ReadonlyMap<string, ExistingPart>,
  ): Promise<BrokenRows[]> {
    const local = new Map<string, ExistingPart>();
    for (const [key, part] of existing) local.set(key, await this.#local(part));
    return await this.#staged.check(rules, local);
  }

  async write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart> {
    this.#signal.throwIfAborted();
    const place = placeOf(location);
    const shard = this.#lake.shardAt(place.shard);
    await this.#requireNew(shard, place, location);
    const { storage } = this.#staging;
    const staged = storage.newLocation(this.#dataset, key);
    try {
      const kept = existing && (await this.#local(existing));
      const { identifierOrder, ...written } = await this.#staged.write(key, staged, kept);
      const part = { id: 0, key, location: staged, ...written };
      const { digest, byteCount } = await this.#send(shard, place, part);
      return { ...written, digest, storedByteCount: byteCount };
    } finally {
      await storage.remove([staged]);
    }
  }

  /** Servers confirm rows only once they have stored them. */
  async flush(): Promise<void> {
    this.#signal.throwIfAborted();
  }

  async close(): Promise<void> {
    await this.#staged.close();
    const fetched = await Promise.allSettled(this.#fetched.values());
    const locations = fetched.flatMap((each) =>
      each.status === 'fulfilled' && each.value ? [each.value.location] : [],
    );
    await this.#staging.storage.remove(locations);
    await (await this.#reader)?.close();
  }

  async #requireNew(shard: Shard, place: Place, location: string): Promise<void> {
    for (const server of shard.replicas) {
      const counts = await shard.rowCounts(server, [{ place }], this.#signal).catch(notWritten);
      if (counts.size > 0) throw new Error(`${location} exists`);
    }
  }

  /** Inserts the part into every replica; where one fails or has other rows, none keeps it. */
  async #send(shard: Shard, place: Place, part: StagedPart): Promise<StoredRows> {
    this.#reader ??= this.#staging.openReader();
    const reader = await this.#reader;
    const plan = planOfAll(this.#dataset, [part]);
    try {
      let inserted: StoredRows | null = null;
      for (const server of shard.replicas) {
        const rows = reader.scan(plan, this.#signal);
        inserted = await insertRows({ server, shard, place }, this.#dataset, rows, this.#signal);
      }
      if (inserted === null) throw new Error('a shard has no servers');
      await this.#requireEqual(shard, place, inserted);
      return inserted;
    } catch (error) {
      await dropPart(shard, place).catch(() => undefined);
      throw error;
    }
  }

  /** The rows of one replica are read again; those of the others have to have its checksum. */
  async #requireEqual(shard: Shard, place: Place, { digest, rowCount }: StoredRows): Promise<void> {
    const [first] = shard.replicas as [Shard['replicas'][number]];
    const checksums = new Set<unknown>();
    for (const server of shard.replicas) {
      await shard.requireParts(server, [{ place, rowCount }], this.#signal);
      checksums.add(await checksumOfPart({ server, shard, place }, this.#signal));
    }
    const stored = await digestOfPart({ server: first, shard, place }, rowCount, this.#signal);
    if (checksums.size > 1 || stored !== digest) {
      throw new Error(`${first.url} and its replicas did not store the rows that they were sent`);
    }
  }

  /** A copy of the part in this process's folder. */
  async #local<P extends Existing>(part: P): Promise<P> {
    const { location, storedColumns = storedColumnsOf(this.#dataset) } = part;
    const known = this.#fetched.get(location) ?? this.#fetch(location, storedColumns);
    this.#fetched.set(location, known);
    const staged = await known;
    if (!staged) throw new Error(`${location} has no rows`);
    return { ...part, location: staged.location, digest: staged.digest };
  }

  async #fetch(location: string, stored: readonly StoredColumn[]): Promise<StagedPart | null> {
    const columns = columnsStored(stored);
    const list = listDataset(this.#dataset, columns);
    const rows = this.#lake.rowsOf(location, columns, this.#signal);
    return await stageRows(this.#staging.storage, list, rows, this.#signal);
  }
}

/** Opens a writer without rows. The servers keep no order by identifiers. */
async function openWriter(
  lake: Lake,
  staging: StagingEngine,
  dataset: Dataset,
  signal: AbortSignal,
  writersMax: number,
): Promise<PartWriter> {
  const plain: Dataset = { ...dataset, alsoStoredBy: null };
  const staged = await staging.storage.openWriter(plain, signal, writersMax);
  return new ClickHouseWriter(lake, plain, staging, staged, signal);
}
