/**
 * The ledger: every attempt to change what is published, from its beginning to its end. Nothing is
 * ever deleted from it, so it tells of versions whose parts are long gone, too.
 */
import { EMPTY_DIGEST, sumOfDigests } from '../engine/content-digest.ts';
import type { LakeDatabase } from './lake-records.ts';
import { abandon, addNotes, beginPublication } from './ledger-writes.ts';
import { acknowledgeLoad, readNotedLoads } from './noted-loads.ts';
import type {
  EndedPage,
  EndedPublication,
  EndedQuery,
  EndState,
  LastChange,
  LoadedDates,
  NewPublication,
  NotedLoad,
  PartChange,
  PartTotals,
  PublicationNotes,
  PublicationQuery,
  PublicationRecord,
  PublicationSource,
  PublicationStatus,
  PublishedDataset,
  PublishedSource,
  RunningPublication,
} from './publications.ts';
import { NOTED_LOADS_MAX } from './publications.ts';
import { countOf, type Queries, type Row, type Value } from './queries.ts';

const RUNNING = `SELECT publication_id AS "publicationId", started_at AS "startedAt",
  life_mark AS "lifeMark" FROM publication`;

/** Filters by openness, datasets and states; null: any. */
const LISTED = `SELECT publication_id AS "publicationId"
  FROM publication AS publication
  WHERE publication_id > $1 AND publication_id < $2
    AND ($3::text[] IS NULL OR EXISTS (SELECT 1
      FROM publication_dataset AS concerned
      WHERE concerned.publication_id = publication.publication_id
        AND concerned.dataset_id = ANY ($3::text[])))
    AND ($4::text[] IS NULL OR state = ANY ($4::text[]))
    AND (NOT $5::boolean OR (state = 'running' AND life_mark IS NULL))`;

