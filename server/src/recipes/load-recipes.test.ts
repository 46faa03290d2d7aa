import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SHIPPED_DEFINITIONS, SHIPPED_RECIPES } from '../base/installation.ts';
import { loadCatalog } from '../catalog/load-catalog.ts';
import { loadRecipes } from './load-recipes.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-recipes-'));
  for (const folder of ['recipes', 'datasets']) mkdirSync(join(home, folder));
});
afterEach(() => rmSync(home, { recursive: true }));

const NAME = 'alpha-vantage-daily';
const text = readFileSync(join(SHIPPED_RECIPES, `${NAME}.yaml`), 'utf8');
const write = (own: string) => writeFileSync(join(home, 'recipes/own.yaml'), own);
const load = () => loadRecipes(home, loadCatalog([SHIPPED_DEFINITIONS, join(home, 'datasets')]));

test('a recipe that has not changed is read once', () => {
  write(text);
  const { recipes } = load();
  expect(load().recipes).toEqual(recipes);
  for (const [name, recipe] of load().recipes) expect(recipe, name).toBe(recipes.get(name));
});

test('a recipe that has changed is read again', () => {
  write(text);
  load();
  write(text.replace(/^title: .*$/m, 'title: Another'));
  expect(load().recipes.get(NAME)?.title).toBe('Another');
  write(text.replace(/^title: .*\n/m, ''));
  expect([...load().faulty.keys()]).toEqual([NAME]);
});

test('a recipe is read again when its dataset has changed', () => {
  load();
  const definition = readFileSync(join(SHIPPED_DEFINITIONS, 'eq_daily_ohlc.yaml'), 'utf8');
  const own = definition.replace(/^name: .*$/m, 'name: Another');
  writeFileSync(join(home, 'datasets/own.yaml'), own);
  expect(load().recipes.get(NAME)?.dataset.name).toBe('Another');
});

test.each([
  ['a name of two fields', 'other_names: { open: [o], close: [O] }', 'close', 'O', 'open'],
  ['the name of a field', 'other_names: { open: [CLOSE] }', 'open', 'CLOSE', 'close'],
  [
    'the name of a field that is not read',
    'unread_fields: [Note]\nother_names: { open: [note] }',
    'open',
    'note',
    'Note',
  ],
])('other names with %s are refused', (_, lines, field, name, known) => {
  write(`${text}\n${lines}\n`);
  const faults = [...load().faulty.values()].flat().join('\n');
  expect(faults).toContain(`other_names.${field} must not have ${name}, which stands for ${known}`);
});
