/** Loads files into one dataset and publishes them together, or nothing of them. */
import { existsSync } from 'node:fs';
import { atEnd } from '../base/at-end.ts';
import { AllowanceMissing, type LoadAllowance, UsageError } from '../base/errors.ts';
import { counted, firstNames } from '../base/printable.ts';
import type { DatasetCheck } from '../catalog/checks.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { Expectation } from '../catalog/expectations.ts';
import { HEADER_AS_IT_IS, type HeaderRules } from '../catalog/header-columns.ts';
import type { PartWriter, WrittenDate } from '../engine/engine.ts';
import { type BadValue, badValueText, type LoadReport } from '../engine/file-loading.ts';
import { identifierColumn } from '../engine/indexed-columns.ts';
import type { CheckFinding } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import type { Repeats } from '../lake/losses.ts';
import type { OpenPublication, PublicationOutcome } from '../lake/publication.ts';
import { defaultMode, type PublishMode } from '../lake/publication-options.ts';
import type { LoadedDates, PublishedSource } from '../store/publications.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { definedSymbols } from './defined-symbols.ts';
import {
  type CountPublished,
  datesInName,
  expectsNamedDates,
  HOLDS_ROWS,
  isInName,
  needsUsual,
  otherColumnsFinding,
  rowlessFinding,
  unmetExpectations,
  usualSpan,
} from './deliveries.ts';
import { type LoadedRows, loadSources, type TextOpener } from './load-sources.ts';
import { dateNights } from './nights.ts';
import type { SourceDigest } from './source-bytes.ts';
import { openSources, shownSource } from './source-files.ts';
import type { SpoolPlace } from './spool.ts';

/** How the rows take their place, see `PublishMode`. */
export const LOAD_MODES = ['replace-dates', 'replace', 'replace-identifiers', 'append'] as const;
export type LoadMode = (typeof LOAD_MODES)[number] & PublishMode;

/** Asked of every load, of files or of a folder. */
export interface LoadRequest {
  readonly lake: Lake;
  /** As in `StageOptions`; absent: anything may be lost. */
  readonly lossPercentMax?: number;
  /** The open publication that is written into; absent or null: one of the load's own. */
  readonly into?: number | null;
  /** Why, in the words of whoever loads. */
  readonly reason?: string | null;
  /** Up to this many bad rows are left out; with one more, nothing is published. */
  readonly maxBadRows: number;
  readonly signal: AbortSignal;
}

export interface IngestRequest extends LoadRequest {
  readonly dataset: Dataset;
  /** Paths, folders, patterns, addresses, and `-` for standard input. */
  readonly files: readonly string[];
  /** Absent: `-` is refused. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Keeps zip and Parquet files that come as streams; absent: they are refused. */
  readonly spool?: SpoolPlace;
  readonly mode: PublishMode;
  /** True if files may be appended whose rows the dataset has already. */
  readonly allowsRepeats?: boolean;
  /** The clock of times without an offset; absent or null: as the definition says. */
  readonly timeZone?: TimeZone | null;
  /** True if the last line of a text needs no line end. */
  readonly allowsUnended?: boolean;
  /** Files of definitions that give records of DBN their symbols; absent or none: as files say. */
  readonly symbols?: readonly string[];
  /** Absent: names in headers are those of columns. */
  readonly header?: HeaderRules;
  /** Expectations of the files beside those of the definition. */
  readonly expect?: readonly Expectation[] | undefined;
  /** Absent: no rows are compared with earlier ones. */
  readonly countPublished?: CountPublished;
  /** Reads texts by a recipe; absent: as they stand in the files. */
  readonly opener?: TextOpener | undefined;
  /** Who the data comes from; null: as before. */
  readonly vendor: string | null;
  /** Called often with the share of the step that is done, from 0 to 1. */
  readonly onProgress: (step: string, share: number) => void;
}

/** A load as one dataset sees it. */
export interface LoadedDataset {
  readonly datasetId: string;
  readonly textId: string;
  /** Good rows that were read. */
  readonly rowCount: number;
  /** Keys of the partitions written. */
  readonly partitions: readonly string[];
  /** Rows that stood in these partitions before and stand there no more. */
  readonly replacedRowCount: number;
  /** The checks of the definition that rows break, those that warn among them. */
  readonly checks: readonly CheckFinding[];
}

export interface IngestReport extends PublicationOutcome, LoadedDataset {
  /** False when there were more bad rows than allowed, a check refused them, or no rows at all. */
  readonly isPublished: boolean;
  /** True if the dataset has all of the rows already, so that nothing was published. */
  readonly isUnchanged: boolean;
  /** True if the rows count only once the open publication is committed. */
  readonly isStaged: boolean;
  /** The dataset's version now; 0 when nothing was ever published. */
  readonly version: number;
  /** As they were given, of addresses neither user nor query. */
  readonly files: readonly string[];
  /** Each file that was read, with the SHA-256 of its stored bytes. */
  readonly sources: readonly SourceDigest[];
  readonly badRowCount: number;
  /** The first ten. */
  readonly badValues: readonly BadValue[];
}