const SQL = {
  openCount: `SELECT count(*) AS count FROM publication
    WHERE state = 'running' AND life_mark IS NULL`,
  lastUnpublished: `SELECT finished_at AS "finishedAt"
    FROM publication_dataset JOIN publication USING (publication_id)
    WHERE dataset_id = $1 AND state IN ('refused', 'failed')
      AND EXISTS (SELECT 1 FROM publication_outcome
        WHERE dataset_id = $1 AND unpublished_count > 0)
    ORDER BY publication_id DESC LIMIT 1`,
  publications: `SELECT publication_id AS "publicationId", state, kind, command, actor, reason,
      vendor, started_at AS "startedAt", finished_at AS "finishedAt", message, checks,
      state = 'running' AND life_mark IS NULL AS "isOpen"
    FROM publication WHERE publication_id = ANY ($1)`,
  oldestFirst: `${LISTED} ORDER BY publication_id LIMIT $6`,
  newestFirst: `${LISTED} ORDER BY publication_id DESC LIMIT $6`,
  endedNumber: `SELECT ended_number AS number FROM publication
    WHERE publication_id = $1`,
  ended: `SELECT publication_id AS "publicationId",
      ($1::boolean OR state IN ('published', 'rolled_back'))
        AND ($2::text[] IS NULL OR EXISTS (SELECT 1
          FROM publication_dataset AS concerned
          WHERE concerned.publication_id = publication.publication_id
            AND ($1::boolean OR version IS NOT NULL)
            AND concerned.dataset_id = ANY ($2::text[]))) AS "isAsked"
    FROM publication AS publication
    WHERE ended_number > $3 ORDER BY ended_number LIMIT $4`,
  endedRecords: `SELECT publication_id AS "publicationId", state, kind, vendor, reason, message,
      finished_at AS "finishedAt"
    FROM publication WHERE publication_id = ANY ($1)
    ORDER BY ended_number`,
  endedDatasets: `SELECT publication_id AS "publicationId", dataset_id AS "datasetId", version
    FROM publication_dataset
    WHERE publication_id = ANY ($3) AND ($1::boolean OR version IS NOT NULL)
      AND ($2::text[] IS NULL OR dataset_id = ANY ($2::text[]))
    ORDER BY dataset_id`,
  datasets: `SELECT concerned.publication_id AS "publicationId",
      concerned.dataset_id AS "datasetId", concerned.version,
      count(part.key) FILTER (WHERE before_part_id IS NULL) AS "addedPartCount",
      count(part.key) FILTER (WHERE before_part_id IS NOT NULL AND after_part_id IS NOT NULL)
        AS "replacedPartCount",
      count(part.key) FILTER (WHERE before_part_id IS NOT NULL AND after_part_id IS NULL)
        AS "removedPartCount",
      coalesce(sum(before_row_count), 0) AS "rowCountBefore",
      coalesce(sum(after_row_count), 0) AS "rowCountAfter",
      coalesce(sum(before_byte_count), 0) AS "byteCountBefore",
      coalesce(sum(after_byte_count), 0) AS "byteCountAfter",
      content_digest AS "contentDigest", rolled_back_by AS "rolledBackBy"
    FROM publication_dataset AS concerned
    LEFT JOIN publication_part AS part
      ON part.publication_id = concerned.publication_id
      AND part.dataset_id = concerned.dataset_id
    LEFT JOIN version AS version ON version.dataset_id = concerned.dataset_id
      AND version.version = concerned.version
    WHERE concerned.publication_id = ANY ($1)
    GROUP BY concerned.publication_id, concerned.dataset_id, content_digest
    ORDER BY concerned.dataset_id`,
  sources: `SELECT publication_id AS "publicationId", dataset_id AS "datasetId", name,
      byte_count AS "byteCount", sha256, derivation
    FROM publication_source WHERE publication_id = ANY ($1)
    ORDER BY dataset_id, source_number`,
  changedKeys: `SELECT key FROM publication_part
    WHERE publication_id = $1 AND dataset_id = $2 ORDER BY key`,
  parts: `SELECT key, before_part_id, before_row_count, before_byte_count, before_digest,
      after_part_id, after_row_count, after_byte_count, after_digest
    FROM publication_part
    WHERE publication_id = $1 AND dataset_id = $2 ORDER BY key`,
  lastChanges: `SELECT key, version, kind FROM (
      SELECT key, concerned.version, kind,
        row_number() OVER (PARTITION BY key ORDER BY concerned.version DESC) AS place
      FROM publication_dataset AS concerned
        JOIN publication_part USING (publication_id, dataset_id)
        JOIN publication USING (publication_id)
      WHERE dataset_id = $1 AND concerned.version <= $2 AND key BETWEEN $3 AND $4
    ) AS changes WHERE place = 1 ORDER BY key`,
  finished: `SELECT state, started_at AS "startedAt", finished_at AS "finishedAt", message,
      refused_dates IS NOT NULL AS "isNoted"
    FROM publication_outcome
      JOIN publication ON publication_id = last_publication_id
    WHERE dataset_id = $1`,
  runningOf: `${RUNNING} JOIN publication_dataset USING (publication_id)
    WHERE dataset_id = $1 AND state = 'running' ORDER BY publication_id DESC`,
  running: `${RUNNING} WHERE state = 'running' ORDER BY publication_id DESC`,
  unpublished: `SELECT unpublished_count AS count FROM publication_outcome
    WHERE dataset_id = $1`,
  restaged: `SELECT staged.key, earlier.publication_id AS "publicationId",
      after.content_digest AS after, coalesce(base.content_digest, $3) AS base,
      earlier.before_digest AS "earlierBefore", coalesce(earlier.after_digest, $3) AS "earlierAfter"
    FROM staged_part AS staged
      JOIN part AS after ON after.part_id = staged.part_id
      LEFT JOIN part AS base ON base.part_id = staged.base_part_id
      JOIN publication_dataset AS concerned ON concerned.dataset_id = staged.dataset_id
        AND concerned.version IS NOT NULL AND concerned.rolled_back_by IS NULL
      JOIN publication_part AS earlier ON earlier.publication_id = concerned.publication_id
        AND earlier.dataset_id = staged.dataset_id AND earlier.key = staged.key
        AND earlier.before_digest IS NOT NULL
      JOIN publication ON publication.publication_id = concerned.publication_id
        AND kind <> 'rollback'
    WHERE staged.publication_id = $1 AND staged.dataset_id = $2
    ORDER BY staged.key, earlier.publication_id DESC`,
  publishedSources: `SELECT publication_id AS "publicationId", name, byte_count AS "byteCount", sha256
    FROM publication_source
      JOIN publication_dataset USING (publication_id, dataset_id)
    WHERE dataset_id = $1 AND version IS NOT NULL AND rolled_back_by IS NULL
    ORDER BY version, source_number`,
};

