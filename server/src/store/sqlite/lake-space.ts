/** What takes space in the lake: parts that are kept, those on their way in, and those to be removed. */
import type { KeptTotals } from '../kept-parts.ts';
import type {
  LakeSpace,
  Leftovers,
  Replaced,
  ReplacedPart,
  ReplacedVersion,
  StoredBytes,
} from '../lake-index.ts';
import { KeptPartsTable } from './kept-parts.ts';
import { type LakeDatabase, numberOf } from './lake-database.ts';
import type { Statement } from './statements.ts';

const IS_CURRENT = `EXISTS (SELECT 1 FROM part_span
  WHERE part_span.part_id = part.part_id AND end_version IS NULL)`;

const SQL = {
  firstVersion: 'SELECT first_version AS first FROM dataset WHERE dataset_id = ?',
  addPending: 'INSERT INTO pending_part (location, noted_at) VALUES (?, ?)',
  pending: `SELECT location FROM pending_part WHERE noted_at <= ?
    AND location NOT IN (SELECT location FROM part WHERE retired_at IS NULL)`,
  removePending: 'DELETE FROM pending_part WHERE location = ?',
  retired: 'SELECT location FROM part WHERE retired_at <= ?',
  removePart: 'DELETE FROM part WHERE location = ?',
  stagedTotals: `SELECT count(*) AS partCount,
      coalesce(sum(stored_byte_count), 0) AS storedByteCount
    FROM publication JOIN staged_part USING (publication_id) LEFT JOIN part USING (part_id)
    WHERE state = 'running' AND life_mark IS NULL`,
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
  storedBytes: `SELECT dataset_id AS datasetId,
      sum(iif(${IS_CURRENT}, stored_byte_count, 0)) AS currentByteCount,
      sum(iif(${IS_CURRENT}, 0, stored_byte_count)) AS replacedByteCount
    FROM part WHERE retired_at IS NULL GROUP BY dataset_id ORDER BY dataset_id`,
};

export class SqliteLakeSpace extends KeptPartsTable implements LakeSpace {
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(database: LakeDatabase) {
    super(database.source);
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  async addPending(locations: readonly string[], nowMs: number): Promise<void> {
    const { addPending } = this.#statements;
    this.#database.change(() => {
      for (const location of locations) addPending.run(location, nowMs);
    });
  }

  async leftovers(retiredMsMax: number, pendingMsMax = retiredMsMax): Promise<Leftovers> {
    const { pending, retired } = this.#statements;
    return {
      pending: pending.all(pendingMsMax).map(({ location }) => String(location)),
      retired: retired.all(retiredMsMax).map(({ location }) => String(location)),
    };
  }

  async forget({ pending, retired }: Leftovers): Promise<void> {
    const { removePart, removePending } = this.#statements;
    this.#database.change(() => {
      for (const location of retired) removePart.run(location);
      for (const location of pending) removePending.run(location);
    });
  }

  async stagedTotals(): Promise<KeptTotals> {
    return this.#statements.stagedTotals.get() as unknown as KeptTotals;
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
    const { retainFrom, firstVersion: firstOf, retire, dropSpans } = this.#statements;
    this.#database.change(() => {
      retainFrom.run(firstVersion, datasetId);
      const first = numberOf(firstOf.get(datasetId), 'first');
      retire.run({ nowMs, datasetId, first });
      dropSpans.run(datasetId, first);
    });
  }

  async storedBytes(): Promise<StoredBytes[]> {
    return this.#statements.storedBytes.all() as unknown as StoredBytes[];
  }
}