/** Refuses dates before the dataset begins: times that were lost become days around 1970. */
function startCheck(dataset: Dataset): DatasetCheck[] {
  const { startDate: min, dateColumn: column } = dataset;
  if (min === null || column === null || defaultMode(dataset) !== 'replace-dates') return [];
  const name = `${column} >= ${min}, the start_date of ${dataset.textId}, or on days that lead up to it`;
  const rule = { kind: 'range', column, min, max: null } as const;
  return [{ name, severity: 'refuse', rule, isOfStart: true }];
}

/**
 * The dataset as files are loaded into it, which begins with its published rows where these are
 * older, and at any date where the names of files say which one their rows have.
 */
export async function asLoaded({
  lake,
  dataset,
  timeZone,
  opener,
}: Pick<IngestRequest, 'lake' | 'dataset' | 'timeZone' | 'opener'>): Promise<Dataset> {
  const published = (await lake.snapshot(dataset.datasetId))?.firstDate ?? null;
  const isOlder = dataset.startDate !== null && published !== null && published < dataset.startDate;
  const startDate = isOlder ? published : dataset.startDate;
  const begun = { ...dataset, startDate: opener?.hasDatedNames ? null : startDate };
  const checks = [...dataset.checks, ...startCheck(begun)];
  return { ...begun, fileTimeZone: timeZone ?? dataset.fileTimeZone, checks };
}

interface LoadedFiles extends LoadedRows {
  readonly sources: readonly SourceDigest[];
  /** Files of definitions that gave records their symbols. */
  readonly definitions: readonly SourceDigest[];
  /** Names in the files that are not read. */
  readonly otherColumns: ReadonlySet<string>;
  /** Files that were left out, and rows that got the trade date of their night. */
  readonly warnings: readonly CheckFinding[];
}

export async function loadFiles(
  { dataset, files, stdin, spool, header, signal, onProgress, ...request }: IngestRequest,
  writer: PartWriter,
): Promise<LoadedFiles> {
  const onShare = (share: number) => onProgress('loading', share);
  const { symbols, sources: definitions } = await definedSymbols(request.symbols, signal);
  const rowless: string[] = [];
  const onRowless = (name: string) => void rowless.push(name);
  const streams = { stdin: stdin ?? null, spool: spool ?? null };
  const isByRecipe = request.opener !== undefined;
  const options = { signal, ...streams, symbols, onShare, isByRecipe, onRowless };
  const sources = openSources(files, options);
  using _sources = atEnd(() => sources.close());
  const otherColumns = new Set<string>();
  const onOthers = (names: readonly string[]) => {
    for (const name of names) otherColumns.add(name);
  };
  const rules = {
    header: {
      ...(header ?? HEADER_AS_IT_IS),
      ...(dataset.otherColumns === 'warn' ? { onOthers } : {}),
    },
    opener: request.opener,
    allowsUnended: request.allowsUnended ?? false,
  };
  const loaded = await loadSources(writer, dataset, sources.files(), signal, rules);
  const warnings = [...rowlessFinding(rowless), ...(await dateNights(dataset, writer))];
  for (const name of request.opener?.otherFields ?? []) otherColumns.add(name);
  return { ...loaded, warnings, sources: await sources.digests(), definitions, otherColumns };
}

/** Throws an `AllowanceMissing` if two of the files to append have the same bytes. */
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

const STALE_NAMED_MAX = 3;

/** Why rows of files that were published before must not take the place of others. */
export async function staleText(
  { ledger }: Lake,
  { datasetId, textId }: Dataset,
  stale: readonly Pick<PublishedSource, 'name' | 'publicationId'>[],
): Promise<string> {
  const names = stale.map(async ({ name, publicationId }, at) => {
    if (at >= STALE_NAMED_MAX) return name;
    const keys = await ledger.changedKeys(publicationId, datasetId);
    const dates = [...new Set([keys[0], keys.at(-1)])].filter(Boolean).join(' to ');
    return `${name} (publication ${publicationId}${dates && `, rows of ${dates}`})`;
  });
  const named = firstNames(await Promise.all(names), STALE_NAMED_MAX);
  return `${counted(stale.length, 'file')} published before: ${named}; their rows in ${textId} have been replaced or withdrawn since, or were read in another way`;
}

/** True of a file that has bytes of before: others have been published under its name since. */
export function isSupersededIn(published: readonly PublishedSource[]) {
  const latest = new Map(published.map(({ name, sha256 }) => [name, sha256]));
  return ({ name, sha256 }: SourceDigest) => (latest.get(name) ?? sha256) !== sha256;
}

