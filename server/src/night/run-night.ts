/** Loads the files of a night, assigns ASIDs, derives, and publishes all of it or nothing. */
import { existsSync, lstatSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { AllowanceMissing, type LoadAllowance, UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type Assignment, assignableDatasets, assignInto } from '../derive/assign-ids.ts';
import { dependentsOf } from '../derive/derivation-graph.ts';
import { deriveInto } from '../derive/derive.ts';
import type { DerivedDataset } from '../derive/derive-dataset.ts';
import { InputRows } from '../derive/input-rows.ts';
import type { EngineReader, WrittenDate } from '../engine/engine.ts';
import {
  type CountPublished,
  datesInName,
  usualRowCount,
  usualSpan,
} from '../ingest/deliveries.ts';
import {
  badRowsRefusal,
  type IngestReport,
  type IngestRequest,
  isSupersededIn,
  lacksSomething,
  loadedDates,
  loadInto,
  requireMode,
  staleFileOf,
  staleText,
} from '../ingest/ingest-files.ts';
import type { SourceDigest } from '../ingest/source-bytes.ts';
import { digestsOf } from '../ingest/source-files.ts';
import { refusalOf } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication, PublicationOutcome } from '../lake/publication.ts';
import type { LoadedDates, PublishedSource } from '../store/publications.ts';

/** Files of one dataset that are read in one way. */
export interface NightLoad
  extends Pick<
    IngestRequest,
    'dataset' | 'files' | 'symbols' | 'mode' | 'opener' | 'timeZone' | 'vendor' | 'expect'
  > {
  /** Null: the files name the columns of the dataset. */
  readonly recipe: string | null;
  /** True if the rows of a file have the date in its name. */
  readonly isDatedByName: boolean;
  /** Files that were published before, which are not read again. */
  readonly knownFiles: readonly string[];
  /** Files that have their bytes of before a correction again. */
  readonly stale: readonly PublishedSource[];
  readonly allows: readonly LoadAllowance[];
}

export interface NightRequest
  extends Pick<IngestRequest, 'lake' | 'lossPercentMax' | 'spool' | 'signal' | 'onProgress'> {
  readonly catalog: Catalog;
  readonly engine: EngineReader;
  /** Each has files. */
  readonly loads: readonly NightLoad[];
  /** All loads of the night: where nothing is new, their known files count all the same. */
  readonly planned: readonly Pick<NightLoad, 'dataset' | 'knownFiles'>[];
  /** Files that nothing reads, which refuse the night. */
  readonly unread: readonly UnreadFile[];
  readonly assigns: boolean;
  readonly derives: boolean;
  readonly onWait: () => void;
}

export interface UnreadFile {
  readonly file: string;
  /** Why, with its name. */
  readonly text: string;
  /** The next step of the person who reads the report. */
  readonly next: string;
}

interface NightDate extends Pick<WrittenDate, 'date' | 'rowCount'> {
  /** Null: too few earlier dates are known, or not all rows of the date were loaded. */
  readonly usualRowCount: number | null;
  /** Published rows of the date that the loaded ones replace. */
  readonly replacedRowCount: number;
}

interface Refusal {
  readonly text: string;
  /** The allowance that would publish it; null: none would. */
  readonly allowedBy: LoadAllowance | null;
}

/** The end of one load. */
export interface LoadedFiles {
  readonly load: NightLoad;
  /** Null: they could not be read as a whole, or they would do harm. */
  readonly report: IngestReport | null;
  readonly dates: readonly NightDate[];
  /** Null: they may be published. */
  readonly refusal: Refusal | null;
}

export interface NightReport extends PublicationOutcome {
  readonly loads: readonly LoadedFiles[];
  /** Null: none were to be assigned. */
  readonly assigned: Assignment | null;
  readonly derived: readonly DerivedDataset[];
}

/**
 * The load with its new files alone: those that the dataset was never published from, and those
 * that have the bytes of before their correction again.
 */
export async function withNewFiles(
  { ledger }: Lake,
  load: NightLoad,
  signal: AbortSignal,
): Promise<NightLoad> {
  const keyOf = ({ name, sha256 }: Pick<SourceDigest, 'name' | 'sha256'>) =>
    [sha256, ...(load.isDatedByName ? datesInName(name) : [])].join(' ');
  const published = await ledger.publishedSources(load.dataset.datasetId);
  const known = new Set(published.map(keyOf));
  const digests = await digestsOf(load.files, signal);
  const isStale = isSupersededIn(published);
  const isOld = (digest: SourceDigest) => known.has(keyOf(digest)) && !isStale(digest);
  const [old = [], added = []] = [true, false].map((isKnown) =>
    digests.filter((digest) => isOld(digest) === isKnown),
  );
  const stale = added
    .filter((digest) => known.has(keyOf(digest)))
    .flatMap((digest) => {
      const before = published.findLast(({ sha256 }) => sha256 === digest.sha256);
      return before ? [{ ...before, name: digest.name }] : [];
    });
  const nameOf = new Map(added.map(({ name, sha256 }) => [sha256, name]));
  const copy = added.find(({ name, sha256 }) => nameOf.get(sha256) !== name);
  if (copy) {
    const other = nameOf.get(copy.sha256);
    throw new UsageError(`${copy.name}: has the same bytes as ${other}; take one of them out`);
  }
  const [files, knownFiles] = [added, old].map((each) => each.map(({ name }) => name));
  return { ...load, files, knownFiles, stale };
}

