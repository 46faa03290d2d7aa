/** Finds out by the ledger how a load ended whose process was killed. */
import { isoSeconds } from '../base/clock.ts';
import { digestsOf } from '../ingest/source-files.ts';
import type { Lake } from '../lake/lake.ts';

/** Loads of one dataset since a watcher was killed; further ones are not looked at. */
const PUBLICATIONS_MAX = 1000;

/** What is known of a load that was published. */
interface PublishedLoad {
  readonly publicationId: number;
  readonly datasetId: string;
  readonly isPublished: boolean;
  readonly finishedAt: string | null;
}

/**
 * The load of exactly the files that a path stands for, into a dataset and not before that time, that ended as
 * it should; null: there is none.
 */
export async function publishedSince(
  { ledger }: Lake,
  datasetId: string,
  path: string,
  startedAtMs: number,
  signal: AbortSignal,
): Promise<PublishedLoad | null> {
  const startedAt = isoSeconds(startedAtMs);
  const publications = await ledger.publications({
    datasetIds: [datasetId],
    states: ['published', 'unchanged'],
    limit: PUBLICATIONS_MAX,
  });
  const later = publications.filter((publication) => publication.startedAt >= startedAt);
  if (later.length === 0) return null;
  const digests = (await digestsOf([path], signal)).map(({ sha256 }) => sha256);
  const found = later.find(({ sources }) => {
    const loaded = sources.filter((source) => source.datasetId === datasetId);
    return `${loaded.map(({ sha256 }) => sha256).sort()}` === `${digests.sort()}`;
  });
  if (!found) return null;
  const { publicationId, state, finishedAt } = found;
  return { publicationId, datasetId, isPublished: state === 'published', finishedAt };
}
