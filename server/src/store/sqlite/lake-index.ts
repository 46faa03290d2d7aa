/** The lake's index in SQLite. Every change is one transaction without a wait in it. */
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isoSeconds } from '../../base/clock.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { RowGroup } from '../../engine/part.ts';
import type { KeptPart, KeptTotals } from '../kept-parts.ts';
import {
  type EndState,
  type IndexedDataset,
  type IndexedPart,
  type IndexedVersion,
  type LakeIndex,
  type Leftovers,
  type NewPublication,
  type NewVersion,
  PublicationConflict,
  type PublicationStatus,
  type PublishedPart,
  type RunningPublication,
} from '../lake-index.ts';
import type { PublisherLocks } from '../publisher-locks.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { type Immediate, openDatabase, transaction } from './database.ts';
import { KeptPartsTable } from './kept-parts.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { FilePublisherLocks } from './publisher-locks.ts';
import { decodeRowGroups, encodeRowGroups } from './row-group-text.ts';
import { type Statement, Statements } from './statements.ts';
import { openSnapshot } from './store-snapshot.ts';

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
  runningOf: `SELECT publication_id AS publicationId, started_at AS startedAt, life_mark AS lifeMark
    FROM publication JOIN publication_dataset USING (publication_id)
    WHERE dataset_id = ? AND state = 'running' ORDER BY publication_id DESC`,
  running: `SELECT publication_id AS publicationId, started_at AS startedAt, life_mark AS lifeMark
    FROM publication WHERE state = 'running' ORDER BY publication_id DESC`,
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

type IndexStatements = Readonly<Record<keyof typeof SQL, Statement>>;

function partOf(row: Record<string, unknown>): IndexedPart {
  return { ...(row as unknown as IndexedPart), vendors: JSON.parse(row.vendors as string) };
}

/** The lake's index in one SQLite file, which any number of processes may have open. */
export class SqliteLakeIndex implements LakeIndex {
  readonly publishers: PublisherLocks;
  readonly #database: DatabaseSync;
  readonly #source: Statements;
  readonly #statements: IndexStatements;
  readonly #kept: KeptPartsTable;
  readonly #path: string;
  /** Transactions of this connection, which SQLite's own mark of changes leaves out. */
  #ownChangeCount = 0;

