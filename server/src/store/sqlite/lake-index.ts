/** The lake's index in SQLite. Every change is one transaction without a wait in it. */
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import type { RowGroup, StoredColumn } from '../../engine/part.ts';
import type { KeptPart, KeptTotals } from '../kept-parts.ts';
import type {
  CommittedVersion,
  IndexedDataset,
  IndexedPart,
  IndexedVersion,
  LakeIndex,
  Leftovers,
  Replaced,
  ReplacedPart,
  ReplacedVersion,
  StagedChange,
  StagedVersionPart,
  StoredBytes,
  StoredLayout,
  Undoing,
  VersionRecord,
} from '../lake-index.ts';
import type { PublisherLocks } from '../publisher-locks.ts';
import type { StoreSnapshot } from '../store-snapshot.ts';
import { KeptPartsTable } from './kept-parts.ts';
import { LakeCommits } from './lake-commits.ts';
import { LakeDatabase } from './lake-database.ts';
import { SqliteLedger } from './lake-ledger.ts';
import { FilePublisherLocks } from './publisher-locks.ts';
import { decodeIdentifierOrder, decodeRowGroups } from './row-group-text.ts';
import type { Row, Statement } from './statements.ts';
import { openSnapshot } from './store-snapshot.ts';

const PART = `part.part_id AS id, part.dataset_id AS datasetId, part.key, location, digest,
  content_digest AS contentDigest, row_count AS rowCount, byte_count AS byteCount,
  stored_byte_count AS storedByteCount, first_date AS firstDate, last_date AS lastDate, vendors,
  publication_ids AS publicationIds, stored_columns_id AS storedColumnsId`;

const VERSION = `version.version, publication_id AS publicationId,
  version.published_at AS publishedAt, part_count AS partCount, row_count AS rowCount,
  byte_count AS byteCount, first_date AS firstDate, last_date AS lastDate,
  content_digest AS contentDigest, version.version >= first_version AS isRetained
  FROM version JOIN dataset USING (dataset_id)`;

const IS_CURRENT = `EXISTS (SELECT 1 FROM part_span
  WHERE part_span.part_id = part.part_id AND end_version IS NULL)`;

const SQL = {
  changes: 'PRAGMA data_version',
  dataset: `SELECT version, published_at AS publishedAt, first_version AS firstVersion
    FROM dataset WHERE dataset_id = ?`,
  vendors: `SELECT DISTINCT coalesce(value, '') AS vendor
    FROM part_span JOIN part USING (part_id) LEFT JOIN json_each(vendors) ON true
    WHERE end_version IS NULL ORDER BY vendor`,
  currentVersion: `SELECT ${PART} FROM part_span JOIN part USING (part_id)
    WHERE part_span.dataset_id = ? AND end_version IS NULL ORDER BY part_span.key`,
  earlierVersion: `SELECT ${PART} FROM part_span JOIN part USING (part_id)
    WHERE part_span.dataset_id = :datasetId AND first_version <= :version
      AND (end_version IS NULL OR end_version > :version) ORDER BY part_span.key`,
  publishedAt: `SELECT published_at AS publishedAt FROM version
    WHERE dataset_id = ? AND version = ?`,
  versions: `SELECT ${VERSION} WHERE dataset_id = ? AND version.version < ?
    ORDER BY version.version DESC LIMIT ?`,
  versionRecord: `SELECT ${VERSION} WHERE dataset_id = ? AND version.version = ?`,
  asOf: `SELECT max(version) AS version FROM version WHERE dataset_id = ? AND published_at <= ?`,
  columns: 'SELECT columns FROM stored_columns WHERE stored_columns_id = ?',
  rowGroups: 'SELECT row_groups AS text FROM part WHERE part_id = ?',
  part: `SELECT ${PART} FROM part WHERE part_id = ?`,
  isStaged: `SELECT 1 FROM publication_dataset
    WHERE publication_id = ? AND dataset_id = ? AND is_staged`,
  staged: `SELECT key, part_id AS partId, base_part_id AS baseId FROM staged_part
    WHERE publication_id = ? AND dataset_id = ? ORDER BY key`,
  addPending: 'INSERT INTO pending_part VALUES (?)',
  pending: 'SELECT location FROM pending_part',
  clearPending: 'DELETE FROM pending_part',
  retired: 'SELECT location FROM part WHERE retired_at <= ?',
  removePart: 'DELETE FROM part WHERE location = ?',
  replacedVersions: `SELECT dataset_id AS datasetId, version.version,
      next.published_at AS replacedAt
    FROM version JOIN dataset USING (dataset_id)
      JOIN version AS next USING (dataset_id)
    WHERE version.version >= first_version AND next.version = version.version + 1
    ORDER BY dataset_id, version.version`,
  replacedParts: `SELECT part.dataset_id AS datasetId, max(end_version) - 1 AS lastVersion,
      stored_byte_count AS storedByteCount
    FROM part_span JOIN part USING (part_id) WHERE retired_at IS NULL
    GROUP BY part.part_id HAVING count(*) = count(end_version)`,
  currentVersions: 'SELECT dataset_id AS datasetId, version FROM dataset',
  retainFrom: `UPDATE dataset SET first_version = min(version, max(first_version, ?))
    WHERE dataset_id = ?`,
  retire: `UPDATE part SET retired_at = :nowMs WHERE retired_at IS NULL AND part_id IN (
      SELECT part_id FROM part_span WHERE dataset_id = :datasetId AND end_version <= :first)
    AND NOT EXISTS (SELECT 1 FROM part_span AS other WHERE other.part_id = part.part_id
      AND (other.end_version IS NULL OR other.end_version > :first))
    AND NOT EXISTS (SELECT 1 FROM staged_part WHERE staged_part.part_id = part.part_id)`,
  dropSpans: 'DELETE FROM part_span WHERE dataset_id = ? AND end_version <= ?',
  storedLayouts: `SELECT dataset_id AS datasetId, stored_columns_id AS storedColumnsId,
      min(key) AS key, count(*) AS partCount
    FROM part WHERE retired_at IS NULL
    GROUP BY dataset_id, stored_columns_id, length(key) ORDER BY dataset_id, min(part_id)`,
  storedBytes: `SELECT dataset_id AS datasetId,
      sum(iif(${IS_CURRENT}, stored_byte_count, 0)) AS currentByteCount,
      sum(iif(${IS_CURRENT}, 0, stored_byte_count)) AS replacedByteCount
    FROM part WHERE retired_at IS NULL GROUP BY dataset_id ORDER BY dataset_id`,
};

