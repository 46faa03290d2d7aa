/** Writes what becomes of publications, within transactions of the lake's index. */
import type {
  EndState,
  NewPublication,
  PublicationNotes,
  PublicationSource,
} from '../publications.ts';
import { columnsOf, insertedId, type Queries, unnested } from './queries.ts';

const SQL = {
  refuse: 'UPDATE ticklake.lake_publication SET refused_dates = $1 WHERE publication_id = $2',
  begin: `INSERT INTO ticklake.lake_publication
      (state, kind, command, actor, reason, vendor, life_mark, started_at)
    VALUES ('running', $1, $2, $3, $4, $5, $6, $7) RETURNING publication_id AS id`,
  concern: `INSERT INTO ticklake.lake_publication_dataset (publication_id, dataset_id)
    SELECT $1::bigint, unnest($2::text[])`,
  addSources: `INSERT INTO ticklake.lake_publication_source
      (publication_id, dataset_id, name, byte_count, sha256, derivation, source_number)
    SELECT $6::bigint, dataset_id, name, byte_count, sha256, derivation, place - 1 + (
      SELECT count(*) FROM ticklake.lake_publication_source WHERE publication_id = $6::bigint)
    FROM ${unnested(['text', 'text', 'bigint', 'text', 'text'])} WITH ORDINALITY
      AS source (dataset_id, name, byte_count, sha256, derivation, place)`,
  checks: 'SELECT checks FROM ticklake.lake_publication WHERE publication_id = $1',
  setChecks: 'UPDATE ticklake.lake_publication SET checks = $1 WHERE publication_id = $2',
  end: `UPDATE ticklake.lake_publication SET state = $1, finished_at = $2, message = $3,
      ended_number = (SELECT coalesce(max(ended_number), 0) + 1 FROM ticklake.lake_publication
        WHERE ended_number IS NOT NULL)
    WHERE publication_id = $4 AND state = 'running'`,
  addOutcome: `INSERT INTO ticklake.lake_publication_outcome AS outcome
      (dataset_id, last_publication_id, unpublished_count)
    SELECT dataset_id, publication_id, (state IN ('refused', 'failed'))::integer
    FROM ticklake.lake_publication JOIN ticklake.lake_publication_dataset USING (publication_id)
    WHERE publication_id = $1
    ON CONFLICT (dataset_id) DO UPDATE SET
      last_publication_id = excluded.last_publication_id,
      unpublished_count = outcome.unpublished_count + excluded.unpublished_count`,
  giveUpParts: `UPDATE ticklake.lake_part AS part SET retired_at = 0 WHERE part_id IN
      (SELECT part_id FROM ticklake.lake_staged_part WHERE publication_id = $1)
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_part_span AS span
      WHERE span.part_id = part.part_id)
    AND NOT EXISTS (SELECT 1 FROM ticklake.lake_staged_part AS other
      WHERE other.part_id = part.part_id AND other.publication_id <> $1)`,
  unstage: 'DELETE FROM ticklake.lake_staged_part WHERE publication_id = $1',
};

export interface PublicationEnd {
  readonly publicationId: number;
  readonly state: EndState | 'published';
  readonly message: string | null;
  /** UTC, whole seconds, `Z`. */
  readonly finishedAt: string;
}

/** Free text as PostgreSQL takes it, which has no character of code 0. */
function storable<T extends string | null>(text: T): T {
  return (text?.replaceAll('\0', '\uFFFD') ?? null) as T;
}

/** Resolves to its id. */
export async function beginPublication(
  queries: Queries,
  { datasetIds, kind, command, actor, reason, vendor, lifeMark, startedAt }: NewPublication,
): Promise<number> {
  const texts = [kind, command, actor, storable(reason), vendor, lifeMark, startedAt];
  const publicationId = await insertedId(queries, SQL.begin, ...texts);
  await queries.run(SQL.concern, publicationId, datasetIds);
  return publicationId;
}

export async function addSources(
  queries: Queries,
  publicationId: number,
  sources: readonly PublicationSource[],
): Promise<void> {
  if (sources.length === 0) return;
  const rows = sources.map(({ datasetId, name, byteCount, sha256, derivation = null }) => [
    ...[datasetId, storable(name), byteCount, sha256, derivation],
  ]);
  await queries.run(SQL.addSources, ...columnsOf(rows, 5), publicationId);
}

export async function addNotes(
  queries: Queries,
  publicationId: number,
  { sources = [], checks = [], refusedDates }: PublicationNotes,
): Promise<void> {
  await addSources(queries, publicationId, sources);
  if (refusedDates !== undefined) await queries.run(SQL.refuse, refusedDates, publicationId);
  if (checks.length === 0) return;
  const row = await queries.get<{ checks: string }>(SQL.checks, publicationId);
  const known = JSON.parse(row?.checks ?? '[]');
  await queries.run(SQL.setChecks, JSON.stringify([...known, ...checks]), publicationId);
}

/** Whether it was this that ended the publication. */
export async function endPublication(
  queries: Queries,
  { publicationId, state, message, finishedAt }: PublicationEnd,
): Promise<boolean> {
  const values = [state, finishedAt, storable(message), publicationId];
  const isEnded = (await queries.run(SQL.end, ...values)) > 0;
  if (isEnded) await queries.run(SQL.addOutcome, publicationId);
  return isEnded;
}

export async function unstage(queries: Queries, publicationId: number): Promise<void> {
  await queries.run(SQL.unstage, publicationId);
}

/** Ends a publication that came to nothing, with what was staged for it. */
export async function abandon(queries: Queries, end: PublicationEnd): Promise<void> {
  if (!(await endPublication(queries, end))) return;
  await queries.run(SQL.giveUpParts, end.publicationId);
  await unstage(queries, end.publicationId);
}
