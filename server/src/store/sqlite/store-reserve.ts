/**
 * Space inside the store's own files that is kept free, so that changes and usage can still be
 * written when the disk is full. Nobody else can take it: free pages of the database take new rows
 * before the file grows, and the write-ahead log is overwritten from its start before it grows.
 */
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { diskProblem } from '../../base/disk-problem.ts';
import type { Queries } from '../queries.ts';
import { StoreFullError } from '../store-errors.ts';
import type { WriteKind } from '../tables.ts';
import type { SqliteDatabase } from './database.ts';

const MEBIBYTE = 1024 * 1024;

/** Bytes that usage must leave to changes, so that a key can still be revoked. */
const CHANGES_BYTES = MEBIBYTE;

/** Bytes that a write has to leave. SQLite needs a little to finish what it has accepted. */
const BYTES_LEFT: Readonly<Record<WriteKind, number>> = {
  usage: CHANGES_BYTES,
  change: CHANGES_BYTES / 8,
};

const FULL_TEXT = 'the disk is full and the reserve of the control store is used up';

/** SQLite's own default: with so many pages in it, the log is carried over into the database. */
const CHECKPOINT_PAGES = 1000;

export class StoreReserve {
  readonly #database: SqliteDatabase;
  readonly #folder: string;
  readonly #targetBytes: number;
  readonly #pageBytes: number;

  /** `targetBytes` 0: nothing is reserved, and SQLite itself finds out when the disk is full. */
  constructor(database: SqliteDatabase, targetBytes: number) {
    this.#database = database;
    this.#folder = dirname(database.path);
    this.#targetBytes = targetBytes;
    this.#pageBytes = this.#pragma('page_size');
  }

  /** Bytes that can be written without more space on the disk. */
  get bytes(): number {
    return this.#pragma('freelist_count') * this.#pageBytes;
  }

  /**
   * Throws a `StoreFullError` when a write of this kind may not take more; nothing is written then.
   */
  require(kind: WriteKind): void {
    if (this.#targetBytes === 0 || this.bytes >= BYTES_LEFT[kind]) return;
    if (diskProblem(this.#folder) !== null) throw new StoreFullError(FULL_TEXT, 'the disk is full');
  }

  /**
   * Reserves the space: writes that much into both files and frees it again, a part at a time so
   * that no request waits long. Does nothing where the disk has no room.
   */
  async fill(): Promise<void> {
    if (this.#targetBytes === 0 || diskProblem(this.#folder) !== null) return;
    // Left behind by a process that died here.
    await this.#clear();
    // Else the log would start again from its beginning, and not grow.
    this.#database.writer.exec('PRAGMA wal_autocheckpoint = 0');
    try {
      for (let bytes = 0; bytes < this.#targetBytes; bytes += MEBIBYTE) {
        // Random, because a row that is the same as before would not be written.
        await this.#database.transaction((queries) =>
          queries.run('INSERT INTO reserve VALUES (randomblob($1))', MEBIBYTE),
        );
        await nextTurn();
      }
      // SQLite refuses it inside a transaction, such as one that waits for something.
      await this.#database.between(() =>
        this.#database.writer.exec('PRAGMA wal_checkpoint(PASSIVE)'),
      );
    } finally {
      this.#database.writer.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      await this.#clear();
    }
  }

  #clear(): Promise<number> {
    return this.#database.transaction((queries) => queries.run('DELETE FROM reserve'));
  }

  /** Fills it again when half of it has been used, as by a store that grows. */
  async refill(): Promise<void> {
    if (this.bytes < this.#targetBytes / 2) await this.fill();
  }

  /** A write that leaves nothing behind; part of a transaction. */
  async probe(queries: Queries): Promise<void> {
    await queries.run("INSERT INTO reserve VALUES (x'00')");
    await queries.run('DELETE FROM reserve');
  }

  #pragma(name: string): number {
    return Number(this.#database.writer.get(`PRAGMA ${name}`)?.[name]);
  }
}
