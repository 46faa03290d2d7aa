import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAKE_OPERATIONS, OPERATIONS } from '../../src/admin/operations.ts';

const ALL = [...OPERATIONS, ...LAKE_OPERATIONS];
const page = readFileSync(join(import.meta.dirname, '../../../docs/administration.md'), 'utf8');

test('the page lists every operation with its endpoint and its command, and no other', () => {
  const rows = page.split('\n').filter((line) => /^\| `(GET|POST) /.test(line));
  expect(rows).toEqual(
    ALL.map(
      ({ method, path, words, summary }) =>
        `| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | \`${words.join(' ')}\` | ${summary} |`,
    ),
  );
});

test('names, endpoints and commands are unique', () => {
  for (const key of [
    ({ name }) => name,
    ({ method, path }) => `${method} ${path}`,
    ({ words }) => words.join(' '),
  ] satisfies ((operation: (typeof ALL)[number]) => string)[]) {
    expect(new Set(ALL.map(key)).size).toBe(ALL.length);
  }
});
