/** `ticklake watch`: loads what arrives in a folder. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoSeconds } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { CALENDARS_FILE, DEFINITIONS_FOLDER } from '../base/home-layout.ts';
import { printableLine, printableText } from '../base/printable.ts';
import type { Catalog } from '../catalog/dataset.ts';
import { requireHeaderRules } from '../catalog/header-columns.ts';
import { definitionPaths } from '../catalog/load-catalog.ts';
import { digestsOf } from '../ingest/source-files.ts';
import { type Arrival, RESULT_FOLDERS } from '../ingest/watch/arrivals.ts';
import { type Ended, type WatchedFolder, Watcher } from '../ingest/watch/watcher.ts';
import { tryLockFile } from '../installed.ts';
import type { Lake } from '../lake/lake.ts';
import { openCatalog } from '../open-services.ts';
import { chooseRecipe } from '../recipes/choose-recipe.ts';
import { RECIPES_FOLDER } from '../recipes/load-recipes.ts';
import {
  auditedIngest,
  INGEST_OPTIONS,
  type IngestOptions,
  ingestExitCode,
  ingestOptionsOf,
  reportText,
  withOptions,
} from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  textOf,
  wholeNumberOf,
} from './command.ts';
import { DERIVE_OPTION, deriveFrom, derivesAfterLoads } from './derive.ts';
import { withDataset } from './further.ts';
import { openHomeLake } from './opened-home.ts';
import { AUTO, folderNames, loadBy, recipeNamed } from './recipe-commands.ts';
import { errorLines, errorValue, printableJson } from './text.ts';

/** Loads of one dataset since a watcher was killed; further ones are not looked at. */
const PUBLICATIONS_MAX = 1000;

interface BegunLoad {
  readonly datasetId: string;
  /** A file, or a folder of files. */
  readonly path: string;
  readonly startedAtMs: number;
  readonly isByRecipe: boolean;
}

/**
 * The load of exactly these files, begun at that time or later, that ended as it should; null:
 * there is none.
 */
async function publishedSince(
  { ledger }: Lake,
  { datasetId, path, startedAtMs, isByRecipe }: BegunLoad,
  signal: AbortSignal,
) {
  const startedAt = isoSeconds(startedAtMs);
  const publications = await ledger.publications({
    datasetIds: [datasetId],
    states: ['published', 'unchanged'],
    limit: PUBLICATIONS_MAX,
  });
  const later = publications.filter((publication) => publication.startedAt >= startedAt);
  if (later.length === 0) return null;
  const digests = (await digestsOf([path], signal, isByRecipe)).map(({ sha256 }) => sha256);
  const found = later.find(({ sources }) => {
    const loaded = sources.filter((source) => source.datasetId === datasetId);
    return `${loaded.map(({ sha256 }) => sha256).sort()}` === `${digests.sort()}`;
  });
  if (!found) return null;
  const { publicationId, state, finishedAt } = found;
  return { publicationId, datasetId, isPublished: state === 'published', finishedAt };
}

const POLL_MS = 1000;
const SETTLE_SECONDS = 5;
const LOCK_NAME = '.ticklake-watch.lock';

interface Watch {
  readonly context: CommandContext;
  /** Changes with the home's definitions and recipes. */
  mark: string;
  /** Why the changed ones are not in use, as it was said; empty: they are. */
  fault: string;
  catalog: Catalog;
  names: ReturnType<typeof folderNames>;
  readonly lake: Lake;
  readonly options: IngestOptions;
  /** Datasets that were loaded since the last derivation, by their text ids. */
  readonly loaded: Set<string>;
}

/** With `--once` it is not waited for by default: files are renamed into place. */
function settleMsOf(values: OptionValues): number {
  const seconds = wholeNumberOf(values, 'settle', { min: 0, max: 99_999 });
  return 1000 * (seconds ?? (values.once === true ? 0 : SETTLE_SECONDS));
}

function watchedDirectory(given: string): string {
  try {
    if (statSync(given).isDirectory()) return resolve(given);
  } catch (error) {
    throw pathFailure(given, error);
  }
  throw new UsageError(`${given} is not a folder`);
}

/** Changes with the definitions, recipes and calendars of the home; links are followed. */
function homeMark({ config: { home } }: CommandContext): string {
  const folders = [DEFINITIONS_FOLDER, RECIPES_FOLDER].map((name) => join(home, name));
  const paths = folders.filter((folder) => existsSync(folder)).flatMap(definitionPaths);
  const marks = [...paths, join(home, CALENDARS_FILE)].map((path) => {
    const found = statSync(path, { throwIfNoEntry: false });
    return [path, found?.ino, found?.size, found?.ctimeMs].join();
  });
  return marks.join('\n');
}

