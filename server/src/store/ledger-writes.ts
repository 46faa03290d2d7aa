/** Writes what becomes of publications, within transactions of the lake's index. */
import { settleLoads } from './noted-loads.ts';
import type {
  EndState,
  LoadedDates,
  NewPublication,
  PublicationNotes,
  PublicationSource,
} from './publications.ts';
import { countOf, insertedId, type Queries, rowsIn, storable } from './queries.ts';
import { columnsBut, givenRows, tableNamed } from './schema.ts';

const SOURCE = tableNamed('publication_source');
const SOURCE_COLUMNS = columnsBut(SOURCE, 'publication_id');
const SOURCE_LIST = SOURCE_COLUMNS.join(', ');

const SQL = {
  begin: `INSERT INTO publication
      (state, kind, command, actor, reason, vendor, life_mark, started_at)
    VALUES ('running', $1, $2, $3, $4, $5, $6, $7) RETURNING publication_id AS id`,
  concern: `INSERT INTO publication_dataset (publication_id, dataset_id)
    SELECT $2::bigint, dataset_id FROM ${rowsIn('given', { dataset_id: 'text' })}`,
  leaveOut: `DELETE FROM publication_dataset
    WHERE publication_id = $1 AND dataset_id = ANY ($2::text[])`,
  sourceCount: 'SELECT count(*) AS count FROM publication_source WHERE publication_id = $1',
  addSources: `INSERT INTO publication_source
      (publication_id, ${SOURCE_LIST})
    SELECT $2::bigint, ${SOURCE_LIST} FROM ${givenRows(SOURCE, SOURCE_COLUMNS)}`,
  checks: 'SELECT checks FROM publication WHERE publication_id = $1',
  tell: 'UPDATE publication SET message = $1 WHERE publication_id = $2',
  setChecks: 'UPDATE publication SET checks = $1 WHERE publication_id = $2',
  end: `UPDATE publication SET state = $1, finished_at = $2, message = coalesce($3, message),
      ended_number = (SELECT coalesce(max(ended_number), 0) + 1 FROM publication
        WHERE ended_number IS NOT NULL)
    WHERE publication_id = $4 AND state = 'running'`,
  addOutcome: `INSERT INTO publication_outcome AS outcome
      (dataset_id, last_publication_id, unpublished_count)
    SELECT dataset_id, publication_id, CASE WHEN state IN ('refused', 'failed') THEN 1 ELSE 0 END
    FROM publication JOIN publication_dataset USING (publication_id)
    WHERE publication_id = $1
    ON CONFLICT (dataset_id) DO UPDATE SET
      last_publication_id = excluded.last_publication_id,
      unpublished_count = outcome.unpublished_count + excluded.unpublished_count`,
  giveUpParts: `UPDATE part AS part SET retired_at = 0 WHERE part_id IN
      (SELECT part_id FROM staged_part WHERE publication_id = $1)
    AND NOT EXISTS (SELECT 1 FROM part_span AS span
      WHERE span.part_id = part.part_id)
    AND NOT EXISTS (SELECT 1 FROM staged_part AS other
      WHERE other.part_id = part.part_id AND other.publication_id <> $1)`,
  unstage: 'DELETE FROM staged_part WHERE publication_id = $1',
};

export interface PublicationEnd {
  readonly publicationId: number;
  readonly state: EndState | 'published';
  readonly message: string | null;
  /** UTC, whole seconds, `Z`. */
  readonly finishedAt: string;
  readonly loaded: readonly LoadedDates[];
}

/** Resolves to its id. */
export async function beginPublication(
  queries: Queries,
  { datasetIds, kind, command, actor, reason, vendor, lifeMark, startedAt }: NewPublication,
): Promise<number> {
  const texts = [kind, command, actor, storable(reason), vendor, lifeMark, startedAt];
  const publicationId = await insertedId(queries, SQL.begin, ...texts);
  const rows = datasetIds.map((dataset_id) => ({ dataset_id }));
  await queries.runEach(SQL.concern, rows, publicationId);
  return publicationId;
}

export async function addSources(
  queries: Queries,
  publicationId: number,
  sources: readonly PublicationSource[],
): Promise<void> {
  if (sources.length === 0) return;
  const known = await countOf(queries, SQL.sourceCount, publicationId);
  const rows = sources.map(({ datasetId, name, byteCount, sha256, derivation = null }, at) => ({
    ...{ dataset_id: datasetId, name: storable(name), byte_count: byteCount },
    ...{ sha256, derivation, source_number: known + at },
  }));
  await queries.runEach(SQL.addSources, rows, publicationId);
}

export async function addNotes(
  queries: Queries,
  publicationId: number,
  { sources = [], checks = [], leftOut = [], message }: PublicationNotes,
): Promise<void> {
  if (leftOut.length > 0) await queries.run(SQL.leaveOut, publicationId, leftOut);
  await addSources(queries, publicationId, sources);
  if (message) await queries.run(SQL.tell, storable(message), publicationId);
  if (checks.length === 0) return;
  const row = await queries.get<{ checks: string }>(SQL.checks, publicationId);
  const known = JSON.parse(row?.checks ?? '[]');
  await queries.run(SQL.setChecks, JSON.stringify([...known, ...checks]), publicationId);
}

/** True if it was this that ended the publication. */
export async function endPublication(queries: Queries, end: PublicationEnd): Promise<boolean> {
  const { publicationId, state, message, finishedAt } = end;
  const values = [state, finishedAt, storable(message), publicationId];
  const isEnded = (await queries.run(SQL.end, ...values)) > 0;
  if (!isEnded) return false;
  await queries.run(SQL.addOutcome, publicationId);
  if (state !== 'failed') await settleLoads(queries, end);
  return true;
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
