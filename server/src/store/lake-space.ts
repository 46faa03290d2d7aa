/** Parts that take space in the lake: kept, on their way in, or to be removed. */
import { IS_CURRENT, KeptParts, type KeptTotals, TOTALS } from './kept-parts.ts';
import type {
  LakeDatabase,
  Leftovers,
  Replaced,
  ReplacedPart,
  ReplacedVersion,
  StoredBytes,
} from './lake-records.ts';
import { rowsIn } from './queries.ts';

const SQL = {
  addPending: `INSERT INTO pending_part (location, noted_at)
    SELECT location, $2::bigint FROM ${rowsIn('given', { location: 'text' })}`,
  pending: `SELECT location FROM pending_part AS pending
    WHERE noted_at <= $1 AND NOT EXISTS (SELECT 1 FROM part AS part
      WHERE part.location = pending.location AND retired_at IS NULL)`,
  removePending: 'DELETE FROM pending_part WHERE location = ANY ($1)',
  retired: 'SELECT location FROM part WHERE retired_at <= $1',
  removeParts: 'DELETE FROM part WHERE location = ANY ($1)',
  stagedTotals: `SELECT ${TOTALS}
    FROM publication JOIN staged_part USING (publication_id)
      LEFT JOIN part USING (part_id)
    WHERE state = 'running' AND life_mark IS NULL`,
  replacedVersions: `SELECT version.dataset_id AS "datasetId", version.version,
      next.published_at AS "replacedAt"
    FROM version AS version
      JOIN dataset AS dataset ON dataset.dataset_id = version.dataset_id
      JOIN version AS next ON next.dataset_id = version.dataset_id
        AND next.version = version.version + 1
    WHERE version.version >= first_version ORDER BY version.dataset_id, version.version`,
  replacedParts: `SELECT part.dataset_id AS "datasetId", max(end_version) - 1 AS "lastVersion",
      stored_byte_count AS "storedByteCount"
    FROM part_span AS span
      JOIN part AS part ON part.part_id = span.part_id
    WHERE retired_at IS NULL GROUP BY part.part_id HAVING count(*) = count(end_version)`,
  currentVersions: 'SELECT dataset_id AS "datasetId", version FROM dataset',
  retainFrom: `UPDATE dataset
    SET first_version = least(version, greatest(first_version, $1)) WHERE dataset_id = $2
    RETURNING first_version AS first`,
  retire: `UPDATE part AS part SET retired_at = $1
    WHERE retired_at IS NULL AND part_id IN (SELECT part_id FROM part_span
      WHERE dataset_id = $2 AND end_version <= $3)
    AND NOT EXISTS (SELECT 1 FROM part_span AS other
      WHERE other.part_id = part.part_id AND (other.end_version IS NULL OR other.end_version > $3))
    AND NOT EXISTS (SELECT 1 FROM staged_part AS staged
      WHERE staged.part_id = part.part_id)`,
  dropSpans: 'DELETE FROM part_span WHERE dataset_id = $1 AND end_version <= $2',
  storedBytes: `SELECT dataset_id AS "datasetId",
      coalesce(sum(stored_byte_count) FILTER (WHERE is_current), 0) AS "currentByteCount",
      coalesce(sum(stored_byte_count) FILTER (WHERE NOT is_current), 0) AS "replacedByteCount"
    FROM (SELECT dataset_id, stored_byte_count, ${IS_CURRENT} AS is_current
      FROM part AS part WHERE retired_at IS NULL) AS kept
    GROUP BY dataset_id ORDER BY dataset_id`,
};

interface LocationRow {
  readonly location: string;
}

export class LakeSpace extends KeptParts {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    super(database);
    this.#database = database;
  }

  /** Notes locations before anything is written there, and when. The publishing lock is held. */
  async addPending(locations: readonly string[], nowMs: number): Promise<void> {
    await this.#database.publish((queries) =>
      queries.runEach(
        SQL.addPending,
        locations.map((location) => ({ location })),
        nowMs,
      ),
    );
  }

  /**
   * Parts retired at or before `retiredMsMax`, and those of publications that came to nothing,
   * noted at or before `pendingMsMax`: no version that can be read has any of them.
   */
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

  /** Notes that leftovers were removed. The publishing lock is held. */
  async forget({ pending, retired }: Leftovers): Promise<void> {
    await this.#database.publish(async (queries) => {
      await queries.run(SQL.removeParts, retired);
      await queries.run(SQL.removePending, pending);
    });
  }

  /** Totals staged for all open publications, including partitions that will go. */
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

  /**
   * Retains the versions of a dataset from `firstVersion` on, and retires the parts that only
   * earlier ones have. The current version always stays.
   */
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
