/** `ticklake recipe …`: how vendors' files are read. */
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { definedSymbols } from '../ingest/defined-symbols.ts';
import { foundIn, unreadableText } from '../ingest/found-text.ts';
import type { CsvSource } from '../ingest/load-sources.ts';
import { previewFiles } from '../ingest/preview-files.ts';
import { defaultMode } from '../lake/publication-options.ts';
import { openCatalog } from '../open-services.ts';
import { chooseRecipe, withFirstText } from '../recipes/choose-recipe.ts';
import { type ExplainedFile, explainFile } from '../recipes/explain-file.ts';
import { firstRecipe, likeliestDatasets } from '../recipes/first-recipe.ts';
import { loadRecipes } from '../recipes/load-recipes.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { RecipeOpener } from '../recipes/recipe-opener.ts';
import { readHead } from '../recipes/text-head.ts';
import type { Config } from '../settings/config.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { datasetNamed, publishedCounter } from './audited-ingest.ts';
import {
  type Command,
  type CommandContext,
  type OptionValues,
  option,
  textOf,
  textsOf,
} from './command.ts';
import { SYMBOLS_OPTION, WHOLE_MODES } from './load-options.ts';
import { openHomeLake } from './opened-home.ts';
import { previewExitCode, previewText } from './publication-commands.ts';
import { alignedTable, left, linesText } from './text.ts';

/** Stands for the recipe that fits. */
export const AUTO = 'auto';

/** The recipe of that name, or the one that fits the first file. */
export async function recipeNamed(
  name: string,
  files: readonly string[],
  { config, signal, stderr }: CommandContext,
  catalog: Catalog,
): Promise<Recipe> {
  const { recipes, faulty } = loadRecipes(config.home, catalog);
  if (name === AUTO) {
    for (const [each, [fault]] of faulty) {
      stderr.write(`warning: the recipe ${each} is left out: ${fault}\n`);
    }
    return await chooseRecipe(recipes, files, signal);
  }
  const faults = faulty.get(name);
  if (faults) throw new UsageError(faults);
  const recipe = recipes.get(name);
  if (recipe) return recipe;
  throw new UsageError(`there is no recipe ${name}; ticklake recipe list lists them all`);
}

/**
 * How files become rows, by a recipe or as those of a dataset whose columns they name, unless the
 * options of a load say otherwise.
 */
export function loadBy(how: Recipe | Dataset, zone: TimeZone | null) {
  if (!('recipe' in how)) {
    const common = { recipe: null, vendor: null, opener: undefined, expect: undefined };
    return { ...common, dataset: how, timeZone: zone, mode: defaultMode(how) };
  }
  const { recipe, vendor, dataset, expect, replace } = how;
  const timeZone = zone ?? (how.time_zone as TimeZone | undefined) ?? dataset.fileTimeZone;
  const mode = replace === 'nothing' ? 'append' : WHOLE_MODES.get(replace ?? '');
  const opener = new RecipeOpener(how, timeZone);
  return { recipe, vendor, dataset, opener, timeZone, expect, mode: mode ?? defaultMode(dataset) };
}

/** Finds what folders are named after: a dataset, by its id or text id, or a recipe. */
export function folderNames({ home }: Pick<Config, 'home'>, catalog: Catalog) {
  const { recipes, faulty } = loadRecipes(home, catalog);
  const find = (name: string) =>
    catalog.byId(name) ?? catalog.byTextId(name) ?? recipes.get(name) ?? null;
  return { recipes, faulty, find };
}

const READING_OPTIONS = {
  ...SYMBOLS_OPTION,
  as: option('NAME', 'recipe to read the file by (default: auto, the one that fits it)'),
};

const asOf = (values: OptionValues) => textOf(values, 'as') ?? AUTO;

function explainText({
  file,
  recipe,
  dataset,
  name,
  fields,
  columns,
  before,
  after,
}: ExplainedFile) {
  const parts = Object.entries(name).map(([part, value]) => `${part} ${value}`);
  const widest = columns.map((column, c) => [column, ...after.map((row) => row[c] ?? '')]);
  const [titles, ...rows] = (widest[0] ?? []).map((_, r) => widest.map((cells) => cells[r] ?? ''));
  return linesText([
    `${file} is read by the recipe ${recipe}, as rows of ${dataset}`,
    ...(parts.length > 0 ? [`its name says: ${parts.join(', ')}`] : []),
    `fields that are read: ${fields.join(', ')}`,
    '',
    'before:',
    ...before.map((line) => `  ${line}`),
    '',
    'after:',
    alignedTable((titles ?? []).map(left), rows),
  ]);
}

