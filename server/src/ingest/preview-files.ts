/** Loads files without publishing them, and says what would change. */
import type { LoadAllowance } from '../base/errors.ts';
import type { BadValue } from '../engine/file-loading.ts';
import { refusalOf } from '../lake/check-findings.ts';
import { changedKeys, lossText, type PartitionComparison } from '../lake/losses.ts';
import {
  asLoaded,
  badRowsRefusal,
  findUnmet,
  type IngestRequest,
  type LoadedDataset,
  loadFiles,
  repeatsOf,
  requireDifferent,
  requireMode,
} from './ingest-files.ts';
import type { SourceDigest } from './source-bytes.ts';
import { shownSource } from './source-files.ts';

export interface PreviewReport extends Omit<LoadedDataset, 'partitions'> {
  /** Why the load would be refused; null: it would not. */
  readonly refusal: string | null;
  /** The option that would publish it; null if none would, or if it is not refused. */
  readonly allowedBy: LoadAllowance | null;
  readonly files: readonly string[];
  readonly sources: readonly SourceDigest[];
  /** The partitions that would be written or go, before and after. */
  readonly partitions: readonly PartitionComparison[];
  readonly badRowCount: number;
  /** The first ten. */
  readonly badValues: readonly BadValue[];
  /** True if the dataset has all of the rows already. */
  readonly isUnchanged: boolean;
}

type Found = Pick<PreviewReport, 'badRowCount' | 'partitions' | 'checks'>;

function refusalFor(
  { dataset, maxBadRows, lossPercentMax }: IngestRequest,
  { badRowCount, partitions, checks }: Found,
): Pick<PreviewReport, 'refusal' | 'allowedBy'> {
  const failed = badRowsRefusal(badRowCount, maxBadRows) ?? refusalOf(checks);
  if (failed !== null || lossPercentMax === undefined) return { refusal: failed, allowedBy: null };
  const loss = lossText(dataset, partitions, lossPercentMax);
  return { refusal: loss, allowedBy: loss === null ? null : 'allow_loss' };
}

/** Does all that `ingestFiles` does but to write and publish. Throws as it does. */
export async function previewFiles(given: IngestRequest): Promise<PreviewReport> {
  const dataset = await asLoaded(given);
  const request = { ...given, dataset };
  const { lake, mode, signal, onProgress } = request;
  const { datasetId, textId } = dataset;
  requireMode(request);
  const writer = await lake.openWriter(dataset, signal);
  try {
    const loaded = await loadFiles(request, writer);
    const { report, places, sources } = loaded;
    requireDifferent(request, sources);
    onProgress('comparing', 0);
    const vendor = request.vendor ?? undefined;
    const preview = await lake.publisher.preview({ dataset, mode, vendor, places }, writer);
    const { partitions, findings } = preview;
    const checks = [...(await findUnmet(request, writer, loaded)), ...findings];
    const found = { ...report, partitions, checks };
    const replacedRowCount = partitions.reduce((sum, each) => sum + each.replacedRowCount, 0);
    const files = request.files.map(shownSource);
    const repeats = await repeatsOf(request, sources);
    const changed = repeats && changedKeys(request, repeats, partitions);
    const isUnchanged = changed?.length === 0 && partitions.length > 0;
    const refusal = refusalFor(request, found);
    return {
      datasetId,
      textId,
      ...refusal,
      files,
      sources,
      replacedRowCount,
      isUnchanged,
      ...found,
    };
  } finally {
    await writer.close();
  }
}
