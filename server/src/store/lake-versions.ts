/** Reads the versions of datasets, the parts that they are made of, and what these hold. */
import type { RowGroup, StoredColumn } from '../engine/part.ts';
import {
  type IndexedDataset,
  type IndexedPart,
  type IndexedVersion,
  type LakeDatabase,
  PARTS,
  type StagedVersionPart,
  type StoredLayout,
  type VersionRecord,
  type VersionsQuery,
} from './lake-records.ts';
import { isThere, type Queries, selected } from './queries.ts';
import { decodeIdentifierOrder, decodeRowGroups } from './row-group-text.ts';

const PART = PARTS.list('part', ['row_groups', 'retired_at']);

const PARTS_OF_SPANS = `SELECT ${PART} FROM part_span AS span
  JOIN part AS part USING (part_id) WHERE span.dataset_id = $1`;

const VERSIONS = `SELECT ${selected({
  version: 'version.version',
  publicationId: 'publication_id',
  publishedAt: 'version.published_at',
  partCount: 'part_count',
  rowCount: 'row_count',
  byteCount: 'byte_count',
  firstDate: 'first_date',
  lastDate: 'last_date',
  contentDigest: 'content_digest',
  isRetained: 'version.version >= first_version',
})} FROM version AS version
  JOIN dataset AS dataset USING (dataset_id) WHERE dataset_id = $1`;

const SQL = {
  dataset: `SELECT version, published_at AS "publishedAt", first_version AS "firstVersion"
    FROM dataset WHERE dataset_id = $1`,
  anyPart: `SELECT EXISTS (SELECT 1 FROM part_span WHERE end_version IS NULL)
    AS "isAny"`,
  vendors: `SELECT DISTINCT coalesce(value, '') AS vendor
    FROM part_span JOIN part USING (part_id)
      LEFT JOIN json_array_elements_text(vendors::json) AS each ON true
    WHERE end_version IS NULL ORDER BY vendor`,
  currentVersion: `${PARTS_OF_SPANS} AND end_version IS NULL ORDER BY span.key`,
  earlierVersion: `${PARTS_OF_SPANS} AND first_version <= $2
    AND (end_version IS NULL OR end_version > $2) ORDER BY span.key`,
  publishedAt: `SELECT published_at AS "publishedAt" FROM version
    WHERE dataset_id = $1 AND version = $2`,
  versions: `${VERSIONS} AND version.version < $2 ORDER BY version.version DESC LIMIT $3`,
  versionRecord: `${VERSIONS} AND version.version = $2`,
  asOf: `SELECT max(version) AS version FROM version
    WHERE dataset_id = $1 AND published_at <= $2`,
  columns: `SELECT stored_columns_id AS id, columns FROM stored_columns
    WHERE stored_columns_id = ANY ($1)`,
  rowGroups: `SELECT part_id AS id, row_groups AS text FROM part
    WHERE part_id = ANY ($1)`,
  parts: `SELECT ${PART} FROM part AS part WHERE part_id = ANY ($1)`,
  isStaged: `SELECT 1 FROM publication_dataset
    WHERE publication_id = $1 AND dataset_id = $2 AND is_staged`,
  staged: `SELECT key, part_id AS "partId", base_part_id AS "baseId"
    FROM staged_part WHERE publication_id = $1 AND dataset_id = $2 ORDER BY key`,
  storedLayouts: `SELECT dataset_id AS "datasetId", stored_columns_id AS "storedColumnsId",
      min(key) AS key, count(*) AS "partCount"
    FROM part WHERE retired_at IS NULL
    GROUP BY dataset_id, stored_columns_id, length(key) ORDER BY dataset_id, min(part_id)`,
};

interface ColumnsId {
  readonly storedColumnsId: number;
}

interface StagedRow {
  readonly key: string;
  readonly partId: number | null;
  readonly baseId: number | null;
}

/** Adds the stored columns to rows; nearly all parts share the same ones. */
async function withColumns<R extends ColumnsId>(queries: Queries, rows: readonly R[]) {
  const ids = [...new Set(rows.map(({ storedColumnsId }) => storedColumnsId))];
  const found = await queries.all<{ id: number; columns: string }>(SQL.columns, ids);
  const known = new Map(
    found.map(({ id, columns }) => [id, JSON.parse(columns) as readonly StoredColumn[]]),
  );
  return rows.map(({ storedColumnsId, ...row }) => ({
    ...row,
    storedColumns: known.get(storedColumnsId) as readonly StoredColumn[],
  }));
}

async function partsBy(queries: Queries, sql: string, ...values: (string | number | number[])[]) {
  const parts = (await queries.all(sql, ...values)).map((row) => PARTS.of(row));
  return await withColumns(queries, parts);
}

