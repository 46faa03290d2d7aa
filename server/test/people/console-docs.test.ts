import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWN_OPERATIONS } from '../../src/admin/own-operations.ts';
import { LINK_ENDPOINTS } from '../../src/routes/link-endpoints.ts';
import { SECOND_FACTOR_ENDPOINTS } from '../../src/routes/second-factor-endpoints.ts';
import { OWN_SESSION_ENDPOINTS, SESSION_ENDPOINTS } from '../../src/routes/session-endpoints.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/console.md'), 'utf8');
const ENDPOINTS = [
  ...SESSION_ENDPOINTS,
  ...LINK_ENDPOINTS,
  ...OWN_SESSION_ENDPOINTS,
  ...SECOND_FACTOR_ENDPOINTS,
];
const rows = page.split('\n').filter((line) => /^\| `(GET|POST) /.test(line));
const shown = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

it('the page lists every endpoint of sessions and of the own account, and no other', () => {
  const expected = [
    ...ENDPOINTS.map(({ method, path }) => `| \`${method} ${shown(path)}\` |`),
    ...OWN_OPERATIONS.map(
      ({ operation: { method, path }, role }) => `| \`${method} ${shown(path)}\` | ${role} |`,
    ),
  ];
  expect(rows).toHaveLength(expected.length);
  for (const start of expected) {
    expect(
      rows.filter((row) => row.startsWith(start)),
      start,
    ).toHaveLength(1);
  }
});