const recipeList: Command = {
  name: ['recipe', 'list'],
  summary: "list the recipes that read vendors' files",
  async run({ config }) {
    const { recipes, faulty } = loadRecipes(config.home, openCatalog(config.home));
    const value = [...recipes.values()].map(
      ({ recipe, dataset, vendor, title, layout = null, path }) => {
        return { recipe, dataset: dataset.textId, vendor, title, layout, path };
      },
    );
    const titles = ['RECIPE', 'DATASET', 'READS'].map(left);
    const rows = [
      ...value.map(({ recipe, dataset, title }) => [recipe, dataset, title]),
      ...[...faulty].flatMap(([name, faults]) => faults.map((fault) => [name, 'faulty', fault])),
    ];
    return {
      value: { recipes: value, faulty: Object.fromEntries(faulty) },
      text: alignedTable(titles, rows),
    };
  },
};

const recipeShow: Command = {
  name: ['recipe', 'show'],
  summary: 'print a recipe, to read it or to begin one of your own from it',
  usage: '<recipe>',
  async run(context, _values, [name = '']) {
    const { path, text } = await recipeNamed(name, [], context, openCatalog(context.config.home));
    return { value: { path, text }, text };
  },
};

const recipeExplain: Command = {
  name: ['recipe', 'explain'],
  summary: 'show the first records of a file, and the rows that a recipe makes of them',
  usage: '<file>',
  options: READING_OPTIONS,
  async run(context, values, files) {
    const { config, signal } = context;
    const recipe = await recipeNamed(asOf(values), files, context, openCatalog(config.home));
    const { dataset, timeZone } = loadBy(recipe, null);
    const opener = new RecipeOpener(recipe, timeZone ?? dataset.fileTimeZone);
    const lake = await openHomeLake(context);
    const { symbols } = await definedSymbols(textsOf(values, 'symbols'), signal);
    const explain = (source: CsvSource) => explainFile(lake, opener, source, signal);
    const value = await withFirstText(files, signal, explain, symbols);
    return { value, text: explainText(value) };
  },
};

const recipeTest: Command = {
  name: ['recipe', 'test'],
  summary: 'read and check files by a recipe, and publish nothing',
  usage: '<file or folder...>',
  options: READING_OPTIONS,
  async run(context, values, files) {
    const { config, signal, onProgress } = context;
    const recipe = await recipeNamed(asOf(values), files, context, openCatalog(config.home));
    const lake = await openHomeLake(context);
    const countPublished = publishedCounter(context, lake);
    const symbols = textsOf(values, 'symbols');
    const limits = { maxBadRows: 0, lossPercentMax: config.lossPercentMax };
    const request = { lake, files, symbols, ...limits, signal, onProgress };
    const preview = await previewFiles({ ...request, countPublished, ...loadBy(recipe, null) });
    return { value: preview, text: previewText(preview), exitCode: previewExitCode(preview) };
  },
};

const HEAD_LINES = 200;

const recipeInit: Command = {
  name: ['recipe', 'init'],
  summary: 'print a first recipe for files like this one, by the names and values of its fields',
  usage: '[<dataset>] <file>',
  async run({ config, signal }, _values, names) {
    const catalog = openCatalog(config.home);
    const [file = '', name] = names.toReversed();
    const named = name === undefined ? null : datasetNamed(catalog, name);
    const text = await withFirstText([file], signal, async (source) => {
      const { lines, close } = await readHead(source.open(), HEAD_LINES, true);
      await close();
      const other = unreadableText(lines[0] ?? '');
      if (other !== undefined) throw new UsageError(`${source.displayName}: found ${other}`);
      const [likely, ...others] = named ? [named] : likeliestDatasets(catalog.datasets, lines);
      if (likely) return firstRecipe([likely, ...others], source.displayName, lines);
      throw new UsageError(
        `${file}: found ${foundIn(lines[0] ?? '')}; no dataset has such fields; ticklake recipe init DATASET FILE names one`,
      );
    });
    return { value: { text }, text };
  },
};

export const RECIPE_COMMANDS: readonly Command[] = [
  recipeInit,
  recipeList,
  recipeShow,
  recipeExplain,
  recipeTest,
];
