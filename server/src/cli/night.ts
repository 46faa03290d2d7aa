/** `ticklake night`: loads new files, derives from them, publishes all or nothing, and reports. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import { tradingDayAfter } from '@ticklake/market/calendars.ts';
import { isoSeconds } from '../base/clock.ts';
import { type LoadAllowance, UsageError } from '../base/errors.ts';
import { counted, firstNames, printableLine } from '../base/printable.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { expectsNamedDates, rowlessFinding } from '../ingest/deliveries.ts';
import { filesMatching, filesOf } from '../ingest/given-files.ts';
import { lacksSomething } from '../ingest/ingest-files.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { datasetStatus } from '../lake/dataset-status.ts';
import type { Lake } from '../lake/lake.ts';
import { type GivenLoad, type Night, readNight } from '../night/night-file.ts';
import {
  type LoadedFiles,
  type NightLoad,
  type NightReport,
  runNight,
  type UnreadFile,
  withNewFiles,
} from '../night/run-night.ts';
import { openCatalog } from '../open-services.ts';
import { chooseRecipe } from '../recipes/choose-recipe.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { auditedLoad, datasetNamed } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  flag,
  type OptionValues,
  option,
  repeatable,
  shellWord,
  textOf,
  textsOf,
} from './command.ts';
import { DERIVE_OPTION, derivesAfterLoads } from './derive.ts';
import { withDataset } from './further.ts';
import { openHomeLake } from './opened-home.ts';
import { AUTO, folderNames, loadBy, recipeNamed } from './recipe-commands.ts';
import { badRowLines, checkLines, countText, linesText } from './text.ts';

const NIGHT_FILE = 'night.yaml';
const NAME_IT = `take it out of the folder, or name its recipe or dataset in ${NIGHT_FILE}; ticklake recipe init makes a first recipe for it`;
const FILE_ENDS = ['.yaml', '.yml'];

/** The night of a file, or of the given files and folders. */
function nightOf({ config }: CommandContext, values: OptionValues, words: readonly string[]) {
  const as = textOf(values, 'as');
  const [file = join(config.home, NIGHT_FILE), ...others] = words;
  if (others.length > 0 || (words.length > 0 && !FILE_ENDS.includes(extname(file)))) {
    // Throws for a word that stands for no file, before anything is opened.
    for (const word of words) filesOf(word, { isByRecipe: () => true });
    const loads = words.map((files) => ({ files, ...(as ? { as } : {}) }));
    return { loads } satisfies Night as Night;
  }
  if (as !== undefined) throw new UsageError(`--as cannot be used together with ${file}`);
  return readNight(file);
}

/** Stands for the recipes that fit the files of a folder with another name. */
const ANY_RECIPE = { recipe: AUTO };

interface Plan {
  readonly loads: readonly NightLoad[];
  readonly unread: readonly UnreadFile[];
  /** Files that cannot hold rows. */
  readonly leftOut: readonly string[];
}

const ALLOWING = {
  'allow-loss': repeatable(
    'DATASET',
    'publish its files even if dates vanish, or lose identifiers, or more rows than the setting allows',
  ),
  again: repeatable('DATASET', 'add rows of its files that it has already'),
  'allow-unended': repeatable(
    'DATASET',
    'load its text whose last line has no end, though it may be cut off',
  ),
};
const optionOf = (allowance: LoadAllowance) => allowance.replaceAll('_', '-');
const ALLOWANCES: readonly LoadAllowance[] = ['allow_loss', 'again', 'allow_unended'];

/** Finds the allowances that options give a dataset. */
function allowancesOf(catalog: Catalog, values: OptionValues) {
  const given = ALLOWANCES.map((allowance) => {
    const names = textsOf(values, optionOf(allowance));
    return { allowance, textIds: names.map((name) => datasetNamed(catalog, name).textId) };
  });
  return ({ textId }: Dataset) =>
    given.flatMap(({ allowance, textIds }) => (textIds.includes(textId) ? [allowance] : []));
}

function loadOf(how: Dataset | Recipe, files: readonly string[], given: GivenLoad): NightLoad {
  const { expect = [], vendor, ...load } = loadBy(how, null);
  const symbols = given.symbols === undefined ? [] : [given.symbols];
  const expected = [...expect, ...(given.expect ?? [])];
  const isDatedByName =
    ('recipe' in how && how.one_date === true) ||
    expectsNamedDates([...load.dataset.expectations, ...expected]);
  return {
    ...load,
    ...{ files, symbols, isDatedByName, knownFiles: [], stale: [], allows: [] },
    vendor: given.vendor ?? vendor,
    expect: expected,
  };
}