/** Undefined: all is written, whatever is there. */
export async function repeatsOf(
  { lake, dataset, allowsRepeats }: IngestRequest,
  sources: readonly SourceDigest[],
): Promise<Repeats | undefined> {
  if (allowsRepeats) return undefined;
  const published = await lake.ledger.publishedSources(dataset.datasetId);
  const earlier = new Map(published.map((each) => [each.sha256, each]));
  const known = sources.filter(({ sha256 }) => earlier.has(sha256));
  // A file that was published before may come with others that are new, unless it was corrected.
  const superseded = known.filter(isSupersededIn(published));
  const areAllStale = superseded.length === 0 && known.length === sources.length;
  const stale = (areAllStale ? known : superseded).flatMap(({ name, sha256 }) => {
    const before = earlier.get(sha256);
    return before ? [{ ...before, name }] : [];
  });
  return { staleText: stale.length > 0 ? await staleText(lake, dataset, stale) : null };
}

/** Refuses what the dataset cannot do. */
export function requireMode({ dataset, mode }: Pick<IngestRequest, 'dataset' | 'mode'>): void {
  const missing =
    (mode === 'replace-identifiers' && identifierColumn(dataset) === null && 'identifiers') ||
    (mode === 'replace-dates' && dataset.dateColumn === null && 'dates');
  if (!missing) return;
  throw new UsageError(`the rows of ${dataset.textId} have no ${missing} to be replaced by`);
}

/** Findings about the files and the dates of their rows, beside the checks of single rows. */
export async function findUnmet(
  { dataset, expect = [], mode, countPublished }: IngestRequest,
  writer: PartWriter,
  { sources, otherColumns, warnings }: LoadedFiles,
): Promise<CheckFinding[]> {
  const expectations = [...dataset.expectations, ...expect];
  const others = [...otherColumnsFinding(otherColumns), ...warnings];
  if (expectations.length === 0) return others;
  const identifiers = new Set(expectations.flatMap((each) => each.identifiers ?? []));
  const dates = await writer.dates([...identifiers]);
  const isWhole = mode !== 'append' && mode !== 'replace-identifiers';
  const isCompared = countPublished && isWhole && dates.length > 0 && needsUsual(expectations);
  const published = isCompared ? await countPublished(dataset, usualSpan(dates)) : [];
  const fileNames = sources.map(({ name }) => name);
  const delivery = { dataset, fileNames, dates, published, isWhole };
  return [...others, ...unmetExpectations(delivery, expectations)];
}

type Written = Pick<
  IngestReport,
  'isPublished' | 'isUnchanged' | 'version' | 'partitions' | 'replacedRowCount' | 'checks'
>;

/** Why so many bad rows refuse a load; null: they do not. */
export function badRowsRefusal(badRowCount: number, maxBadRows: number): string | null {
  if (badRowCount <= maxBadRows) return null;
  return `bad rows: ${badRowCount}, where at most ${maxBadRows} are allowed`;
}

/** Why nothing of the rows is published; null: they may be. */
function withoutRows(
  { files, maxBadRows }: IngestRequest,
  { rowCount, badRowCount, badValues: [first] }: LoadReport,
): { readonly isRefused: boolean; readonly message: string } | null {
  const shown = files.map(shownSource).join(', ');
  const refusal = badRowsRefusal(badRowCount, maxBadRows);
  if (refusal !== null) {
    const example = first ? `; first ${badValueText(first)}` : '';
    return { isRefused: true, message: `${refusal}${example}` };
  }
  if (rowCount > 0) return null;
  if (badRowCount > 0) return { isRefused: true, message: `no good rows in ${shown}` };
  return { isRefused: false, message: `no rows in ${shown}` };
}

/** Checks the rows against their definition and writes them as parts, if there are any. */
async function writeRows(
  request: IngestRequest,
  publication: OpenPublication,
  writer: PartWriter,
  loaded: LoadedFiles,
): Promise<Written> {
  const { report, places, sources } = loaded;
  const { lake, dataset, mode, vendor, lossPercentMax, onProgress } = request;
  const nothing = withoutRows(request, report);
  if (nothing) {
    if (nothing.isRefused) publication.refuse(nothing.message, dataset);
    else publication.publishNothing(nothing.message);
    const version = (await lake.snapshot(dataset.datasetId))?.version ?? 0;
    const none = { partitions: [], replacedRowCount: 0, checks: [] };
    return { isPublished: false, isUnchanged: false, version, ...none };
  }
  onProgress('sorting', 0);
  const options = {
    dataset,
    mode,
    lossPercentMax,
    repeats: await repeatsOf(request, sources),
    vendor: vendor ?? undefined,
    unmet: await findUnmet(request, writer, loaded),
    places,
    onProgress: (written: number, all: number) => {
      onProgress('writing', all === 0 ? 1 : written / all);
    },
  };
  const { findings: checks, refusal, ...written } = await publication.write(options, writer);
  const { version, partitions, replacedRowCount, isUnchanged } = written;
  if (!request.allowsRepeats && mode === 'replace-dates') await publication.requireNew(dataset);
  if (isUnchanged) publication.publishNothing(`${dataset.textId} has these rows already`);
  const isPublished = refusal === null && !isUnchanged;
  return { isPublished, isUnchanged, version, partitions, replacedRowCount, checks };
}