function refusalIn({ badRowCount, checks }: IngestReport): Refusal | null {
  const text = badRowsRefusal(badRowCount, 0) ?? refusalOf(checks);
  return text === null ? null : { text, allowedBy: null };
}

/** The result of `work`; where the data is at fault, the publication is refused. */
async function refusing<T>(
  { lake, signal }: NightRequest,
  publication: OpenPublication,
  work: () => Promise<T>,
): Promise<{ readonly done: T; readonly refusal: null } | { done: null; refusal: Refusal }> {
  try {
    return { done: await work(), refusal: null };
  } catch (error) {
    // If the parts are another store's, no file is to blame.
    if (!(error instanceof UsageError) || lake.owner.problem || signal.aborted) throw error;
    publication.refuse(error.message);
    const allowedBy = error instanceof AllowanceMissing ? error.allowedBy : null;
    return { done: null, refusal: { text: error.message, allowedBy } };
  }
}

async function compareDates(
  { dataset, mode }: NightLoad,
  dates: readonly WrittenDate[],
  countPublished: CountPublished,
): Promise<NightDate[]> {
  const isWhole = mode !== 'append' && mode !== 'replace-identifiers';
  const published = dates.length > 0 ? await countPublished(dataset, usualSpan(dates)) : [];
  return dates.map(({ date, rowCount }) => {
    const before = published.find((each) => each.date === date)?.rowCount ?? 0;
    return {
      ...{ date, rowCount },
      usualRowCount: isWhole ? usualRowCount(dataset, date, published) : null,
      replacedRowCount: isWhole ? before : 0,
    };
  });
}

async function loadFiles(
  request: NightRequest,
  publication: OpenPublication,
  load: NightLoad,
  countPublished: CountPublished,
): Promise<LoadedFiles> {
  const { recipe: _recipe, isDatedByName: _isDated, knownFiles: _, stale, allows, ...given } = load;
  const { lake, lossPercentMax, spool, signal, onProgress } = request;
  const shared = { lake, signal, onProgress, ...(spool ? { spool } : {}) };
  const limits =
    lossPercentMax === undefined || allows.includes('allow_loss') ? {} : { lossPercentMax };
  const allowed = {
    allowsRepeats: allows.includes('again'),
    allowsUnended: allows.includes('allow_unended'),
  };
  const asked = { ...given, ...shared, ...limits, ...allowed, maxBadRows: 0, countPublished };
  let written: readonly WrittenDate[] = [];
  const { done, refusal } = await refusing(request, publication, async () => {
    const report = await loadInto(asked, publication, (found) => {
      written = found;
    });
    // Beside new files, or appended, its rows would pass for new ones.
    if (stale.length === 0 || !report.isPublished || allowed.allowsRepeats) return report;
    throw new AllowanceMissing(await staleText(lake, load.dataset, stale), 'again');
  });
  const dates = await compareDates(load, written, countPublished);
  return { load, report: done, dates, refusal: refusal ?? (done && refusalIn(done)) };
}

/** Null, or why a load would replace what another one of the night has just brought. */
function repeatedDate({ load, dates }: LoadedFiles, earlier: readonly LoadedFiles[]) {
  if (load.mode === 'append') return null;
  const others = earlier.filter((each) => each.load.dataset === load.dataset);
  const brought = new Set(others.flatMap((each) => each.dates.map(({ date }) => date)));
  const twice = dates.find(({ date }) => brought.has(date));
  return twice ? `another load of this night brings ${twice.date} as well` : null;
}

/** Datasets that a refused night did not derive keep their last outcome. */
async function leaveOut(publication: OpenPublication, dependents: readonly Dataset[]) {
  const leftOut = dependents.map(({ datasetId }) => datasetId);
  if (publication.isRefused) await publication.note({ leftOut });
}

