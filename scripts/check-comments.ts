/**
 * A part of `npm run check`: comments and names of tests that make readers stumble. Comments have
 * at most 100 columns, and none begins with a word that points at a thing the reader does not see.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = '{client,console,demo,market,scripts,server}/**/*.{ts,tsx}';
// The last one is generated from the texts of the reference.
const LEFT_OUT = ['**/node_modules', '**/dist', '**/*.d.ts', 'client/src/types.ts'];

const COLUMNS_MAX = 100;
const COMMENT = /^\s*(\/\/|\*|\/\*)/;
const RIDDLES: readonly RegExp[] = [
  /^\s*(\/\/|\*|\/\*\*?)\s*(Of|What|Whether|Where|Those|The same|Its?|They|Their|These)\b/,
  /^\s*(it|test|describe)(\.\w+)*\(\s*['"`](of|what|whether|where|those|the same|its?|they|their|these)\b/,
];

function faultOf(line: string): string | null {
  if (RIDDLES.some((riddle) => riddle.test(line))) return `say what is meant: ${line.trim()}`;
  return COMMENT.test(line) && line.length > COLUMNS_MAX ? `over ${COLUMNS_MAX} columns` : null;
}

const paths = globSync(SOURCES, { cwd, exclude: LEFT_OUT });
for (const path of paths) {
  for (const [at, line] of readFileSync(`${cwd}${path}`, 'utf8').split('\n').entries()) {
    const fault = faultOf(line);
    if (fault === null) continue;
    process.stderr.write(`${path.replaceAll('\\', '/')}:${at + 1}: ${fault}\n`);
    process.exitCode = 1;
  }
}
if (paths.length === 0) process.exitCode = 1;
