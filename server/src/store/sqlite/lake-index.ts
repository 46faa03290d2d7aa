/**
 * The lake's index, `lake.db`: which files make up each dataset's published version, what their
 * row groups hold, and which files are on their way in or out. Paths in it are relative to the
 * lake's folder.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isoSeconds } from '../../base/clock.ts';
import type { RowGroup } from '../../engine/partition.ts';
import { decodeRowGroups, encodeRowGroups } from '../../lake/row-group-text.ts';
import { openDatabase, transaction } from './database.ts';

/** One SQL script for each schema version. */
export const MIGRATIONS = [
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
  `-- JSON array of the names of those that the rows of a partition come from.
   ALTER TABLE partition ADD COLUMN vendors TEXT NOT NULL DEFAULT '[]';
   UPDATE partition SET vendors = (
     SELECT json_array(vendor) FROM dataset WHERE dataset.dataset_id = partition.dataset_id
   ) WHERE dataset_id IN (SELECT dataset_id FROM dataset WHERE vendor <> '');
   ALTER TABLE dataset DROP COLUMN vendor;
   -- Size of the file; null where it was written before this column was there.
   ALTER TABLE partition ADD COLUMN file_bytes INTEGER;

   -- How the file is laid out; files of earlier releases are brought to the current format.
   ALTER TABLE partition_file ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
   CREATE INDEX partition_file_outdated ON partition_file (file) WHERE format < 2;

   ALTER TABLE publication RENAME TO last_publication;
   CREATE TABLE publication (
     publication_id INTEGER PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'refused', 'failed')),
     -- What publishes, such as 'ingest'.
     command TEXT NOT NULL,
     -- Names the lock that its process holds while it runs.
     life_mark TEXT NOT NULL,
     started_at TEXT NOT NULL,
     finished_at TEXT,
     -- Why nothing was published.
     message TEXT
   ) STRICT;
   CREATE INDEX publication_running ON publication (publication_id) WHERE state = 'running';
   CREATE TABLE publication_dataset (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     PRIMARY KEY (publication_id, dataset_id)
   ) STRICT, WITHOUT ROWID;
   -- What became of a dataset's publications, so that nobody has to look through all of them.
   CREATE TABLE publication_outcome (
     dataset_id TEXT PRIMARY KEY,
     -- The one that ended last.
     last_publication_id INTEGER NOT NULL REFERENCES publication,
     -- How many were refused or failed.
     unpublished_count INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   INSERT INTO publication
     SELECT row_number() OVER (ORDER BY started_at, dataset_id), state, '', '', started_at,
       finished_at, message
     FROM last_publication;
   INSERT INTO publication_dataset
     SELECT row_number() OVER (ORDER BY started_at, dataset_id), dataset_id
     FROM last_publication;
   INSERT INTO publication_outcome
     SELECT dataset_id, publication_id, state = 'failed'
     FROM publication JOIN publication_dataset USING (publication_id) WHERE state <> 'running';
   DROP TABLE last_publication;`,
];

/** 1: times that do not say that they are UTC. */
const FILE_FORMAT = 2;

export interface IndexedDataset {
  readonly version: number;
  readonly publishedAt: string;
}

export interface IndexedPartition {
  readonly key: string;
  readonly file: string;
  readonly rowCount: number;
  readonly byteCount: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Who its rows come from: distinct names. */
  readonly vendors: readonly string[];
}

/** A file of a current version. */
export interface PublishedFile {
  readonly datasetId: string;
  readonly key: string;
  readonly file: string;
  /** Its size or, of files of earlier releases, that of its row groups, which is a little less. */
  readonly byteCount: number;
}

export interface NewPartition extends IndexedPartition {
  readonly rowGroups: readonly RowGroup[];
  readonly fileByteCount: number;
}

export interface NewVersion {
  readonly datasetId: string;
  readonly version: number;
  readonly partitions: readonly NewPartition[];
  /** Whether partitions that have no successor among `partitions` are dropped. */
  readonly dropsOthers: boolean;
}

/** How a publication ended that published nothing. */
export type UnpublishedState = 'refused' | 'failed';
export type EndState = UnpublishedState | 'succeeded';

/** The last publication of a dataset, or the one under way. */
export interface PublicationStatus {
  /**
   * `none`: nobody has tried to publish it. `refused`: the data or the command was at fault;
   * `failed`: something else, or the process was interrupted.
   */
  readonly state: 'none' | 'running' | 'succeeded' | UnpublishedState;
  /** Times are UTC, whole seconds, `Z`. */
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Why nothing was published, for the operator. */
  readonly message: string | null;
}

export interface RunningPublication {
  readonly publicationId: number;
  readonly lifeMark: string;
}

export interface NewPublication {
  readonly datasetIds: readonly string[];
  readonly command: string;
  readonly lifeMark: string;
  readonly startedAt: string;
}

