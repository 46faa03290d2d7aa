/** Loads files into one dataset and publishes them together, or nothing of them. */
import { AllowanceMissing, UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { HEADER_AS_IT_IS, type HeaderRules } from '../catalog/header-columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { BadValue, LoadReport } from '../engine/file-loading.ts';
import { identifierColumn } from '../engine/indexed-columns.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import type { Repeats } from '../lake/losses.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { PublishMode } from '../lake/publication-options.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type LoadedRows, loadSources } from './load-sources.ts';
import { asLoaded } from './loaded-dataset.ts';
import { notingRefusal } from './refused-loads.ts';
import type { SourceDigest } from './source-digest.ts';
import { openSources, shownSource } from './source-files.ts';
import type { SpoolPlace } from './spool.ts';

/** How the rows take their place, see `PublishMode`. */
export const LOAD_MODES = ['replace-dates', 'replace', 'replace-identifiers', 'append'] as const;
export type LoadMode = (typeof LOAD_MODES)[number] & PublishMode;

export interface IngestRequest {
  readonly lake: Lake;
  readonly dataset: Dataset;
  /** Paths, folders, patterns, addresses, and `-` for standard input. */
  readonly files: readonly string[];
  /** Absent: `-` is refused. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Where zip and Parquet files are kept that come as streams; absent: they are refused. */
  readonly spool?: SpoolPlace;
  readonly mode: PublishMode;
  /** As in `StageOptions`; absent: anything may be lost. */
  readonly lossPercentMax?: number;
  /** Whether a file may be appended whose rows the dataset has already. */
  readonly allowsRepeats?: boolean;
  /** The open publication that is written into; absent or null: one of the load's own. */
  readonly into?: number | null;
  /** Why, in the words of whoever loads. */
  readonly reason?: string | null;
  /** The clock of times without an offset; absent or null: as the definition says. */
  readonly timeZone?: TimeZone | null;
  /** Whether the last line of a text needs no line end. */
  readonly allowsUnended?: boolean;
  /** Absent: names in headers are those of columns. */
  readonly header?: HeaderRules;
  /** Up to this many bad rows are left out; with one more, nothing is published. */
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
  /** Its number among all publications of the lake, under which it is in the audit log. */
  readonly publicationId: number;
  /** False when there were more bad rows than allowed, a check refused them, or no rows at all. */
  readonly isPublished: boolean;
  /** Whether the dataset has all of the rows already, so that there was nothing to publish. */
  readonly isUnchanged: boolean;
  /** Whether they only count when the open publication is committed that they were written into. */
  readonly isStaged: boolean;
  /** The dataset's version now; 0 when nothing was ever published. */
  readonly version: number;
  /** As they were given, of addresses neither user nor query. */
  readonly files: readonly string[];
  /** Each file that was read, with the SHA-256 of its stored bytes. */
  readonly sources: readonly SourceDigest[];
  /** Good rows in the files. */
  readonly rowCount: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows that stood in these partitions before and stand there no more. */
  readonly replacedRowCount: number;
  readonly badRowCount: number;
  /** The first ten. */
  readonly badValues: readonly BadValue[];
  /** The checks of the definition that rows break, those that warn among them. */
  readonly checks: readonly CheckFinding[];
}

interface LoadedFiles extends LoadedRows {
  readonly sources: readonly SourceDigest[];
}

export async function loadFiles(
  { dataset, files, stdin, spool, header, signal, onProgress, ...request }: IngestRequest,
  writer: PartWriter,
): Promise<LoadedFiles> {
  const onShare = (share: number) => onProgress('loading', share);
  const options = { signal, stdin: stdin ?? null, spool: spool ?? null, onShare };
  const sources = openSources(files, options);
  try {
    const rules = {
      header: header ?? HEADER_AS_IT_IS,
      allowsUnended: request.allowsUnended ?? false,
    };
    const loaded = await loadSources(writer, dataset, sources.files, signal, rules);
    return { ...loaded, sources: await sources.digests() };
  } finally {
    sources.close();
  }
}

async function publish(
  request: IngestRequest,
  writer: PartWriter,
  publication: OpenPublication,
  { places, sources }: LoadedFiles,
) {
  const { dataset, mode, vendor, lossPercentMax, onProgress } = request;
  onProgress('sorting', 0);
  const options = {
    ...{ dataset, mode, lossPercentMax },
    repeats: await repeatsOf(request, sources),
    vendor: vendor ?? undefined,
    places,
    onProgress: (written: number, all: number) => {
      onProgress('writing', all === 0 ? 1 : written / all);
    },
  };
  const report = await publication.write(options, writer);
  const { version, partitions, replacedRowCount, findings: checks, refusal, isUnchanged } = report;
  if (isUnchanged) publication.publishNothing(`${dataset.textId} has these rows already`);
  const isPublished = refusal === null && !isUnchanged;
  return { isPublished, isUnchanged, version, partitions, replacedRowCount, checks };
}

/** Whether nothing is published of what was loaded; the publication then knows why. */
function endWithoutRows(
  { files, maxBadRows }: IngestRequest,
  { rowCount, badRowCount }: LoadReport,
  publication: OpenPublication,
): boolean {
  if (badRowCount > maxBadRows) {
    publication.refuse(`bad rows: ${badRowCount}, where at most ${maxBadRows} are allowed`);
  } else if (rowCount === 0 && badRowCount > 0) {
    publication.refuse(`no good rows in ${files.join(', ')}`);
  } else if (rowCount === 0) {
    publication.publishNothing(`no rows in ${files.join(', ')}`);
  }
  return rowCount === 0 || badRowCount > maxBadRows;
}

/** Throws an `AllowanceMissing` where rows would be appended twice, because two of the files are the same. */
export function requireDifferent(
  { mode, allowsRepeats }: IngestRequest,
  sources: readonly SourceDigest[],
): void {
  if (mode !== 'append' || allowsRepeats) return;
  const names = new Map<string, string>();
  for (const { name, sha256 } of sources) {
    const earlier = names.get(sha256);
    if (earlier !== undefined) {
      const text = `${name}: has the same bytes as ${earlier}, whose rows are loaded already`;
      throw new AllowanceMissing(text, 'again');
    }
    names.set(sha256, name);
  }
}

/** Undefined: all is written, whatever is there. */
export async function repeatsOf(
  { lake, dataset: { datasetId, textId }, allowsRepeats }: IngestRequest,
  sources: readonly SourceDigest[],
): Promise<Repeats | undefined> {
  if (allowsRepeats) return undefined;
  const published = await lake.ledger.publishedSources(datasetId);
  const earlier = new Map(published.map(({ sha256, publicationId }) => [sha256, publicationId]));
  const known = sources.map(({ sha256 }) => earlier.get(sha256));
  const [first] = sources;
  // A file that was published before may come with others that are new.
  if (!first || known.includes(undefined)) return { staleText: null };
  const staleText = `${first.name}: publication ${known[0]} has published this file, and its rows in ${textId} have been replaced or withdrawn since`;
  return { staleText };
}

const NOTHING_PUBLISHED = {
  ...{ isPublished: false, isUnchanged: false, partitions: [] },
  ...{ replacedRowCount: 0, checks: [] },
} as const;

/** Refuses what the dataset cannot do. */
export function requireMode({ dataset, mode }: IngestRequest): void {
  const missing =
    (mode === 'replace-identifiers' && identifierColumn(dataset) === null && 'identifiers') ||
    (mode === 'replace-dates' && dataset.dateColumn === null && 'dates');
  if (!missing) return;
  throw new UsageError(`the rows of ${dataset.textId} have no ${missing} to be replaced by`);
}

/**
 * Loads the files and publishes their rows as the dataset's next version, unless there are more bad
 * rows than allowed or rows break a check that refuses. Throws a `UsageError` for a file that cannot be read as a whole.
 */
export async function ingestFiles(given: IngestRequest): Promise<IngestReport> {
  const dataset = asLoaded(given.dataset, given.timeZone ?? null);
  const request = { ...given, dataset };
  const { lake, mode, signal, onProgress } = request;
  const files = request.files.map(shownSource);
  const { datasetId, textId } = dataset;
  requireMode(request);
  const { vendor, into, reason } = request;
  const onWait = () => onProgress('waiting for another publication', 0);
  const own = { datasets: [dataset], command: 'ingest', vendor, reason };
  return await lake.publication({ ...own, into, signal, onWait }, async (publication) => {
    const { publicationId } = publication;
    const writer = await lake.openWriter(dataset, signal);
    const load = async (): Promise<IngestReport> => {
      const loaded = await loadFiles(request, writer);
      const { report, sources } = loaded;
      requireDifferent(request, sources);
      await publication.noteSources(sources.map((source) => ({ datasetId, ...source })));
      const hasEnded = endWithoutRows({ ...request, files }, report, publication);
      const version = (await lake.snapshot(datasetId))?.version ?? 0;
      const published = hasEnded
        ? { ...NOTHING_PUBLISHED, version }
        : await publish(request, writer, publication, loaded);
      const isStaged = published.isPublished && Boolean(into);
      const read = { isStaged, files, sources, ...report };
      return { datasetId, textId, publicationId, ...read, ...published };
    };
    try {
      if (into) return await load();
      return await notingRefusal({ lake, dataset, mode, files, publication, writer }, load);
    } finally {
      await writer.close();
    }
  });
}
