/** How a load ended whose server died, by the ledger. */
import type { Lake } from '../../lake/lake.ts';
import type { PublicationRecord } from '../../store/publications.ts';
import { digestFile } from '../source-digest.ts';
import type { LoadEnd, Upload } from './upload.ts';
import { LOAD_LOST } from './uploads.ts';

/** Publications of a dataset since a load began; further ones are not looked at. */
const PUBLICATIONS_MAX = 1000;

/** Its process has not ended yet, though its server has. */
export const STILL_RUNS = 'still runs';

function publishedEnd({ publicationId, datasets }: PublicationRecord, upload: Upload): LoadEnd {
  const { datasetId } = upload;
  const dataset = datasets.find((each) => each.datasetId === datasetId);
  const version = dataset?.version ?? null;
  const report = { publication_id: publicationId, dataset_id: datasetId, version };
  const isStaged = version === null;
  return {
    state: 'published',
    report: { ...report, is_published: true, is_staged: isStaged },
    error: null,
    allowedBy: null,
  };
}

function hasLoaded({ sources }: PublicationRecord, { datasetId }: Upload, sha256: string): boolean {
  return sources.some((source) => source.datasetId === datasetId && source.sha256 === sha256);
}

/** Whether doing it again, in whole or in part, makes another dataset of it. */
function addsRows({ options }: Upload): boolean {
  return options.mode === 'append' && options.allowsRepeats;
}

async function endOfOwn(
  lake: Lake,
  upload: Upload,
  publicationBefore: number,
  sha256: string,
): Promise<LoadEnd | typeof STILL_RUNS | null> {
  const began = await lake.ledger.publications({
    datasetIds: [upload.datasetId],
    after: publicationBefore,
    limit: PUBLICATIONS_MAX,
  });
  const own = began.filter(({ actor, isOpen }) => actor === upload.actor && !isOpen);
  const published = own.find(({ state, ...record }) => {
    const isPublished = state === 'published' || state === 'rolled_back';
    return isPublished && hasLoaded({ state, ...record }, upload, sha256);
  });
  if (published) return publishedEnd(published, upload);
  const running = await lake.ledger.runningOf(upload.datasetId);
  for (const publication of running) {
    if (!own.some(({ publicationId }) => publicationId === publication.publicationId)) continue;
    if (await lake.turn.isAlive(publication)) return STILL_RUNS;
  }
  return null;
}

async function endOfStaged(
  lake: Lake,
  upload: Upload,
  into: number,
  sha256: string,
): Promise<LoadEnd | null> {
  if (addsRows(upload)) return LOAD_LOST;
  const open = await lake.ledger.publication(into);
  // While it is open, what was replaced there is replaced by the same rows once more.
  const isOver = open !== null && (!open.isOpen || upload.options.mode === 'append');
  return isOver && hasLoaded(open, upload, sha256) ? publishedEnd(open, upload) : null;
}

/**
 * How an earlier load of the file at `path` ended, of which it is known after which publication it began;
 * null: it has published nothing, and can be begun again.
 */
export async function earlierEnd(
  lake: Lake,
  upload: Upload,
  path: string,
  publicationBefore: number,
  signal: AbortSignal,
): Promise<LoadEnd | typeof STILL_RUNS | null> {
  const { isDryRun, into } = upload.options;
  if (isDryRun) return null;
  const { sha256 } = await digestFile(path, signal);
  if (into !== null) return await endOfStaged(lake, upload, into, sha256);
  return await endOfOwn(lake, upload, publicationBefore, sha256);
}
