/**
 * The lake's index, `lake.db`: which files make up each dataset's published version, what their
 * row groups hold, and which files are on their way in or out. Paths in it are relative to the
 * lake's folder.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RowGroup } from '../engine/engine.ts';
import { openDatabase, transaction } from '../store/database.ts';
import { decodeRowGroups, encodeRowGroups } from './row-group-text.ts';

const MIGRATIONS = [
  `CREATE TABLE dataset (
     dataset_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     published_at TEXT NOT NULL,
     vendor TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE partition (
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     file TEXT NOT NULL,
     row_count INTEGER NOT NULL,
     byte_count INTEGER NOT NULL,
     first_date TEXT,
     last_date TEXT,
     PRIMARY KEY (dataset_id, key)
   ) STRICT, WITHOUT ROWID;

   -- Kept for as long as the file is: readers of an earlier version still ask for its row groups.
   CREATE TABLE partition_file (
     file TEXT PRIMARY KEY,
     row_groups TEXT NOT NULL,
     -- Milliseconds since 1970; null while the file is published.
     retired_at INTEGER
   ) STRICT;
   CREATE INDEX partition_file_retired ON partition_file (retired_at)
     WHERE retired_at IS NOT NULL;

   -- Files of a publication that has not been committed.
   CREATE TABLE pending_file (file TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

   -- The last publication of each dataset, or the one under way.
   CREATE TABLE publication (
     dataset_id TEXT PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed')),
     started_at TEXT NOT NULL,
     finished_at TEXT,
     message TEXT
   ) STRICT, WITHOUT ROWID;`,
];

export interface IndexedDataset {
  readonly version: number;
  readonly publishedAt: string;
  readonly vendor: string;
}

export interface IndexedPartition {
  readonly key: string;
  readonly file: string;
  readonly rowCount: number;
  readonly byteCount: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
}

export interface NewPartition extends IndexedPartition {
  readonly rowGroups: readonly RowGroup[];
}

export interface NewVersion extends IndexedDataset {
  readonly datasetId: string;
  readonly partitions: readonly NewPartition[];
  /** Whether partitions that have no successor among `partitions` are dropped. */
  readonly dropsOthers: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The last publication of a dataset, or the one under way. */
export interface PublicationStatus {
  /** `none`: nothing was ever published. */
  readonly state: 'none' | 'running' | 'succeeded' | 'failed';
  /** Times are UTC, whole seconds, `Z`. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why it failed, for the operator. */
  readonly message: string | null;
}

/** What crashed publications and replaced versions left behind. */
export interface Leftovers {
  readonly pendingFiles: readonly string[];
  readonly retiredFiles: readonly string[];
  readonly isInterrupted: boolean;
}

/** A dataset and its partitions in order of their keys, both of one moment. */
export interface IndexedVersion extends IndexedDataset {
  readonly partitions: readonly IndexedPartition[];
}

const NO_PUBLICATION: PublicationStatus = {
  state: 'none',
  startedAt: null,
  finishedAt: null,
  message: null,
};

const SQL = {
  changes: 'PRAGMA data_version',
  dataset: `SELECT version, published_at AS publishedAt, vendor FROM dataset
    WHERE dataset_id = ?`,
  partitions: `SELECT key, file, row_count AS rowCount, byte_count AS byteCount,
      first_date AS firstDate, last_date AS lastDate
    FROM partition WHERE dataset_id = ? ORDER BY key`,
  rowGroups: 'SELECT row_groups AS text FROM partition_file WHERE file = ?',
  publication: `SELECT state, started_at AS startedAt, finished_at AS finishedAt, message
    FROM publication WHERE dataset_id = ?`,
  begin: `REPLACE INTO publication (dataset_id, state, started_at) VALUES (?, 'running', ?)`,
  finish: `UPDATE publication SET state = ?, finished_at = ?, message = ?
    WHERE dataset_id = ? AND state = 'running'`,
  interrupt: `UPDATE publication SET state = 'failed', finished_at = ?,
    message = 'interrupted' WHERE state = 'running'`,
  addPending: 'INSERT INTO pending_file VALUES (?)',
  pending: 'SELECT file FROM pending_file',
  running: `SELECT 1 FROM publication WHERE state = 'running'`,
  clearPending: 'DELETE FROM pending_file',
  retire: `UPDATE partition_file SET retired_at = ? WHERE file =
    (SELECT file FROM partition WHERE dataset_id = ? AND key = ?)`,
  retireAll: `UPDATE partition_file SET retired_at = ? WHERE file IN
    (SELECT file FROM partition WHERE dataset_id = ?)`,
  dropPartitions: 'DELETE FROM partition WHERE dataset_id = ?',
  addFile: 'INSERT INTO partition_file (file, row_groups) VALUES (?, ?)',
  addPartition: 'REPLACE INTO partition VALUES (?, ?, ?, ?, ?, ?, ?)',
  setDataset: 'REPLACE INTO dataset VALUES (?, ?, ?, ?)',
  retired: 'SELECT file FROM partition_file WHERE retired_at <= ?',
  removeFile: 'DELETE FROM partition_file WHERE file = ?',
};

