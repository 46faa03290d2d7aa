/** Keeps parts as partitions of tables, on every replica of a shard. */
import { join } from 'node:path';
import { UsageError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import { openProcessFolder } from '../../base/process-lock.ts';
import type { Column, Dataset } from '../../catalog/dataset.ts';
import {
  type CellValue,
  type ColumnBatch,
  type ColumnVector,
  cellAt,
  dateOfDays,
} from '../columns.ts';
import { digestOfRows, sumOfDigests } from '../content-digest.ts';
import type {
  EngineReader,
  ExistingPart,
  PartRowsReader,
  PartStorage,
  PartWriter,
  StoredPart,
} from '../engine.ts';
import type { Part, StoredColumn, WrittenPart } from '../part.ts';
import { planOfAll } from '../plan-of-all.ts';
import { columnsStored, storedColumnsOf } from '../stored-columns.ts';
import { clusterMark } from './claim-cluster.ts';
import type { Lake } from './lake.ts';
import { locationOf, newPlace, placeOf } from './places.ts';
import { type Server, ServerDownError } from './server.ts';
import type { ExpectedPart, Shard } from './shards.ts';
import {
  listDataset,
  type OpenStaging,
  type StagedPart,
  type StagingEngine,
  stageRows,
} from './staging.ts';
import {
  checksumOfPart,
  dropPart,
  insertRows,
  type StoredRows,
  sha256OfRows,
} from './stored-rows.ts';

/** Each look at a part is a question to each server that may have it. */
const LOOK_MS = 3_600_000;

const never = new AbortController().signal;

/** The checksum of a part on a server, which has to have it whole. */
async function checksumOn(
  server: Server,
  shard: Shard,
  part: ExpectedPart,
  signal: AbortSignal,
): Promise<string> {
  await shard.requireParts(server, [part], signal);
  return await checksumOfPart({ server, shard, place: part.place }, signal);
}

/** The checksum that all have; throws where two of them differ. */
function commonChecksum(location: string, checksums: readonly string[]): string {
  const [checksum, other] = new Set(checksums);
  if (checksum !== undefined && other === undefined) return checksum;
  throw new Error(`the replicas have different rows of ${location}`);
}

/** The digest of what the replicas have that have all rows and answer. */
async function digestOf(lake: Lake, location: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const place = placeOf(location);
  const shard = lake.shardAt(place.shard);
  const rowCount = await lake.rowCountOf(location, signal);
  if (rowCount === null) throw new Error(`${location} is missing`);
  const checksums = await shard.ofEach((server) =>
    checksumOn(server, shard, { place, rowCount }, signal),
  );
  return commonChecksum(location, checksums);
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

export function clickHouseStorage(lake: Lake, home: string, openStaging: OpenStaging): PartStorage {
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
      openWriter({ lake, staging: opened(), writersMax }, dataset, signal),
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
    close: async () => await staging?.storage.close?.(),
    locations: () => locations(lake),
    digestOf: (location, signal = never) => digestOf(lake, location, signal),
  };
}
type SentPart = Pick<WrittenPart, 'digest' | 'storedByteCount'>;

/** Says why reading goes on while a replica is away, but loading does not. */
function notWritten(error: unknown): never {
  if (!(error instanceof ServerDownError)) throw error;
  throw new UsageError(
    `${failureText(error)}; a load has to reach every replica, since a version names only parts that all of them have`,
  );
}

/** Takes parts of a load between the servers and the folder of this process. */
class PartTransfer {
  readonly #lake: Lake;
  readonly #dataset: Dataset;
  readonly #staging: StagingEngine;
  readonly #signal: AbortSignal;
  /** Published parts that were fetched, by their location in the lake. */
  readonly #fetched = new Map<string, Promise<StagedPart | null>>();
  #reader: Promise<EngineReader> | null = null;

  constructor(lake: Lake, dataset: Dataset, staging: StagingEngine, signal: AbortSignal) {
    this.#lake = lake;
    this.#dataset = dataset;
    this.#staging = staging;
    this.#signal = signal;
  }

  /** A published part as a copy in the folder. */
  async fetch<P extends Pick<Part, 'location' | 'storedColumns'>>(part: P): Promise<P> {
    const { location, storedColumns = storedColumnsOf(this.#dataset) } = part;
    const staged = await this.#fetched.getOrInsertComputed(location, () =>
      this.#stage(location, storedColumns),
    );
    if (!staged) throw new Error(`${location} has no rows`);
    return { ...part, location: staged.location, digest: staged.digest };
  }

  async fetchAll(parts: ReadonlyMap<string, ExistingPart>): Promise<Map<string, ExistingPart>> {
    const fetched = new Map<string, ExistingPart>();
    for (const [key, part] of parts) fetched.set(key, await this.fetch(part));
    return fetched;
  }

  /** Writes a partition of staged rows to its place on the servers. */
  async write(
    staged: PartWriter,
    key: string,
    location: string,
    existing: ExistingPart | null,
  ): Promise<WrittenPart> {
    this.#signal.throwIfAborted();
    const place = placeOf(location);
    const shard = this.#lake.shardAt(place.shard);
    for (const server of shard.replicas) {
      const counts = await shard.rowCounts(server, [{ place }], this.#signal).catch(notWritten);
      if (counts.size > 0) throw new Error(`${location} exists`);
    }
    const { storage } = this.#staging;
    const local = storage.newLocation(this.#dataset, key);
    try {
      const kept = existing && (await this.fetch(existing));
      const { identifierOrder: _, ...written } = await staged.write(key, local, kept);
      const part = { id: 0, key, location: local, ...written };
      return { ...written, ...(await this.#send(location, part)) };
    } finally {
      await storage.remove([local]);
    }
  }

  async #stage(location: string, stored: readonly StoredColumn[]): Promise<StagedPart | null> {
    const columns = columnsStored(stored);
    const list = listDataset(this.#dataset, columns);
    const rows = this.#lake.rowsOf(location, columns, this.#signal);
    return await stageRows(this.#staging.storage, list, rows, this.#signal);
  }

  /** Inserts the part into every replica; where one fails or has other rows, none keeps it. */
  async #send(location: string, part: StagedPart): Promise<SentPart> {
    this.#reader ??= this.#staging.openReader();
    const reader = await this.#reader;
    const place = placeOf(location);
    const shard = this.#lake.shardAt(place.shard);
    const plan = planOfAll(this.#dataset, [part]);
    try {
      let inserted: StoredRows | null = null;
      for (const server of shard.replicas) {
        const rows = reader.scan(plan, this.#signal);
        inserted = await insertRows({ server, shard, place }, this.#dataset, rows, this.#signal);
      }
      if (inserted === null) throw new Error('a shard has no servers');
      const digest = await this.#requireEqual(location, inserted);
      return { digest, storedByteCount: inserted.byteCount };
    } catch (error) {
      await dropPart(shard, place).catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    const fetched = await Promise.allSettled(this.#fetched.values());
    const locations = fetched.flatMap((each) =>
      each.status === 'fulfilled' && each.value ? [each.value.location] : [],
    );
    await this.#staging.storage.remove(locations);
    await (await this.#reader)?.close();
  }

  /** The rows of one replica are read again; those of the others have to have its checksum. */
  async #requireEqual(location: string, { sha256, rowCount }: StoredRows): Promise<string> {
    const place = placeOf(location);
    const shard = this.#lake.shardAt(place.shard);
    const { columns } = this.#dataset;
    const checksums = await Promise.all(
      shard.replicas.map((each) => checksumOn(each, shard, { place, rowCount }, this.#signal)),
    );
    const again = this.#lake.rowsOf(location, columns, this.#signal);
    if ((await sha256OfRows(columns, again)) !== sha256) {
      throw new Error(`the servers did not store the rows of ${location} that they were sent`);
    }
    return commonChecksum(location, checksums);
  }
}

interface WriterPlace {
  readonly lake: Lake;
  readonly staging: StagingEngine;
  readonly writersMax: number;
}

/** Opens a writer without rows, which are staged, checked and sorted here before they are sent. */
async function openWriter(
  { lake, staging, writersMax }: WriterPlace,
  dataset: Dataset,
  signal: AbortSignal,
): Promise<PartWriter> {
  // The servers keep no order by identifiers.
  const plain: Dataset = { ...dataset, alsoStoredBy: null };
  const staged = await staging.storage.openWriter(plain, signal, writersMax);
  const transfer = new PartTransfer(lake, plain, staging, signal);
  return {
    ...(staged.records && { records: staged.records }),
    ...(staged.parquet && { parquet: staged.parquet }),
    append: (batch) => staged.append(batch),
    partitionKeys: () => staged.partitionKeys(),
    rowCount: (key) => staged.rowCount(key),
    dates: (identifiers) => staged.dates(identifiers),
    redate: (evening) => staged.redate(evening),
    compare: async (key, existing, removed) =>
      await staged.compare(key, await transfer.fetch(existing), removed),
    check: async (rules, existing) => await staged.check(rules, await transfer.fetchAll(existing)),
    write: (key, location, existing) => transfer.write(staged, key, location, existing),
    // Servers confirm rows only once they have stored them.
    flush: async () => signal.throwIfAborted(),
    close: async () => {
      await staged.close();
      await transfer.close();
    },
  };
}
