/** Reads the versions of datasets, the parts that they are made of, and what these hold. */
import type { RowGroup, StoredColumn } from '../../engine/part.ts';
import type {
  IndexedDataset,
  IndexedPart,
  IndexedVersion,
  LakeVersions,
  StagedVersionPart,
  StoredLayout,
  VersionRecord,
  VersionsQuery,
} from '../lake-index.ts';
import { decodeIdentifierOrder, decodeRowGroups } from '../row-group-text.ts';
import type { LakeDatabase } from './lake-database.ts';
import type { Row, Statement } from './statements.ts';

const PART = `part.part_id AS id, part.dataset_id AS datasetId, part.key, location, digest,
  content_digest AS contentDigest, row_count AS rowCount, byte_count AS byteCount,
  stored_byte_count AS storedByteCount, first_date AS firstDate, last_date AS lastDate, vendors,
  publication_ids AS publicationIds, stored_columns_id AS storedColumnsId`;

const VERSION = `version.version, publication_id AS publicationId,
  version.published_at AS publishedAt, part_count AS partCount, row_count AS rowCount,
  byte_count AS byteCount, first_date AS firstDate, last_date AS lastDate,
  content_digest AS contentDigest, version.version >= first_version AS isRetained
  FROM version JOIN dataset USING (dataset_id)`;

const SQL = {
  dataset: `SELECT version, published_at AS publishedAt, first_version AS firstVersion
    FROM dataset WHERE dataset_id = ?`,
  anyPart: 'SELECT EXISTS (SELECT 1 FROM part_span WHERE end_version IS NULL) AS isAny',
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
  storedLayouts: `SELECT dataset_id AS datasetId, stored_columns_id AS storedColumnsId,
      min(key) AS key, count(*) AS partCount
    FROM part WHERE retired_at IS NULL
    GROUP BY dataset_id, stored_columns_id, length(key) ORDER BY dataset_id, min(part_id)`,
};

function recordOf(row: Row): VersionRecord {
  return { ...(row as unknown as VersionRecord), isRetained: row.isRetained === 1 };
}

export class SqliteLakeVersions implements LakeVersions {
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;
  /** Of many thousands of parts nearly all were stored with the same ones. */
  readonly #storedColumns = new Map<number, readonly StoredColumn[]>();

  constructor(database: LakeDatabase) {
    this.#database = database;
    this.#statements = database.prepare(SQL);
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

  async records(
    datasetId: string,
    { limit, before = Number.MAX_SAFE_INTEGER }: VersionsQuery,
  ): Promise<VersionRecord[]> {
    return this.#statements.versions.all(datasetId, before, limit).map(recordOf);
  }

  async record(datasetId: string, version: number): Promise<VersionRecord | null> {
    const row = this.#statements.versionRecord.get(datasetId, version);
    return row ? recordOf(row) : null;
  }

  async asOf(datasetId: string, time: string): Promise<number | null> {
    return (this.#statements.asOf.get(datasetId, time)?.version ?? null) as number | null;
  }

  async isEmpty(): Promise<boolean> {
    return this.#statements.anyPart.get()?.isAny === 0;
  }

  async vendors(): Promise<string[]> {
    return this.#statements.vendors.all().map(({ vendor }) => String(vendor));
  }

  async part(partId: number): Promise<IndexedPart | null> {
    return this.#part(partId);
  }

  async rowGroups(partIds: readonly number[]): Promise<RowGroup[][]> {
    return partIds.map((partId) => decodeRowGroups(this.#rowGroupText(partId)));
  }

  async identifierOrders(partIds: readonly number[]): Promise<(RowGroup[] | null)[]> {
    return partIds.map((partId) => decodeIdentifierOrder(this.#rowGroupText(partId)));
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

  async storedLayouts(): Promise<StoredLayout[]> {
    return this.#statements.storedLayouts.all().map(({ storedColumnsId, ...row }) => ({
      ...(row as Omit<StoredLayout, 'storedColumns'>),
      storedColumns: this.#columnsOf(Number(storedColumnsId)),
    }));
  }

  #rowGroupText(partId: number): string {
    const row = this.#statements.rowGroups.get(partId);
    if (!row) throw new Error(`part ${partId} is no longer in the lake`);
    return row.text as string;
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
