/** Loads that alerts tell of, within transactions of the lake's index. */
import type { LoadedDates, NotedLoad } from './publications.ts';
import type { Queries } from './queries.ts';

/** A dataset, as in `LoadedDates`, of which dates have to come, or else a file. */
type Note = readonly [datasetId: string | null, first: string, last: string, file: string];

const NONE = '[]';

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

/** Releases before 0.2.0 noted dates of nothing that is named. */
function notesOf({ notes }: NotedRow): readonly Note[] {
  return notes.startsWith('[') ? JSON.parse(notes) : [[null, '', '', '']];
}

interface EndedLoads {
  readonly publicationId: number;
  readonly state: string;
  readonly loaded: readonly LoadedDates[];
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
    const isCovered = ([datasetId, first, last, file]: Note) =>
      loaded.some(({ dates, files, areAll, ...each }) => {
        const hasDates = dates.includes(first) && dates.includes(last);
        return files.includes(file) || (each.datasetId === datasetId && (areAll || hasDates));
      });
    const notes = notesOf(earlier);
    const open = notes.filter((note) => !isCovered(note));
    if (open.length < notes.length) {
      await queries.run(SQL.note, JSON.stringify(open), earlier.publicationId);
    }
  }
  const notes = loaded
    .filter(({ needsCare }) => needsCare || state === 'refused')
    .flatMap(({ datasetId, dates, files }): Note[] => {
      const [first, last] = [dates[0], dates.at(-1)];
      if (first && last) return [[datasetId, first, last, '']];
      return files.map((file) => [datasetId, '', '', file]);
    });
  if (notes.length > 0) await queries.run(SQL.note, JSON.stringify(notes), publicationId);
}

/** The newest first. */
export async function readNotedLoads(queries: Pick<Queries, 'all'>): Promise<NotedLoad[]> {
  const rows = await queries.all<NotedRow>(SQL.noted);
  return rows.map((row) => ({
    publicationId: row.publicationId,
    datasetIds: [...new Set(notesOf(row).flatMap(([datasetId]) => datasetId ?? []))],
  }));
}

/** True if there was something to look after. */
export async function acknowledgeLoad(queries: Queries, publicationId: number): Promise<boolean> {
  return (await queries.run(SQL.acknowledge, publicationId)) > 0;
}
