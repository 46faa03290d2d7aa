/** Reads parts that are partitions of tables. */
import { join } from 'node:path';
import { openProcessFolder } from '../../base/process-lock.ts';
import { StoredBytes } from '../../base/stored-bytes.ts';
import type { Column } from '../../catalog/dataset.ts';
import { type ColumnBatch, cellAt, dateOfDays } from '../columns.ts';
import {
  countedDate,
  countedIdentifier,
  type DayCount,
  type EngineReader,
  type MadeRows,
  type ParquetFile,
} from '../engine.ts';
import type { TimeForm } from '../file-columns.ts';
import { OnlyValues } from '../only-values.ts';
import { planOfAll } from '../plan-of-all.ts';
import { type GroupedPlan, type QueryPlan, rowsOfGroups } from '../query-plan.ts';
import { isComparing } from '../row-changes.ts';
import { readFrom } from '../sample.ts';
import { changedRows } from './changed-rows.ts';
import type { Lake } from './lake.ts';
import { lastReplicasWarning, type Shard, shardAt } from './shards.ts';
import {
  askedOf,
  EVERY_ROW,
  numberColumn,
  rowsSql,
  type Source,
  sourcesOf,
  storedOf,
  vectorsOf,
} from './sources.ts';
import { listDataset, type OpenStaging, type StagingEngine, stageRows } from './staging.ts';

interface Staging extends StagingEngine {
  readonly reader: Promise<EngineReader>;
}

/** The columns of a plan, and those that say which dates it reads. */
function columnsOfFile({ columns, predicates }: QueryPlan): readonly Column[] {
  const all = [...columns, ...predicates.flatMap(({ column }) => readFrom(column))];
  return [...new Map(all.map((column) => [column.name, column])).values()];
}

class ClickHouseReader implements EngineReader {
  readonly #lake: Lake;
  readonly #openStaging: () => StagingEngine;
  #staging: Staging | null = null;

  constructor(lake: Lake, openStaging: () => StagingEngine) {
    this.#lake = lake;
    this.#openStaging = openStaging;
  }

