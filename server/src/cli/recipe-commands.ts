/** `ticklake recipe …`: how vendors' files are read. */
import { UsageError } from '../base/errors.ts';
import type { Catalog } from '../catalog/dataset.ts';
import { previewFiles } from '../ingest/preview-files.ts';
import { defaultMode } from '../lake/publication-options.ts';
import { openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { chooseRecipe, withFirstText } from '../recipes/choose-recipe.ts';
import { type ExplainedFile, explainFile } from '../recipes/explain-file.ts';
import { loadRecipes } from '../recipes/load-recipes.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { RecipeOpener } from '../recipes/recipe-opener.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { publishedCounter } from './audited-ingest.ts';
import { type Command, type CommandContext, type OptionValues, option, textOf } from './command.ts';
import { WHOLE_MODES } from './load-options.ts';
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

/** How a load is done by a recipe, unless its options say otherwise. */
export function loadBy(recipe: Recipe, zone: TimeZone | null) {
  const timeZone =
    zone ?? (recipe.time_zone as TimeZone | undefined) ?? recipe.dataset.fileTimeZone;
  const mode = recipe.replace === 'nothing' ? 'append' : WHOLE_MODES.get(recipe.replace ?? '');
  const opener = new RecipeOpener(recipe, timeZone);
  const { dataset, expect } = recipe;
  return { dataset, opener, timeZone, expect, mode: mode ?? defaultMode(dataset) };
}

const AS_OPTION = {
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
  usage: '',
  options: {},
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
  options: {},
  async run(context, _values, [name = '']) {
    const { path, text } = await recipeNamed(name, [], context, openCatalog(context.config.home));
    return { value: { path, text }, text };
  },
};

const recipeExplain: Command = {
  name: ['recipe', 'explain'],
  summary: 'show the first records of a file, and the rows that a recipe makes of them',
  usage: '<file>',
  options: AS_OPTION,
  async run(context, values, files) {
    const { config, clock, signal, closing } = context;
    const recipe = await recipeNamed(asOf(values), files, context, openCatalog(config.home));
    const { opener } = loadBy(recipe, null);
    const lake = closing(await openLake(config, clock));
    const value = await withFirstText(files, signal, (source) =>
      explainFile(lake, opener, source, signal),
    );
    return { value, text: explainText(value) };
  },
};

const recipeTest: Command = {
  name: ['recipe', 'test'],
  summary: 'read and check files by a recipe, and publish nothing',
  usage: '<file or folder...>',
  options: AS_OPTION,
  async run(context, values, files) {
    const { config, clock, signal, progress, closing } = context;
    const recipe = await recipeNamed(asOf(values), files, context, openCatalog(config.home));
    const lake = closing(await openLake(config, clock));
    const onProgress = (step: string, share: number) => progress.update(step, share);
    const countPublished = publishedCounter(context, lake);
    const request = { lake, files, vendor: recipe.vendor, maxBadRows: 0, signal, onProgress };
    const preview = await previewFiles({ ...request, countPublished, ...loadBy(recipe, null) });
    return { value: preview, text: previewText(preview), exitCode: previewExitCode(preview) };
  },
};

export const RECIPE_COMMANDS: readonly Command[] = [
  recipeList,
  recipeShow,
  recipeExplain,
  recipeTest,
];
