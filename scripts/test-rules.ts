/**
 * Rules of tests, as far as a text shows them. Below `// Allowed: ` and why, a line may do all. The
 * linter's own rules of that kind take as long as all its others.
 */
const RULES: readonly (readonly [RegExp, string])[] = [
  [
    /\bexpect\(.*\bDate\.now\(\)/,
    'a test that looks at a clock fails on a busy machine: inject the time, or expect what happens',
  ],
  [
    /\bperformance\.now\(\)/,
    'tests measure no time: benchmarks do, and waiting is for an event (server/test/eventually.ts)',
  ],
  [
    /(?<![.\w])(sleep|setTimeout|delay)\(/,
    'a test waits for an event, not for a while: eventually(), expect.poll() or fake timers',
  ],
  [
    /\bMath\.random\(\)|(?<![.\w])randomInt\(/,
    'tests draw by their seed: drawsOf() of server/test/seed.ts',
  ],
];

const TEST = /\.test\.tsx?$|^[^/]+\/test\/|(?:^|\/)conformance\//;
const ALLOWED = /^\s*\/\/ Allowed: /;
/** Ends a line where an `expect` has its value on the next one. */
const OPEN = /\bexpect\($/;
const STRING = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g;
const COMMENT = /^\s*(?:\/\/|\*|\/\*)/;

/** The reason why a line of a file must not be there, if it must not. */
export function testFaultOf(path: string, line: string, before = ''): string | null {
  if (!TEST.test(path) || ALLOWED.test(before) || COMMENT.test(line)) return null;
  const code = (OPEN.test(before) ? before : '') + line.replaceAll(STRING, '""');
  return RULES.find(([rule]) => rule.test(code))?.[1] ?? null;
}