const NO_PUBLICATION: PublicationStatus = {
  state: 'none',
  startedAt: null,
  finishedAt: null,
  message: null,
  isNoted: false,
};

function totalsOf(row: Row, side: 'before' | 'after'): PartTotals | null {
  if (row[`${side}_part_id`] === null) return null;
  return {
    partId: Number(row[`${side}_part_id`]),
    rowCount: Number(row[`${side}_row_count`]),
    byteCount: Number(row[`${side}_byte_count`]),
    contentDigest: String(row[`${side}_digest`]),
  };
}

/** Makes a change of a row of `publication_part`. */
function partChangeOf(row: Row): PartChange {
  const before = totalsOf(row, 'before');
  const after = totalsOf(row, 'after');
  const change = before === null ? 'added' : after === null ? 'removed' : 'replaced';
  return { key: String(row.key), change, before, after };
}

interface EndedRow {
  readonly publicationId: number;
  /** True if the publication is one of those that were asked for. */
  readonly isAsked: boolean;
}

interface ExaminedRows {
  /** The publications that were asked for, no more than may be told. */
  readonly publicationIds: readonly number[];
  readonly lastId: number;
  readonly hasMore: boolean;
}

/**
 * Looks through those that have ended after one, in their order: `rows` has one more than may be
 * examined.
 */
function examine(
  rows: readonly EndedRow[],
  { after, limit, examinedMax }: { after: number; limit: number; examinedMax: number },
): ExaminedRows {
  const publicationIds: number[] = [];
  let [lastId, examinedCount] = [after, 0];
  for (const row of rows.slice(0, examinedMax)) {
    if (publicationIds.length === limit) break;
    lastId = row.publicationId;
    examinedCount++;
    if (row.isAsked) publicationIds.push(lastId);
  }
  return { publicationIds, lastId, hasMore: examinedCount < rows.length };
}

interface RestagedRow extends OfPublication {
  readonly key: string;
  /** Content digests of the partition. */
  readonly after: string;
  readonly base: string;
  readonly earlierBefore: string;
  readonly earlierAfter: string;
}

interface OfPublication {
  readonly publicationId: number;
}

/** Rows by their publications, without saying so themselves. */
function byPublication<R extends OfPublication>(rows: readonly R[]) {
  const found = new Map<number, Omit<R, 'publicationId'>[]>();
  for (const { publicationId, ...row } of rows) {
    found.getOrInsertComputed(publicationId, () => []).push(row);
  }
  return (publicationId: number) => found.get(publicationId) ?? [];
}

