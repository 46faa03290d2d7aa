/** Copies a store of one kind into an empty one of another kind, and reads it again to verify it. */
import { createHash } from 'node:crypto';
import { UsageError } from '../../base/errors.ts';
import { STORE_TABLES, type StoreRow, type StoreTable } from './store-tables.ts';

/** The tables of a store in a transaction of its kind. */
export interface TableReader {
  /** All rows in the order of the key, in batches of few enough for memory. */
  rows(table: StoreTable): AsyncIterable<readonly StoreRow[]>;
  /** The greatest number that a table's counter has given; 0: none. */
  counter(table: StoreTable): Promise<number>;
}

export interface TableWriter extends TableReader {
  insert(table: StoreTable, rows: readonly StoreRow[]): Promise<void>;
  /** The next number that the counter gives is greater. */
  setCounter(table: StoreTable, value: number): Promise<void>;
  /** Brings up to date what follows from the tables and is not copied. */
  finish(nowMs: number): Promise<void>;
}

export interface CopiedTable {
  readonly name: string;
  readonly rowCount: number;
}

export interface CopyOptions {
  readonly nowMs: number;
  readonly signal: AbortSignal;
  /** Called with the rows done of a table. */
  readonly onRows: (table: string, rowCount: number) => void;
}

/** Rows that pass, and one digest of all of them. */
class PassedRows {
  readonly #hash = createHash('sha256');
  readonly #json: readonly number[];
  rowCount = 0;

  constructor({ columns }: StoreTable) {
    const kinds = Object.values(columns);
    this.#json = kinds.flatMap((kind, at) => (kind === 'json' || kind === 'texts' ? at : []));
  }

  add(rows: readonly StoreRow[]): void {
    for (const row of rows) {
      const values: unknown[] = [...row];
      // Stores write the same JSON with other spaces.
      for (const at of this.#json) {
        if (typeof row[at] === 'string') values[at] = JSON.parse(row[at]);
      }
      this.#hash.update(`${JSON.stringify(values)}\n`);
    }
    this.rowCount += rows.length;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

async function requireEmpty(target: TableReader, table: StoreTable): Promise<void> {
  for await (const rows of target.rows(table)) {
    if (rows.length === 0) continue;
    throw new UsageError(
      `the store to copy to is not empty: its table ${table.name} has rows; name an empty one`,
    );
  }
}

async function digestOf(reader: TableReader, table: StoreTable, { signal }: CopyOptions) {
  const passed = new PassedRows(table);
  for await (const rows of reader.rows(table)) {
    signal.throwIfAborted();
    passed.add(rows);
  }
  return { rowCount: passed.rowCount, digest: passed.digest() };
}

async function copyTable(
  source: TableReader,
  target: TableWriter,
  table: StoreTable,
  options: CopyOptions,
): Promise<CopiedTable> {
  const passed = new PassedRows(table);
  for await (const rows of source.rows(table)) {
    options.signal.throwIfAborted();
    if (rows.length > 0) await target.insert(table, rows);
    passed.add(rows);
    options.onRows(table.name, passed.rowCount);
  }
  if (table.counter) await target.setCounter(table, await source.counter(table));
  const { rowCount } = passed;
  const copied = await digestOf(target, table, options);
  if (copied.rowCount !== rowCount || copied.digest !== passed.digest()) {
    throw new Error(`the copy of the table ${table.name} differs from the original`);
  }
  return { name: table.name, rowCount };
}

/**
 * Copies all tables. Rejects with a `UsageError` where the target has rows; the caller gives up the target's
 * transaction where it rejects.
 */
export async function copyTables(
  source: TableReader,
  target: TableWriter,
  options: CopyOptions,
): Promise<CopiedTable[]> {
  for (const table of STORE_TABLES) await requireEmpty(target, table);
  const copied: CopiedTable[] = [];
  for (const table of STORE_TABLES) copied.push(await copyTable(source, target, table, options));
  await target.finish(options.nowMs);
  return copied;
}