/** The lake's index in one SQLite file, which any number of processes may have open. */
export class SqliteLakeIndex implements LakeIndex {
  readonly publishers: PublisherLocks;
  readonly ledger: SqliteLedger;
  readonly #database: LakeDatabase;
  readonly #commits: LakeCommits;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;
  readonly #kept: KeptPartsTable;
  readonly #path: string;
  /** Of many thousands of parts nearly all were stored with the same ones. */
  readonly #storedColumns = new Map<number, readonly StoredColumn[]>();

  /** Publishers keep their locks in the folder `lake` beside the file. */
  constructor(path: string) {
    const directory = join(dirname(path), 'lake');
    makeFolder(directory, 0o700);
    this.publishers = new FilePublisherLocks(directory);
    this.#database = new LakeDatabase(path);
    this.#path = path;
    this.#statements = this.#database.prepare(SQL);
    this.#kept = new KeptPartsTable(this.#database.source);
    this.ledger = new SqliteLedger(this.#database);
    this.#commits = new LakeCommits(this.#database, this.ledger);
  }

  async changeMark(): Promise<string> {
    const { changes } = this.#statements;
    return `${changes.get()?.data_version}:${this.#database.ownChangeCount}`;
  }

  async dataset(datasetId: string): Promise<IndexedDataset | null> {
    return this.#dataset(datasetId);
  }

  async version(datasetId: string, version?: number): Promise<IndexedVersion | null> {
    return this.#database.read(() => {
      const dataset = this.#dataset(datasetId);
      if (!dataset) return null;
      const asked = version ?? dataset.version;
      if (asked < dataset.firstVersion || asked > dataset.version) return null;
      return { ...dataset, ...this.#versionOf(datasetId, asked, dataset) };
    });
  }

  async versions(
    datasetId: string,
    { limit, before = Number.MAX_SAFE_INTEGER }: { limit: number; before?: number | undefined },
  ): Promise<VersionRecord[]> {
    return this.#statements.versions.all(datasetId, before, limit).map(recordOf);
  }

  async versionRecord(datasetId: string, version: number): Promise<VersionRecord | null> {
    const row = this.#statements.versionRecord.get(datasetId, version);
    return row ? recordOf(row) : null;
  }

