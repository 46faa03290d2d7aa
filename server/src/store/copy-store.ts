/**
 * Copies a store of one kind into an empty one of another kind, and reads it again to verify it.
 */
import { createHash } from 'node:crypto';
import { UsageError } from '../base/errors.ts';
import type { Queries } from './queries.ts';
import {
  CONTROL_TABLES,
  counterOf,
  givenRows,
  LAKE_TABLES,
  type StorePart,
  type Table,
  withAdded,
} from './schema.ts';

/** A store that is copied, in one transaction. */
export interface CopySource {
  queriesOf(part: StorePart): Queries;
  /** The greatest number that a table's counter has given; 0: none. */
  counter(table: CopiedTable): Promise<number>;
}

/** A store that is filled, in one transaction. */
export interface CopyTarget extends CopySource {
  /** The next number that the counter gives is greater. */
  setCounter(table: CopiedTable, value: number): Promise<void>;
  /** Brings up to date what follows from the tables and is not copied. */
  finish(nowMs: number): Promise<void>;
}

/**
 * A table of both kinds of store. What belongs to running servers alone is none, nor what triggers
 * write.
 */
export interface CopiedTable extends Table {
  readonly part: StorePart;
}

/** Each after those that it refers to. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  ...CONTROL_TABLES.map((table) => ({ ...withAdded(table), part: 'control' as const })),
  ...LAKE_TABLES.map((table) => ({ ...withAdded(table), part: 'lake' as const })),
];

export interface TableCopy {
  readonly name: string;
  readonly rowCount: number;
}

export interface CopyOptions {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Called with the rows done of a table. */
  readonly onRows: (table: string, rowCount: number) => void;
}

type StoreRow = Readonly<Record<string, string | number | boolean | null>>;

const BATCH_ROWS = 500;

/** All rows in the order of the key, in batches of few enough for memory. */
async function* rowsOf(source: CopySource, table: CopiedTable): AsyncIterable<StoreRow[]> {
  const { name, part, key, columns, batchRows = BATCH_ROWS } = table;
  const keys = key.join(', ');
  const places = key.map((_, at) => `$${at + 1}`).join(', ');
  const select = `SELECT ${Object.keys(columns).join(', ')} FROM ${name}`;
  const order = `ORDER BY ${keys} LIMIT ${batchRows}`;
  const queries = source.queriesOf(part);
  let rows = await queries.all<StoreRow>(`${select} ${order}`);
  for (;;) {
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < batchRows) return;
    const behind = `WHERE (${keys}) > (${places})`;
    const values = key.map((column) => last[column] ?? null);
    rows = await queries.all<StoreRow>(`${select} ${behind} ${order}`, ...values);
  }
}

async function insert(target: CopyTarget, table: CopiedTable, rows: readonly StoreRow[]) {
  const columns = Object.keys(table.columns);
  const names = columns.join(', ');
  await target.queriesOf(table.part).runEach(
    `INSERT INTO ${table.name} (${names}) OVERRIDING SYSTEM VALUE
     SELECT ${names} FROM ${givenRows(table, columns)}`,
    rows,
  );
}

/** Rows that pass, and one digest of all of them. */
class PassedRows {
  readonly #hash = createHash('sha256');
  readonly #columns: readonly string[];
  rowCount = 0;

  constructor({ columns }: CopiedTable) {
    this.#columns = Object.keys(columns);
  }

  add(rows: readonly StoreRow[]): void {
    for (const row of rows) {
      this.#hash.update(`${JSON.stringify(this.#columns.map((column) => row[column]))}\n`);
    }
    this.rowCount += rows.length;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

async function requireEmpty(target: CopyTarget, { name, part }: CopiedTable): Promise<void> {
  if ((await target.queriesOf(part).get(`SELECT 1 FROM ${name} LIMIT 1`)) === undefined) return;
  throw new UsageError(
    `the store to copy to is not empty: its table ${name} has rows; name an empty one`,
  );
}

async function digestOf(source: CopySource, table: CopiedTable, { signal }: CopyOptions) {
  const passed = new PassedRows(table);
  for await (const rows of rowsOf(source, table)) {
    signal.throwIfAborted();
    passed.add(rows);
  }
  return { rowCount: passed.rowCount, digest: passed.digest() };
}

async function copyTable(
  source: CopySource,
  target: CopyTarget,
  table: CopiedTable,
  options: CopyOptions,
): Promise<TableCopy> {
  const passed = new PassedRows(table);
  for await (const rows of rowsOf(source, table)) {
    options.signal.throwIfAborted();
    if (rows.length > 0) await insert(target, table, rows);
    passed.add(rows);
    options.onRows(table.name, passed.rowCount);
  }
  if (counterOf(table)) await target.setCounter(table, await source.counter(table));
  const { rowCount } = passed;
  const copied = await digestOf(target, table, options);
  if (copied.rowCount !== rowCount || copied.digest !== passed.digest()) {
    throw new Error(`the copy of the table ${table.name} differs from the original`);
  }
  return { name: table.name, rowCount };
}

/**
 * Copies all tables. Rejects with a `UsageError` where the target has rows; the caller gives up the
 * target's transaction where it rejects.
 */
export async function copyTables(
  source: CopySource,
  target: CopyTarget,
  options: CopyOptions,
): Promise<TableCopy[]> {
  for (const table of COPIED_TABLES) await requireEmpty(target, table);
  const copied: TableCopy[] = [];
  for (const table of COPIED_TABLES) copied.push(await copyTable(source, target, table, options));
  await target.finish(options.nowMs);
  return copied;
}
