/** Keeps changes of datasets that wait for their commit, within transactions of the lake's index. */
import { createHash } from 'node:crypto';
import { type NewPart, PublicationConflict, type StagedChange } from './lake-records.ts';
import { addSources } from './ledger-writes.ts';
import { isThere, type Queries, rowsIn } from './queries.ts';
import { encodeRowGroups } from './row-group-text.ts';

const PART_COLUMNS = {
  dataset_id: 'text',
  key: 'text',
  location: 'text',
  digest: 'text',
  content_digest: 'text',
  row_count: 'bigint',
  byte_count: 'bigint',
  stored_byte_count: 'bigint',
  first_date: 'text',
  last_date: 'text',
  vendors: 'text',
  publication_ids: 'text',
  stored_columns_id: 'bigint',
  row_groups: 'text',
} as const;

const COLUMNS = Object.keys(PART_COLUMNS).join(', ');

/** The row groups of one may take megabytes. */
const PARTS_AT_ONCE = 200;

const SQL = {
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
    SELECT ${COLUMNS} FROM ${rowsIn('given', PART_COLUMNS)}`,
  addedParts: 'SELECT part_id AS id, location FROM part WHERE location = ANY ($1)',
  written: 'DELETE FROM pending_part WHERE location = ANY ($1)',
  stagedParts: `SELECT part_id AS id FROM staged_part
    WHERE publication_id = $1 AND dataset_id = $2 AND key = ANY ($3)
      AND part_id IS NOT NULL`,
  // What is replaced is what was current before anything was staged.
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
export async function requireRunning(queries: Queries, publicationId: number): Promise<void> {
  if (await isThere(queries, SQL.isRunning, publicationId)) return;
  throw new PublicationConflict(`publication ${publicationId} has ended already`);
}

export async function stage(
  queries: Queries,
  publicationId: number,
  { datasetId, baseVersion, parts, sources = [] }: StagedChange,
): Promise<void> {
  await requireRunning(queries, publicationId);
  await queries.run(SQL.markStaged, publicationId, datasetId, baseVersion);
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
  const earlier = await queries.all<IdRow>(SQL.stagedParts, publicationId, datasetId, keys);
  await queries.runEach(SQL.stage, rows, publicationId, datasetId);
  await queries.run(
    SQL.giveUp,
    earlier.map(({ id }) => id),
  );
}

/** Their ids, by location. */
async function addParts(
  queries: Queries,
  datasetId: string,
  parts: readonly NewPart[],
): Promise<ReadonlyMap<string, number>> {
  const columns = await columnIds(queries, parts);
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    const some = parts.slice(from, from + PARTS_AT_ONCE);
    const rows = some.map((part) => rowOf(datasetId, part, columns));
    await queries.runEach(SQL.addParts, rows);
  }
  const locations = parts.map(({ location }) => location);
  await queries.run(SQL.written, locations);
  type PartRow = { readonly id: number; readonly location: string };
  const added = await queries.all<PartRow>(SQL.addedParts, locations);
  return new Map(added.map(({ id, location }) => [location, id]));
}

type StoredRow = Readonly<Record<keyof typeof PART_COLUMNS, string | number | null>>;

function rowOf(datasetId: string, part: NewPart, columns: ReadonlyMap<string, number>): StoredRow {
  return {
    dataset_id: datasetId,
    key: part.key,
    location: part.location,
    digest: part.digest,
    content_digest: part.contentDigest,
    row_count: part.rowCount,
    byte_count: part.byteCount,
    stored_byte_count: part.storedByteCount,
    first_date: part.firstDate,
    last_date: part.lastDate,
    vendors: JSON.stringify(part.vendors),
    publication_ids: JSON.stringify(part.publicationIds),
    stored_columns_id: columns.get(JSON.stringify(part.storedColumns)) as number,
    row_groups: encodeRowGroups(part.rowGroups, part.identifierOrder),
  };
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
  await queries.runEach(SQL.addColumns, rows);
  type ColumnsRow = { readonly id: number; readonly columns: string };
  const found = await queries.all<ColumnsRow>(SQL.columns, digests);
  return new Map(found.map(({ id, columns }) => [columns, id]));
}
