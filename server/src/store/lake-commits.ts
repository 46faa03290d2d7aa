/** Stages changes and makes versions of them, within transactions of the lake's index. */
import { createHash } from 'node:crypto';
import { isoSeconds } from '../base/clock.ts';
import { EMPTY_DIGEST, sumOfDigests } from '../engine/content-digest.ts';
import {
  type CommittedVersion,
  type NewPart,
  PARTS,
  PublicationConflict,
  type StagedChange,
  type Undoing,
} from './lake-records.ts';
import { addSources, endPublication, unstage } from './ledger-writes.ts';
import type { LoadedDates } from './publications.ts';
import { isThere, type Queries, type RowFields, rowsIn } from './queries.ts';
import { encodeRowGroups } from './row-group-text.ts';
import { columnsBut, givenRows, tableNamed } from './schema.ts';

const PART = tableNamed('part');
const PART_COLUMNS = columnsBut(PART, 'part_id', 'retired_at');
const COLUMNS = PART_COLUMNS.join(', ');

/** The row groups of one may take megabytes. */
const PARTS_AT_ONCE = 200;

const STAGING = {
  isRunning: `SELECT 1 FROM publication
    WHERE publication_id = $1 AND state = 'running'`,
  markStaged: `INSERT INTO publication_dataset AS concerned
      (publication_id, dataset_id, is_staged, base_version) VALUES ($1, $2, true, $3)
    ON CONFLICT (publication_id, dataset_id) DO UPDATE SET is_staged = true,
      base_version = coalesce(excluded.base_version, concerned.base_version)`,
  addColumns: `INSERT INTO stored_columns (columns, columns_sha256)
    SELECT columns, columns_sha256 FROM ${rowsIn('given', { columns: 'text', columns_sha256: 'text' })}
    WHERE true ON CONFLICT DO NOTHING`,
  columns: `SELECT stored_columns_id AS id, columns FROM stored_columns
    WHERE columns_sha256 = ANY ($1)`,
  addParts: `INSERT INTO part (${COLUMNS})
    SELECT ${COLUMNS} FROM ${givenRows(PART, PART_COLUMNS)}`,
  addedParts: 'SELECT part_id AS id, location FROM part WHERE location = ANY ($1)',
  written: 'DELETE FROM pending_part WHERE location = ANY ($1)',
  stagedParts: `SELECT part_id AS id FROM staged_part
    WHERE publication_id = $1 AND dataset_id = $2 AND key = ANY ($3)
      AND part_id IS NOT NULL`,
  // Restaging keeps the base: the part that was current before anything was staged.
  stage: `INSERT INTO staged_part
      (publication_id, dataset_id, key, part_id, base_part_id)
    SELECT $2::bigint, $3::text, key, part_id, base_part_id
    FROM ${rowsIn('given', { key: 'text', part_id: 'bigint', base_part_id: 'bigint' })} WHERE true
    ON CONFLICT (publication_id, dataset_id, key) DO UPDATE SET part_id = excluded.part_id`,
  giveUp: `UPDATE part AS part SET retired_at = 0
    WHERE part_id = ANY ($1)
    AND NOT EXISTS (SELECT 1 FROM part_span AS span
      WHERE span.part_id = part.part_id)
    AND NOT EXISTS (SELECT 1 FROM staged_part AS staged
      WHERE staged.part_id = part.part_id)`,
};

/** Rejects with a `PublicationConflict` where a publication has ended. */
async function requireRunning(queries: Queries, publicationId: number): Promise<void> {
  if (await isThere(queries, STAGING.isRunning, publicationId)) return;
  throw new PublicationConflict(`publication ${publicationId} has ended already`);
}

