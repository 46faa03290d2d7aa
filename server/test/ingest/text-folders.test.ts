/** Text that vendors deliver as `.txt` and `.asc` is found in folders if a recipe reads it. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { newFolder, publishedRows, runByClock } from '../command-line/run-command.ts';
import { filesOf, golden, recipeOf, shipped, withoutAdded } from '../recipes/shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());
const CLOCK = fixedClock('2026-02-02T12:00:00Z');
const inText = shipped.filter((name) => /\.(txt|asc)$/.test(filesOf(name)[0] ?? ''));

it.each(inText)('a folder of %s is loaded, but for its README.txt', async (recipe) => {
  const [home, files] = [recipe, `${recipe}-files`].map((name) => join(folder.path, name));
  mkdirSync(files as string);
  for (const file of filesOf(recipe)) copyFileSync(file, join(files as string, basename(file)));
  writeFileSync(join(files as string, 'README.txt'), 'Notes\n');
  const run = (...words: string[]) => runByClock(CLOCK, home as string, 'ingest', ...words);
  const { dataset } = recipeOf(recipe);
  const loaded = await run('--as', 'auto', files as string);
  expect([loaded.exitCode, withoutAdded(loaded)]).toEqual([0, '']);
  expect(loaded.stdout).toContain('README.txt, left out');
  const rows = await publishedRows(home as string, dataset.datasetId, ['1']);
  expect(rows).toHaveLength(golden(recipe).length - 1);
  const plain = await run(dataset.textId, files as string);
  expect(plain.stderr).toContain('contains no files that end in .csv');
});