/** How a load says that its files are read; null: by their folders' names, or by what fits them. */
async function namedHow(
  { dataset, as = AUTO }: GivenLoad,
  context: CommandContext,
  catalog: Catalog,
): Promise<Dataset | Recipe | null> {
  if (dataset !== undefined) return datasetNamed(catalog, dataset);
  return as === AUTO ? null : await recipeNamed(as, [], context, catalog);
}

/** One load for the files that are read in one way and have to bring the same. */
async function planLoads(
  context: CommandContext,
  catalog: Catalog,
  { loads: given }: Night,
): Promise<Plan> {
  const { recipes, find } = folderNames(context.config, catalog);
  const groups = new Map<string, { files: string[]; how: Dataset | Recipe; load: GivenLoad }>();
  const filesOfGroup = (how: Dataset | Recipe, load: GivenLoad) => {
    const name = 'textId' in how ? how.textId : how.recipe;
    const key = JSON.stringify([name, load.symbols, load.vendor, load.expect]);
    return groups.getOrInsertComputed(key, () => ({ files: [], how, load })).files;
  };
  const unread: UnreadFile[] = [];
  const leftOut: string[] = [];
  for (const load of given) {
    const named = await namedHow(load, context, catalog);
    const files = filesMatching(load.files, {
      isByRecipe: (folder) => 'recipe' in (named ?? find(basename(resolve(folder))) ?? ANY_RECIPE),
      onRowless: (file) => leftOut.push(file),
    });
    if (named) filesOfGroup(named, load).push(...files);
    for (const file of named ? [] : files) {
      try {
        const found = find(basename(dirname(resolve(file))));
        const how = found ?? (await chooseRecipe(recipes, [file], context.signal));
        filesOfGroup(how, load).push(file);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        unread.push({ file, text: error.message, next: NAME_IT });
      }
    }
  }
  const loads = [...groups.values()].map(({ how, files, load }) => loadOf(how, files, load));
  return { loads, unread, leftOut };
}

/** A text for each dataset of which rows are late. */
async function lateTexts(
  lake: Lake,
  loads: readonly NightLoad[],
  nowMs: number,
): Promise<string[]> {
  const texts: string[] = [];
  const datasets = new Map(loads.map(({ dataset }) => [dataset.datasetId, dataset]));
  for (const dataset of datasets.values()) {
    const snapshot = await lake.snapshot(dataset.datasetId);
    const { code } = datasetStatus(dataset, snapshot, { state: 'published' }, nowMs);
    if (code !== 'late') continue;
    const lastDate = snapshot?.lastDate ?? null;
    const what =
      lastDate === null ? 'rows' : `rows of ${tradingDayAfter(dataset.calendar, lastDate)}`;
    texts.push(`${dataset.textId}: ${what} have not come`);
  }
  return texts;
}

/** The words and options of the command. */
interface Given {
  readonly words: readonly string[];
  readonly values: OptionValues;
}

interface Told extends Plan {
  readonly given: Given;
  /** Null: nothing was new. */
  readonly report: NightReport | null;
  readonly late: readonly string[];
  readonly atMs: number;
}

const DATES_SHOWN = 5;

function dateLine(loaded: LoadedFiles['dates'][number]): string {
  const { date, rowCount, usualRowCount: usual, replacedRowCount: before } = loaded;
  const replaced = before > 0 ? `, in place of ${counted(before, 'row')}` : '';
  const rows = `${counted(rowCount, 'row')}${replaced}`;
  if (usual === null || usual === 0) return `  ${date}: ${rows}`;
  const percent = Math.round((rowCount / usual) * 100);
  return `  ${date}: ${rows}, ${percent}% of the usual ${countText(usual)}`;
}

function loadLines({ load, report, dates, refusal }: LoadedFiles): string[] {
  const { dataset, recipe, files, knownFiles } = load;
  const by = recipe === null ? '' : ` by ${recipe}`;
  const known = knownFiles.length > 0 ? `, ${knownFiles.length} published before` : '';
  const more = dates.slice(0, -DATES_SHOWN);
  const earlier = more.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return [
    `${dataset.datasetId} ${dataset.textId}: ${counted(files.length, 'new file')}${by}${known}`,
    ...(more.length > 0
      ? [`  ${counted(more.length, 'earlier date')}: ${counted(earlier, 'row')}`]
      : []),
    ...dates.slice(-DATES_SHOWN).map(dateLine),
    ...(report?.isUnchanged ? ['  unchanged: the dataset has these rows already'] : []),
    ...[...(report ? badRowLines(report) : []), ...checkLines(report?.checks ?? [])].map(
      (line) => `  ${line}`,
    ),
    ...(refusal ? [`  refused: ${printableLine(refusal.text)}`] : []),
  ];
}