/** Existing publications, in the order of the ids. */
async function recordsOf(queries: Queries, ids: readonly number[]): Promise<PublicationRecord[]> {
  type RecordRow = PublicationRecord & { readonly checks: string };
  const rows = await queries.all<RecordRow>(SQL.publications, ids);
  const found = new Map(rows.map((row) => [row.publicationId, row]));
  const datasetsOf = byPublication(
    await queries.all<PublishedDataset & OfPublication>(SQL.datasets, ids),
  );
  const sourcesOf = byPublication(
    await queries.all<PublicationSource & OfPublication>(SQL.sources, ids),
  );
  return ids
    .flatMap((id) => found.get(id) ?? [])
    .map((row) => ({
      ...row,
      checks: JSON.parse(row.checks),
      datasets: datasetsOf(row.publicationId),
      sources: sourcesOf(row.publicationId),
    }));
}

async function endedOf(
  queries: Queries,
  ids: readonly number[],
  asked: readonly Value[],
): Promise<EndedPublication[]> {
  type Dataset = EndedPublication['datasets'][number] & OfPublication;
  const datasetsOf = byPublication(await queries.all<Dataset>(SQL.endedDatasets, ...asked, ids));
  const rows = await queries.all<Omit<EndedPublication, 'datasets'>>(SQL.endedRecords, ids);
  return rows.map((row) => ({ ...row, datasets: datasetsOf(row.publicationId) }));
}

export class Ledger {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  /** Notes that a publication has begun; resolves to its id. */
  begin(publication: NewPublication): Promise<number> {
    return this.#database.change((queries) => beginPublication(queries, publication));
  }

