/** What takes space in the lake: parts that are kept, those on their way in, and those to be removed. */
import type { KeptPart, KeptTotals } from '../kept-parts.ts';
import type {
  LakeSpace,
  Leftovers,
  Replaced,
  ReplacedPart,
  ReplacedVersion,
  StoredBytes,
} from '../lake-index.ts';
import type { LakeDatabase } from './lake-database.ts';
import { isThere } from './queries.ts';

const IS_CURRENT = `EXISTS (SELECT 1 FROM ticklake.lake_part_span AS span
  WHERE span.part_id = part.part_id AND end_version IS NULL)`;

const TOTALS = `count(*) AS "partCount",
  coalesce(sum(stored_byte_count), 0) AS "storedByteCount"`;

const SQL = {
  keptParts: `SELECT part_id AS id, dataset_id AS "datasetId", key, location, digest,
      stored_byte_count AS "storedByteCount", ${IS_CURRENT} AS "isCurrent"
    FROM ticklake.lake_part AS part
    WHERE part_id > $1 AND retired_at IS NULL ORDER BY part_id LIMIT $2`,
  keptTotals: `SELECT ${TOTALS} FROM ticklake.lake_part WHERE retired_at IS NULL`,
  kept: 'SELECT 1 FROM ticklake.lake_part WHERE location = $1 AND retired_at IS NULL',
  known: `SELECT 1 FROM ticklake.lake_part WHERE location = $1
    UNION ALL SELECT 1 FROM ticklake.lake_pending_part WHERE location = $1`,
  addPending: `INSERT INTO ticklake.lake_pending_part (location, noted_at)
    SELECT unnest($1::text[]), $2::bigint`,
  pending: `SELECT location FROM ticklake.lake_pending_part AS pending
    WHERE noted_at <= $1 AND NOT EXISTS (SELECT 1 FROM ticklake.lake_part AS part
      WHERE part.location = pending.location AND retired_at IS NULL)`,
  removePending: 'DELETE FROM ticklake.lake_pending_part WHERE location = ANY ($1::text[])',
  retired: 'SELECT location FROM ticklake.lake_part WHERE retired_at <= $1',
  removeParts: 'DELETE FROM ticklake.lake_part WHERE location = ANY ($1::text[])',
  stagedTotals: `SELECT ${TOTALS}
    FROM ticklake.lake_publication JOIN ticklake.lake_staged_part USING (publication_id)
      LEFT JOIN ticklake.lake_part USING (part_id)
    WHERE state = 'running' AND life_mark IS NULL`,
  replacedVersions: `SELECT version.dataset_id AS "datasetId", version.version,
      next.published_at AS "replacedAt"
    FROM ticklake.lake_version AS version
      JOIN ticklake.lake_dataset AS dataset ON dataset.dataset_id = version.dataset_id
      JOIN ticklake.lake_version AS next ON next.dataset_id = version.dataset_id
        AND next.version = version.version + 1
    WHERE version.version >= first_version ORDER BY version.dataset_id, version.version`,
  replacedParts: `SELECT part.dataset_id AS "datasetId", max(end_version) - 1 AS "lastVersion",
      stored_byte_count AS "storedByteCount"
    FROM ticklake.lake_part_span AS span
      JOIN ticklake.lake_part AS part ON part.part_id = span.part_id
    WHERE retired_at IS NULL GROUP BY part.part_id HAVING count(*) = count(end_version)`,
  currentVersions: 'SELECT dataset_id AS "datasetId", version FROM ticklake.lake_dataset',
  retainFrom: `UPDATE ticklake.lake_dataset
    SET first_version = least(version, greatest(first_version, $1)) WHERE dataset_id = $2
    RETURNING first_version AS first`,
  retire: `UPDATE ticklake.lake_part AS part SET retired_at = $1
    WHERE retired_at IS NULL AND part_id IN (SELECT part_id FROM ticklake.lake_part_span
      WHERE dataset_id = $2 AND end_version <= $3)
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_part_span AS other
      WHERE other.part_id = part.part_id AND (other.end_version IS NULL OR other.end_version > $3))
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_staged_part AS staged
      WHERE staged.part_id = part.part_id)`,
  dropSpans: 'DELETE FROM ticklake.lake_part_span WHERE dataset_id = $1 AND end_version <= $2',
  storedBytes: `SELECT dataset_id AS "datasetId",
      coalesce(sum(stored_byte_count) FILTER (WHERE is_current), 0) AS "currentByteCount",
      coalesce(sum(stored_byte_count) FILTER (WHERE NOT is_current), 0) AS "replacedByteCount"
    FROM (SELECT dataset_id, stored_byte_count, ${IS_CURRENT} AS is_current
      FROM ticklake.lake_part AS part WHERE retired_at IS NULL) AS kept
    GROUP BY dataset_id ORDER BY dataset_id`,
};

interface LocationRow {
  readonly location: string;
}

export class PostgresLakeSpace implements LakeSpace {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  keptParts(afterId: number, count: number): Promise<KeptPart[]> {
    return this.#database.all(SQL.keptParts, afterId, count);
  }

  async keptTotals(): Promise<KeptTotals> {
    return (await this.#database.get<KeptTotals>(SQL.keptTotals)) as KeptTotals;
  }

  keepsLocation(location: string): Promise<boolean> {
    return isThere(this.#database, SQL.kept, location);
  }

  knowsLocation(location: string): Promise<boolean> {
    return isThere(this.#database, SQL.known, location);
  }

  async addPending(locations: readonly string[], nowMs: number): Promise<void> {
    await this.#database.publish((queries) => queries.run(SQL.addPending, locations, nowMs));
  }

  leftovers(retiredMsMax: number, pendingMsMax = retiredMsMax): Promise<Leftovers> {
    return this.#database.read(async (queries) => {
      const pending = await queries.all<LocationRow>(SQL.pending, pendingMsMax);
      const retired = await queries.all<LocationRow>(SQL.retired, retiredMsMax);
      return {
        pending: pending.map(({ location }) => location),
        retired: retired.map(({ location }) => location),
      };
    });
  }

  async forget({ pending, retired }: Leftovers): Promise<void> {
    await this.#database.publish(async (queries) => {
      await queries.run(SQL.removeParts, retired);
      await queries.run(SQL.removePending, pending);
    });
  }

  async stagedTotals(): Promise<KeptTotals> {
    return (await this.#database.get<KeptTotals>(SQL.stagedTotals)) as KeptTotals;
  }

  replaced(): Promise<Replaced> {
    return this.#database.read(async (queries) => {
      const versions = await queries.all<ReplacedVersion>(SQL.replacedVersions);
      const parts = await queries.all<ReplacedPart>(SQL.replacedParts);
      type Current = { readonly datasetId: string; readonly version: number };
      const current = await queries.all<Current>(SQL.currentVersions);
      const currentVersions = new Map(
        current.map(({ datasetId, version }) => [datasetId, version]),
      );
      return { versions, parts, currentVersions };
    });
  }

  async dropVersions(datasetId: string, firstVersion: number, nowMs: number): Promise<void> {
    await this.#database.change(async (queries) => {
      const row = await queries.get<{ first: number }>(SQL.retainFrom, firstVersion, datasetId);
      if (!row) return;
      await queries.run(SQL.retire, nowMs, datasetId, row.first);
      await queries.run(SQL.dropSpans, datasetId, row.first);
    });
  }

  storedBytes(): Promise<StoredBytes[]> {
    return this.#database.all(SQL.storedBytes);
  }
}
