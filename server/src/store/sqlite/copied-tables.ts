/** The tables of a store in files, as copies of stores read and write them. */
import { renameSync, rmSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { synchronizeFile } from '../../base/write-whole-file.ts';
import type { TableReader, TableWriter } from '../copy/copy-store.ts';
import type { ColumnKind, StoreRow, StoreTable, StoreValue } from '../copy/store-tables.ts';
import { openDatabase } from './database.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { MIGRATIONS } from './schema.ts';
import { storeError } from './sqlite-errors.ts';

const BATCH_ROWS = 500;

/** Where the files of a store are. */
export interface StoreFiles {
  readonly control: string;
  readonly lake: string;
}

type Databases = Readonly<Record<StoreTable['part'], DatabaseSync>>;

function storedValue(kind: ColumnKind, value: StoreValue): SQLInputValue {
  return kind === 'bytes' && typeof value === 'string' ? Buffer.from(value, 'hex') : value;
}

function copiedValue(value: unknown): StoreValue {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : (value as StoreValue);
}

class FileTables implements TableWriter {
  readonly #databases: Databases;

  constructor(databases: Databases) {
    this.#databases = databases;
  }

  async *rows(table: StoreTable): AsyncIterable<StoreRow[]> {
    const { name, columns, key, batchRows = BATCH_ROWS } = table;
    const names = Object.keys(columns);
    const sql = `SELECT ${names.join(', ')} FROM ${name} ORDER BY ${key.join(', ')}`;
    let rows: StoreRow[] = [];
    for (const row of this.#databases[table.part].prepare(sql).iterate()) {
      rows.push(names.map((column) => copiedValue(row[column])));
      if (rows.length < batchRows) continue;
      yield rows;
      rows = [];
    }
    yield rows;
  }

  async insert(table: StoreTable, rows: readonly StoreRow[]): Promise<void> {
    const kinds = Object.values(table.columns);
    const names = Object.keys(table.columns);
    const statement = this.#databases[table.part].prepare(
      `INSERT INTO ${table.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    for (const row of rows) {
      statement.run(...kinds.map((kind, at) => storedValue(kind, row[at] ?? null)));
    }
  }

  async counter(table: StoreTable): Promise<number> {
    const database = this.#databases[table.part];
    const given = database
      .prepare('SELECT seq FROM sqlite_sequence WHERE name = ?')
      .get(table.name);
    const { greatest } = database
      .prepare(`SELECT coalesce(max(${table.counter}), 0) AS greatest FROM ${table.name}`)
      .get() as { greatest: number };
    return Math.max(Number(given?.seq ?? 0), greatest);
  }

  async setCounter(table: StoreTable, value: number): Promise<void> {
    const database = this.#databases[table.part];
    const counts = 'SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE ?';
    // Other tables go on from their greatest number.
    if (!database.prepare(counts).get(table.name, '%AUTOINCREMENT%')) return;
    database.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table.name);
    database
      .prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)')
      .run(table.name, value);
  }

  async finish(): Promise<void> {}
}

async function within<T>(
  files: StoreFiles,
  begin: string,
  work: (tables: FileTables) => Promise<T>,
): Promise<T> {
  const control = openDatabase(files.control, MIGRATIONS);
  try {
    const lake = openDatabase(files.lake, LAKE_MIGRATIONS);
    try {
      for (const database of [control, lake]) database.exec(begin);
      const result = await work(new FileTables({ control, lake }));
      for (const database of [control, lake]) database.exec('COMMIT');
      return result;
    } finally {
      lake.close();
    }
  } finally {
    control.close();
  }
}

/** Reads a store in files as of one moment each. */
export async function readFileStore<T>(
  files: StoreFiles,
  work: (tables: TableReader) => Promise<T>,
): Promise<T> {
  return within(files, 'BEGIN', work);
}

function remove({ control, lake }: StoreFiles): void {
  for (const path of [control, lake]) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  }
}

/**
 * Makes a store in files that are not there yet. They get their names when `work` is done, the control store's
 * last; what an attempt that died left behind is removed.
 */
export async function makeFileStore<T>(
  files: StoreFiles,
  work: (tables: TableWriter) => Promise<T>,
): Promise<T> {
  const made = { control: `${files.control}.copying`, lake: `${files.lake}.copying` };
  remove(made);
  try {
    const result = await within(made, 'BEGIN IMMEDIATE', work);
    for (const part of ['lake', 'control'] as const) {
      synchronizeFile(made[part]);
      renameSync(made[part], files[part]);
    }
    return result;
  } catch (error) {
    remove(made);
    throw storeError(files.control, error);
  }
}
