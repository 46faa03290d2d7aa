/**
 * The plainest engine: parts are rows in memory, scanned one by one. Shows what engines have to do,
 * apart from how any of them does it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { UsageError } from '../../src/base/errors.ts';
import { StoredBytes } from '../../src/base/stored-bytes.ts';
import type { CheckRule } from '../../src/catalog/checks.ts';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../../src/engine/columns.ts';
import { brokenRows } from '../../src/engine/conformance/break-rules.ts';
import { comparedRows } from '../../src/engine/conformance/compared-rows.ts';
import { groupRows } from '../../src/engine/conformance/group-rows.ts';
import {
  compareValues,
  countRowsByDay,
  inNaturalOrder,
  type Row,
  RowSelection,
  rowsOfBatch,
  selectChangedRows,
} from '../../src/engine/conformance/select-rows.ts';
import { digestOfRows } from '../../src/engine/content-digest.ts';
import { firstDate } from '../../src/engine/date-losses.ts';
import {
  type BrokenRows,
  type Engine,
  type EngineReader,
  type Evening,
  type ExistingPart,
  type MadeRows,
  type ParquetFile,
  type PartComparison,
  type PartStorage,
  type PartWriter,
  type RemovedRows,
  UnreadablePartError,
  type WrittenDate,
} from '../../src/engine/engine.ts';
import type { TimeForm } from '../../src/engine/file-columns.ts';
import {
  identifierColumn,
  indexedColumns,
  namingColumns,
} from '../../src/engine/indexed-columns.ts';
import type {
  BoundValue,
  ColumnBounds,
  Part,
  RowGroup,
  StoredColumn,
  WrittenPart,
} from '../../src/engine/part.ts';
import {
  type GroupedPlan,
  type QueryPlan,
  rowsOfGroups,
  sortedColumns,
} from '../../src/engine/query-plan.ts';
import { type ComparingPlan, isComparing } from '../../src/engine/row-changes.ts';
import { readAs, readingsOf, storedColumnsOf } from '../../src/engine/stored-columns.ts';
import { plainParquet } from './plain-parquet.ts';

const ROW_GROUP_ROWS = 1000;
const BATCH_ROWS = 100;
const KEY_LENGTHS = { day: 10, month: 7, year: 4, whole: 0 } as const;

/** The columns that rows were written with. */
const storedColumns = new WeakMap<readonly Row[], readonly StoredColumn[]>();

/** Rows as the dataset has them now. */
function rowsAs(rows: readonly Row[], dataset: Dataset): readonly Row[] {
  const stored = storedColumns.get(rows) ?? [];
  if (readingsOf({ storedColumns: stored }, dataset).length === 0) {
    if (stored.every(({ name }, c) => dataset.columns[c]?.name === name)) return rows;
  }
  const places = dataset.columns.map(({ name }) => stored.findIndex((each) => each.name === name));
  return rows.map((row) =>
    dataset.columns.map((column, c) => {
      const place = places[c] as number;
      const cell = row[place] ?? null;
      return cell === null ? null : readAs(stored[place] as StoredColumn, column, cell);
    }),
  );
}

/** The rows at each location. */
type Shelf = Map<string, readonly Row[]>;

const textOf = (rows: readonly Row[]) =>
  JSON.stringify(rows, (_, cell) => (typeof cell === 'bigint' ? `${cell}` : cell));

function boundsOf(rows: readonly Row[], c: number): ColumnBounds {
  const values = rows.map((row) => row[c] ?? null).filter((cell) => cell !== null);
  const [min = null] = values.toSorted(compareValues);
  const [max = null] = values.toSorted((a, b) => compareValues(b, a));
  return { min: min as BoundValue | null, max: max as BoundValue | null };
}

function rowGroupOf(dataset: Dataset, rows: readonly Row[]): RowGroup {
  const bounds = indexedColumns(dataset).map((name) => {
    return [
      name,
      boundsOf(
        rows,
        dataset.columns.findIndex((column) => column.name === name),
      ),
    ];
  });
  const byteCount = textOf(rows).length;
  return { rowCount: rows.length, byteCount, bounds: Object.fromEntries(bounds) };
}

function describe(dataset: Dataset, rows: readonly Row[]): WrittenPart {
  const rowGroups: RowGroup[] = [];
  for (let at = 0; at < rows.length; at += ROW_GROUP_ROWS) {
    rowGroups.push(rowGroupOf(dataset, rows.slice(at, at + ROW_GROUP_ROWS)));
  }
  const text = textOf(rows);
  return {
    rowCount: rows.length,
    byteCount: rowGroups.reduce((sum, { byteCount }) => sum + byteCount, 0),
    storedByteCount: text.length,
    digest: digestOf(rows),
    contentDigest: digestOfRows(dataset.columns, rows),
    rowGroups,
  };
}

