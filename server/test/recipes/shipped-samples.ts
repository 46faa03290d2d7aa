/** The shipped recipes, and a made-up sample of the files that each reads. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SHIPPED_RECIPES } from '../../src/base/installation.ts';
import { openCatalog } from '../../src/open-services.ts';
import { loadRecipes } from '../../src/recipes/load-recipes.ts';
import { type Recipe, SEPARATORS } from '../../src/recipes/recipe.ts';

const SAMPLES = join(import.meta.dirname, 'samples');
const GOLDEN = 'golden.csv';

const { recipes } = loadRecipes(SAMPLES, openCatalog(SAMPLES, null));
export const recipeOf = (name: string) => recipes.get(name) as Recipe;
export const shipped = globSync('*.yaml', { cwd: SHIPPED_RECIPES }).map((name) =>
  basename(name, '.yaml'),
);

export const filesOf = (recipe: string) =>
  readdirSync(join(SAMPLES, recipe))
    .filter((name) => name !== GOLDEN)
    .map((name) => join(SAMPLES, recipe, name));

/** Without the line of a load that has added the dataset of the recipe to its home. */
export const withoutAdded = ({ stderr }: { readonly stderr: string }) =>
  stderr.replace(/^Added the dataset .*\n/m, '');

/** The name and the lines of the first file of a sample. */
export function sampleOf(recipe: string): {
  readonly name: string;
  readonly lines: readonly string[];
} {
  const [path = ''] = filesOf(recipe);
  const lines = readFileSync(path, 'utf8').trimEnd().split(/\r?\n/);
  return { name: basename(path), lines };
}

export function golden(recipe: string): (string | null)[][] {
  const lines = readFileSync(join(SAMPLES, recipe, GOLDEN), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line) => line.split(',').map((text) => text || null));
}

export const separatorOf = (recipe: string) => SEPARATORS[recipeOf(recipe).separator ?? 'comma'];

/** The fields of a line as they are written, with their quotes. */
export function fieldsOf(recipe: string, line = ''): string[] {
  const sign = RegExp.escape(separatorOf(recipe));
  return line.match(new RegExp(`(?:^|(?<=${sign}))(?:"[^"]*"|[^${sign}]*)`, 'g')) ?? [];
}
