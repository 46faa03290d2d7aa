/** The rules of `scripts/test-rules.ts`, by which the checks read all files. */
import { expect, test } from 'vitest';
import { testFaultOf } from '../../../scripts/test-rules.ts';

const REFUSED = [
  'expect(Date.now() - began).toBeLessThan(5000);',
  'const began = performance.now();',
  'await sleep(200);',
  'await new Promise((resolve) => setTimeout(resolve, 20));',
  'const name = `$' + '{Math.random()}`;',
  'const at = randomInt(7);',
];
const TEST = 'server/test/y.test.ts';

const isRefused = (path: string, line: string, before?: string) =>
  testFaultOf(path, line, before) !== null;

test.each(['server/src/base/x.test.ts', 'client/test/x.ts', 'conformance/src/x.ts'])(
  'a test that goes by a clock, waits for a while or draws without a seed is refused: %s',
  (path) => {
    expect(REFUSED.filter((line) => isRefused(path, line))).toEqual(REFUSED);
    expect(isRefused(path, '    Date.now() - began,', '  expect(')).toBe(true);
  },
);

test('the product may, and so may a test that says why, or that only speaks of it', () => {
  expect(REFUSED.filter((line) => isRefused('server/src/base/x.ts', line))).toEqual([]);
  expect(isRefused(TEST, 'await sleep(200);', '  // Allowed: the moment of a kill.')).toBe(false);
  for (const line of ["  'await sleep(200);',", '// sleep(1)', 'socket.setTimeout(1);']) {
    expect(isRefused(TEST, line), line).toBe(false);
  }
});