async function datasetOf(
  queries: Pick<Queries, 'get'>,
  datasetId: string,
): Promise<IndexedDataset | null> {
  return (await queries.get<IndexedDataset>(SQL.dataset, datasetId)) ?? null;
}

export class LakeVersions {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  /** Null: nothing is published. */
  dataset(datasetId: string): Promise<IndexedDataset | null> {
    return datasetOf(this.#database, datasetId);
  }

  /**
   * The parts of a version, by default the current one; null where there is no such version or it
   * is no longer retained.
   */
  version(datasetId: string, version?: number): Promise<IndexedVersion | null> {
    return this.#database.read(async (queries) => {
      const dataset = await datasetOf(queries, datasetId);
      if (!dataset) return null;
      const asked = version ?? dataset.version;
      if (asked < dataset.firstVersion || asked > dataset.version) return null;
      if (asked === dataset.version) {
        return { ...dataset, parts: await partsBy(queries, SQL.currentVersion, datasetId) };
      }
      const time = await queries.get(SQL.publishedAt, datasetId, asked);
      const parts = await partsBy(queries, SQL.earlierVersion, datasetId, asked);
      return { ...dataset, version: asked, publishedAt: String(time?.publishedAt), parts };
    });
  }

  /** At most `limit` versions of a dataset before one, or the last ones; the newest first. */
  records(
    datasetId: string,
    { limit, before = Number.MAX_SAFE_INTEGER }: VersionsQuery,
  ): Promise<VersionRecord[]> {
    return this.#database.all(SQL.versions, datasetId, before, limit);
  }

  /** Null: there never was one. */
  async record(datasetId: string, version: number): Promise<VersionRecord | null> {
    return (await this.#database.get<VersionRecord>(SQL.versionRecord, datasetId, version)) ?? null;
  }

  /** The version that was current at a time (UTC, whole seconds, `Z`); null: none was. */
  async asOf(datasetId: string, time: string): Promise<number | null> {
    const row = await this.#database.get<{ version: number | null }>(SQL.asOf, datasetId, time);
    return row?.version ?? null;
  }

  /** True if no current version has a part. */
  async isEmpty(): Promise<boolean> {
    return (await this.#database.get<{ isAny: boolean }>(SQL.anyPart))?.isAny === false;
  }

  /** The vendors of all current versions, each once, in order; '' where rows have none. */
  async vendors(): Promise<string[]> {
    return (await this.#database.all(SQL.vendors)).map(({ vendor }) => String(vendor));
  }

  /** A part of any version, also one that is dropped and not swept yet; null: there is none. */
  part(partId: number): Promise<IndexedPart | null> {
    return this.#database.read(async (queries) => {
      const [part] = await partsBy(queries, SQL.parts, [partId]);
      return part ?? null;
    });
  }

  /** The row groups of each of the parts, in the same order. Rejects where one is forgotten. */
  async rowGroups(partIds: readonly number[]): Promise<(readonly RowGroup[])[]> {
    return (await this.#rowGroupTexts(partIds)).map(decodeRowGroups);
  }

  /** Row groups of the identifier orders likewise; null for a part that has none. */
  async identifierOrders(partIds: readonly number[]): Promise<(readonly RowGroup[] | null)[]> {
    return (await this.#rowGroupTexts(partIds)).map(decodeIdentifierOrder);
  }

  /** Parts staged of a dataset for a publication, in order of keys; null: none. */
  staged(publicationId: number, datasetId: string): Promise<StagedVersionPart[] | null> {
    return this.#database.read(async (queries) => {
      if (!(await isThere(queries, SQL.isStaged, publicationId, datasetId))) return null;
      const rows = await queries.all<StagedRow>(SQL.staged, publicationId, datasetId);
      const ids = rows.flatMap(({ partId }) => partId ?? []);
      const parts = await partsBy(queries, SQL.parts, ids);
      const known = new Map(parts.map((part) => [part.id, part]));
      return rows.map(({ key, partId, baseId }) => ({
        ...{ key, baseId },
        part: partId === null ? null : (known.get(partId) ?? null),
      }));
    });
  }

  /** How the parts of all datasets are stored that a version which can be read has. */
  storedLayouts(): Promise<StoredLayout[]> {
    return this.#database.read(async (queries) => {
      type LayoutRow = Omit<StoredLayout, 'storedColumns'> & ColumnsId;
      return await withColumns(queries, await queries.all<LayoutRow>(SQL.storedLayouts));
    });
  }

  async #rowGroupTexts(partIds: readonly number[]): Promise<string[]> {
    const rows = await this.#database.all<{ id: number; text: string }>(SQL.rowGroups, partIds);
    const texts = new Map(rows.map(({ id, text }) => [id, text]));
    return partIds.map((partId) => {
      const text = texts.get(partId);
      if (text === undefined) throw new Error(`part ${partId} is no longer in the lake`);
      return text;
    });
  }
}