/** What crashed publications and replaced versions left behind. */
export interface Leftovers {
  readonly pendingFiles: readonly string[];
  readonly retiredFiles: readonly string[];
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
  dataset: 'SELECT version, published_at AS publishedAt FROM dataset WHERE dataset_id = ?',
  vendors: `SELECT DISTINCT coalesce(value, '') AS vendor
    FROM partition LEFT JOIN json_each(vendors) ON true ORDER BY vendor`,
  partitions: `SELECT key, file, row_count AS rowCount, byte_count AS byteCount,
      first_date AS firstDate, last_date AS lastDate, vendors
    FROM partition WHERE dataset_id = ? ORDER BY key`,
  published: `SELECT dataset_id AS datasetId, key, file,
      coalesce(file_bytes, byte_count) AS byteCount
    FROM partition WHERE (dataset_id, key) > (?, ?) ORDER BY dataset_id, key LIMIT ?`,
  rowGroups: 'SELECT row_groups AS text FROM partition_file WHERE file = ?',
  finished: `SELECT state, started_at AS startedAt, finished_at AS finishedAt, message
    FROM publication_outcome JOIN publication ON publication_id = last_publication_id
    WHERE dataset_id = ?`,
  runningOf: `SELECT started_at AS startedAt, life_mark AS lifeMark
    FROM publication JOIN publication_dataset USING (publication_id)
    WHERE dataset_id = ? AND state = 'running' ORDER BY publication_id DESC`,
  running: `SELECT publication_id AS publicationId, life_mark AS lifeMark
    FROM publication WHERE state = 'running'`,
  unpublished: `SELECT unpublished_count AS count FROM publication_outcome WHERE dataset_id = ?`,
  begin: `INSERT INTO publication (state, command, life_mark, started_at)
    VALUES ('running', ?, ?, ?)`,
  concern: 'INSERT INTO publication_dataset (publication_id, dataset_id) VALUES (?, ?)',
  finish: `UPDATE publication SET state = ?, finished_at = ?, message = ?
    WHERE publication_id = ? AND state = 'running'`,
  addOutcome: `INSERT INTO publication_outcome
    SELECT dataset_id, publication_id, state IN ('refused', 'failed')
    FROM publication JOIN publication_dataset USING (publication_id) WHERE publication_id = ?
    ON CONFLICT (dataset_id) DO UPDATE SET
      last_publication_id = excluded.last_publication_id,
      unpublished_count = unpublished_count + excluded.unpublished_count`,
  addPending: 'INSERT INTO pending_file VALUES (?)',
  pending: 'SELECT file FROM pending_file',
  clearPending: 'DELETE FROM pending_file',
  retire: `UPDATE partition_file SET retired_at = ? WHERE file =
    (SELECT file FROM partition WHERE dataset_id = ? AND key = ?)`,
  retireAll: `UPDATE partition_file SET retired_at = ? WHERE file IN
    (SELECT file FROM partition WHERE dataset_id = ?)`,
  dropPartitions: 'DELETE FROM partition WHERE dataset_id = ?',
  addFile: `INSERT INTO partition_file (file, row_groups, format) VALUES (?, ?, ${FILE_FORMAT})`,
  outdated: `SELECT file FROM partition_file WHERE format < ${FILE_FORMAT} AND retired_at IS NULL`,
  setCurrent: `UPDATE partition_file SET format = ${FILE_FORMAT} WHERE file = ?`,
  setFileBytes: 'UPDATE partition SET file_bytes = ? WHERE file = ?',
  addPartition: 'REPLACE INTO partition VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  setDataset: 'REPLACE INTO dataset VALUES (?, ?, ?)',
  retired: 'SELECT file FROM partition_file WHERE retired_at <= ?',
  removeFile: 'DELETE FROM partition_file WHERE file = ?',
};