function cellOf(dataset: Dataset, row: Row, name: string | undefined) {
  return row[dataset.columns.findIndex((column) => column.name === name)] ?? null;
}

function identifierOf(dataset: Dataset, row: Row): string | null {
  const cell = cellOf(dataset, row, identifierColumn(dataset)?.name);
  return cell === null ? null : String(cell);
}

function dateOf(dataset: Dataset, row: Row): string | null {
  return cellOf(dataset, row, dataset.dateColumn ?? undefined) as string | null;
}

/** Returns a test for rows of an existing part that stay beside the added ones. */
function staying(dataset: Dataset, added: readonly Row[], removed: RemovedRows | undefined) {
  if (!removed) return () => true;
  const { dates, identifiers } = removed;
  const staged = new Set(added.map((row) => identifierOf(dataset, row)));
  const stagedDates = new Set(added.map((row) => dateOf(dataset, row)));
  const isNamed = (row: Row) => {
    if (identifiers === null) return true;
    if (identifiers === 'staged') {
      return identifierOf(dataset, row) !== null && staged.has(identifierOf(dataset, row));
    }
    const cells = namingColumns(dataset).map((name) => cellOf(dataset, row, name));
    return cells.some((cell) => cell !== null && identifiers.includes(String(cell)));
  };
  const isDated = (row: Row) => {
    const date = dateOf(dataset, row);
    if (dates === 'staged') return date !== null && stagedDates.has(date);
    return !dates || (date !== null && date >= dates.start && date <= dates.end);
  };
  return (row: Row) => !(isNamed(row) && isDated(row));
}

function withoutMinusZero(cell: CellValue): CellValue {
  if (Array.isArray(cell)) return cell.map(withoutMinusZero) as CellValue;
  return cell === 0 ? 0 : cell;
}

class PlainWriter implements PartWriter {
  readonly #shelf: Shelf;
  readonly #dataset: Dataset;
  readonly #signal: AbortSignal | undefined;
  #rows: Row[] = [];

  constructor(shelf: Shelf, dataset: Dataset, signal: AbortSignal | undefined) {
    this.#shelf = shelf;
    this.#dataset = dataset;
    this.#signal = signal;
  }

  async append(batch: ColumnBatch): Promise<void> {
    this.#signal?.throwIfAborted();
    const types = batch.columns.map(({ type }) => type).join();
    const due = this.#dataset.columns.map(({ dataType }) => dataType).join();
    if (types !== due) throw new Error(`a batch of ${types}, where ${due} are due`);
    this.#rows = this.#rows.concat(rowsOfBatch(batch).map((row) => row.map(withoutMinusZero)));
  }

  async partitionKeys(): Promise<string[]> {
    this.#signal?.throwIfAborted();
    const { partitioning, textId } = this.#dataset;
    const keys = this.#rows.map((row) => this.#keyOf(row));
    const nullCount = keys.filter((key) => key === null).length;
    if (nullCount > 0) {
      const { column, unit } = partitioning;
      throw new UsageError(
        `${column} is null in ${nullCount} of the rows, but ${textId} is partitioned by its ${unit}`,
      );
    }
    return [...new Set(keys as string[])].sort();
  }

  async rowCount(key: string): Promise<number> {
    return this.#rowsOf(key).length;
  }

