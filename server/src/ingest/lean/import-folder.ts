/**
 * Imports a LEAN data folder: everything is read and checked first, then all datasets are published
 * at once.
 */

import { UsageError } from '../../base/errors.ts';
import type { Catalog, Dataset } from '../../catalog/dataset.ts';
import { batchOfRows, type CellValue, type ColumnBatch } from '../../engine/columns.ts';
import type { BadValue } from '../../engine/file-loading.ts';
import type { OpenPublication, PublicationOutcome } from '../../lake/publication.ts';
import { defaultMode, type PublishMode } from '../../lake/publication-options.ts';
import { badRowsRefusal, type LoadedDataset, type LoadRequest } from '../ingest-files.ts';
import { requireRowRules } from '../row-rules.ts';
import { digestFile, manifestDigest, type SourceDigest } from '../source-bytes.ts';
import { type Feed, type LeanRow, type Reading, recordsOf } from './feed.ts';
import { FEEDS } from './feeds.ts';
import { futuresDataZone } from './futures-feeds.ts';
import { Identification } from './identify.ts';
import { Identities } from './identities.ts';
import { type MarketHours, readMarketHours } from './market-hours.ts';
import { type LeanFile, type LeanFolder, type SkippedFiles, scanFolder } from './scan-folder.ts';
import { BadRows } from './text-source.ts';

const NO_NUMBERS = { securities: [], warnings: [] };

export interface ImportRequest extends LoadRequest {
  readonly directory: string;
  readonly catalog: Catalog;
  /** Null: as the default of each dataset is. */
  readonly mode: PublishMode | null;
  readonly vendor: string;
  readonly dropSuspicious: boolean;
  /** Called with what is being read, before each file that is checked and each dataset. */
  readonly onStep: (done: number, total: number, what: string) => void;
}

export interface ImportReport extends PublicationOutcome {
  /** False when there were more bad rows than allowed, or a check refused them. */
  readonly isPublished: boolean;
  readonly datasets: readonly LoadedDataset[];
  readonly fileCount: number;
  /** The folder, with one digest for all files that are imported: see `manifestDigest`. */
  readonly sources: readonly SourceDigest[];
  readonly skipped: readonly SkippedFiles[];
  /** Contradictions between map files and rows that may be published, each a line. */
  readonly warnings: readonly string[];
  readonly badRowCount: number;
  /** The first ten, in the order of the files' names. */
  readonly badValues: readonly BadValue[];
}

/** Sets futures files aside whose clock is not known: their times would be guesses. */
function withKnownClocks(folder: LeanFolder, hours: MarketHours): LeanFolder {
  const hasClock = (file: LeanFile) =>
    !file.kind.startsWith('futures') || futuresDataZone(hours, file) !== null;
  const files = folder.files.filter(hasClock);
  const [first] = folder.files.filter((file) => !hasClock(file));
  if (!first) return folder;
  const reason = 'the market hours database has no US time zone for them';
  const count = folder.files.length - files.length;
  return { files, skipped: [...folder.skipped, { reason, count, example: first.name }] };
}

/** Reads every file once: its bad rows are counted, and its digest is returned. */
async function checkFiles(
  request: ImportRequest,
  reading: Reading,
  found: Identification,
  steps: number,
): Promise<SourceDigest[]> {
  const digests: SourceDigest[] = [];
  for (const [i, file] of reading.folder.files.entries()) {
    request.onStep(i, steps, file.name);
    digests.push({ name: file.name, ...(await digestFile(file.path, request.signal)) });
    if (file.kind === 'market hours') continue;
    for await (const { records } of recordsOf(file.kind, [file], reading.badRows)) {
      request.signal.throwIfAborted();
      found.note(file, records);
    }
  }
  found.countContradictions(reading.badRows);
  return digests;
}

function datasetOf({ catalog }: ImportRequest, feed: Feed): Dataset {
  const dataset = catalog.byTextId(feed.dataset);
  if (!dataset) throw new UsageError(`the catalogue has no dataset ${feed.dataset}`);
  return dataset;
}

const BATCH_ROWS = 20_000;

/** The rows' cells in the order of the dataset's columns. */
function batchOf(dataset: Dataset, rows: readonly LeanRow[]): ColumnBatch {
  for (const name of Object.keys(rows[0] ?? {})) {
    if (!dataset.columnByName.has(name)) {
      throw new UsageError(`the definition of ${dataset.textId} lacks the column ${name}`);
    }
  }
  const cellsOf = (row: LeanRow): CellValue[] =>
    dataset.columns.map(({ name }) => row[name] ?? null);
  return batchOfRows(dataset.columns, rows.map(cellsOf));
}

