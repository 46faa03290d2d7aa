import { expect, test } from 'vitest';
import { LAKE_OPERATIONS, OPERATIONS } from '../../src/admin/operations.ts';

const ALL = [...OPERATIONS, ...LAKE_OPERATIONS];

test('names, endpoints and commands are unique', () => {
  for (const key of [
    ({ name }) => name,
    ({ method, path }) => `${method} ${path}`,
    ({ words }) => words.join(' '),
  ] satisfies ((operation: (typeof ALL)[number]) => string)[]) {
    expect(new Set(ALL.map(key)).size).toBe(ALL.length);
  }
});
