/** The records of shipped samples become the same rows whichever way they are read. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { newFolder } from '../command-line/run-command.ts';
import { sampleOf as someOf } from '../repetitions.ts';
import { loadByRecipe } from './load-by-recipe.ts';
import { filesOf, shipped } from './shipped-samples.ts';

const folder = newFolder();
afterAll(() => folder.remove());

it.each(someOf(shipped, { every: 4 }))(
  '%s: its sample has the same rows on both ways',
  async (name) => {
    for (const file of filesOf(name)) {
      const load = (way: 'fast' | 'strict') =>
        loadByRecipe(folder.path, name, [readFileSync(file)], way, basename(file));
      const { counts, ...fast } = await load('fast');
      const { counts: _, ...exact } = await load('strict');
      expect(fast).toEqual(exact);
      expect(fast.digests).not.toEqual([]);
      expect(counts).toEqual({ taken: 1, refused: 0, numbered: 0 });
    }
  },
);