async function nightInto(
  request: NightRequest,
  dependents: readonly Dataset[],
  publication: OpenPublication,
): Promise<Omit<NightReport, keyof PublicationOutcome>> {
  const { catalog, lake, engine, signal, assigns, onWait } = request;
  const partsOf = ({ datasetId }: Dataset) => lake.publishedParts(datasetId);
  const published = new InputRows(partsOf, engine, signal);
  const countPublished: CountPublished = (dataset, span) => published.countByDay(dataset, span);
  for (const { text } of request.unread) publication.refuse(text);
  const loads: LoadedFiles[] = [];
  for (const load of request.loads) {
    const loaded = await loadFiles(request, publication, load, countPublished);
    const text = repeatedDate(loaded, loads);
    if (text !== null) publication.refuse(text, load.dataset);
    loads.push(text === null ? loaded : { ...loaded, refusal: { text, allowedBy: null } });
  }
  const isNew = loads.some(({ report }) => report?.isPublished);
  if (publication.isRefused || !isNew) {
    await leaveOut(publication, dependents);
    return { loads, assigned: null, derived: [] };
  }
  const datasets = request.loads.map(({ dataset }) => dataset);
  const shared = { catalog, lake, engine, signal };
  const assignable = assignableDatasets(catalog).filter((dataset) => datasets.includes(dataset));
  const { done: assigned } = await refusing(request, publication, async () => {
    const asked = { ...shared, datasets: assignable, corrects: false, onWait };
    return assigns ? await assignInto(asked, publication) : null;
  });
  // Rows that have got their ASIDs are compared with earlier ones that have theirs.
  for (const [at, loaded] of (assigned ? loads : []).entries()) {
    const { dataset, mode, allows } = loaded.load;
    if (mode !== 'replace-dates' || allows.includes('again')) continue;
    const { refusal } = await refusing(request, publication, () => publication.requireNew(dataset));
    if (refusal) loads[at] = { ...loaded, refusal };
  }
  const { done: derived } = await refusing(request, publication, async () => {
    const choice = { dates: null, isStaleOnly: true, replacesLoaded: false };
    const asked = { ...shared, ...choice, datasets: dependents, onSlice: () => undefined };
    const written = new Set(datasets.map(({ datasetId }) => datasetId));
    await leaveOut(publication, dependents);
    if (dependents.length === 0 || publication.isRefused) return [];
    return (await deriveInto(asked, publication, written)).datasets;
  });
  return { loads, assigned, derived: derived ?? [] };
}

/** False in doubt, such as on a share that is not mounted. */
function isRemoved(file: string): boolean {
  try {
    return existsSync(dirname(file)) && !lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return false;
  }
}

/** Files that no recipe fitted in an earlier night, and that have been removed since. */
async function removedFiles({ ledger }: Lake): Promise<string[]> {
  const removed: string[] = [];
  for (const { publicationId, unreadFiles } of await ledger.notedLoads()) {
    const files = unreadFiles.filter((file) => isAbsolute(file) && isRemoved(file));
    // `ticklake watch` itself moves the files that it refuses.
    const isOfNight = async () => (await ledger.publication(publicationId))?.command === 'night';
    if (files.length > 0 && (await isOfNight())) removed.push(...files);
  }
  return removed;
}

/** Tells alerts of all that came, or of all that is still missing. */
async function toldOf(
  { lake, planned, unread }: NightRequest,
  { isRefused }: OpenPublication,
  loads: readonly LoadedFiles[],
): Promise<LoadedDates[]> {
  const told = loads.filter(({ report, refusal }) => {
    const isDone = report?.rowCount === 0 || (isRefused && report?.isUnchanged);
    return refusal !== null || !isDone;
  });
  const files = isRefused ? unread.map(({ file }) => file) : await removedFiles(lake);
  const known = isRefused ? [] : planned;
  const none = { dates: [], files: [], areAll: false, needsCare: false };
  return [
    { ...none, datasetId: null, files },
    ...known.map(({ dataset: { datasetId }, knownFiles }) => ({ ...none, datasetId, knownFiles })),
    ...told.flatMap(({ load, report, dates, refusal }) => {
      const needsCare = report !== null && lacksSomething(report);
      const allowedBy = refusal?.allowedBy ?? null;
      const stale = load.stale.map(({ name }) => staleFileOf({ files: [name] }, allowedBy));
      const noted = stale.length > 0 ? new Set(stale) : [staleFileOf(load, allowedBy)];
      return [...noted].flatMap((file) => loadedDates(load, dates, needsCare, file));
    }),
  ];
}

/** Datasets that were loaded in the night itself are not derived. */
export async function runNight(request: NightRequest): Promise<NightReport> {
  const { catalog, lake, loads, derives, signal, onWait } = request;
  for (const load of loads) requireMode(load);
  const loaded = new Set(loads.map(({ dataset }) => dataset));
  const textIds = [...loaded].map(({ textId }) => textId);
  const dependents = derives ? dependentsOf(catalog, textIds) : [];
  const options = { datasets: [...loaded, ...dependents], command: 'night', signal, onWait };
  const publication = await lake.publications.begin(options);
  const found = await publication.run(async () => {
    const made = await nightInto(request, dependents, publication);
    publication.noteLoaded(await toldOf(request, publication, made.loads));
    return made;
  });
  return { ...publication.outcome, ...found };
}
