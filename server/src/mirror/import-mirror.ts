/**
 * Loads the datasets of a mirror: each becomes what the mirror has of it, all in one publication,
 * or none.
 */
import { join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import type { BadValue } from '../engine/file-loading.ts';
import { loadFiles } from '../ingest/ingest-files.ts';
import type { SourceDigest } from '../ingest/source-bytes.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication, PublicationOutcome } from '../lake/publication.ts';
import { type MirroredVersion, readMirror } from './mirror-folder.ts';

const REASON_CHARACTERS_MAX = 1000;

export interface MirrorImportRequest {
  readonly directory: string;
  readonly catalog: Catalog;
  readonly lake: Lake;
  /** As in `StageOptions`; absent: anything may be lost. */
  readonly lossPercentMax?: number;
  /** Null: which versions of which server they are. */
  readonly reason: string | null;
  /** Who the data comes from; null: as before. */
  readonly vendor: string | null;
  readonly signal: AbortSignal;
  /** Called often with the share of a dataset's step that is done, from 0 to 1. */
  readonly onProgress: (step: string, share: number) => void;
}

export interface ImportedVersion {
  readonly datasetId: string;
  readonly textId: string;
  /** Version on the server that was mirrored. */
  readonly mirroredVersion: number | null;
  /** False: the dataset is already what the mirror has, or nothing is published at all. */
  readonly isPublished: boolean;
  /** In this home, now. */
  readonly version: number;
  readonly rowCount: number;
  readonly fileCount: number;
  readonly partitions: readonly string[];
  readonly replacedRowCount: number;
  readonly badRowCount: number;
  /** The first ones. */
  readonly badValues: readonly BadValue[];
  readonly checks: readonly CheckFinding[];
}

export interface MirrorImportReport extends PublicationOutcome {
  readonly datasets: readonly ImportedVersion[];
}

interface Mirrored extends MirroredVersion {
  readonly dataset: Dataset;
}

/** Throws a `UsageError` for what is no dataset here, or not with all of its columns. */
function inCatalog(catalog: Catalog, mirrored: MirroredVersion): Mirrored {
  const { dataset_name: name, dataset_id: id, columns } = mirrored.note;
  const dataset = catalog.byTextId(name);
  if (dataset?.datasetId !== id) {
    throw new UsageError(`the catalogue here has no dataset ${name} with the id ${id}`);
  }
  if (columns !== null) {
    throw new UsageError(`${name} was mirrored with --columns, and a dataset needs all of them`);
  }
  return { ...mirrored, dataset };
}

/** True if the dataset's present version was loaded from the very same files. */
async function isLoaded(lake: Lake, { dataset, note, sha256 }: Mirrored): Promise<boolean> {
  const { datasetId } = dataset;
  const snapshot = await lake.snapshot(datasetId);
  if (snapshot === null) return note.row_count === 0;
  const states = ['published'] as const;
  const [last] = await lake.ledger.publications({ datasetIds: [datasetId], states, limit: 1 });
  const isOfDataset = (each: { readonly datasetId: string }) => each.datasetId === datasetId;
  const isPresent = last?.datasets.find(isOfDataset)?.version === snapshot.version;
  return isPresent && last.sources.filter(isOfDataset).some((each) => each.sha256 === sha256);
}

/** Throws a `UsageError` where what was read is not what the server has sent. */
function requireUnaltered({ path, note }: Mirrored, read: readonly SourceDigest[]): void {
  const found = new Map(read.map(({ name, sha256 }) => [name, sha256]));
  for (const { name, sha256 } of note.files) {
    const file = join(path, name);
    if (found.get(file) === sha256) continue;
    throw new UsageError(`${file} is altered; ticklake mirror --verify fetches it again`);
  }
}

/** The report of a dataset of which nothing is published. */
async function untouched(lake: Lake, { dataset, note }: Mirrored): Promise<ImportedVersion> {
  const { datasetId, textId } = dataset;
  const version = (await lake.snapshot(datasetId))?.version ?? 0;
  return {
    ...{ datasetId, textId, mirroredVersion: note.dataset_version, isPublished: false, version },
    ...{ rowCount: note.row_count, fileCount: note.files.length, partitions: [] },
    ...{ replacedRowCount: 0, badRowCount: 0, badValues: [], checks: [] },
  };
}

async function importOne(
  request: MirrorImportRequest,
  publication: OpenPublication,
  mirrored: Mirrored,
): Promise<ImportedVersion> {
  const { lake, signal, vendor, lossPercentMax } = request;
  const { dataset, path, note } = mirrored;
  const onProgress = (step: string, share: number) =>
    request.onProgress(`${step} ${dataset.textId}`, share);
  const files = note.files.map(({ name }) => join(path, name));
  const load = { lake, dataset, files, mode: 'replace-all', maxBadRows: 0 } as const;
  const writer = await lake.openWriter(dataset, signal);
  try {
    const loaded = await loadFiles({ ...load, vendor, signal, onProgress }, writer);
    requireUnaltered(mirrored, loaded.sources);
    const { rowCount, badRowCount, badValues } = loaded.report;
    const told = { ...(await untouched(lake, mirrored)), rowCount, badRowCount, badValues };
    if (badRowCount > 0) {
      publication.refuse(`bad rows: ${badRowCount} of ${dataset.textId}`);
      return told;
    }
    const { places } = loaded;
    const from = { vendor: vendor ?? undefined, lossPercentMax, places };
    const written = await publication.write(
      {
        ...{ dataset, mode: load.mode, ...from },
        onProgress: (done, all) => onProgress('writing', all === 0 ? 1 : done / all),
      },
      writer,
    );
    const { version, partitions, replacedRowCount, findings, refusal } = written;
    const isPublished = refusal === null;
    return { ...told, isPublished, version, partitions, replacedRowCount, checks: findings };
  } finally {
    await writer.close();
  }
}

async function importAll(
  request: MirrorImportRequest,
  publication: OpenPublication,
  mirrored: readonly Mirrored[],
  due: readonly Mirrored[],
): Promise<MirrorImportReport> {
  if (due.length === 0) publication.publishNothing('all datasets are as the mirror has them');
  await publication.noteSources(
    due.map(({ dataset: { datasetId }, path: name, note: { byte_count: byteCount }, sha256 }) => {
      return { datasetId, name, byteCount, sha256 };
    }),
  );
  const datasets: ImportedVersion[] = [];
  for (const each of mirrored) {
    datasets.push(
      due.includes(each)
        ? await importOne(request, publication, each)
        : await untouched(request.lake, each),
    );
  }
  const { outcome, isRefused } = publication;
  if (!isRefused) return { ...outcome, datasets };
  const nothing = { isPublished: false, partitions: [] };
  return { ...outcome, datasets: datasets.map((each) => ({ ...each, ...nothing })) };
}

function reasonOf({ reason, directory }: MirrorImportRequest, due: readonly Mirrored[]): string {
  if (reason !== null) return reason;
  const versions = due.map(({ dataset, note }) => `${dataset.textId} ${note.dataset_version ?? 0}`);
  const servers = [...new Set(due.map(({ note }) => note.server))];
  const text = `mirror ${directory}: versions ${versions.join(', ')} of ${servers.join(', ')}`;
  return printableLine(text).slice(0, REASON_CHARACTERS_MAX);
}

/** Throws a `UsageError` for a folder that is no whole mirror, or of which something is altered. */
export async function importMirror(request: MirrorImportRequest): Promise<MirrorImportReport> {
  const { catalog, lake, directory, vendor, signal } = request;
  const mirrored = readMirror(directory).map((each) => inCatalog(catalog, each));
  const due: Mirrored[] = [];
  for (const each of mirrored) if (!(await isLoaded(lake, each))) due.push(each);
  const named = due.length > 0 ? due : mirrored;
  const datasets = named.map(({ dataset }) => dataset);
  const reason = due.length > 0 ? reasonOf(request, due) : request.reason;
  const onWait = () => request.onProgress('waiting for another publication', 0);
  const options = { datasets, command: 'import mirror', reason, vendor, signal, onWait };
  return await lake.publication(options, (publication) =>
    importAll(request, publication, mirrored, due),
  );
}
