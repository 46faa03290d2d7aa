/** The ledger of publications in SQLite. */
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
import { numberOf } from './lake-database.ts';
import type { Row, Statement } from './statements.ts';

const RUNNING = `publication_id AS publicationId, started_at AS startedAt, life_mark AS lifeMark`;

const SQL = {
  begin: `INSERT INTO publication (state, kind, command, actor, reason, vendor, life_mark, started_at)
    VALUES ('running', ?, ?, ?, ?, ?, ?, ?)`,
  openCount: `SELECT count(*) AS count FROM publication
    WHERE state = 'running' AND life_mark IS NULL`,
  concern: 'INSERT INTO publication_dataset (publication_id, dataset_id) VALUES (?, ?)',
  concernAlso: `INSERT INTO publication_dataset (publication_id, dataset_id) VALUES (?, ?)
    ON CONFLICT DO NOTHING`,
  addSource: `INSERT INTO publication_source
      (publication_id, dataset_id, source_number, name, byte_count, sha256, derivation)
    VALUES (?, ?, (SELECT count(*) FROM publication_source WHERE publication_id = ?), ?, ?, ?, ?)`,
  checks: 'SELECT checks FROM publication WHERE publication_id = ?',
  setChecks: 'UPDATE publication SET checks = ? WHERE publication_id = ?',
  finish: `UPDATE publication SET state = ?, finished_at = ?, message = ?, ended_number = (
      SELECT coalesce(max(ended_number), 0) + 1 FROM publication WHERE ended_number IS NOT NULL)
    WHERE publication_id = ? AND state = 'running'`,
  addOutcome: `INSERT INTO publication_outcome
    SELECT dataset_id, publication_id, state IN ('refused', 'failed')
    FROM publication JOIN publication_dataset USING (publication_id) WHERE publication_id = ?
    ON CONFLICT (dataset_id) DO UPDATE SET
      last_publication_id = excluded.last_publication_id,
      unpublished_count = unpublished_count + excluded.unpublished_count`,
  giveUpParts: `UPDATE part SET retired_at = 0 WHERE part_id IN
      (SELECT part_id FROM staged_part WHERE publication_id = ?)
    AND part_id NOT IN (SELECT part_id FROM part_span)
    AND part_id NOT IN (SELECT part_id FROM staged_part
      WHERE part_id IS NOT NULL AND publication_id <> ?)`,
  lastUnpublished: `SELECT finished_at AS finishedAt
    FROM publication_dataset JOIN publication USING (publication_id)
    WHERE dataset_id = ?1 AND state IN ('refused', 'failed')
      AND EXISTS (SELECT 1 FROM publication_outcome
        WHERE dataset_id = ?1 AND unpublished_count > 0)
    ORDER BY publication_id DESC LIMIT 1`,
  unstage: 'DELETE FROM staged_part WHERE publication_id = ?',
  publication: `SELECT publication_id AS publicationId, state, kind, command, actor, reason, vendor,
      started_at AS startedAt, finished_at AS finishedAt, message, checks,
      state = 'running' AND life_mark IS NULL AS isOpen
    FROM publication WHERE publication_id = ?`,
  listed: `SELECT publication_id AS publicationId FROM publication
    WHERE publication_id > :after AND publication_id < :before
      AND (:datasetIds IS NULL OR EXISTS (SELECT 1 FROM publication_dataset AS concerned
        WHERE concerned.publication_id = publication.publication_id
          AND concerned.dataset_id IN (SELECT value FROM json_each(:datasetIds))))
      AND (:states IS NULL OR state IN (SELECT value FROM json_each(:states)))
      AND (NOT :isOpen OR (state = 'running' AND life_mark IS NULL))
    ORDER BY publication_id * :direction LIMIT :limit`,
  endedNumber: 'SELECT ended_number AS number FROM publication WHERE publication_id = ?',
  ended: `SELECT publication_id AS publicationId,
      (:isAny OR state IN ('published', 'rolled_back'))
        AND (:datasetIds IS NULL OR EXISTS (SELECT 1 FROM publication_dataset AS concerned
          WHERE concerned.publication_id = publication.publication_id
            AND (:isAny OR version IS NOT NULL)
            AND concerned.dataset_id IN (SELECT value FROM json_each(:datasetIds))))
        AS isAsked
    FROM publication WHERE ended_number > :number ORDER BY ended_number LIMIT :limit`,
  endedRecord: `SELECT publication_id AS publicationId, state, kind, vendor, reason, message,
      finished_at AS finishedAt
    FROM publication WHERE publication_id = ?`,
  endedDatasets: `SELECT dataset_id AS datasetId, version FROM publication_dataset
    WHERE publication_id = :publicationId AND (:isAny OR version IS NOT NULL)
      AND (:datasetIds IS NULL OR dataset_id IN (SELECT value FROM json_each(:datasetIds)))
    ORDER BY dataset_id`,
  datasets: `SELECT concerned.dataset_id AS datasetId, concerned.version,
      coalesce(sum(before_part_id IS NULL), 0) AS addedPartCount,
      coalesce(sum(before_part_id IS NOT NULL AND after_part_id IS NOT NULL), 0)
        AS replacedPartCount,
      coalesce(sum(after_part_id IS NULL AND before_part_id IS NOT NULL), 0) AS removedPartCount,
      coalesce(sum(before_row_count), 0) AS rowCountBefore,
      coalesce(sum(after_row_count), 0) AS rowCountAfter,
      coalesce(sum(before_byte_count), 0) AS byteCountBefore,
      coalesce(sum(after_byte_count), 0) AS byteCountAfter,
      content_digest AS contentDigest, rolled_back_by AS rolledBackBy, count(part.key) AS partCount
    FROM publication_dataset AS concerned
    LEFT JOIN publication_part AS part USING (publication_id, dataset_id)
    LEFT JOIN version ON version.dataset_id = concerned.dataset_id
      AND version.version = concerned.version
    WHERE concerned.publication_id = ? GROUP BY concerned.dataset_id ORDER BY concerned.dataset_id`,
  sources: `SELECT dataset_id AS datasetId, name, byte_count AS byteCount, sha256, derivation
    FROM publication_source WHERE publication_id = ? ORDER BY dataset_id, source_number`,
  changedKeys: `SELECT key FROM publication_part WHERE publication_id = ? AND dataset_id = ?
    ORDER BY key`,
  parts: `SELECT * FROM publication_part WHERE publication_id = ? AND dataset_id = ? ORDER BY key`,
  // Beside a maximum, SQLite takes the other columns from its row.
  lastChanges: `SELECT key, max(concerned.version) AS version, kind
    FROM publication_dataset AS concerned
      JOIN publication_part USING (publication_id, dataset_id)
      JOIN publication USING (publication_id)
    WHERE concerned.dataset_id = ? AND concerned.version <= ? AND key BETWEEN ? AND ?
    GROUP BY key ORDER BY key`,
  finished: `SELECT state, started_at AS startedAt, finished_at AS finishedAt, message
    FROM publication_outcome JOIN publication ON publication_id = last_publication_id
    WHERE dataset_id = ?`,
  runningOf: `SELECT ${RUNNING} FROM publication JOIN publication_dataset USING (publication_id)
    WHERE dataset_id = ? AND state = 'running' ORDER BY publication_id DESC`,
  running: `SELECT ${RUNNING} FROM publication WHERE state = 'running'
    ORDER BY publication_id DESC`,
  unpublished: `SELECT unpublished_count AS count FROM publication_outcome WHERE dataset_id = ?`,
  refuse: 'UPDATE publication SET refused_dates = ? WHERE publication_id = ?',
  refused: `SELECT publication_id AS publicationId FROM publication
    WHERE refused_dates IS NOT NULL ORDER BY publication_id DESC LIMIT ${REFUSED_LOADS_MAX}`,
  settle: `UPDATE publication SET refused_dates = NULL
    WHERE refused_dates IS NOT NULL AND (:dates IS NULL OR (refused_dates <> ''
      AND substr(refused_dates, 1, 10) IN (SELECT value FROM json_each(:dates))
      AND substr(refused_dates, 12) IN (SELECT value FROM json_each(:dates))))
      AND publication_id IN (SELECT publication_id FROM publication_dataset WHERE dataset_id = :datasetId)`,
  acknowledge: `UPDATE publication SET refused_dates = NULL
    WHERE publication_id = ? AND refused_dates IS NOT NULL`,
  publishedSources: `SELECT publication_id AS publicationId, name, byte_count AS byteCount, sha256
    FROM publication_source JOIN publication_dataset USING (publication_id, dataset_id)
    WHERE dataset_id = :datasetId AND version IS NOT NULL AND rolled_back_by IS NULL
    ORDER BY version, source_number`,
};