async function* batchesOf(dataset: Dataset, pieces: AsyncIterable<readonly LeanRow[]>) {
  let rows: LeanRow[] = [];
  for await (const piece of pieces) {
    rows = rows.length === 0 ? [...piece] : rows.concat(piece);
    if (rows.length < BATCH_ROWS) continue;
    yield batchOf(dataset, rows);
    rows = [];
  }
  if (rows.length > 0) yield batchOf(dataset, rows);
}

/** Adds the companies that rows are of. */
async function* notingCompanies(pieces: AsyncIterable<readonly LeanRow[]>, companies: Set<string>) {
  for await (const rows of pieces) {
    for (const { ASID } of rows) if (ASID) companies.add(`${ASID}`);
    yield rows;
  }
}

async function writeFeed(
  request: ImportRequest,
  reading: Reading,
  feed: Feed,
  publication: OpenPublication,
): Promise<LoadedDataset> {
  const { lake, vendor, lossPercentMax, signal } = request;
  const dataset = datasetOf(request, feed);
  const { datasetId, textId } = dataset;
  const mode = feed.replaces === 'all' ? 'replace' : (request.mode ?? defaultMode(dataset));
  const companies = new Set<string>();
  const replacesCompanies = feed.replaces === 'companies' && request.mode === 'append';
  const writer = await lake.openWriter(dataset, signal);
  try {
    let rowCount = 0;
    // The check has counted the bad rows; here they are only left out.
    const pieces = feed.rows({ ...reading, badRows: new BadRows() });
    const noted = replacesCompanies ? notingCompanies(pieces, companies) : pieces;
    for await (const batch of batchesOf(dataset, noted)) {
      signal.throwIfAborted();
      requireRowRules(dataset, batch);
      await writer.append(batch);
      rowCount += batch.rowCount;
    }
    const removed = replacesCompanies ? { dates: null, identifiers: [...companies] } : undefined;
    const options = { dataset, vendor, lossPercentMax, mode, removed };
    const report = await publication.write(options, writer);
    const { partitions, replacedRowCount, findings: checks } = report;
    return { datasetId, textId, rowCount, partitions, replacedRowCount, checks };
  } finally {
    await writer.close();
  }
}

async function importFeeds(
  request: ImportRequest,
  reading: Reading,
  found: Identification,
  feeds: readonly Feed[],
  publication: OpenPublication,
): Promise<ImportReport> {
  const { folder, badRows } = reading;
  const fileCount = folder.files.length;
  const steps = fileCount + feeds.length;
  const source = manifestDigest(
    request.directory,
    await checkFiles(request, reading, found, steps),
  );
  const ids = feeds.map((feed) => datasetOf(request, feed).datasetId);
  await publication.noteSources(ids.map((datasetId) => ({ datasetId, ...source })));
  const refusal = badRowsRefusal(badRows.count, request.maxBadRows);
  if (refusal !== null) publication.refuse(refusal);
  const isGood = refusal === null;
  const { securities, warnings } = isGood ? await found.assign() : NO_NUMBERS;
  const identified = { ...reading, identities: new Identities(securities) };
  const datasets: LoadedDataset[] = [];
  for (const [i, feed] of (isGood ? feeds : []).entries()) {
    request.onStep(fileCount + i, steps, feed.dataset);
    datasets.push(await writeFeed(request, identified, feed, publication));
  }
  const { skipped } = folder;
  const isPublished = !publication.isRefused;
  const { count: badRowCount, first: badValues } = badRows;
  const files = { fileCount, sources: [source], skipped, warnings, badRowCount, badValues };
  return { ...publication.outcome, isPublished, datasets, ...files };
}

/** Throws `UsageError` for a folder that is none of LEAN's or that cannot be read. */
export async function importLeanFolder(request: ImportRequest): Promise<ImportReport> {
  const { lake, signal, dropSuspicious } = request;
  const scanned = scanFolder(request.directory);
  const hours = readMarketHours(scanned);
  const folder = withKnownClocks(scanned, hours);
  const { securities } = lake;
  const found = await Identification.of(folder, securities);
  const reading = {
    ...{ folder, hours, dropSuspicious, identities: found.expected },
    badRows: new BadRows(),
    readSecurities: () => securities.all(),
  };
  const feeds = FEEDS.filter(({ kinds }) => folder.files.some(({ kind }) => kinds.includes(kind)));
  const datasets = feeds.map((feed) => datasetOf(request, feed));
  const { vendor, into, reason } = request;
  const options = { datasets, command: 'import lean', vendor, into, reason, signal };
  return await lake.publication(options, (publication) =>
    importFeeds(request, reading, found, feeds, publication),
  );
}