function sayLeftOut(context: CommandContext, { faulty }: Watch['names']): void {
  for (const [name, faults] of faulty)
    say(context, `the recipe ${name} is left out: ${faults.join('; ')}`);
}

/** Takes over changed definitions and recipes; if one becomes illegal, all stay as they were. */
function refresh(watch: Watch): void {
  const { context } = watch;
  const { config } = context;
  try {
    const mark = homeMark(context);
    if (mark === watch.mark) return;
    const catalog = openCatalog(config.home);
    const names = folderNames(config, catalog);
    const lost = [...names.faulty].filter(([name]) => watch.names.recipes.has(name));
    if (lost.length > 0) throw new UsageError(lost.flatMap(([, faults]) => faults));
    sayLeftOut(context, names);
    Object.assign(watch, { mark, catalog, names, fault: '' });
  } catch (error) {
    const fault = faultsText(error);
    if (fault !== watch.fault)
      say(context, `still using the earlier definitions and recipes: ${fault}`);
    watch.fault = fault;
  }
}

/** The folders that say how their files are read; every other one is told of once. */
function folderFinder(directory: string, watch: Watch, onFailure: (text: string) => void) {
  const told = new Set<string>();
  return (): WatchedFolder[] => {
    refresh(watch);
    return readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const { name } = entry;
        const path = join(directory, name);
        if (entry.isDirectory() && (name === AUTO || watch.names.find(name)))
          return [{ path, as: name }];
        if (!told.has(name))
          onFailure(`${path} is not a folder named after a dataset or a recipe, so it is ignored`);
        told.add(name);
        return [];
      });
  };
}

const faultsText = (error: unknown) => printableLine(errorLines(error).join('; '));

function say({ clock, stderr }: CommandContext, text: string): void {
  stderr.write(printableText(`${isoSeconds(clock.now())} ${text.replace(/\n$/, '')}\n`));
}

/** How the files of a folder are read. Rejects with a `UsageError` where no recipe fits them. */
async function readerOf(watch: Watch, as: string, { path }: Arrival) {
  refresh(watch);
  const { names, context } = watch;
  if (as === AUTO) return await chooseRecipe(names.recipes, [path], context.signal);
  const named = names.find(as);
  if (named === null) throw new Error(`no dataset or recipe is called ${as} any more`);
  return named;
}

/** Leaves a refusal in the ledger, so that alerts tell of a file that no load has read. */
async function noteUnread({ lake }: Watch, { path }: Arrival, text: string): Promise<void> {
  await lake.publication({ datasets: [], command: 'ingest' }, async (publication) => {
    publication.refuse(text);
    const unknown = { datasetId: null, dates: [], areAll: false, needsCare: false };
    publication.noteLoaded([{ ...unknown, files: [path] }]);
  });
}

async function load(watch: Watch, as: string, arrival: Arrival): Promise<Ended> {
  const { context, lake, options } = watch;
  const { path } = arrival;
  try {
    const reader = await readerOf(watch, as, arrival).catch(async (error: unknown) => {
      if (error instanceof UsageError) await noteUnread(watch, arrival, error.message);
      throw error;
    });
    const given = loadBy(reader, options.timeZone);
    const { dataset } = given;
    if (!given.opener) requireHeaderRules(dataset, options.header);
    watch.catalog = await withDataset(context, lake, watch.catalog, dataset);
    const onProgress = () => {};
    const request = { lake, files: [path], ...withOptions(given, options), onProgress };
    const report = await auditedIngest(context, request);
    const result = ingestExitCode(report) === EXIT.refused ? 'refused' : 'done';
    if (report.isPublished) watch.loaded.add(dataset.textId);
    say(context, `${result} ${printableLine(path)}: ${reportText(report)}`);
    return { result, reportText: printableJson(report) };
  } catch (error) {
    // If the parts are another store's, no file is to blame: it waits.
    if (!(error instanceof UsageError) || lake.owner.problem || context.signal.aborted) throw error;
    say(context, `refused ${printableLine(path)}: ${faultsText(error)}`);
    return { result: 'refused', reportText: printableJson(errorValue(error)) };
  }
}

/** The end of a load that was interrupted; null: nothing was published. */
async function endOf(
  watch: Watch,
  as: string,
  arrival: Arrival,
  startedAtMs: number,
): Promise<Ended | null> {
  const { context, lake } = watch;
  const { path } = arrival;
  const how = await readerOf(watch, as, arrival).catch(() => null);
  if (how === null) return null;
  const { datasetId } = loadBy(how, null).dataset;
  const begun = { datasetId, path, startedAtMs, isByRecipe: 'recipe' in how };
  const publication = await publishedSince(lake, begun, context.signal);
  if (publication === null) return null;
  say(context, `done ${printableLine(path)}: was published before the watch ended`);
  return { result: 'done', reportText: printableJson(publication) };
}