function endedRowOf({ publicationId, isAsked }: Row): EndedRow {
  return { publicationId: Number(publicationId), isAsked: isAsked === 1 };
}

function datasetOf(row: Row): PublishedDataset {
  const { partCount, ...dataset } = row as unknown as PublishedDataset & { partCount: number };
  // Without a part the outer join gives one row of nulls, which looks like a part that was added.
  return partCount === 0 ? { ...dataset, addedPartCount: 0 } : dataset;
}

export class SqliteLedger implements Ledger {
  readonly #database: LakeDatabase;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(database: LakeDatabase) {
    this.#database = database;
    this.#statements = database.prepare(SQL);
  }

  async begin(publication: NewPublication): Promise<number> {
    return this.#database.change(() => this.#begin(publication));
  }

  async beginOpen(
    publication: Omit<NewPublication, 'lifeMark'>,
    openMax: number,
  ): Promise<number | null> {
    return this.#database.change(() => {
      const openCount = numberOf(this.#statements.openCount.get(), 'count');
      return openCount < openMax ? this.#begin({ ...publication, lifeMark: null }) : null;
    });
  }

  async note(
    publicationId: number,
    { sources = [], checks = [], refusedDates }: PublicationNotes,
  ): Promise<void> {
    const statements = this.#statements;
    this.#database.change(() => {
      this.addSources(publicationId, sources);
      if (refusedDates !== undefined) statements.refuse.run(refusedDates, publicationId);
      if (checks.length === 0) return;
      const known = JSON.parse(String(statements.checks.get(publicationId)?.checks ?? '[]'));
      statements.setChecks.run(JSON.stringify([...known, ...checks]), publicationId);
    });
  }

  async finish(
    publicationId: number,
    state: EndState,
    message: string,
    finishedAt: string,
  ): Promise<void> {
    const { giveUpParts, unstage } = this.#statements;
    this.#database.change(() => {
      if (!this.end(publicationId, state, message, finishedAt)) return;
      giveUpParts.run(publicationId, publicationId);
      unstage.run(publicationId);
    });
  }

  async publication(publicationId: number): Promise<PublicationRecord | null> {
    return this.#database.read(() => this.#record(publicationId));
  }

  async publications(query: PublicationQuery): Promise<PublicationRecord[]> {
    const { limit, after, before, datasetIds, states, isOpen = false } = query;
    return this.#database.read(() => {
      const rows = this.#statements.listed.all({
        after: after ?? 0,
        before: before ?? Number.MAX_SAFE_INTEGER,
        datasetIds: datasetIds ? JSON.stringify(datasetIds) : null,
        states: states ? JSON.stringify(states) : null,
        isOpen: Number(isOpen),
        direction: after === undefined ? -1 : 1,
        limit,
      });
      return rows.map((row) => this.#record(Number(row.publicationId)) as PublicationRecord);
    });
  }

  async endedAfter(query: EndedQuery): Promise<EndedPage | null> {
    const { after, examinedMax, publishedOnly, datasetIds } = query;
    const { endedNumber, ended } = this.#statements;
    const asked = {
      isAny: publishedOnly ? 0 : 1,
      datasetIds: datasetIds ? JSON.stringify(datasetIds) : null,
    };
    return this.#database.read(() => {
      const number = after === 0 ? 0 : endedNumber.get(after)?.number;
      if (typeof number !== 'number') return null;
      const rows = ended.all({ ...asked, number, limit: examinedMax + 1 });
      const { publicationIds, ...page } = examine(rows.map(endedRowOf), query);
      const publications = publicationIds.map((id) => this.#endedPublication(id, asked));
      return { publications, ...page };
    });
  }

  async changedKeys(publicationId: number, datasetId: string): Promise<string[]> {
    const rows = this.#statements.changedKeys.all(publicationId, datasetId);
    return rows.map(({ key }) => String(key));
  }

  async partChanges(publicationId: number, datasetId: string): Promise<PartChange[]> {
    return this.#statements.parts.all(publicationId, datasetId).map(partChangeOf);
  }

  async lastChanges(
    datasetId: string,
    version: number,
    { first, last }: { readonly first: string; readonly last: string },
  ): Promise<LastChange[]> {
    return this.#statements.lastChanges
      .all(datasetId, version, first, last)
      .map(({ key, version, kind }) => ({ key, version, kind }) as LastChange);
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

  async lastUnpublished(datasetId: string): Promise<string | null> {
    const row = this.#statements.lastUnpublished.get(datasetId);
    return (row?.finishedAt as string | undefined) ?? null;
  }

  async unpublishedCount(datasetId: string): Promise<number> {
    return numberOf(this.#statements.unpublished.get(datasetId), 'count');
  }

  async publishedSources(datasetId: string): Promise<PublishedSource[]> {
    return this.#statements.publishedSources.all({ datasetId }) as never;
  }

  async refusedLoads(): Promise<number[]> {
    return this.#statements.refused.all().map((row) => numberOf(row, 'publicationId'));
  }

  async settleRefused(datasetId: string, dates: readonly string[] | 'all'): Promise<void> {
    const given = dates === 'all' ? null : JSON.stringify(dates);
    this.#database.change(() => this.#statements.settle.run({ datasetId, dates: given }));
  }

  async acknowledge(publicationId: number): Promise<boolean> {
    const { acknowledge } = this.#statements;
    return this.#database.change(() => acknowledge.run(publicationId).changes > 0);
  }

  /** Whether it was this that ended the publication. Within a transaction. */
  end(
    publicationId: number,
    state: EndState | 'published',
    message: string | null,
    finishedAt: string,
  ): boolean {
    const { finish, addOutcome } = this.#statements;
    const isEnded = finish.run(state, finishedAt, message, publicationId).changes > 0;
    if (isEnded) addOutcome.run(publicationId);
    return isEnded;
  }

  /** Within a transaction. */
  addSources(publicationId: number, sources: readonly PublicationSource[]): void {
    const { addSource } = this.#statements;
    for (const { datasetId, name, byteCount, sha256, derivation = null } of sources) {
      const place = [publicationId, datasetId, publicationId] as const;
      addSource.run(...place, name, byteCount, sha256, derivation);
    }
  }

  /** Notes that a publication concerns a dataset, if it does not know. Within a transaction. */
  concern(publicationId: number, datasetId: string): void {
    this.#statements.concernAlso.run(publicationId, datasetId);
  }

  #begin({ datasetIds, ...publication }: NewPublication): number {
    const { kind, command, actor, reason, vendor, lifeMark, startedAt } = publication;
    const { begin, concern } = this.#statements;
    const made = begin.run(kind, command, actor, reason, vendor, lifeMark, startedAt);
    const publicationId = Number(made.lastInsertRowid);
    for (const datasetId of datasetIds) concern.run(publicationId, datasetId);
    return publicationId;
  }

  #endedPublication(
    publicationId: number,
    asked: { readonly isAny: number; readonly datasetIds: string | null },
  ): EndedPublication {
    const { endedRecord, endedDatasets } = this.#statements;
    const datasets = endedDatasets.all({ ...asked, publicationId });
    return { ...endedRecord.get(publicationId), datasets } as unknown as EndedPublication;
  }

  #record(publicationId: number): PublicationRecord | null {
    const { publication, datasets, sources } = this.#statements;
    const row = publication.get(publicationId);
    if (!row) return null;
    return {
      ...(row as unknown as PublicationRecord),
      isOpen: row.isOpen === 1,
      checks: JSON.parse(String(row.checks)),
      datasets: datasets.all(publicationId).map(datasetOf),
      sources: sources.all(publicationId) as unknown as PublicationSource[],
    };
  }
}
