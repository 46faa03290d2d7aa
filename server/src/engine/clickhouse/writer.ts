/** Writes parts to all replicas of a shard: rows are staged, checked and sorted here before they are sent. */
import { UsageError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import type { CheckRule } from '../../catalog/checks.ts';
import type { Dataset } from '../../catalog/dataset.ts';
import type { BrokenRows } from '../broken-rows.ts';
import type { ColumnBatch } from '../columns.ts';
import type {
  EngineReader,
  ExistingPart,
  PartComparison,
  PartWriter,
  RemovedRows,
} from '../engine.ts';
import type { ParquetLoader, RecordLoader } from '../file-loading.ts';
import type { Part, StoredColumn, WrittenPart } from '../part.ts';
import { planOfAll } from '../plan-of-all.ts';
import { columnsStored, storedColumnsOf } from '../stored-columns.ts';
import type { Lake } from './lake.ts';
import { type Place, placeOf } from './places.ts';
import { ServerDownError } from './server.ts';
import type { Shard } from './shards.ts';
import { listDataset, type StagedPart, type StagingEngine, stageRows } from './staging.ts';
import {
  checksumOfPart,
  digestOfPart,
  dropPart,
  insertRows,
  type StoredRows,
} from './stored-rows.ts';

type Existing = Pick<Part, 'location' | 'storedColumns'>;

/** Says why reading goes on while a replica is away, but loading does not. */
function notWritten(error: unknown): never {
  if (!(error instanceof ServerDownError)) throw error;
  throw new UsageError(
    `${failureText(error)}; a load has to reach every replica, since a version names only parts that all of them have`,
  );
}

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

  /** What a server has confirmed it has stored. */
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

  /** The same part where this process has it. */
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
export async function openWriter(
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
