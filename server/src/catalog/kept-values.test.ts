import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptValues } from './load-catalog.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-kept-'));
  path = join(folder, 'cache', 'definitions.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const kept = () => JSON.parse(readFileSync(path, 'utf8'));

/** So that the next call looks into the file, as another process does. */
const forget = () => keptValues(join(folder, 'other.json'), ['forgotten: true']);

test('kept values are used while their texts are the same', () => {
  expect(keptValues(path, ['a: 1', 'b: [x]'])).toEqual([{ a: 1 }, { b: ['x'] }]);
  writeFileSync(path, JSON.stringify({ ...kept(), values: [{ from: 'the file' }] }));
  forget();
  expect(keptValues(path, ['a: 1', 'b: [x]'])).toEqual([{ from: 'the file' }]);
  expect(keptValues(path, ['a: 2', 'b: [x]'])).toEqual([{ a: 2 }, { b: ['x'] }]);
  expect(kept().values).toEqual([{ a: 2 }, { b: ['x'] }]);
});

test.each(['{"digest":"0123', 'null'])(
  'a file that is damaged counts as none, and is written anew: %s',
  (text) => {
    forget();
    keptValues(path, ['a: 1']);
    writeFileSync(path, text);
    forget();
    expect(keptValues(path, ['a: 1'])).toEqual([{ a: 1 }]);
    expect(kept().values).toEqual([{ a: 1 }]);
  },
);

test('texts of which one is not legal have no values, and nothing is kept', () => {
  expect(keptValues(path, ['a: 1', 'a: [1'])).toEqual([]);
  expect(existsSync(path)).toBe(false);
});

test('values are told also where they cannot be kept', () => {
  writeFileSync(join(folder, 'cache'), 'a file where the folder would be');
  expect(keptValues(path, ['a: 1'])).toEqual([{ a: 1 }]);
});