export async function stage(
  queries: Queries,
  publicationId: number,
  { datasetId, baseVersion, parts, sources = [] }: StagedChange,
): Promise<void> {
  await requireRunning(queries, publicationId);
  await queries.run(STAGING.markStaged, publicationId, datasetId, baseVersion);
  await addSources(queries, publicationId, sources);
  const added = parts.flatMap(({ part }) => (typeof part === 'object' && part ? [part] : []));
  const ids = await addParts(queries, datasetId, added);
  const rows = parts.map(({ key, part, baseId }) => ({
    key,
    part_id: typeof part === 'object' && part ? (ids.get(part.location) as number) : part,
    base_part_id: baseId,
  }));
  const keys = parts.map(({ key }) => key);
  type IdRow = { readonly id: number };
  const earlier = await queries.all<IdRow>(STAGING.stagedParts, publicationId, datasetId, keys);
  await queries.runEach(STAGING.stage, rows, publicationId, datasetId);
  await queries.run(
    STAGING.giveUp,
    earlier.map(({ id }) => id),
  );
}

/** Adds parts and returns their ids by location. */
async function addParts(
  queries: Queries,
  datasetId: string,
  parts: readonly NewPart[],
): Promise<ReadonlyMap<string, number>> {
  const columns = await columnIds(queries, parts);
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    const some = parts.slice(from, from + PARTS_AT_ONCE);
    const rows = some.map((part) => rowOf(datasetId, part, columns));
    await queries.runEach(STAGING.addParts, rows);
  }
  const locations = parts.map(({ location }) => location);
  await queries.run(STAGING.written, locations);
  type PartRow = { readonly id: number; readonly location: string };
  const added = await queries.all<PartRow>(STAGING.addedParts, locations);
  return new Map(added.map(({ id, location }) => [location, id]));
}

function rowOf(datasetId: string, part: NewPart, columns: ReadonlyMap<string, number>): RowFields {
  const storedColumnsId = columns.get(JSON.stringify(part.storedColumns)) as number;
  const rowGroups = encodeRowGroups(part.rowGroups, part.identifierOrder);
  return PARTS.rowOf({ ...part, datasetId, storedColumnsId, rowGroups });
}

/** Ids of the columns that parts are stored with, by their text; nearly all have the same ones. */
async function columnIds(
  queries: Queries,
  parts: readonly NewPart[],
): Promise<ReadonlyMap<string, number>> {
  const texts = [...new Set(parts.map(({ storedColumns }) => JSON.stringify(storedColumns)))];
  if (texts.length === 0) return new Map();
  const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  const rows = texts.map((columns, at) => ({ columns, columns_sha256: digests[at] }));
  await queries.runEach(STAGING.addColumns, rows);
  type ColumnsRow = { readonly id: number; readonly columns: string };
  const found = await queries.all<ColumnsRow>(STAGING.columns, digests);
  return new Map(found.map(({ id, columns }) => [columns, id]));
}

const STAGED_AND_CURRENT = `FROM staged_part AS staged
  LEFT JOIN part_span AS current ON current.dataset_id = staged.dataset_id
    AND current.key = staged.key AND current.end_version IS NULL
  LEFT JOIN part AS after ON after.part_id = staged.part_id
  LEFT JOIN part AS before ON before.part_id = current.part_id
  WHERE staged.publication_id = $1 AND staged.dataset_id = $2`;

