/** Loads that alerts tell of, within transactions of the lake's index. */
import type { LoadedDates, NotedLoad } from './publications.ts';
import type { Queries } from './queries.ts';

/** A dataset, as in `LoadedDates`, and its dates that have to come, or its file. */
type Note = readonly [datasetId: string | null, file: string, ...dates: string[]];

const NONE = '[]';
/** A note of more dates has only every second, third or so, and the last one. */
const NOTED_DATES_MAX = 10_000;

const SQL = {
  noted: `SELECT publication_id AS "publicationId", refused_dates AS notes
    FROM publication WHERE refused_dates IS NOT NULL AND refused_dates <> '${NONE}'
    ORDER BY publication_id DESC`,
  note: 'UPDATE publication SET refused_dates = $1 WHERE publication_id = $2',
  acknowledge: `UPDATE publication SET refused_dates = '${NONE}'
    WHERE publication_id = $1 AND coalesce(refused_dates <> '${NONE}', state IN ('refused', 'failed'))`,
};

interface NotedRow {
  readonly publicationId: number;
  readonly notes: string;
}

/** Release 0.1.0 noted dates without their dataset. */
function notesOf({ notes }: NotedRow): readonly Note[] {
  return notes.startsWith('[') ? JSON.parse(notes) : [[null, '']];
}

interface EndedLoads {
  readonly publicationId: number;
  readonly state: string;
  readonly loaded: readonly LoadedDates[];
}

/** The rest of a note: none once all of it has come. */
function missingOf([datasetId, file, ...dates]: Note, loaded: readonly LoadedDates[]): Note[] {
  const own = loaded.filter((each) => each.datasetId === datasetId);
  const isThere = loaded.some(({ files }) => files.includes(file));
  // Only notes of stale files have dates as well as a file.
  const isKnown = dates.length > 0 && own.some((each) => each.knownFiles?.includes(file));
  if (isThere || isKnown || own.some(({ areAll }) => areAll)) return [];
  const brought = new Set(own.flatMap((each) => each.dates));
  const missing = dates.filter((date) => !brought.has(date));
  return dates.length > 0 && missing.length === 0 ? [] : [[datasetId, file, ...missing]];
}

function notesFor({ datasetId, dates, files, staleFile = '' }: LoadedDates): Note[] {
  if (dates.length === 0) return files.map((file) => [datasetId, file]);
  const step = Math.ceil(dates.length / NOTED_DATES_MAX);
  const noted = dates.filter((_, at) => at % step === 0 || at === dates.length - 1);
  return [[datasetId, staleFile, ...noted]];
}

/**
 * Notes what a publication leaves to look after as it ends, and settles what it has brought or
 * tells once more.
 */
export async function settleLoads(
  queries: Queries,
  { publicationId, state, loaded }: EndedLoads,
): Promise<void> {
  if (loaded.length === 0) return;
  for (const earlier of await queries.all<NotedRow>(SQL.noted)) {
    const missing = JSON.stringify(notesOf(earlier).flatMap((note) => missingOf(note, loaded)));
    if (missing !== earlier.notes) await queries.run(SQL.note, missing, earlier.publicationId);
  }
  const notes = loaded
    .filter(({ needsCare }) => needsCare || state === 'refused')
    .flatMap(notesFor);
  if (notes.length > 0) await queries.run(SQL.note, JSON.stringify(notes), publicationId);
}

/** The newest first. */
export async function readNotedLoads(queries: Pick<Queries, 'all'>): Promise<NotedLoad[]> {
  const rows = await queries.all<NotedRow>(SQL.noted);
  return rows.map((row) => ({
    publicationId: row.publicationId,
    datasetIds: [...new Set(notesOf(row).flatMap(([datasetId]) => datasetId ?? []))],
    unreadFiles: notesOf(row).flatMap(([datasetId, file]) => (datasetId === null ? [file] : [])),
  }));
}

/** True if there was something to look after. */
export async function acknowledgeLoad(queries: Queries, publicationId: number): Promise<boolean> {
  return (await queries.run(SQL.acknowledge, publicationId)) > 0;
}
