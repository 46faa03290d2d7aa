/** Loads files into one dataset and publishes them together, or nothing of them. */
import type { Dataset } from '../catalog/dataset.ts';
import { type BadValue, SHOWN_BAD_VALUES, type Stage } from '../engine/engine.ts';
import { UsageError } from '../errors.ts';
import type { Lake } from '../lake/lake.ts';
import { type OpenedSource, openSourceFiles } from './source-files.ts';

export interface IngestRequest {
  readonly lake: Lake;
  readonly dataset: Dataset;
  readonly files: readonly string[];
  /** `replace`: partitions that the rows fall into are replaced; `append`: rows are added. */
  readonly mode: 'replace' | 'append';
  /** As many bad rows are left out; one more and nothing is published. */
  readonly maxBadRows: number;
  /** Who the data comes from; null: as before. */
  readonly vendor: string | null;
  readonly signal: AbortSignal;
  /** Called often with the share of the step that is done, from 0 to 1. */
  readonly onProgress: (step: string, share: number) => void;
}

export interface IngestReport {
  readonly datasetId: string;
  readonly textId: string;
  /** False when there were more bad rows than allowed. */
  readonly isPublished: boolean;
  /** The dataset's version now; 0 when nothing was ever published. */
  readonly version: number;
  readonly files: readonly string[];
  /** Good rows in the files. */
  readonly rowCount: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows that stood in these partitions before and stand there no more. */
  readonly replacedRowCount: number;
  readonly badRowCount: number;
  /** The first ten. */
  readonly badValues: readonly BadValue[];
}

interface Loaded {
  rowCount: number;
  badRowCount: number;
  badValues: BadValue[];
}

function totalBytes(sources: readonly OpenedSource[]): number {
  return sources.reduce((sum, { byteCount }) => sum + byteCount, 0);
}

async function loadFiles(
  { files, signal, onProgress }: IngestRequest,
  stage: Stage,
): Promise<Loaded> {
  const loaded: Loaded = { rowCount: 0, badRowCount: 0, badValues: [] };
  let doneBytes = 0;
  let allBytes = 1;
  const onBytes = (bytes: number) => onProgress('loading', (doneBytes + bytes) / allBytes);
  const { sources, close } = await openSourceFiles(files, { signal, onBytes });
  try {
    allBytes = Math.max(1, totalBytes(sources));
    for (const { source, byteCount } of sources) {
      const report = await stage.loadFile(source);
      loaded.rowCount += report.rowCount;
      loaded.badRowCount += report.badRowCount;
      loaded.badValues.push(...report.badValues);
      doneBytes += byteCount;
      onBytes(0);
    }
  } finally {
    close();
  }
  return { ...loaded, badValues: loaded.badValues.slice(0, SHOWN_BAD_VALUES) };
}

/** Rows of the given partitions as they are published now. */
function publishedRows({ lake, dataset }: IngestRequest, keys: readonly string[]): number {
  const partitions = lake.snapshot(dataset.datasetId)?.partitions ?? [];
  const covered = partitions.filter(({ key }) => keys.includes(key));
  return covered.reduce((sum, { rowCount }) => sum + rowCount, 0);
}

async function publish(request: IngestRequest, stage: Stage) {
  const { lake, dataset, mode, vendor, signal, onProgress } = request;
  onProgress('sorting', 0);
  const keys = await stage.partitionKeys();
  const replacedRowCount = mode === 'replace' ? publishedRows(request, keys) : 0;
  const { version } = await lake.publish({
    dataset,
    mode,
    stage,
    signal,
    ...(vendor === null ? {} : { vendor }),
    onWait: () => onProgress('waiting for another publication', 0),
    onProgress: (written, all) => onProgress('writing', all === 0 ? 1 : written / all),
  });
  return { version, partitions: keys, replacedRowCount };
}

/**
 * Loads the files and publishes their rows as the dataset's next version, unless there are more bad
 * rows than allowed. Throws a `UsageError` for a file that cannot be read as a whole.
 */
export async function ingestFiles(request: IngestRequest): Promise<IngestReport> {
  const { lake, dataset, files, maxBadRows, signal } = request;
  const { datasetId, textId } = dataset;
  const stage = await lake.openStage(dataset, signal);
  try {
    const loaded = await loadFiles(request, stage);
    const isPublished = loaded.badRowCount <= maxBadRows;
    if (isPublished && loaded.rowCount === 0) {
      throw new UsageError(`no rows to publish in ${files.join(', ')}`);
    }
    const version = lake.snapshot(datasetId)?.version ?? 0;
    const published = isPublished
      ? await publish(request, stage)
      : { version, partitions: [], replacedRowCount: 0 };
    return { datasetId, textId, isPublished, files, ...loaded, ...published };
  } finally {
    await stage.close();
  }
}
