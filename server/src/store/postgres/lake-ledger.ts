/** The ledger of publications in PostgreSQL. */
import { type EndedRow, examine, NO_PUBLICATION, partChangeOf } from '../ledger-rows.ts';
import type {
  EndedPage,
  EndedPublication,
  EndedQuery,
  EndState,
  LastChange,
  Ledger,
  NewPublication,
  PartChange,
  PublicationNotes,
  PublicationQuery,
  PublicationRecord,
  PublicationSource,
  PublicationStatus,
  PublishedDataset,
  PublishedSource,
  RunningPublication,
} from '../publications.ts';
import { REFUSED_LOADS_MAX } from '../publications.ts';
import type { LakeDatabase } from './lake-database.ts';
import { abandon, addNotes, beginPublication } from './lake-publications.ts';
import { countOf, type Queries, type Row, type Value } from './queries.ts';

const RUNNING = `SELECT publication_id AS "publicationId", started_at AS "startedAt",
  life_mark AS "lifeMark" FROM ticklake.lake_publication`;

/** Those that are open or all, that concern datasets, that are in states; null: any. */
const LISTED = `SELECT publication_id AS "publicationId"
  FROM ticklake.lake_publication AS publication
  WHERE publication_id > $1 AND publication_id < $2
    AND ($3::text[] IS NULL OR EXISTS (SELECT 1
      FROM ticklake.lake_publication_dataset AS concerned
      WHERE concerned.publication_id = publication.publication_id
        AND concerned.dataset_id = ANY ($3::text[])))
    AND ($4::text[] IS NULL OR state = ANY ($4::text[]))
    AND (NOT $5::boolean OR (state = 'running' AND life_mark IS NULL))`;

const SQL = {
  openCount: `SELECT count(*) AS count FROM ticklake.lake_publication
    WHERE state = 'running' AND life_mark IS NULL`,
  lastUnpublished: `SELECT finished_at AS "finishedAt"
    FROM ticklake.lake_publication_dataset JOIN ticklake.lake_publication USING (publication_id)
    WHERE dataset_id = $1 AND state IN ('refused', 'failed')
      AND EXISTS (SELECT 1 FROM ticklake.lake_publication_outcome
        WHERE dataset_id = $1 AND unpublished_count > 0)
    ORDER BY publication_id DESC LIMIT 1`,
  publications: `SELECT publication_id AS "publicationId", state, kind, command, actor, reason,
      vendor, started_at AS "startedAt", finished_at AS "finishedAt", message, checks,
      state = 'running' AND life_mark IS NULL AS "isOpen"
    FROM ticklake.lake_publication WHERE publication_id = ANY ($1::bigint[])`,
  oldestFirst: `${LISTED} ORDER BY publication_id LIMIT $6`,
  newestFirst: `${LISTED} ORDER BY publication_id DESC LIMIT $6`,
  endedNumber: `SELECT ended_number AS number FROM ticklake.lake_publication
    WHERE publication_id = $1`,
  ended: `SELECT publication_id AS "publicationId",
      ($1::boolean OR state IN ('published', 'rolled_back'))
        AND ($2::text[] IS NULL OR EXISTS (SELECT 1
          FROM ticklake.lake_publication_dataset AS concerned
          WHERE concerned.publication_id = publication.publication_id
            AND ($1::boolean OR version IS NOT NULL)
            AND concerned.dataset_id = ANY ($2::text[]))) AS "isAsked"
    FROM ticklake.lake_publication AS publication
    WHERE ended_number > $3 ORDER BY ended_number LIMIT $4`,
  endedRecords: `SELECT publication_id AS "publicationId", state, kind, vendor, reason, message,
      finished_at AS "finishedAt"
    FROM ticklake.lake_publication WHERE publication_id = ANY ($1::bigint[])
    ORDER BY ended_number`,
  endedDatasets: `SELECT publication_id AS "publicationId", dataset_id AS "datasetId", version
    FROM ticklake.lake_publication_dataset
    WHERE publication_id = ANY ($3::bigint[]) AND ($1::boolean OR version IS NOT NULL)
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
    FROM ticklake.lake_publication_dataset AS concerned
    LEFT JOIN ticklake.lake_publication_part AS part
      ON part.publication_id = concerned.publication_id
      AND part.dataset_id = concerned.dataset_id
    LEFT JOIN ticklake.lake_version AS version ON version.dataset_id = concerned.dataset_id
      AND version.version = concerned.version
    WHERE concerned.publication_id = ANY ($1::bigint[])
    GROUP BY concerned.publication_id, concerned.dataset_id, content_digest
    ORDER BY concerned.dataset_id`,
  sources: `SELECT publication_id AS "publicationId", dataset_id AS "datasetId", name,
      byte_count AS "byteCount", sha256, derivation
    FROM ticklake.lake_publication_source WHERE publication_id = ANY ($1::bigint[])
    ORDER BY dataset_id, source_number`,
  changedKeys: `SELECT key FROM ticklake.lake_publication_part
    WHERE publication_id = $1 AND dataset_id = $2 ORDER BY key`,
  parts: `SELECT key, before_part_id, before_row_count, before_byte_count, before_digest,
      after_part_id, after_row_count, after_byte_count, after_digest
    FROM ticklake.lake_publication_part
    WHERE publication_id = $1 AND dataset_id = $2 ORDER BY key`,
  lastChanges: `SELECT DISTINCT ON (key) key, concerned.version, kind
    FROM ticklake.lake_publication_dataset AS concerned
      JOIN ticklake.lake_publication_part USING (publication_id, dataset_id)
      JOIN ticklake.lake_publication USING (publication_id)
    WHERE dataset_id = $1 AND concerned.version <= $2 AND key BETWEEN $3 AND $4
    ORDER BY key, concerned.version DESC`,
  finished: `SELECT state, started_at AS "startedAt", finished_at AS "finishedAt", message
    FROM ticklake.lake_publication_outcome
      JOIN ticklake.lake_publication ON publication_id = last_publication_id
    WHERE dataset_id = $1`,
  runningOf: `${RUNNING} JOIN ticklake.lake_publication_dataset USING (publication_id)
    WHERE dataset_id = $1 AND state = 'running' ORDER BY publication_id DESC`,
  running: `${RUNNING} WHERE state = 'running' ORDER BY publication_id DESC`,
  unpublished: `SELECT unpublished_count AS count FROM ticklake.lake_publication_outcome
    WHERE dataset_id = $1`,
  refused: `SELECT publication_id AS "publicationId" FROM ticklake.lake_publication
    WHERE refused_dates IS NOT NULL ORDER BY publication_id DESC LIMIT ${REFUSED_LOADS_MAX}`,
  settle: `UPDATE ticklake.lake_publication SET refused_dates = NULL
    WHERE refused_dates IS NOT NULL AND ($2::text[] IS NULL OR (refused_dates <> ''
      AND substr(refused_dates, 1, 10) = ANY($2) AND substr(refused_dates, 12) = ANY($2)))
      AND publication_id IN (SELECT publication_id FROM ticklake.lake_publication_dataset WHERE dataset_id = $1)`,
  acknowledge: `UPDATE ticklake.lake_publication SET refused_dates = NULL
    WHERE publication_id = $1 AND refused_dates IS NOT NULL`,
  publishedSources: `SELECT publication_id AS "publicationId", name, byte_count AS "byteCount", sha256
    FROM ticklake.lake_publication_source
      JOIN ticklake.lake_publication_dataset USING (publication_id, dataset_id)
    WHERE dataset_id = $1 AND version IS NOT NULL AND rolled_back_by IS NULL
    ORDER BY version, source_number`,
};