const SYMBOLS_SHOWN = 5;

function derivedLines({ assigned, derived }: NightReport): string[] {
  const [added = [], known = []] = [true, false].map((isNew) =>
    (assigned?.symbols ?? []).filter((symbol) => symbol.isNew === isNew),
  );
  const names = added.map(({ ticker, asid }) => `${printableLine(ticker)} ${asid}`);
  const computed = derived.filter(({ computedPartCount }) => computedPartCount > 0);
  return [
    ...(added.length > 0
      ? [`ASIDs for ${counted(added.length, 'new symbol')}: ${firstNames(names, SYMBOLS_SHOWN)}`]
      : []),
    ...(known.length > 0 ? [`ASIDs for ${counted(known.length, 'known symbol')}`] : []),
    ...(assigned?.warnings ?? []).map((text) => `  warning: ${printableLine(text)}`),
    ...computed.map(({ textId, rowCount }) => `derived ${textId}: ${counted(rowCount, 'row')}`),
    ...derived.flatMap(({ textId, checks, warnings }) => [
      ...warnings
        .slice(0, DATES_SHOWN)
        .map((text) => `  warning: ${textId}: ${printableLine(text)}`),
      ...checkLines(checks).map((line) => `  ${textId}: ${line}`),
    ]),
  ];
}

/** The night once more, with all that would publish what was refused. */
function allowingWords(refused: readonly LoadedFiles[], { words, values }: Given): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => (each === true ? [name] : [name, `${each}`])),
  );
  const allowed = refused.flatMap(({ load, refusal }) =>
    refusal?.allowedBy ? [[optionOf(refusal.allowedBy), load.dataset.textId]] : [],
  );
  const options = [...given, ...allowed].map(([name, ...rest]) =>
    [`--${name}`, ...rest.map(shellWord)].join(' '),
  );
  return ['night', ...words.map(shellWord), ...new Set(options)].join(' ');
}

/** A line for each step that is left to do. */
function nextLines(
  { report, unread, late, given }: Told,
  { commandLine }: CommandContext,
): string[] {
  const refused = report?.loads.filter(({ refusal }) => refusal !== null) ?? [];
  const isOdd = report?.loads.some((each) => each.report && lacksSomething(each.report)) ?? false;
  const id = report?.publicationId;
  return [
    ...refused.map((each) => {
      const { allowedBy, text } = each.refusal ?? { allowedBy: null, text: '' };
      const name = each.load.dataset.textId;
      if (allowedBy === null) return `${name}: get a correct file, and run the night again`;
      const command = commandLine(allowingWords(refused, given));
      return `${name}: get a correct file, or if this one is right (${text}), run: ${command}`;
    }),
    ...unread.map(({ file, next }) => `${file}: ${next}`),
    ...late.map((text) => `${text}: ask the vendor, and run the night again when they are there`),
    ...(report?.state === 'published' && isOdd
      ? [
          `after a look at the warnings: ${commandLine(`publication acknowledge ${id}`)}, or take the night back: ${commandLine(`publication rollback ${id}`)}`,
        ]
      : []),
  ];
}

const STATES = {
  published: 'published as publication',
  staged: 'staged for publication',
  unchanged: 'nothing new was published',
  refused: 'nothing was published; refused as publication',
} as const;

function headOf({ report, atMs }: Told): string {
  const state = report?.state ?? 'unchanged';
  const id = report && state !== 'unchanged' ? ` ${report.publicationId}` : '';
  return `Night at ${isoSeconds(atMs)}: ${STATES[state]}${id}`;
}

function nightText(told: Told, context: CommandContext): string {
  const { report, loads, unread, leftOut, late } = told;
  const idle = loads.filter(({ files }) => files.length === 0);
  const next = nextLines(told, context);
  return linesText([
    headOf(told),
    '',
    ...(report?.loads.flatMap(loadLines) ?? []),
    ...idle.map(({ dataset: { datasetId, textId }, knownFiles }) => {
      const known = knownFiles.length > 0 ? `, ${knownFiles.length} published before` : '';
      return `${datasetId} ${textId}: no new file${known}`;
    }),
    ...unread.map(({ text }) => `refused: ${printableLine(text)}`),
    ...checkLines(rowlessFinding(leftOut)),
    ...(report ? derivedLines(report) : []),
    ...late.map((text) => `late: ${text}`),
    ...(next.length > 0 ? ['', 'What to do next:', ...next.map((line) => `- ${line}`)] : []),
  ]);
}

function exitCodeOf({ report, late }: Told) {
  if (late.length > 0 || report?.state === 'refused') return EXIT.refused;
  return report?.state === 'published' ? EXIT.done : EXIT.nothingToDo;
}