  /** Publishers keep their locks in the folder `lake` beside the file. */
  constructor(path: string) {
    const directory = join(dirname(path), 'lake');
    makeFolder(directory, 0o700);
    this.publishers = new FilePublisherLocks(directory);
    this.#database = openDatabase(path, LAKE_MIGRATIONS);
    this.#path = path;
    this.#source = new Statements(this.#database);
    this.#kept = new KeptPartsTable(this.#source);
    this.#statements = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, this.#source.prepare(sql)]),
    ) as IndexStatements;
  }

  async changeMark(): Promise<string> {
    return `${this.#statements.changes.get()?.data_version}:${this.#ownChangeCount}`;
  }

  async dataset(datasetId: string): Promise<IndexedDataset | null> {
    return this.#dataset(datasetId);
  }

  async version(datasetId: string): Promise<IndexedVersion | null> {
    this.#source.exec('BEGIN');
    try {
      const dataset = this.#dataset(datasetId);
      const rows = dataset ? this.#statements.parts.all(datasetId) : [];
      return dataset && { ...dataset, parts: rows.map(partOf) };
    } finally {
      // A failing disk has ended it already, and is the error to report.
      if (this.#source.isInTransaction) this.#source.exec('COMMIT');
    }
  }

  async vendors(): Promise<string[]> {
    return this.#statements.vendors.all().map(({ vendor }) => String(vendor));
  }

  async rowGroups(partIds: readonly number[]): Promise<RowGroup[][]> {
    return partIds.map((partId) => {
      const row = this.#statements.rowGroups.get(partId);
      if (!row) throw new Error(`part ${partId} is no longer in the lake`);
      return decodeRowGroups(row.text as string);
    });
  }

  async publishedParts(last: PublishedPart | null, count: number): Promise<PublishedPart[]> {
    const { datasetId = '', key = '' } = last ?? {};
    return this.#statements.published.all(datasetId, key, count) as never;
  }

  async lastFinished(datasetId: string): Promise<PublicationStatus> {
    const row = this.#statements.finished.get(datasetId);
    return (row as unknown as PublicationStatus | undefined) ?? NO_PUBLICATION;
  }

  async runningOf(datasetId: string): Promise<RunningPublication[]> {
    return this.#statements.runningOf.all(datasetId) as never;
  }

  async running(): Promise<RunningPublication[]> {
    return this.#statements.running.all() as never;
  }

  async unpublishedCount(datasetId: string): Promise<number> {
    return Number(this.#statements.unpublished.get(datasetId)?.count ?? 0);
  }

  async begin({ datasetIds, command, lifeMark, startedAt }: NewPublication): Promise<number> {
    return this.#change(({ begin, concern }) => {
      const publicationId = Number(begin.run(command, lifeMark, startedAt).lastInsertRowid);
      for (const datasetId of datasetIds) concern.run(publicationId, datasetId);
      return publicationId;
    });
  }

  async addPending(locations: readonly string[]): Promise<void> {
    this.#change(({ addPending }) => {
      for (const location of locations) addPending.run(location);
    });
  }

  async commit(
    publicationId: number,
    versions: readonly NewVersion[],
    nowMs: number,
  ): Promise<void> {
    this.#change(({ clearPending }) => {
      for (const version of versions) this.#commitVersion(version, nowMs);
      clearPending.run();
      if (this.#finish(publicationId, 'succeeded', null, isoSeconds(nowMs))) return;
      throw new PublicationConflict(`publication ${publicationId} has ended already`);
    });
  }

  async finish(
    publicationId: number,
    state: EndState,
    message: string,
    finishedAt: string,
  ): Promise<void> {
    this.#change(() => this.#finish(publicationId, state, message, finishedAt));
  }

  async clearPending(): Promise<void> {
    this.#change(({ clearPending }) => clearPending.run());
  }

  async leftovers(retiredMsMax: number): Promise<Leftovers> {
    const { pending, retired } = this.#statements;
    return {
      pending: pending.all().map(({ location }) => String(location)),
      retired: retired.all(retiredMsMax).map(({ location }) => String(location)),
    };
  }

  async forget({ retired }: Leftovers): Promise<void> {
    this.#change(({ removePart, clearPending }) => {
      for (const location of retired) removePart.run(location);
      clearPending.run();
    });
  }

  keptParts(afterId: number, count: number): Promise<KeptPart[]> {
    return this.#kept.keptParts(afterId, count);
  }

  keptTotals(): Promise<KeptTotals> {
    return this.#kept.keptTotals();
  }

  keepsLocation(location: string): Promise<boolean> {
    return this.#kept.keepsLocation(location);
  }

  knowsLocation(location: string): Promise<boolean> {
    return this.#kept.knowsLocation(location);
  }

  async openSnapshot(): Promise<StoreSnapshot> {
    return openSnapshot(this.#path);
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  /** Runs `work` in one write transaction; nothing else of this process runs before its end. */
  #change<T>(work: (statements: IndexStatements) => Immediate<T>): T {
    this.#ownChangeCount++;
    return transaction<T>(this.#database, () => work(this.#statements));
  }

  #dataset(datasetId: string): IndexedDataset | null {
    return (this.#statements.dataset.get(datasetId) as IndexedDataset | undefined) ?? null;
  }

  #commitVersion({ datasetId, version, parts, dropsOthers }: NewVersion, nowMs: number): void {
    const statements = this.#statements;
    const current = this.#dataset(datasetId)?.version ?? 0;
    if (version !== current + 1) {
      throw new PublicationConflict(`version ${version} of ${datasetId} cannot follow ${current}`);
    }
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

  /** Whether it was this that ended the publication. */
  #finish(
    publicationId: number,
    state: EndState,
    message: string | null,
    finishedAt: string,
  ): boolean {
    const { finish, addOutcome } = this.#statements;
    const isEnded = finish.run(state, finishedAt, message, publicationId).changes > 0;
    if (isEnded) addOutcome.run(publicationId);
    return isEnded;
  }
}