  /**
   * Notes that one has begun that is open for any process; null, and nothing is noted, where
   * `openMax` are open already.
   */
  beginOpen(
    publication: Omit<NewPublication, 'lifeMark'>,
    openMax: number,
  ): Promise<number | null> {
    return this.#database.change(async (queries) => {
      if ((await countOf(queries, SQL.openCount)) >= openMax) return null;
      return await beginPublication(queries, { ...publication, lifeMark: null });
    });
  }

  /** Adds to what is known of a publication. */
  note(publicationId: number, notes: PublicationNotes): Promise<void> {
    return this.#database.change((queries) => addNotes(queries, publicationId, notes));
  }

  /**
   * Notes that a publication has ended without a change of any dataset, and gives up what was
   * staged for it. One that has ended already, such as by another process that took it for dead,
   * stays as it is.
   */
  finish(
    publicationId: number,
    state: EndState,
    message: string,
    finishedAt: string,
    loaded: readonly LoadedDates[] = [],
  ): Promise<void> {
    const end = { publicationId, state, message, finishedAt, loaded };
    return this.#database.change((queries) => abandon(queries, end));
  }

  /** Null: there is none. */
  publication(publicationId: number): Promise<PublicationRecord | null> {
    return this.#database.read(async (queries) => {
      const [record] = await recordsOf(queries, [publicationId]);
      return record ?? null;
    });
  }

  publications(query: PublicationQuery): Promise<PublicationRecord[]> {
    const { limit, after, before, datasetIds, states, isOpen = false } = query;
    const sql = after === undefined ? SQL.newestFirst : SQL.oldestFirst;
    const range = [after ?? 0, before ?? Number.MAX_SAFE_INTEGER];
    const asked = [datasetIds ?? null, states ?? null, isOpen, limit];
    return this.#database.read(async (queries) => {
      const rows = await queries.all<OfPublication>(sql, ...range, ...asked);
      return await recordsOf(
        queries,
        rows.map(({ publicationId }) => publicationId),
      );
    });
  }

  /**
   * Null: there is no such publication that has ended. Nothing that ends later ever comes before
   * what this has told, so that a reader can go on after the last one.
   */
  endedAfter(query: EndedQuery): Promise<EndedPage | null> {
    const { after, examinedMax, publishedOnly, datasetIds } = query;
    const asked = [!publishedOnly, datasetIds ?? null];
    return this.#database.read(async (queries) => {
      const number = after === 0 ? 0 : (await queries.get(SQL.endedNumber, after))?.number;
      if (typeof number !== 'number') return null;
      const rows = await queries.all<EndedRow>(SQL.ended, ...asked, number, examinedMax + 1);
      const { publicationIds, ...page } = examine(rows, query);
      return { publications: await endedOf(queries, publicationIds, asked), ...page };
    });
  }

  /** The keys of the partitions that a publication changed, in order. */
  async changedKeys(publicationId: number, datasetId: string): Promise<string[]> {
    const rows = await this.#database.all(SQL.changedKeys, publicationId, datasetId);
    return rows.map(({ key }) => String(key));
  }

  /** Changes of one dataset's partitions by a publication, in the order of their keys. */
  async partChanges(publicationId: number, datasetId: string): Promise<PartChange[]> {
    const rows = await this.#database.all<Row>(SQL.parts, publicationId, datasetId);
    return rows.map(partChangeOf);
  }

  /**
   * The last change of each of a dataset's partitions, up to a version, also of those that are
   * gone: in the order of their keys, from `first` to `last`, both inclusive.
   */
  lastChanges(
    datasetId: string,
    version: number,
    { first, last }: { readonly first: string; readonly last: string },
  ): Promise<LastChange[]> {
    return this.#database.all(SQL.lastChanges, datasetId, version, first, last);
  }

  /** The last publication of a dataset that has ended. */
  async lastFinished(datasetId: string): Promise<PublicationStatus> {
    const row = await this.#database.get<PublicationStatus>(SQL.finished, datasetId);
    return row ?? NO_PUBLICATION;
  }

  /** Publications of a dataset that have not ended, the newest first; some may be dead. */
  runningOf(datasetId: string): Promise<RunningPublication[]> {
    return this.#database.all(SQL.runningOf, datasetId);
  }

  /** All publications that have not ended, the newest first; some may be dead. */
  running(): Promise<RunningPublication[]> {
    return this.#database.all(SQL.running);
  }

  /** When the newest publication of a dataset ended that was refused or failed; null: none was. */
  async lastUnpublished(datasetId: string): Promise<string | null> {
    const row = await this.#database.get<{ finishedAt: string }>(SQL.lastUnpublished, datasetId);
    return row?.finishedAt ?? null;
  }

  /**
   * How many publications of a dataset have published nothing because they were refused or failed.
   */
  unpublishedCount(datasetId: string): Promise<number> {
    return countOf(this.#database, SQL.unpublished, datasetId);
  }

  /**
   * The first partition of which a publication has staged rows that an earlier one has replaced or
   * taken out; null: there is none.
   */
  async reversedPartition(
    publicationId: number,
    datasetId: string,
  ): Promise<{ readonly key: string; readonly publicationId: number } | null> {
    const rows = await this.#database.all<RestagedRow>(
      ...[SQL.restaged, publicationId, datasetId, EMPTY_DIGEST],
    );
    // Other dates of a partition may have changed since, so the changes themselves are compared.
    const reversed = rows.find(
      ({ after, base, earlierBefore, earlierAfter }) =>
        after !== base &&
        (after === earlierBefore ||
          sumOfDigests([after, earlierAfter]) === sumOfDigests([base, earlierBefore])),
    );
    return reversed ?? null;
  }

  /**
   * Sources of a dataset's rows that its publications have named, in the order of their
   * versions; without those that were rolled back.
   */
  async publishedSources(datasetId: string): Promise<PublishedSource[]> {
    return await this.#database.all<PublishedSource>(SQL.publishedSources, datasetId);
  }

  /** Loads for alerts that nobody has looked after, the newest first, at most `NOTED_LOADS_MAX`. */
  async notedLoads(): Promise<NotedLoad[]> {
    return (await readNotedLoads(this.#database)).slice(0, NOTED_LOADS_MAX);
  }

  /** Notes that a refused, failed or warned one is looked after; false where it was already. */
  acknowledge(publicationId: number): Promise<boolean> {
    return this.#database.change((queries) => acknowledgeLoad(queries, publicationId));
  }
}
