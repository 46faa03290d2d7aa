/** ARCHITECTURE.md names the files that a request passes on its way to the engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');

const files = [
  ...readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').matchAll(/^\| \d+ \| `(\S+)` \|/gm),
].map(([, file]) => file as string);

it('is at most fifteen files long and meets none of them twice', () => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(15);
  expect(new Set(files).size).toBe(files.length);
});

it.each(files)('passes %s, which exists', (file) => {
  expect(existsSync(join(ROOT, 'server/src', file))).toBe(true);
});