  async versionAsOf(datasetId: string, time: string): Promise<number | null> {
    return (this.#statements.asOf.get(datasetId, time)?.version ?? null) as number | null;
  }

  async vendors(): Promise<string[]> {
    return this.#statements.vendors.all().map(({ vendor }) => String(vendor));
  }

  async rowGroups(partIds: readonly number[]): Promise<RowGroup[][]> {
    return partIds.map((partId) => decodeRowGroups(this.#rowGroupText(partId)));
  }

  async identifierOrders(partIds: readonly number[]): Promise<(RowGroup[] | null)[]> {
    return partIds.map((partId) => decodeIdentifierOrder(this.#rowGroupText(partId)));
  }

  #rowGroupText(partId: number): string {
    const row = this.#statements.rowGroups.get(partId);
    if (!row) throw new Error(`part ${partId} is no longer in the lake`);
    return row.text as string;
  }

  async addPending(locations: readonly string[]): Promise<void> {
    const { addPending } = this.#statements;
    this.#database.change(() => {
      for (const location of locations) addPending.run(location);
    });
  }

  async stage(publicationId: number, change: StagedChange): Promise<void> {
    this.#database.change(() => this.#commits.stage(publicationId, change));
  }

  async staged(publicationId: number, datasetId: string): Promise<StagedVersionPart[] | null> {
    const { isStaged, staged } = this.#statements;
    return this.#database.read(() => {
      if (!isStaged.get(publicationId, datasetId)) return null;
      return staged.all(publicationId, datasetId).map((row) => ({
        key: String(row.key),
        part: row.partId === null ? null : this.#part(Number(row.partId)),
        baseId: row.baseId as number | null,
      }));
    });
  }

  async commit(
    publicationId: number,
    nowMs: number,
    undoing: readonly Undoing[] = [],
  ): Promise<CommittedVersion[]> {
    return this.#database.change(() => this.#commits.commit(publicationId, nowMs, undoing));
  }

  async clearPending(): Promise<void> {
    this.#database.change(() => void this.#statements.clearPending.run());
  }

  async leftovers(retiredMsMax: number): Promise<Leftovers> {
    const { pending, retired } = this.#statements;
    return {
      pending: pending.all().map(({ location }) => String(location)),
      retired: retired.all(retiredMsMax).map(({ location }) => String(location)),
    };
  }

  async forget({ retired }: Leftovers): Promise<void> {
    const { removePart, clearPending } = this.#statements;
    this.#database.change(() => {
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

  async replaced(): Promise<Replaced> {
    const { replacedVersions, replacedParts, currentVersions } = this.#statements;
    return this.#database.read(() => ({
      versions: replacedVersions.all() as unknown as ReplacedVersion[],
      parts: replacedParts.all() as unknown as ReplacedPart[],
      currentVersions: new Map(
        currentVersions.all().map((row) => [String(row.datasetId), Number(row.version)]),
      ),
    }));
  }

  async dropVersions(datasetId: string, firstVersion: number, nowMs: number): Promise<void> {
    const { retainFrom, retire, dropSpans } = this.#statements;
    this.#database.change(() => {
      retainFrom.run(firstVersion, datasetId);
      const first = this.#dataset(datasetId)?.firstVersion ?? 0;
      retire.run({ nowMs, datasetId, first });
      dropSpans.run(datasetId, first);
    });
  }

  async storedLayouts(): Promise<StoredLayout[]> {
    return this.#statements.storedLayouts.all().map(({ storedColumnsId, ...row }) => ({
      ...(row as Omit<StoredLayout, 'storedColumns'>),
      storedColumns: this.#columnsOf(Number(storedColumnsId)),
    }));
  }

  async storedBytes(): Promise<StoredBytes[]> {
    return this.#statements.storedBytes.all() as unknown as StoredBytes[];
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #dataset(datasetId: string): IndexedDataset | null {
    return (this.#statements.dataset.get(datasetId) as IndexedDataset | undefined) ?? null;
  }

  #versionOf(
    datasetId: string,
    version: number,
    current: IndexedDataset,
  ): Omit<IndexedVersion, 'firstVersion'> {
    const { currentVersion, earlierVersion, publishedAt } = this.#statements;
    const isCurrent = version === current.version;
    const rows = isCurrent
      ? currentVersion.all(datasetId)
      : earlierVersion.all({ datasetId, version });
    const time = isCurrent ? current : publishedAt.get(datasetId, version);
    return {
      version,
      publishedAt: String(time?.publishedAt),
      parts: rows.map((row) => this.#partOf(row)),
    };
  }

  #part(partId: number): IndexedPart | null {
    const row = this.#statements.part.get(partId);
    return row ? this.#partOf(row) : null;
  }

  #partOf({ storedColumnsId, ...row }: Row): IndexedPart {
    return {
      ...(row as unknown as IndexedPart),
      vendors: JSON.parse(String(row.vendors)),
      publicationIds: JSON.parse(String(row.publicationIds)),
      storedColumns: this.#columnsOf(Number(storedColumnsId)),
    };
  }

  #columnsOf(storedColumnsId: number): readonly StoredColumn[] {
    let columns = this.#storedColumns.get(storedColumnsId);
    if (!columns) {
      columns = JSON.parse(String(this.#statements.columns.get(storedColumnsId)?.columns));
      this.#storedColumns.set(storedColumnsId, columns as readonly StoredColumn[]);
    }
    return columns as readonly StoredColumn[];
  }
}

function recordOf(row: Row): VersionRecord {
  return { ...(row as unknown as VersionRecord), isRetained: row.isRetained === 1 };
}