export class LakeIndex {
  readonly #database: DatabaseSync;
  readonly #statements: Readonly<Record<keyof typeof SQL, StatementSync>>;

  constructor(path: string) {
    this.#database = openDatabase(path, MIGRATIONS);
    this.#statements = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, this.#database.prepare(sql)]),
    ) as Record<keyof typeof SQL, StatementSync>;
  }

  /** A number that is another one after any other connection has committed a change. */
  changeMark(): number {
    return this.#statements.changes.get()?.data_version as number;
  }

  dataset(datasetId: string): IndexedDataset | null {
    return (this.#statements.dataset.get(datasetId) as IndexedDataset | undefined) ?? null;
  }

  /** Null: nothing is published. */
  version(datasetId: string): IndexedVersion | null {
    this.#database.exec('BEGIN');
    try {
      const dataset = this.dataset(datasetId);
      const rows = dataset && this.#statements.partitions.all(datasetId);
      return dataset && { ...dataset, partitions: rows as unknown as IndexedPartition[] };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  rowGroups(file: string): RowGroup[] {
    const row = this.#statements.rowGroups.get(file);
    if (!row) throw new Error(`${file} is no longer in the lake`);
    return decodeRowGroups(row.text as string);
  }

  publication(datasetId: string): PublicationStatus {
    const row = this.#statements.publication.get(datasetId);
    return (row as unknown as PublicationStatus | undefined) ?? NO_PUBLICATION;
  }

  /** Notes a publication and the files that it is going to write. */
  begin(datasetId: string, files: readonly string[], startedAt: string): void {
    transaction(this.#database, () => {
      this.#statements.begin.run(datasetId, startedAt);
      for (const file of files) this.#statements.addPending.run(file);
    });
  }

  /** Publishes a new version, all of it or nothing, and retires the files that it replaces. */
  commit(next: NewVersion): void {
    const { datasetId, version, publishedAt, vendor, now } = next;
    const statements = this.#statements;
    transaction(this.#database, () => {
      if (next.dropsOthers) {
        statements.retireAll.run(now, datasetId);
        statements.dropPartitions.run(datasetId);
      }
      for (const partition of next.partitions) {
        const { key, file, rowCount, byteCount, firstDate, lastDate, rowGroups } = partition;
        statements.retire.run(now, datasetId, key);
        statements.addFile.run(file, encodeRowGroups(rowGroups));
        statements.addPartition.run(datasetId, key, file, rowCount, byteCount, firstDate, lastDate);
      }
      statements.setDataset.run(datasetId, version, publishedAt, vendor);
      statements.clearPending.run();
      statements.finish.run('succeeded', publishedAt, null, datasetId);
    });
  }

  /** Notes why a publication failed; its files have been removed. */
  fail(datasetId: string, message: string, finishedAt: string): void {
    transaction(this.#database, () => {
      this.#statements.clearPending.run();
      this.#statements.finish.run('failed', finishedAt, message, datasetId);
    });
  }

  /** Files of interrupted publications, and those replaced at or before `retiredMsMax`. */
  leftovers(retiredMsMax: number): Leftovers {
    const { pending, retired, running } = this.#statements;
    return {
      pendingFiles: pending.all().map((row) => row.file as string),
      retiredFiles: retired.all(retiredMsMax).map((row) => row.file as string),
      isInterrupted: running.get() !== undefined,
    };
  }

  /** Notes that leftovers were removed; a publication still noted as running was interrupted. */
  forget(leftovers: Leftovers, sweptAt: string): void {
    transaction(this.#database, () => {
      for (const file of leftovers.retiredFiles) this.#statements.removeFile.run(file);
      this.#statements.clearPending.run();
      this.#statements.interrupt.run(sweptAt);
    });
  }

  close(): void {
    this.#database.close();
  }
}