function partitionOf(row: Record<string, unknown>): IndexedPartition {
  return { ...(row as unknown as IndexedPartition), vendors: JSON.parse(row.vendors as string) };
}

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

  vendors(): string[] {
    return this.#statements.vendors.all().map(({ vendor }) => String(vendor));
  }

  /** Null: nothing is published. */
  version(datasetId: string): IndexedVersion | null {
    this.#database.exec('BEGIN');
    try {
      const dataset = this.dataset(datasetId);
      const rows = dataset ? this.#statements.partitions.all(datasetId) : [];
      return dataset && { ...dataset, partitions: rows.map(partitionOf) };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  rowGroups(file: string): RowGroup[] {
    const row = this.#statements.rowGroups.get(file);
    if (!row) throw new Error(`${file} is no longer in the lake`);
    return decodeRowGroups(row.text as string);
  }

  /** At most `count` files of all current versions, those after `last`; null begins anew. */
  publishedFiles(last: PublishedFile | null, count: number): PublishedFile[] {
    const { datasetId = '', key = '' } = last ?? {};
    return this.#statements.published.all(datasetId, key, count) as never;
  }

  /** Published files that are not in the current format. */
  outdatedFiles(): string[] {
    return this.#statements.outdated.all().map(({ file }) => String(file));
  }

  /** Notes that a file is in the current format now, and its size. The publishing lock is held. */
  setCurrent(file: string, fileByteCount: number): void {
    transaction(this.#database, () => {
      this.#statements.setFileBytes.run(fileByteCount, file);
      this.#statements.setCurrent.run(file);
    });
  }

  /** The last publication of a dataset that has ended. */
  lastFinished(datasetId: string): PublicationStatus {
    const row = this.#statements.finished.get(datasetId);
    return (row as unknown as PublicationStatus | undefined) ?? NO_PUBLICATION;
  }

  /** Publications of a dataset that have not ended, the newest first; some may be dead. */
  runningOf(datasetId: string): { startedAt: string; lifeMark: string }[] {
    return this.#statements.runningOf.all(datasetId) as never;
  }

  /** All publications that have not ended; some may be dead. */
  running(): RunningPublication[] {
    return this.#statements.running.all() as never;
  }

  /** How many publications of a dataset have published nothing because they were refused or failed. */
  unpublishedCount(datasetId: string): number {
    return Number(this.#statements.unpublished.get(datasetId)?.count ?? 0);
  }

  /** Notes that a publication has begun; returns its id. */
  begin({ datasetIds, command, lifeMark, startedAt }: NewPublication): number {
    return transaction(this.#database, () => {
      const { begin, concern } = this.#statements;
      const publicationId = Number(begin.run(command, lifeMark, startedAt).lastInsertRowid);
      for (const datasetId of datasetIds) concern.run(publicationId, datasetId);
      return publicationId;
    });
  }

  /** Notes files before they are written. The publishing lock is held. */
  addPending(files: readonly string[]): void {
    transaction(this.#database, () => {
      for (const file of files) this.#statements.addPending.run(file);
    });
  }

  /** Makes all of the versions current, or none, and retires the files that they replace. */
  commit(publicationId: number, versions: readonly NewVersion[], nowMs: number): void {
    transaction(this.#database, () => {
      for (const version of versions) this.#commitVersion(version, nowMs);
      this.#statements.clearPending.run();
      this.#finish(publicationId, 'succeeded', null, isoSeconds(nowMs));
    });
  }

  #commitVersion({ datasetId, version, partitions, dropsOthers }: NewVersion, nowMs: number): void {
    const statements = this.#statements;
    if (dropsOthers) {
      statements.retireAll.run(nowMs, datasetId);
      statements.dropPartitions.run(datasetId);
    }
    for (const partition of partitions) {
      const { key, file, rowCount, byteCount, firstDate, lastDate } = partition;
      const vendors = JSON.stringify(partition.vendors);
      statements.retire.run(nowMs, datasetId, key);
      statements.addFile.run(file, encodeRowGroups(partition.rowGroups));
      statements.addPartition.run(
        datasetId,
        key,
        file,
        rowCount,
        byteCount,
        firstDate,
        lastDate,
        vendors,
        partition.fileByteCount,
      );
    }
    statements.setDataset.run(datasetId, version, isoSeconds(nowMs));
  }

  /** Notes that a publication has ended without a change of any dataset. */
  finish(publicationId: number, state: EndState, message: string, finishedAt: string): void {
    transaction(this.#database, () => this.#finish(publicationId, state, message, finishedAt));
  }

  /** One that has ended already, such as by another process that took it for dead, stays so. */
  #finish(
    publicationId: number,
    state: EndState,
    message: string | null,
    finishedAt: string,
  ): void {
    const { finish, addOutcome } = this.#statements;
    const { changes } = finish.run(state, finishedAt, message, publicationId);
    if (changes > 0) addOutcome.run(publicationId);
  }

  /** Notes that all files that were announced are gone. The publishing lock is held. */
  clearPending(): void {
    this.#statements.clearPending.run();
  }

  /** Files of publications that died, and those replaced at or before `retiredMsMax`. */
  leftovers(retiredMsMax: number): Leftovers {
    const { pending, retired } = this.#statements;
    return {
      pendingFiles: pending.all().map((row) => row.file as string),
      retiredFiles: retired.all(retiredMsMax).map((row) => row.file as string),
    };
  }

  /** Notes that leftovers were removed. The publishing lock is held. */
  forget(leftovers: Leftovers): void {
    transaction(this.#database, () => {
      for (const file of leftovers.retiredFiles) this.#statements.removeFile.run(file);
      this.#statements.clearPending.run();
    });
  }

  close(): void {
    this.#database.close();
  }
}
