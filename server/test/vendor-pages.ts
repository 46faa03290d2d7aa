/** A page for each vendor whose files the shipped recipes read, made of these and their samples. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SHIPPED_DEFINITIONS } from '../src/base/installation.ts';
import { loadCatalog } from '../src/catalog/load-catalog.ts';
import { loadRecipes } from '../src/recipes/load-recipes.ts';
import type { Recipe } from '../src/recipes/recipe.ts';
import { runCommand } from './command-line/run-command.ts';

const SAMPLES = join(import.meta.dirname, 'recipes/samples');

export const shippedRecipes = (): readonly Recipe[] => [
  ...loadRecipes('', loadCatalog([SHIPPED_DEFINITIONS])).recipes.values(),
];

/** Below `docs`. */
export const vendorPage = ({ vendor }: Recipe) =>
  `vendors/${vendor.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.md`;

const listOf = (texts: readonly string[]) => texts.map((text) => `- ${text}`).join('\n');
const code = (text: string) => `\`${text}\``;

function namesFact(form: string): string {
  const anyText = form.includes('*') ? '`*` is any text; ' : '';
  return `Names of files: ${code(form)} (${anyText}packed files, such as \`.gz\`, too).`;
}

/** A command that explains the sample of a recipe, with what it prints, and one that loads it. */
async function example({ recipe }: Recipe, home: string): Promise<string> {
  const folder = join(SAMPLES, recipe);
  const files = readdirSync(folder).filter((name) => name !== 'golden.csv');
  const [first = ''] = files;
  const explain = ['recipe', 'explain', join(folder, first)];
  const { exitCode, stdout, stderr } = await runCommand(home, ...explain);
  if (exitCode !== 0 || !stdout.includes(`by the recipe ${recipe},`)) {
    throw new Error(stderr || stdout);
  }
  const printed = stdout.replace(join(folder, first), first).trimEnd();
  return [
    `\`\`\`console\n$ ticklake recipe explain ${first}\n${printed}\n\`\`\``,
    `\`\`\`sh\nticklake ingest --as auto ${files.join(' ')}\n\`\`\``,
  ].join('\n\n');
}

async function section(
  recipe: Recipe,
  shared: ReadonlyMap<string, string>,
  home: string,
): Promise<string> {
  const { title, layout, file_name: fileName, unread_fields: unread = [], notes = [] } = recipe;
  const facts = [
    `Rows of ${code(recipe.dataset.textId)}, ${recipe.dataset.name}.`,
    ...(fileName === undefined ? [] : [namesFact(fileName)]),
    ...(unread.length === 0 ? [] : [`Fields that are not read: ${unread.map(code).join(', ')}.`]),
    ...notes.filter((note) => !shared.has(note)),
  ];
  const reads = layout === undefined ? title : `[${title}](${layout})`;
  return [
    `## ${code(recipe.recipe)}`,
    `${reads}.`,
    listOf(facts),
    await example(recipe, home),
  ].join('\n\n');
}

/** Notes that several recipes share, each with those that have it where not all do. */
function sharedNotes(recipes: readonly Recipe[]): ReadonlyMap<string, string> {
  const notes = new Set(recipes.flatMap((recipe) => recipe.notes ?? []));
  const texts = [...notes].map((note) => {
    const [having, lacking] = [true, false].map((isThere) =>
      recipes.filter((each) => (each.notes ?? []).includes(note) === isThere),
    ) as [Recipe[], Recipe[]];
    const isMost = lacking.length < having.length;
    const names = (isMost ? lacking : having).map(({ recipe }) => code(recipe)).join(', ');
    const whose = lacking.length === 0 ? '' : `${isMost ? 'All but ' : ''}${names}: `;
    return whose !== '' && having.length < 2 ? [] : [[note, `${whose}${note}`] as const];
  });
  return new Map(texts.flat());
}

async function page(recipes: readonly Recipe[], home: string): Promise<string> {
  const [first] = recipes as [Recipe];
  const shared = sharedNotes(recipes);
  const sections: string[] = [];
  for (const recipe of recipes) sections.push(await section(recipe, shared, home));
  return `${[
    `# ${first.vendor === 'own files' ? 'Your own files' : first.vendor}`,
    'How [recipes](../vendor-files.md) read these files, with made-up samples.',
    ...(shared.size === 0 ? [] : [listOf([...shared.values()])]),
    ...sections,
  ].join('\n\n')}\n`;
}

/** The text of each page by its file below `docs`. */
export async function vendorPages(): Promise<ReadonlyMap<string, string>> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-recipes-'));
  const pages = new Map<string, string>();
  for (const [file, recipes] of Map.groupBy(shippedRecipes(), vendorPage)) {
    pages.set(file, await page(recipes, home));
  }
  rmSync(home, { recursive: true });
  return pages;
}