const SQL = {
  version: 'SELECT version FROM dataset WHERE dataset_id = $1',
  stagedDatasets: `SELECT dataset_id AS "datasetId", base_version AS "baseVersion"
    FROM publication_dataset WHERE publication_id = $1 AND is_staged
    ORDER BY dataset_id`,
  conflict: `SELECT staged.key, staged.part_id AS "partId",
      current.part_id IS DISTINCT FROM staged.base_part_id AS "isChanged"
    ${STAGED_AND_CURRENT} AND (current.part_id IS DISTINCT FROM staged.base_part_id
      OR (staged.part_id IS DISTINCT FROM current.part_id AND after.retired_at IS NOT NULL))
    ORDER BY staged.key LIMIT 1`,
  addChanges: `INSERT INTO publication_part (publication_id, dataset_id, key,
      before_part_id, before_row_count, before_byte_count, before_digest,
      after_part_id, after_row_count, after_byte_count, after_digest)
    SELECT $1::bigint, $2::text, staged.key,
      before.part_id, before.row_count, before.byte_count, before.content_digest,
      after.part_id, after.row_count, after.byte_count, after.content_digest
    ${STAGED_AND_CURRENT} AND staged.part_id IS DISTINCT FROM current.part_id`,
  endSpans: `UPDATE part_span AS span SET end_version = $3
    FROM staged_part AS staged
    WHERE staged.publication_id = $1 AND staged.dataset_id = $2
      AND span.dataset_id = $2 AND span.key = staged.key AND span.end_version IS NULL
      AND staged.part_id IS DISTINCT FROM span.part_id`,
  // Unchanged parts are current already.
  addSpans: `INSERT INTO part_span
      (dataset_id, key, first_version, end_version, part_id)
    SELECT staged.dataset_id, staged.key, $3::bigint, NULL, staged.part_id
    FROM staged_part AS staged
    WHERE publication_id = $1 AND dataset_id = $2 AND part_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM part_span AS span
        WHERE span.dataset_id = $2 AND span.key = staged.key AND span.end_version IS NULL)`,
  totals: `SELECT count(*) AS "partCount", coalesce(sum(row_count), 0) AS "rowCount",
      coalesce(sum(byte_count), 0) AS "byteCount", min(first_date) AS "firstDate",
      max(last_date) AS "lastDate", string_agg(content_digest, ',') AS digests
    FROM part_span AS span JOIN part USING (part_id)
    WHERE span.dataset_id = $1 AND end_version IS NULL`,
  addVersion: `INSERT INTO version (dataset_id, version, publication_id,
      published_at, part_count, row_count, byte_count, first_date, last_date, content_digest)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
  // No version is of an earlier time than the one before it, even if the clock was put back.
  setDataset: `INSERT INTO dataset AS known
      (dataset_id, version, published_at, first_version) VALUES ($1, $2, $3, 1)
    ON CONFLICT (dataset_id) DO UPDATE SET version = excluded.version,
      published_at = greatest(excluded.published_at, known.published_at)
    RETURNING published_at AS "publishedAt"`,
  setVersion: `UPDATE publication_dataset SET version = $1, is_staged = false
    WHERE publication_id = $2 AND dataset_id = $3`,
  noteUndoing: `INSERT INTO publication_undoing
      (dataset_id, publication_id, undone_by)
    SELECT dataset_id, publication_id, $1::bigint FROM publication_dataset
    WHERE dataset_id = $2 AND version < $3 AND (version > $4 OR publication_id = $5)
    ON CONFLICT DO NOTHING`,
  undoings: `SELECT publication_id AS "publicationId", undone_by AS "undoneBy"
    FROM publication_undoing WHERE dataset_id = $1
    ORDER BY publication_id DESC, undone_by`,
  setUndone: `UPDATE publication_dataset AS concerned SET rolled_back_by = undone.undone_by
    FROM ${rowsIn('undone', { publication_id: 'bigint', undone_by: 'bigint' })}
    WHERE concerned.publication_id = undone.publication_id AND concerned.dataset_id = $2`,
  setStates: `UPDATE publication AS publication SET state = CASE WHEN EXISTS (
      SELECT 1 FROM publication_dataset AS standing
      WHERE standing.publication_id = publication.publication_id
        AND standing.version IS NOT NULL AND standing.rolled_back_by IS NULL)
      THEN 'published' ELSE 'rolled_back' END
    WHERE state IN ('published', 'rolled_back') AND publication_id IN (
      SELECT publication_id FROM publication_dataset
      WHERE dataset_id = $1 AND version IS NOT NULL)`,
};

interface StagedDataset {
  readonly datasetId: string;
  readonly baseVersion: number | null;
}

interface ConflictRow {
  readonly key: string;
  readonly partId: number | null;
  readonly isChanged: boolean;
}

interface TotalsRow {
  readonly partCount: number;
  readonly rowCount: number;
  readonly byteCount: number;
  readonly firstDate: string | null;
  readonly lastDate: string | null;
  /** With commas between; null: there is no part. */
  readonly digests: string | null;
}

export async function commit(
  queries: Queries,
  publicationId: number,
  nowMs: number,
  undoing: readonly Undoing[],
  loaded: readonly LoadedDates[],
): Promise<CommittedVersion[]> {
  const publishedAt = isoSeconds(nowMs);
  await requireRunning(queries, publicationId);
  const staged = await queries.all<StagedDataset>(SQL.stagedDatasets, publicationId);
  const versions: CommittedVersion[] = [];
  for (const dataset of staged) {
    versions.push(await commitDataset(queries, publicationId, dataset, publishedAt));
  }
  await unstage(queries, publicationId);
  await endPublication(queries, {
    ...{ publicationId, state: 'published', message: null, finishedAt: publishedAt, loaded },
  });
  for (const each of undoing) await undo(queries, publicationId, each, versions);
  return versions;
}

async function commitDataset(
  queries: Queries,
  publicationId: number,
  { datasetId, baseVersion }: StagedDataset,
  publishedAt: string,
): Promise<CommittedVersion> {
  const row = await queries.get<{ version: number }>(SQL.version, datasetId);
  const current = row?.version ?? 0;
  if (baseVersion !== null && baseVersion !== current) {
    throw new PublicationConflict(
      `version ${baseVersion} of ${datasetId} is no longer current; version ${current} is`,
    );
  }
  await requireNoConflict(queries, publicationId, datasetId);
  const version = current + 1;
  await queries.run(SQL.addChanges, publicationId, datasetId);
  await queries.run(SQL.endSpans, publicationId, datasetId, version);
  await queries.run(SQL.addSpans, publicationId, datasetId, version);
  await addVersion(queries, publicationId, { datasetId, version }, publishedAt);
  return { datasetId, version };
}

async function requireNoConflict(queries: Queries, publicationId: number, datasetId: string) {
  const conflict = await queries.get<ConflictRow>(SQL.conflict, publicationId, datasetId);
  if (!conflict) return;
  const { key, partId, isChanged } = conflict;
  throw new PublicationConflict(
    isChanged
      ? `${key} of ${datasetId} was published by another publication`
      : `part ${partId} of ${datasetId} is no longer retained`,
  );
}

async function addVersion(
  queries: Queries,
  publicationId: number,
  { datasetId, version }: CommittedVersion,
  committedAt: string,
): Promise<void> {
  const row = await queries.get<{ publishedAt: string }>(
    ...[SQL.setDataset, datasetId, version, committedAt],
  );
  const found = (await queries.get<TotalsRow>(SQL.totals, datasetId)) as TotalsRow;
  const { partCount, rowCount, byteCount, firstDate, lastDate, digests } = found;
  await queries.run(
    ...[SQL.addVersion, datasetId, version, publicationId, row?.publishedAt ?? committedAt],
    ...[partCount, rowCount, byteCount, firstDate, lastDate],
    digests === null ? EMPTY_DIGEST : sumOfDigests(digests.split(',')),
  );
  await queries.run(SQL.setVersion, version, publicationId, datasetId);
}

async function undo(
  queries: Queries,
  by: number,
  undoing: Undoing,
  versions: readonly CommittedVersion[],
): Promise<void> {
  const { datasetId } = undoing;
  const made = versions.find((each) => each.datasetId === datasetId);
  if (!made) throw new Error(`publication ${by} makes no version of ${datasetId}`);
  const toVersion = 'toVersion' in undoing ? undoing.toVersion : made.version;
  const publicationId = 'publicationId' in undoing ? undoing.publicationId : null;
  await queries.run(SQL.noteUndoing, by, datasetId, made.version, toVersion, publicationId);
  const undone = settleUndone(await queries.all<UndoingRow>(SQL.undoings, datasetId));
  const rows = [...undone].map(([publication_id, undone_by]) => ({ publication_id, undone_by }));
  await queries.runEach(SQL.setUndone, rows, datasetId);
  await queries.run(SQL.setStates, datasetId);
}

interface UndoingRow {
  readonly publicationId: number;
  readonly undoneBy: number;
}

/**
 * The undoing of each publication of a dataset; null: nothing undoes it any more. A publication is
 * undone while one that undoes it stands, which is so unless it is undone itself. Only later ones
 * undo earlier ones, so `rows` has the latest first.
 */
function settleUndone(rows: readonly UndoingRow[]): ReadonlyMap<number, number | null> {
  const settled = new Map<number, number | null>();
  for (const { publicationId, undoneBy } of rows) {
    const stands = (settled.get(undoneBy) ?? null) === null;
    settled.set(publicationId, stands ? undoneBy : (settled.get(publicationId) ?? null));
  }
  return settled;
}
