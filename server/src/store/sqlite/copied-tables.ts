/** A store in files, as copies of stores read and make it. */
import { renameSync, rmSync } from 'node:fs';
import { atEnd } from '../../base/at-end.ts';
import { synchronizeFile } from '../../base/write-whole-file.ts';
import type { CopiedTable, CopySource, CopyTarget } from '../copy-store.ts';
import { counterOf, type StorePart } from '../schema.ts';
import { Connection, ConnectionQueries } from './connection.ts';
import { openDatabase } from './database.ts';
import { storeError } from './failures.ts';
import { CONTROL_SCRIPTS, LAKE_SCRIPTS } from './schema.ts';

/** Paths of the files of a store. */
export type StoreFiles = Readonly<Record<StorePart, string>>;

class FileTables implements CopyTarget {
  readonly #connections: Readonly<Record<StorePart, Connection>>;

  constructor(connections: Readonly<Record<StorePart, Connection>>) {
    this.#connections = connections;
  }

  queriesOf(part: StorePart): ConnectionQueries {
    return new ConnectionQueries(this.#connections[part]);
  }

  async counter(table: CopiedTable): Promise<number> {
    const { part, name } = table;
    const sql = `SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = $1), 0),
      coalesce((SELECT max(${counterOf(table)}) FROM ${name}), 0)) AS given`;
    return Number(this.#connections[part].get(sql, [name])?.given);
  }

  async setCounter({ part, name }: CopiedTable, value: number): Promise<void> {
    const connection = this.#connections[part];
    connection.run('DELETE FROM sqlite_sequence WHERE name = $1', [name]);
    connection.run('INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)', [name, value]);
  }

  async finish(): Promise<void> {}
}

async function within<T>(
  files: StoreFiles,
  begin: string,
  work: (tables: CopyTarget) => Promise<T>,
): Promise<T> {
  const control = new Connection(openDatabase(files.control, CONTROL_SCRIPTS));
  using _control = atEnd(() => control.close());
  const lake = new Connection(openDatabase(files.lake, LAKE_SCRIPTS));
  using _lake = atEnd(() => lake.close());
  for (const each of [control, lake]) each.exec(begin);
  const result = await work(new FileTables({ control, lake }));
  for (const each of [control, lake]) each.exec('COMMIT');
  return result;
}

/** Reads a store in files as of one moment each. */
export async function readFileStore<T>(
  files: StoreFiles,
  work: (source: CopySource) => Promise<T>,
): Promise<T> {
  return within(files, 'BEGIN', work);
}

function remove({ control, lake }: StoreFiles): void {
  for (const path of [control, lake]) {
    for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  }
}

/**
 * Makes a store in files that are not there yet. They get their names when `work` is done, the
 * control store's last; what an attempt that died left behind is removed.
 */
export async function makeFileStore<T>(
  files: StoreFiles,
  work: (target: CopyTarget) => Promise<T>,
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