  async dates(identifiers: readonly string[] = []): Promise<readonly WrittenDate[]> {
    const byDate = Map.groupBy(this.#rows, (row) => dateOf(this.#dataset, row) ?? '');
    const dates = [...byDate.keys()].filter((date) => date !== '').sort();
    const first = firstDate(dates, this.#dataset.startDate ?? '');
    return [...byDate]
      .filter(([date]) => date !== '' && date >= first)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([date, rows]) => {
        const found = new Set(rows.map((row) => identifierOf(this.#dataset, row)));
        const missing = identifiers.filter((identifier) => !found.has(identifier));
        return { date, rowCount: rows.length, missing };
      });
  }

  async redate({ date, timeColumn, startNanos, newDate }: Evening): Promise<number> {
    const { columns, dateColumn } = this.#dataset;
    const [day, time] = [dateColumn, timeColumn].map((name) =>
      columns.findIndex((column) => column.name === name),
    ) as [number, number];
    const isOfEvening = (row: Row) =>
      row[day] === date && row[time] !== null && (row[time] as bigint) >= startNanos;
    const count = this.#rows.filter(isOfEvening).length;
    this.#rows = this.#rows.map((row) => (isOfEvening(row) ? row.with(day, newDate) : row));
    return count;
  }

  async compare(
    key: string,
    { location }: Pick<Part, 'location'>,
    removed: RemovedRows | null,
  ): Promise<PartComparison> {
    const rows = this.#rowsOf(key);
    const stored = rowsAs(this.#shelf.get(location) ?? [], this.#dataset);
    const stays = removed ? staying(this.#dataset, rows, removed) : () => false;
    const gone = stored.filter((row) => !stays(row));
    const cells = (row: Row) => ({
      date: dateOf(this.#dataset, row),
      identifier: identifierOf(this.#dataset, row),
      text: textOf([row]),
    });
    return comparedRows(stored.map(cells), gone.map(cells), rows.map(cells), removed);
  }

  async check(
    rules: readonly CheckRule[],
    existing: ReadonlyMap<string, ExistingPart>,
  ): Promise<BrokenRows[]> {
    this.#signal?.throwIfAborted();
    const old = [...existing].flatMap(([key, { location, removed }]) =>
      (this.#shelf.get(location) ?? []).filter(staying(this.#dataset, this.#rowsOf(key), removed)),
    );
    return rules.map((rule) => brokenRows(this.#dataset, rule, this.#rows, old));
  }

  async write(key: string, location: string, existing: ExistingPart | null): Promise<WrittenPart> {
    this.#signal?.throwIfAborted();
    if (this.#shelf.has(location)) throw new Error(`${location} exists`);
    const added = this.#rowsOf(key);
    const stays = staying(this.#dataset, added, existing?.removed);
    const stored = existing ? (this.#shelf.get(existing.location) ?? []) : [];
    const old = rowsAs(stored, this.#dataset).filter(stays);
    const rows = inNaturalOrder({ dataset: this.#dataset }, [...old, ...added]);
    storedColumns.set(rows, storedColumnsOf(this.#dataset));
    this.#shelf.set(location, rows);
    return describe(this.#dataset, rows);
  }

  async flush(): Promise<void> {}

  async close(): Promise<void> {
    this.#rows = [];
  }

  #rowsOf(key: string): Row[] {
    return this.#rows.filter((row) => this.#keyOf(row) === key);
  }

  #keyOf(row: Row): string | null {
    const { unit, column } = this.#dataset.partitioning;
    if (unit === 'whole') return 'all';
    const date = row[this.#dataset.columns.findIndex(({ name }) => name === column)] ?? null;
    return date === null ? null : String(date).slice(0, KEY_LENGTHS[unit]);
  }
}

function digestOf(rows: readonly Row[] | undefined): string {
  if (!rows) throw new Error('there is nothing');
  return createHash('sha256').update(textOf(rows)).digest('hex');
}

function plainStorage(shelf: Shelf, shelfOf: (home: string) => Shelf): PartStorage {
  return {
    newLocation: ({ textId }, key) => `${textId} ${key} ${randomUUID()}`,
    openWriter: async (dataset, signal) => new PlainWriter(shelf, dataset, signal),
    remove: async (locations) => {
      for (const location of locations) shelf.delete(location);
    },
    openRowsReader: async () => ({
      read: async ({ location, storedColumns: columns }, signal) => {
        signal.throwIfAborted();
        const rows = shelf.get(location);
        if (!rows) throw new Error('there is nothing');
        const contentDigest = digestOfRows(columns, rows);
        return { rows: { rowCount: rows.length, contentDigest }, identifierOrder: null };
      },
      close: async () => {},
    }),
    findDamage: async ({ location }) => (shelf.has(location) ? null : `${location} is missing`),
    sweep: async () => {},
    locations: async function* () {
      yield* [...shelf.keys()];
    },
    digestOf: async (location, signal) => {
      signal?.throwIfAborted();
      return digestOf(shelf.get(location));
    },
    copyTo: async ({ location, digest }, home) => {
      const rows = shelf.get(location);
      if (!rows) throw new Error(`${location} is missing`);
      if (digestOf(rows) !== digest) throw new UnreadablePartError(`${location} is altered`, null);
      shelfOf(home).set(location, rows);
    },
  };
}

function rowsAt(shelf: Shelf, { location }: Part): readonly Row[] {
  const rows = shelf.get(location);
  if (!rows) throw new UnreadablePartError(`the part ${location} cannot be read`, null);
  return rows;
}

async function* foundRows(shelf: Shelf, plan: QueryPlan, signal: AbortSignal) {
  const selection = new RowSelection(plan);
  for (const part of plan.parts) {
    const rows = rowsAs(rowsAt(shelf, part), plan.dataset);
    for (const [number, row] of rows.entries()) {
      if (number % BATCH_ROWS === 0) await nextTurn();
      signal.throwIfAborted();
      if (selection.finds(row)) yield row;
    }
  }
}

async function* orderedRows(shelf: Shelf, plan: QueryPlan, signal: AbortSignal) {
  if (plan.sort.length === 0) yield* foundRows(shelf, plan, signal);
  else {
    const rows = await Array.fromAsync(foundRows(shelf, plan, signal));
    yield* new RowSelection(plan).sorted(rows);
  }
}

function changedRows(shelf: Shelf, plan: ComparingPlan): readonly Row[] {
  const [before, after] = [plan.comparedParts, plan.parts].map((parts) =>
    parts.flatMap((part) => rowsAs(rowsAt(shelf, part), plan.dataset)),
  );
  return selectChangedRows(plan, before as Row[], after as Row[]);
}

async function* projectedRows(shelf: Shelf, plan: QueryPlan, signal: AbortSignal) {
  const selection = new RowSelection(plan);
  if (isComparing(plan)) yield* changedRows(shelf, plan);
  else for await (const row of orderedRows(shelf, plan, signal)) yield selection.projected(row);
}

async function* scan(shelf: Shelf, plan: QueryPlan, signal: AbortSignal) {
  signal.throwIfAborted();
  const toBatch = (rows: readonly Row[]) => batchOfRows(plan.columns as Column[], rows);
  let rows: Row[] = [];
  let ordinal = 0;
  for await (const row of projectedRows(shelf, plan, signal)) {
    if (ordinal > plan.offset + plan.limit) break;
    if (ordinal >= plan.offset) rows.push(row);
    ordinal++;
    if (rows.length < BATCH_ROWS) continue;
    yield toBatch(rows);
    signal.throwIfAborted();
    rows = [];
  }
  if (rows.length > 0) yield toBatch(rows);
}

async function rowsOf(batches: AsyncIterable<ColumnBatch>, signal: AbortSignal): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) {
    signal.throwIfAborted();
    rows.push(...rowsOfBatch(batch));
  }
  return rows;
}

async function writeParquet(
  plan: QueryPlan,
  batches: AsyncIterable<ColumnBatch>,
  signal: AbortSignal,
  times: TimeForm = 'nanoseconds',
): Promise<ParquetFile> {
  signal.throwIfAborted();
  const rows = await rowsOf(batches, signal);
  const page = rows.slice(0, plan.limit);
  const bytes = new StoredBytes([{ bytes: plainParquet(plan, page, times) }]);
  const nextOffset = rows.length > plan.limit ? plan.offset + plan.limit : null;
  return { rowCount: page.length, nextOffset, bytes };
}

async function* sortRows(plan: QueryPlan, made: MadeRows, signal: AbortSignal) {
  signal.throwIfAborted();
  const rows = await rowsOf(made(signal), signal);
  const columns = sortedColumns(plan);
  const selection = new RowSelection({ ...plan, dataset: { ...plan.dataset, columns } });
  const { offset, limit } = plan;
  const page = selection.sorted(rows).slice(offset, offset + limit + 1);
  yield batchOfRows(
    plan.columns,
    page.map((row) => selection.projected(row)),
  );
}

async function* aggregate(shelf: Shelf, plan: GroupedPlan, signal: AbortSignal, made?: MadeRows) {
  signal.throwIfAborted();
  const asked = rowsOfGroups(plan);
  const rows = await rowsOf(made?.(signal) ?? scan(shelf, asked, signal), signal);
  const { offset, limit } = plan;
  const page = groupRows(plan, rows).slice(offset, offset + limit + 1);
  if (page.length > 0) yield batchOfRows(plan.columns, page);
}

function plainReader(shelf: Shelf): EngineReader {
  return {
    scan: (plan, signal) => scan(shelf, plan, signal),
    parquet: async (plan, signal, times) =>
      await writeParquet(plan, scan(shelf, plan, signal), signal, times),
    writeParquet,
    sortRows,
    aggregate: (plan, signal, made) => aggregate(shelf, plan, signal, made),
    countByDay: async (plan, signal) => {
      const rows = await Array.fromAsync(foundRows(shelf, plan, signal));
      return countRowsByDay(plan.dataset, rows);
    },
    check: async () => {},
    warning: async () => null,
    close: async () => {},
  };
}

/** An engine of its own: what one keeps no other one finds. */
export function plainEngine(): Engine {
  const shelves = new Map<string, Shelf>();
  const shelfOf = (home: string) => {
    const shelf = shelves.get(home) ?? new Map();
    shelves.set(home, shelf);
    return shelf;
  };
  return {
    openReader: async ({ home }) => plainReader(shelfOf(home)),
    openStorage: ({ home }) => plainStorage(shelfOf(home), shelfOf),
  };
}
