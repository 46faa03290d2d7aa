/** Runs the linter with scripts/test-rules.grit on sample files laid out as in the project. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'ticklake-rules-'));

const REFUSED = [
  'expect(Date.now() - began).toBeLessThan(5000);',
  'const began = performance.now();',
  'await sleep(200);',
  'await new Promise((resolve) => setTimeout(resolve, 20));',
  'const name = `$' + '{Math.random()}`;',
  'const at = randomInt(7);',
];

/** The lines of a file that are refused, by number. */
function refusedLines(path: string, lines: readonly string[]): number[] {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.join('\n'));
  const words = ['lint', '--only=plugin', '--colors=off', '--max-diagnostics=none', path];
  const program = join(ROOT, 'node_modules/.bin/biome');
  const { stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: 'utf8' });
  return [...`${stdout}${stderr}`.matchAll(/:(\d+):\d+ plugin /g)].map(([, line]) => Number(line));
}

beforeAll(() => {
  const { vcs, $schema, ...config } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8'));
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(config));
  cpSync(join(ROOT, 'scripts/test-rules.grit'), join(folder, 'scripts/test-rules.grit'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(['server/src/base/x.test.ts', 'client/test/x.ts', 'server/src/engine/conformance/x.ts'])(
  'a test that goes by a clock, waits for a while or draws without a seed is refused: %s',
  (path) => {
    expect(refusedLines(path, REFUSED).sort()).toEqual(REFUSED.map((_, i) => i + 1));
  },
);

test('the product may, and so may a test that says why', () => {
  expect(refusedLines('server/src/base/x.ts', REFUSED)).toEqual([]);
  const told = ['// biome-ignore lint/plugin: the moment of a kill.', 'await sleep(200);'];
  expect(refusedLines('server/test/y.test.ts', told)).toEqual([]);
});