interface OfPublication {
  readonly publicationId: number;
}

/** Rows by their publications, without saying so themselves. */
function byPublication<R extends OfPublication>(rows: readonly R[]) {
  const found = new Map<number, Omit<R, 'publicationId'>[]>();
  for (const { publicationId, ...row } of rows) {
    const list = found.get(publicationId) ?? [];
    found.set(publicationId, list);
    list.push(row);
  }
  return (publicationId: number) => found.get(publicationId) ?? [];
}

/** Those that there are, in the order of the ids. */
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

export class PostgresLedger implements Ledger {
  readonly #database: LakeDatabase;

  constructor(database: LakeDatabase) {
    this.#database = database;
  }

  begin(publication: NewPublication): Promise<number> {
    return this.#database.change((queries) => beginPublication(queries, publication));
  }

  beginOpen(
    publication: Omit<NewPublication, 'lifeMark'>,
    openMax: number,
  ): Promise<number | null> {
    return this.#database.change(async (queries) => {
      if ((await countOf(queries, SQL.openCount)) >= openMax) return null;
      return await beginPublication(queries, { ...publication, lifeMark: null });
    });
  }

  note(publicationId: number, notes: PublicationNotes): Promise<void> {
    return this.#database.change((queries) => addNotes(queries, publicationId, notes));
  }

  finish(
    publicationId: number,
    state: EndState,
    message: string,
    finishedAt: string,
  ): Promise<void> {
    const end = { publicationId, state, message, finishedAt };
    return this.#database.change((queries) => abandon(queries, end));
  }

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

  async changedKeys(publicationId: number, datasetId: string): Promise<string[]> {
    const rows = await this.#database.all(SQL.changedKeys, publicationId, datasetId);
    return rows.map(({ key }) => String(key));
  }

  async partChanges(publicationId: number, datasetId: string): Promise<PartChange[]> {
    const rows = await this.#database.all<Row>(SQL.parts, publicationId, datasetId);
    return rows.map(partChangeOf);
  }

  lastChanges(
    datasetId: string,
    version: number,
    { first, last }: { readonly first: string; readonly last: string },
  ): Promise<LastChange[]> {
    return this.#database.all(SQL.lastChanges, datasetId, version, first, last);
  }

  async lastFinished(datasetId: string): Promise<PublicationStatus> {
    const row = await this.#database.get<PublicationStatus>(SQL.finished, datasetId);
    return row ?? NO_PUBLICATION;
  }

  runningOf(datasetId: string): Promise<RunningPublication[]> {
    return this.#database.all(SQL.runningOf, datasetId);
  }

  running(): Promise<RunningPublication[]> {
    return this.#database.all(SQL.running);
  }

  async lastUnpublished(datasetId: string): Promise<string | null> {
    const row = await this.#database.get<{ finishedAt: string }>(SQL.lastUnpublished, datasetId);
    return row?.finishedAt ?? null;
  }

  unpublishedCount(datasetId: string): Promise<number> {
    return countOf(this.#database, SQL.unpublished, datasetId);
  }

  async publishedSources(datasetId: string): Promise<PublishedSource[]> {
    return await this.#database.all<PublishedSource>(SQL.publishedSources, datasetId);
  }

  async refusedLoads(): Promise<number[]> {
    const rows = await this.#database.all<OfPublication>(SQL.refused);
    return rows.map(({ publicationId }) => publicationId);
  }

  async settleRefused(datasetId: string, dates: readonly string[] | 'all'): Promise<void> {
    const given = dates === 'all' ? null : dates;
    await this.#database.change((queries) => queries.run(SQL.settle, datasetId, given));
  }

  acknowledge(publicationId: number): Promise<boolean> {
    return this.#database.change(async (queries) => {
      return (await queries.run(SQL.acknowledge, publicationId)) > 0;
    });
  }
}