/** The file of a load that is refused as stale; none: another refusal, or nobody knows which. */
export function staleFileOf(
  { files: [file = '', ...others] }: Pick<IngestRequest, 'files'>,
  allowedBy: LoadAllowance | null,
): string {
  return allowedBy === 'again' && others.length === 0 ? file : '';
}

/** A load as alerts are told of it, whatever becomes of it; `written`: dates of all rows read. */
export function loadedDates(
  {
    dataset,
    mode,
    files,
    expect = [],
  }: Pick<IngestRequest, 'dataset' | 'mode' | 'files' | 'expect'>,
  written: readonly Pick<WrittenDate, 'date'>[],
  needsCare: boolean,
  staleFile = '',
): LoadedDates[] {
  const areAll =
    mode === 'replace-all' || (mode === 'replace' && dataset.partitioning.unit === 'whole');
  const named = files.flatMap(datesInName);
  const came = written.map(({ date }) => date);
  // Refused rows under the name of another date have not brought that one.
  const isMisnamed =
    !needsCare &&
    named.length > 0 &&
    expectsNamedDates([...dataset.expectations, ...expect]) &&
    came.some((date) => !files.some((file) => isInName(file, date)));
  const found = isMisnamed || came.length === 0 ? named : came;
  const dates = [...new Set(found)].sort();
  // A path that leads nowhere is a slip of whoever typed it, and no delivery.
  if (dates.length === 0 && !files.some((file) => existsSync(file))) return [];
  return [{ datasetId: dataset.datasetId, dates, files, areAll, needsCare, staleFile }];
}

/** True of a load that is published without all that was expected of it. */
export function lacksSomething({ isPublished, checks }: IngestReport): boolean {
  return (
    isPublished && checks.some(({ name, found }) => found !== undefined && name !== HOLDS_ROWS)
  );
}

/**
 * Loads the files into a publication. `onDates` is told the dates of the rows, whatever becomes of
 * them.
 */
export async function loadInto(
  given: IngestRequest,
  publication: OpenPublication,
  onDates: (dates: readonly WrittenDate[]) => void,
): Promise<IngestReport> {
  const request = { ...given, dataset: await asLoaded(given) };
  const writer = await request.lake.openWriter(request.dataset, request.signal);
  try {
    const { datasetId, textId } = request.dataset;
    const loaded = await loadFiles(request, writer);
    const { sources, definitions, report } = loaded;
    requireDifferent(request, sources);
    const read = [...sources, ...definitions];
    await publication.noteSources(read.map((source) => ({ datasetId, ...source })));
    const written = await writeRows(request, publication, writer, loaded);
    const files = request.files.map(shownSource);
    const { outcome } = publication;
    const isStaged = outcome.state === 'staged';
    return { datasetId, textId, ...outcome, isStaged, files, sources, ...report, ...written };
  } finally {
    onDates(await writer.dates().catch(() => []));
    await writer.close();
  }
}

/**
 * Loads the files and publishes their rows as the dataset's next version, unless there are more bad
 * rows than allowed or rows break a check that refuses. Throws a `UsageError` for a file that
 * cannot be read as a whole.
 */
export async function ingestFiles(request: IngestRequest): Promise<IngestReport> {
  requireMode(request);
  const { lake, dataset, vendor, into, reason, signal, onProgress } = request;
  const onWait = () => onProgress('waiting for another publication', 0);
  const given = { ...request, files: request.files.map(shownSource) };
  const options = { datasets: [dataset], command: 'ingest', vendor, into, reason, signal, onWait };
  return await lake.publication(options, async (publication) => {
    let dates: readonly WrittenDate[] = [];
    let report: IngestReport | null = null;
    let staleFile = '';
    try {
      report = await loadInto(request, publication, (found) => {
        dates = found;
      });
      return report;
    } catch (error) {
      if (error instanceof AllowanceMissing) staleFile = staleFileOf(given, error.allowedBy);
      throw error;
    } finally {
      const isThere = report === null || report.isPublished || report.isUnchanged;
      const needsCare = report !== null && lacksSomething(report);
      if (isThere || publication.isRefused) {
        publication.noteLoaded(loadedDates(given, dates, needsCare, staleFile));
      }
    }
  });
}