  async *scan(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch> {
    signal.throwIfAborted();
    if (plan.grants.length === 0) return;
    const only = new OnlyValues(plan);
    for await (const batch of this.#batches({ ...plan, columns: only.stored }, signal)) {
      signal.throwIfAborted();
      yield only.complete(batch);
      signal.throwIfAborted();
    }
  }

  #batches(plan: QueryPlan, signal: AbortSignal): AsyncIterable<ColumnBatch> {
    if (isComparing(plan)) return changedRows(this.#lake.shards, plan, signal);
    const { pages } = this.#lake;
    return plan.sort.length === 0 ? pages.natural(plan, signal) : pages.sorted(plan, signal);
  }

  /** The rows are brought here, and made a file of by the engine that stages. */
  async parquet(
    plan: QueryPlan,
    signal: AbortSignal,
    times: TimeForm = 'nanoseconds',
  ): Promise<ParquetFile> {
    signal.throwIfAborted();
    const columns = columnsOfFile(plan);
    const list = listDataset(plan.dataset, columns);
    // With the row beyond the page, by which the engine that stages knows of it.
    const rows = this.scan({ ...plan, columns }, signal);
    const { storage, reader } = this.#opened();
    const part = await stageRows(storage, list, rows, signal);
    const remove = async () => storage.remove(part ? [part.location] : []);
    try {
      const parts = part ? [part] : [];
      const { dateColumn } = plan.dataset;
      const { version, predicates } = plan;
      const asked = { ...planOfAll({ ...list, dateColumn }, parts), version, predicates };
      const page = { ...asked, columns: plan.columns, limit: plan.limit };
      const made = await (await reader).parquet(page, signal, times);
      const { bytes, rowCount } = made;
      const release = () => {
        bytes.release();
        void remove();
      };
      const nextOffset = made.nextOffset === null ? null : plan.offset + plan.limit;
      return { rowCount, nextOffset, bytes: new StoredBytes(bytes.stretches, release) };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  async writeParquet(
    plan: QueryPlan,
    rows: AsyncIterable<ColumnBatch>,
    signal: AbortSignal,
    times?: TimeForm,
  ): Promise<ParquetFile> {
    return await (await this.#opened().reader).writeParquet(plan, rows, signal, times);
  }

  async *sortRows(
    plan: QueryPlan,
    rows: MadeRows,
    signal: AbortSignal,
  ): AsyncIterable<ColumnBatch> {
    yield* (await this.#opened().reader).sortRows(plan, rows, signal);
  }

  /** The rows are brought here, and grouped by the engine that stages. */
  async *aggregate(
    plan: GroupedPlan,
    signal: AbortSignal,
    rows: MadeRows = (whileWanted) => this.scan(rowsOfGroups(plan), whileWanted),
  ): AsyncIterable<ColumnBatch> {
    yield* (await this.#opened().reader).aggregate(plan, signal, rows);
  }

  async countByDay(plan: QueryPlan, signal: AbortSignal): Promise<readonly DayCount[]> {
    signal.throwIfAborted();
    if (plan.grants.length === 0) return [];
    const counts = new DayCounts(plan);
    const { sources } = sourcesOf(plan, plan.parts);
    for (const source of sources)
      await counts.add(source, shardAt(this.#lake.shards, source.shard), signal);
    return counts.inOrder();
  }

  async check(): Promise<void> {
    const { signal } = new AbortController();
    for (const shard of this.#lake.shards) await shard.byAny((server) => server.version(signal));
  }

  async warning(): Promise<string | null> {
    return lastReplicasWarning(await Promise.all(this.#lake.shards.map((shard) => shard.state())));
  }

  async close(): Promise<void> {
    await (await this.#staging?.reader)?.close();
    await this.#staging?.storage.close?.();
    await this.#lake.close();
  }

  #opened(): Staging {
    if (!this.#staging) {
      const { storage, openReader } = this.#openStaging();
      this.#staging = { storage, openReader, reader: openReader() };
    }
    return this.#staging;
  }
}

export function clickHouseReader(lake: Lake, home: string, openStaging: OpenStaging): EngineReader {
  return new ClickHouseReader(lake, () =>
    openStaging(openProcessFolder(join(home, 'clickhouse'), 'answers')),
  );
}

/** Rows and identifiers by day, which may lie on several servers. */
class DayCounts {
  readonly #plan: QueryPlan;
  readonly #days = new Map<number, { rowCount: number; readonly identifiers: Set<unknown> }>();

  constructor(plan: QueryPlan) {
    this.#plan = plan;
  }

  /** Adds the rows of a source: one answered row for each day and identifier. */
  async add(source: Source, shard: Shard, signal: AbortSignal): Promise<void> {
    const { dataset } = this.#plan;
    const identifier = countedIdentifier(dataset);
    const reads = [countedDate(dataset), ...(identifier ? [identifier] : [])].map(source.readOf);
    if (reads[0]?.sql === null) return;
    const stored = storedOf(reads);
    const names = stored.map((_, c) => `c${c}`).join(', ');
    const selected = stored.map(({ sql }, c) => `${sql} AS c${c}`).join(', ');
    const grouped = `${rowsSql(source, shard)} GROUP BY ${names} ORDER BY ${names}`;
    const query = {
      ...askedOf(source, shard),
      columns: [...stored.map(({ column }) => column), numberColumn('found')],
      sqlFrom: (skippedRows: number) =>
        `SELECT ${selected}, toFloat64(count()) AS found ${grouped} LIMIT ${skippedRows}, ${EVERY_ROW}`,
    };
    for await (const batch of shard.batches(query, signal)) {
      const [days, identifiers] = vectorsOf(reads, batch);
      const { values } = batch.columns.at(-1) as { values: Float64Array };
      for (let row = 0; row < batch.rowCount; row++) {
        const day = days && cellAt(days, row);
        if (typeof day !== 'number') continue;
        const named = identifiers ? cellAt(identifiers, row) : null;
        this.#count(day, named, values[row] as number);
      }
    }
  }

  #count(day: number, identifier: unknown, rowCount: number): void {
    const counted = this.#days.get(day) ?? { rowCount: 0, identifiers: new Set() };
    this.#days.set(day, counted);
    counted.rowCount += rowCount;
    if (identifier !== null) counted.identifiers.add(identifier);
  }

  inOrder(): DayCount[] {
    const hasIdentifier = countedIdentifier(this.#plan.dataset) !== null;
    return [...this.#days]
      .toSorted(([a], [b]) => a - b)
      .map(([day, { rowCount, identifiers }]) => ({
        date: dateOfDays(day),
        rowCount,
        identifierCount: hasIdentifier ? identifiers.size : null,
      }));
  }
}