function watcherOf(
  watch: Watch,
  folders: () => readonly WatchedFolder[],
  settleMs: number,
): Watcher {
  const { context } = watch;
  return new Watcher({
    clock: context.clock,
    settleMs,
    folders,
    load: (as, arrival) => load(watch, as, arrival),
    endOf: (as, arrival, startedAtMs) => endOf(watch, as, arrival, startedAtMs),
    onFailure: (text) => say(context, text),
  });
}

/** Derives from the datasets just loaded. After a failure, the next load tries again. */
async function deriveLoaded({ context, catalog, lake, loaded }: Watch): Promise<void> {
  if (loaded.size === 0 || context.signal.aborted) return;
  const textIds = [...loaded];
  loaded.clear();
  try {
    const derived = await deriveFrom(context, catalog, lake, textIds);
    if (derived) say(context, `derived from ${textIds.toSorted().join(', ')}:\n${derived.text}`);
  } catch (error) {
    if (!(error instanceof UsageError) || context.signal.aborted) throw error;
    say(context, `could not derive: ${faultsText(error)}`);
  }
}

/** Loads what is there, and derives from it where that is asked for. */
type Pass = () => Promise<void>;

async function pause(signal: AbortSignal): Promise<void> {
  await sleep(POLL_MS, undefined, { signal }).catch(() => {});
}

/** Loads what is there now, as far as it stays as it is for so long. */
async function watchOnce(pass: Pass, settleMs: number, { clock, signal }: CommandContext) {
  await pass();
  if (settleMs === 0) return;
  const settledAtMs = clock.now() + settleMs;
  // Timers may be early by a millisecond.
  while (!signal.aborted && clock.now() < settledAtMs) await pause(signal);
  await pass();
}

async function watchUntilAborted(pass: Pass, signal: AbortSignal) {
  while (!signal.aborted) {
    await pass();
    await pause(signal);
  }
}

async function run(context: CommandContext, values: OptionValues, [given = '']: readonly string[]) {
  const { config, signal, closing } = context;
  const directory = watchedDirectory(given);
  const options = ingestOptionsOf(values, config);
  const settleMs = settleMsOf(values);
  const mark = homeMark(context);
  const catalog = openCatalog(config.home);
  const as = textOf(values, 'as');
  if (as !== undefined && as !== AUTO) await recipeNamed(as, [], context, catalog);
  const lock = tryLockFile(join(directory, LOCK_NAME));
  if (!lock) throw new UsageError(`another ticklake watch already watches ${directory}`);
  closing(lock);
  const lake = await openHomeLake(context);
  const derives = derivesAfterLoads(values, config);
  const names = folderNames(config, catalog);
  sayLeftOut(context, names);
  const loaded = new Set<string>();
  const watched: Watch = { context, mark, fault: '', catalog, names, lake, options, loaded };
  const onFailure = (text: string) => say(context, text);
  const folders = as
    ? () => [{ path: directory, as }]
    : folderFinder(directory, watched, onFailure);
  const watcher = watcherOf(watched, folders, settleMs);
  const pass = async () => {
    await watcher.pass(signal);
    if (derives) await deriveLoaded(watched);
  };
  const results = RESULT_FOLDERS.join(' or ');
  say(context, `watching ${directory}; what is loaded goes to ${results} in its folder`);
  if (values.once === true) await watchOnce(pass, settleMs, context);
  else await watchUntilAborted(pass, signal);
  const { done, refused } = watcher.counts;
  const text = `${done} loaded, ${refused} refused\n`;
  return { value: { done, refused }, text };
}

/** Each file that arrives is a publication of its own. */
const { into: _into, ...WATCH_OPTIONS } = INGEST_OPTIONS;

export const watch: Command = {
  name: ['watch'],
  summary: 'load what arrives in a folder, and move it to done or refused',
  usage: '<dir>',
  options: {
    as: option(
      'NAME',
      'recipe that reads all files, which lie in the folder itself; auto: for each file the one that fits',
    ),
    ...WATCH_OPTIONS,
    ...DERIVE_OPTION,
    settle: option(
      'SECONDS',
      `how long a file must stay as it is before it counts as complete (default: ${SETTLE_SECONDS}, with --once 0)`,
    ),
    once: flag(
      'load what is there now, then end; files have to be renamed into place, or to settle',
    ),
  },
  run,
};
