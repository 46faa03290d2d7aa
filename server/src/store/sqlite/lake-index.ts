/**
 * The lake's index, `lake.db`: which parts make up each dataset's published version, what their
 * row groups hold, and which parts are on their way in or out.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isoSeconds } from '../../base/clock.ts';
import type { StoredPart } from '../../engine/engine.ts';
import type { Part, RowGroup, WrittenPart } from '../../engine/part.ts';
import { decodeRowGroups, encodeRowGroups } from '../../lake/row-group-text.ts';
import { openDatabase, transaction } from './database.ts';

/** One SQL script for each schema version. */
const MIGRATIONS = [
  `CREATE TABLE dataset (
     dataset_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     published_at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- Kept for as long as its rows are: readers of an earlier version still ask for its row groups.
   CREATE TABLE part (
     part_id INTEGER PRIMARY KEY AUTOINCREMENT,
     location TEXT NOT NULL UNIQUE,
     row_groups TEXT NOT NULL,
     -- Milliseconds since 1970; null while the part is published.
     retired_at INTEGER
   ) STRICT;
   CREATE INDEX part_retired ON part (retired_at) WHERE retired_at IS NOT NULL;

   CREATE TABLE published_part (
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     part_id INTEGER NOT NULL REFERENCES part,
     location TEXT NOT NULL,
     -- SHA-256 of what is stored, in hexadecimal.
     digest TEXT NOT NULL,
     row_count INTEGER NOT NULL,
     byte_count INTEGER NOT NULL,
     stored_byte_count INTEGER NOT NULL,
     first_date TEXT,
     last_date TEXT,
     -- JSON array of the names of those that the rows come from.
     vendors TEXT NOT NULL,
     PRIMARY KEY (dataset_id, key)
   ) STRICT, WITHOUT ROWID;

   -- Locations of a publication that has not been committed.
   CREATE TABLE pending_part (location TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

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
   ) STRICT, WITHOUT ROWID;`,
];

export interface IndexedDataset {
  readonly version: number;
  readonly publishedAt: string;
}

export interface IndexedPart extends Part {
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** Who its rows come from: distinct names. */
  readonly vendors: readonly string[];
}

/** A part of a current version. */
export interface PublishedPart extends StoredPart {
  readonly datasetId: string;
  readonly key: string;
}

export interface NewPart extends Omit<IndexedPart, 'id'>, WrittenPart {}

export interface NewVersion {
  readonly datasetId: string;
  readonly version: number;
  readonly parts: readonly NewPart[];
  /** Whether partitions that have no successor among `parts` are dropped. */
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
  /** Locations. */
  readonly pending: readonly string[];
  readonly retired: readonly string[];
}

/** A dataset and its parts in order of their keys, both of one moment. */
export interface IndexedVersion extends IndexedDataset {
  readonly parts: readonly IndexedPart[];
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
    FROM published_part LEFT JOIN json_each(vendors) ON true ORDER BY vendor`,
  parts: `SELECT part_id AS id, key, location, digest, row_count AS rowCount,
      byte_count AS byteCount, first_date AS firstDate, last_date AS lastDate, vendors
    FROM published_part WHERE dataset_id = ? ORDER BY key`,
  published: `SELECT dataset_id AS datasetId, key, location, stored_byte_count AS storedByteCount
    FROM published_part WHERE (dataset_id, key) > (?, ?) ORDER BY dataset_id, key LIMIT ?`,
  rowGroups: 'SELECT row_groups AS text FROM part WHERE part_id = ?',
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
  addPending: 'INSERT INTO pending_part VALUES (?)',
  pending: 'SELECT location FROM pending_part',
  clearPending: 'DELETE FROM pending_part',
  retire: `UPDATE part SET retired_at = ? WHERE part_id =
    (SELECT part_id FROM published_part WHERE dataset_id = ? AND key = ?)`,
  retireAll: `UPDATE part SET retired_at = ? WHERE part_id IN
    (SELECT part_id FROM published_part WHERE dataset_id = ?)`,
  dropParts: 'DELETE FROM published_part WHERE dataset_id = ?',
  addPart: 'INSERT INTO part (location, row_groups) VALUES (?, ?)',
  publishPart: 'REPLACE INTO published_part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  setDataset: 'REPLACE INTO dataset VALUES (?, ?, ?)',
  retired: 'SELECT location FROM part WHERE retired_at <= ?',
  removePart: 'DELETE FROM part WHERE location = ?',
};

function partOf(row: Record<string, unknown>): IndexedPart {
  return { ...(row as unknown as IndexedPart), vendors: JSON.parse(row.vendors as string) };
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
      const rows = dataset ? this.#statements.parts.all(datasetId) : [];
      return dataset && { ...dataset, parts: rows.map(partOf) };
    } finally {
      this.#database.exec('COMMIT');
    }
  }

  rowGroups(partId: number): RowGroup[] {
    const row = this.#statements.rowGroups.get(partId);
    if (!row) throw new Error(`part ${partId} is no longer in the lake`);
    return decodeRowGroups(row.text as string);
  }

  /** At most `count` parts of all current versions, those after `last`; null begins anew. */
  publishedParts(last: PublishedPart | null, count: number): PublishedPart[] {
    const { datasetId = '', key = '' } = last ?? {};
    return this.#statements.published.all(datasetId, key, count) as never;
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

  /** Notes locations before anything is written there. The publishing lock is held. */
  addPending(locations: readonly string[]): void {
    transaction(this.#database, () => {
      for (const location of locations) this.#statements.addPending.run(location);
    });
  }

  /** Makes all of the versions current, or none, and retires the parts that they replace. */
  commit(publicationId: number, versions: readonly NewVersion[], nowMs: number): void {
    transaction(this.#database, () => {
      for (const version of versions) this.#commitVersion(version, nowMs);
      this.#statements.clearPending.run();
      this.#finish(publicationId, 'succeeded', null, isoSeconds(nowMs));
    });
  }

  #commitVersion({ datasetId, version, parts, dropsOthers }: NewVersion, nowMs: number): void {
    const statements = this.#statements;
    if (dropsOthers) {
      statements.retireAll.run(nowMs, datasetId);
      statements.dropParts.run(datasetId);
    }
    for (const part of parts) {
      statements.retire.run(nowMs, datasetId, part.key);
      const rowGroups = encodeRowGroups(part.rowGroups);
      const { lastInsertRowid } = statements.addPart.run(part.location, rowGroups);
      statements.publishPart.run(
        datasetId,
        part.key,
        lastInsertRowid,
        part.location,
        part.digest,
        part.rowCount,
        part.byteCount,
        part.storedByteCount,
        part.firstDate,
        part.lastDate,
        JSON.stringify(part.vendors),
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

  /** Notes that nothing is left at the pending locations. The publishing lock is held. */
  clearPending(): void {
    this.#statements.clearPending.run();
  }

  /** Parts of publications that died, and those replaced at or before `retiredMsMax`. */
  leftovers(retiredMsMax: number): Leftovers {
    const { pending, retired } = this.#statements;
    return {
      pending: pending.all().map(({ location }) => String(location)),
      retired: retired.all(retiredMsMax).map(({ location }) => String(location)),
    };
  }

  /** Notes that leftovers were removed. The publishing lock is held. */
  forget(leftovers: Leftovers): void {
    transaction(this.#database, () => {
      for (const location of leftovers.retired) this.#statements.removePart.run(location);
      this.#statements.clearPending.run();
    });
  }

  close(): void {
    this.#database.close();
  }
}
