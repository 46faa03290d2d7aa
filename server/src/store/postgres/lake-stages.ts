/** Keeps changes of datasets that wait for their commit, within transactions of the lake's index. */
import { createHash } from 'node:crypto';
import { type NewPart, PublicationConflict, type StagedChange } from '../lake-index.ts';
import { encodeRowGroups } from '../row-group-text.ts';
import { addSources } from './lake-publications.ts';
import { columnsOf, isThere, type Queries, unnested } from './queries.ts';

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
  vendors: 'jsonb',
  publication_ids: 'jsonb',
  stored_columns_id: 'bigint',
  row_groups: 'text',
} as const;

const COLUMNS = Object.keys(PART_COLUMNS).join(', ');
const COLUMN_TYPES = Object.values(PART_COLUMNS);

/** The row groups of one may take megabytes. */
const PARTS_AT_ONCE = 200;

const SQL = {
  isRunning: `SELECT 1 FROM ticklake.lake_publication
    WHERE publication_id = $1 AND state = 'running'`,
  markStaged: `INSERT INTO ticklake.lake_publication_dataset AS concerned
      (publication_id, dataset_id, is_staged, base_version) VALUES ($1, $2, true, $3)
    ON CONFLICT (publication_id, dataset_id) DO UPDATE SET is_staged = true,
      base_version = coalesce(excluded.base_version, concerned.base_version)`,
  addColumns: `INSERT INTO ticklake.lake_stored_columns (columns, columns_sha256)
    SELECT * FROM ${unnested(['text', 'text'])} ON CONFLICT DO NOTHING`,
  columns: `SELECT stored_columns_id AS id, columns FROM ticklake.lake_stored_columns
    WHERE columns_sha256 = ANY ($1::text[])`,
  addParts: `INSERT INTO ticklake.lake_part (${COLUMNS})
    SELECT ${COLUMNS} FROM ${unnested(COLUMN_TYPES)} WITH ORDINALITY
      AS part (${COLUMNS}, place) ORDER BY place
    RETURNING part_id AS id, location`,
  written: 'DELETE FROM ticklake.lake_pending_part WHERE location = ANY ($1::text[])',
  stagedParts: `SELECT part_id AS id FROM ticklake.lake_staged_part
    WHERE publication_id = $1 AND dataset_id = $2 AND key = ANY ($3::text[])
      AND part_id IS NOT NULL`,
  // What is replaced is what was current before anything was staged.
  stage: `INSERT INTO ticklake.lake_staged_part
      (publication_id, dataset_id, key, part_id, base_part_id)
    SELECT $4::bigint, $5::text, key, part_id, base_part_id
    FROM ${unnested(['text', 'bigint', 'bigint'])} AS part (key, part_id, base_part_id)
    ON CONFLICT (publication_id, dataset_id, key) DO UPDATE SET part_id = excluded.part_id`,
  giveUp: `UPDATE ticklake.lake_part AS part SET retired_at = 0
    WHERE part_id = ANY ($1::bigint[])
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_part_span AS span
      WHERE span.part_id = part.part_id)
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_staged_part AS staged
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
  const rows = parts.map(({ key, part, baseId }): [string, number | null, number | null] => {
    const partId = typeof part === 'object' && part ? (ids.get(part.location) as number) : part;
    return [key, partId, baseId];
  });
  const keys = parts.map(({ key }) => key);
  type IdRow = { readonly id: number };
  const earlier = await queries.all<IdRow>(SQL.stagedParts, publicationId, datasetId, keys);
  await queries.run(SQL.stage, ...columnsOf(rows, 3), publicationId, datasetId);
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
  const ids = new Map<string, number>();
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    const some = parts.slice(from, from + PARTS_AT_ONCE);
    const rows = some.map((part) => rowOf(datasetId, part, columns));
    type PartRow = { readonly id: number; readonly location: string };
    const values = columnsOf(rows, COLUMN_TYPES.length);
    const added = await queries.all<PartRow>(SQL.addParts, ...values);
    for (const { id, location } of added) ids.set(location, id);
  }
  await queries.run(SQL.written, [...ids.keys()]);
  return ids;
}

function rowOf(datasetId: string, part: NewPart, columns: ReadonlyMap<string, number>) {
  return [
    ...[datasetId, part.key, part.location, part.digest, part.contentDigest],
    ...[part.rowCount, part.byteCount, part.storedByteCount, part.firstDate, part.lastDate],
    ...[JSON.stringify(part.vendors), JSON.stringify(part.publicationIds)],
    columns.get(JSON.stringify(part.storedColumns)) as number,
    encodeRowGroups(part.rowGroups, part.identifierOrder),
  ];
}

/** Ids of the columns that parts are stored with, by their text; nearly all have the same ones. */
async function columnIds(
  queries: Queries,
  parts: readonly NewPart[],
): Promise<ReadonlyMap<string, number>> {
  const texts = [...new Set(parts.map(({ storedColumns }) => JSON.stringify(storedColumns)))];
  if (texts.length === 0) return new Map();
  const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  await queries.run(SQL.addColumns, texts, digests);
  type ColumnsRow = { readonly id: number; readonly columns: string };
  const rows = await queries.all<ColumnsRow>(SQL.columns, digests);
  return new Map(rows.map(({ id, columns }) => [columns, id]));
}