function nightValue({ report, loads, unread, leftOut, late }: Told) {
  const { publicationId = null, state = 'unchanged', reason = null } = report ?? {};
  return {
    ...{ publicationId, state, reason },
    loads: (report?.loads ?? []).map(({ load, report: loaded, dates, refusal }) => {
      const { dataset, recipe, files, knownFiles } = load;
      const { datasetId, textId } = dataset;
      const { badRowCount = 0, badValues = [], checks = [] } = loaded ?? {};
      const found = { badRowCount, badValues, checks, ...(refusal ?? { text: null }) };
      return { datasetId, textId, recipe, files, knownFiles, dates, ...found };
    }),
    waiting: loads.filter(({ files }) => files.length === 0).map(({ dataset }) => dataset.textId),
    ...{
      unread,
      leftOut,
      late,
      assigned: report?.assigned ?? null,
      derived: report?.derived ?? [],
    },
  };
}

/** The loads that have new files, into datasets of the home; the others' files are unread. */
async function dueLoads(context: CommandContext, catalog: Catalog, lake: Lake, plan: Plan) {
  const { loads: planned, unread } = plan;
  const due = { lake, catalog, planned, loads: [] as NightLoad[], unread: [...unread] };
  for (const load of planned.filter(({ files }) => files.length > 0)) {
    try {
      due.catalog = await withDataset(context, lake, due.catalog, load.dataset);
      // By one object: recipes read definitions by themselves.
      const dataset = due.catalog.byTextId(load.dataset.textId) ?? load.dataset;
      due.loads.push({ ...load, dataset });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const next = 'clear what keeps its dataset out of the home, and run the night again';
      due.unread.push(
        ...load.files.map((file) => ({ file, text: `${file}: ${error.message}`, next })),
      );
    }
  }
  return due;
}

/** Loads what is new; null: nothing is. */
async function loadNew(
  context: CommandContext,
  values: OptionValues,
  night: Night,
  due: Awaited<ReturnType<typeof dueLoads>>,
): Promise<NightReport | null> {
  const { config, signal, onProgress, onWait, closing } = context;
  const { loads, unread } = due;
  if (loads.length + unread.length === 0) return null;
  const engine = closing(await INSTALLED_ENGINE.openReader(config));
  const request = {
    ...{ ...due, engine, signal, onProgress, onWait },
    spool: { folder: join(config.home, 'spool'), bytesMax: config.spoolBytesMax },
    lossPercentMax: config.lossPercentMax,
    assigns: values['assign-symbols'] === true || night.assign_symbols === true,
    derives: night.derive ?? derivesAfterLoads(values, config),
  };
  const files = loads.flatMap((load) => load.files);
  const audited = { operation: 'night', datasetId: null, files, mode: null, vendor: null };
  let found: NightReport | null = null;
  await auditedLoad(context, audited, async () => {
    const report = await runNight(request);
    found = report;
    const loaded = report.loads.flatMap((each) => each.report ?? []);
    return { ...report, datasets: [...loaded, ...report.derived] };
  });
  return found;
}

async function run(context: CommandContext, values: OptionValues, words: readonly string[]) {
  const { config, clock, signal } = context;
  const catalog = openCatalog(config.home);
  const night = nightOf(context, values, words);
  const plan = await planLoads(context, catalog, night);
  const lake = await openHomeLake(context);
  const allowances = allowancesOf(catalog, values);
  const loads = await Promise.all(
    plan.loads.map(async (load) => ({
      ...(await withNewFiles(lake, load, signal)),
      allows: allowances(load.dataset),
    })),
  );
  const due = await dueLoads(context, catalog, lake, { ...plan, loads });
  const report = await loadNew(context, values, night, due);
  const atMs = clock.now();
  const idle = loads.filter(({ files }) => files.length === 0);
  const late = await lateTexts(lake, [...idle, ...due.loads], atMs);
  const { unread } = due;
  const given = { words, values };
  const told = { report, loads, unread, leftOut: plan.leftOut, late, atMs, given };
  const text = nightText(told, context);
  return { value: nightValue(told), text, exitCode: exitCodeOf(told), isReport: true };
}

export const night: Command = {
  name: ['night'],
  summary: 'load all that has come, derive, publish all of it or nothing, and report',
  usage: '[<night.yaml>] | <file or folder...>',
  options: {
    as: option(
      'NAME',
      'recipe that reads the files (default: auto, for each file the one that fits)',
    ),
    'assign-symbols': flag('give rows without an ASID one, as ticklake symbols assign does'),
    ...DERIVE_OPTION,
    ...ALLOWING,
  },
  run,
};
