/** Stages changes and makes versions of them, within transactions of the lake's index. */
import { isoSeconds } from '../../base/clock.ts';
import { EMPTY_DIGEST, sumOfDigests } from '../../engine/content-digest.ts';
import {
  type CommittedVersion,
  type NewPart,
  PublicationConflict,
  type StagedChange,
  type Undoing,
} from '../lake-index.ts';
import { settleUndone, type UndoingRow } from '../ledger-rows.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import { type LakeDatabase, numberOf } from './lake-database.ts';
import type { SqliteLedger } from './lake-ledger.ts';
import type { Row, Statement } from './statements.ts';

const SQL = {
  isRunning: `SELECT 1 FROM publication WHERE publication_id = ? AND state = 'running'`,
  dataset: 'SELECT version, first_version AS firstVersion FROM dataset WHERE dataset_id = ?',
  addColumns: 'INSERT INTO stored_columns (columns) VALUES (?) ON CONFLICT DO NOTHING',
  columns: 'SELECT stored_columns_id AS id FROM stored_columns WHERE columns = ?',
  addPart: `INSERT INTO part (dataset_id, key, location, digest, content_digest, row_count,
      byte_count, stored_byte_count, first_date, last_date, vendors, publication_ids,
      stored_columns_id, row_groups)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  written: 'DELETE FROM pending_part WHERE location = ?',
  markStaged: `UPDATE publication_dataset SET is_staged = 1, base_version = coalesce(?, base_version)
    WHERE publication_id = ? AND dataset_id = ?`,
  stagedPart: `SELECT part_id AS partId, base_part_id AS baseId FROM staged_part
    WHERE publication_id = ? AND dataset_id = ? AND key = ?`,
  stage: 'REPLACE INTO staged_part VALUES (?, ?, ?, ?, ?)',
  giveUp: `UPDATE part SET retired_at = 0 WHERE part_id = ?
    AND NOT EXISTS (SELECT 1 FROM part_span WHERE part_span.part_id = part.part_id)
    AND NOT EXISTS (SELECT 1 FROM staged_part WHERE staged_part.part_id = part.part_id)`,
  stagedDatasets: `SELECT dataset_id AS datasetId, base_version AS baseVersion
    FROM publication_dataset WHERE publication_id = ? AND is_staged ORDER BY dataset_id`,
  stagedParts: `SELECT staged.key, staged.part_id AS partId, staged.base_part_id AS baseId,
      current.part_id AS currentId
    FROM staged_part AS staged LEFT JOIN part_span AS current
      ON current.dataset_id = staged.dataset_id AND current.key = staged.key
      AND current.end_version IS NULL
    WHERE staged.publication_id = ? AND staged.dataset_id = ?`,
  isRetained: 'SELECT 1 FROM part WHERE part_id = ? AND retired_at IS NULL',
  endSpan: `UPDATE part_span SET end_version = ?
    WHERE dataset_id = ? AND key = ? AND end_version IS NULL`,
  addSpan: 'INSERT INTO part_span VALUES (?, ?, ?, NULL, ?)',
  addChange: `INSERT INTO publication_part
    SELECT ?, ?, ?, before.part_id, before.row_count, before.byte_count, before.content_digest,
      after.part_id, after.row_count, after.byte_count, after.content_digest
    FROM (SELECT 1) LEFT JOIN part AS before ON before.part_id = ?
      LEFT JOIN part AS after ON after.part_id = ?`,
  totals: `SELECT count(*) AS partCount, coalesce(sum(row_count), 0) AS rowCount,
      coalesce(sum(byte_count), 0) AS byteCount, min(first_date) AS firstDate,
      max(last_date) AS lastDate, json_group_array(content_digest) AS digests
    FROM part_span JOIN part USING (part_id)
    WHERE part_span.dataset_id = ? AND end_version IS NULL`,
  addVersion: 'INSERT INTO version VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  setDataset: `INSERT INTO dataset VALUES (?, ?, ?, 1) ON CONFLICT (dataset_id) DO UPDATE SET
    version = excluded.version, published_at = max(excluded.published_at, published_at)`,
  publishedAt: 'SELECT published_at AS publishedAt FROM dataset WHERE dataset_id = ?',
  setVersion: `UPDATE publication_dataset SET version = ?, is_staged = 0
    WHERE publication_id = ? AND dataset_id = ?`,
  unstage: 'DELETE FROM staged_part WHERE publication_id = ?',
  noteUndoing: `INSERT INTO publication_undoing
    SELECT dataset_id, publication_id, :by FROM publication_dataset
    WHERE dataset_id = :datasetId AND version < :version
      AND (version > :toVersion OR publication_id = :publicationId)
    ON CONFLICT DO NOTHING`,
  undoings: `SELECT publication_id AS publicationId, undone_by AS undoneBy
    FROM publication_undoing WHERE dataset_id = ? ORDER BY publication_id DESC, undone_by`,
  setUndone: `UPDATE publication_dataset SET rolled_back_by = ?
    WHERE dataset_id = ? AND publication_id = ?`,
  setStates: `UPDATE publication SET state = iif(EXISTS (
      SELECT 1 FROM publication_dataset AS standing
      WHERE standing.publication_id = publication.publication_id
        AND standing.version IS NOT NULL AND standing.rolled_back_by IS NULL),
      'published', 'rolled_back')
    WHERE state IN ('published', 'rolled_back') AND publication_id IN (
      SELECT publication_id FROM publication_dataset WHERE dataset_id = ? AND version IS NOT NULL)`,
};

export class LakeCommits {
  readonly #ledger: SqliteLedger;
  readonly #statements: Readonly<Record<keyof typeof SQL, Statement>>;

  constructor(database: LakeDatabase, ledger: SqliteLedger) {
    this.#ledger = ledger;
    this.#statements = database.prepare(SQL);
  }

  stage(publicationId: number, change: StagedChange): void {
    const { datasetId, baseVersion, parts, sources = [] } = change;
    const { markStaged, stagedPart, stage, giveUp } = this.#statements;
    this.#requireRunning(publicationId);
    this.#ledger.concern(publicationId, datasetId);
    this.#ledger.addSources(publicationId, sources);
    markStaged.run(baseVersion, publicationId, datasetId);
    for (const { key, part, baseId } of parts) {
      const partId = typeof part === 'object' && part ? this.#addPart(datasetId, part) : part;
      const earlier = stagedPart.get(publicationId, datasetId, key);
      // What is replaced is what was current before anything was staged.
      const base = earlier ? (earlier.baseId as number | null) : baseId;
      stage.run(publicationId, datasetId, key, partId, base);
      if (earlier && earlier.partId !== partId) giveUp.run(earlier.partId as number | null);
    }
  }

  commit(publicationId: number, nowMs: number, undoing: readonly Undoing[]): CommittedVersion[] {
    const { stagedDatasets, unstage } = this.#statements;
    const publishedAt = isoSeconds(nowMs);
    this.#requireRunning(publicationId);
    const versions = stagedDatasets
      .all(publicationId)
      .map((row) => this.#commitDataset(publicationId, row, publishedAt));
    unstage.run(publicationId);
    this.#ledger.end(publicationId, 'published', null, publishedAt);
    for (const each of undoing) this.#undo(publicationId, each, versions);
    return versions;
  }

  #requireRunning(publicationId: number): void {
    if (this.#statements.isRunning.get(publicationId)) return;
    throw new PublicationConflict(`publication ${publicationId} has ended already`);
  }

  #addPart(datasetId: string, part: NewPart): number {
    const { addColumns, columns, addPart, written } = this.#statements;
    const text = JSON.stringify(part.storedColumns);
    addColumns.run(text);
    const { lastInsertRowid } = addPart.run(
      datasetId,
      part.key,
      part.location,
      part.digest,
      part.contentDigest,
      part.rowCount,
      part.byteCount,
      part.storedByteCount,
      part.firstDate,
      part.lastDate,
      JSON.stringify(part.vendors),
      JSON.stringify(part.publicationIds),
      numberOf(columns.get(text), 'id'),
      encodeRowGroups(part.rowGroups, part.identifierOrder),
    );
    written.run(part.location);
    return Number(lastInsertRowid);
  }

  #commitDataset(publicationId: number, staged: Row, publishedAt: string): CommittedVersion {
    const { dataset, stagedParts } = this.#statements;
    const datasetId = String(staged.datasetId);
    const current = numberOf(dataset.get(datasetId), 'version');
    if (staged.baseVersion !== null && staged.baseVersion !== current) {
      throw new PublicationConflict(
        `version ${staged.baseVersion} of ${datasetId} is no longer current; version ${current} is`,
      );
    }
    const version = current + 1;
    for (const row of stagedParts.all(publicationId, datasetId)) {
      this.#commitPart(publicationId, datasetId, version, row);
    }
    this.#addVersion(publicationId, datasetId, version, publishedAt);
    return { datasetId, version };
  }

  #commitPart(publicationId: number, datasetId: string, version: number, row: Row): void {
    const { isRetained, endSpan, addSpan, addChange } = this.#statements;
    const { partId, baseId, currentId } = row as Record<string, number | null>;
    const key = String(row.key);
    if ((currentId ?? null) !== (baseId ?? null)) {
      throw new PublicationConflict(`${key} of ${datasetId} was published by another publication`);
    }
    if ((partId ?? null) === (currentId ?? null)) return;
    if (partId && !isRetained.get(partId)) {
      throw new PublicationConflict(`part ${partId} of ${datasetId} is no longer retained`);
    }
    endSpan.run(version, datasetId, key);
    if (partId) addSpan.run(datasetId, key, version, partId);
    addChange.run(publicationId, datasetId, key, currentId ?? null, partId ?? null);
  }

  #addVersion(
    publicationId: number,
    datasetId: string,
    version: number,
    committedAt: string,
  ): void {
    const { totals, addVersion, setDataset, publishedAt, setVersion } = this.#statements;
    setDataset.run(datasetId, version, committedAt);
    const found = totals.get(datasetId) ?? {};
    const digests: string[] = JSON.parse(String(found.digests));
    addVersion.run(
      datasetId,
      version,
      publicationId,
      // No version is of an earlier time than the one before it, even if the clock was put back.
      String(publishedAt.get(datasetId)?.publishedAt),
      numberOf(found, 'partCount'),
      numberOf(found, 'rowCount'),
      numberOf(found, 'byteCount'),
      (found.firstDate ?? null) as string | null,
      (found.lastDate ?? null) as string | null,
      digests.length === 0 ? EMPTY_DIGEST : sumOfDigests(digests),
    );
    setVersion.run(version, publicationId, datasetId);
  }

  #undo(by: number, undoing: Undoing, versions: readonly CommittedVersion[]): void {
    const { noteUndoing, setStates } = this.#statements;
    const { datasetId } = undoing;
    const made = versions.find((each) => each.datasetId === datasetId);
    if (!made) throw new Error(`publication ${by} makes no version of ${datasetId}`);
    const { version } = made;
    const toVersion = 'toVersion' in undoing ? undoing.toVersion : version;
    const publicationId = 'publicationId' in undoing ? undoing.publicationId : null;
    noteUndoing.run({ by, datasetId, version, toVersion, publicationId });
    this.#settleUndone(datasetId);
    setStates.run(datasetId);
  }

  #settleUndone(datasetId: string): void {
    const { undoings, setUndone } = this.#statements;
    const undone = settleUndone(undoings.all(datasetId) as unknown as UndoingRow[]);
    for (const [publicationId, by] of undone) setUndone.run(by, datasetId, publicationId);
  }
}
