/**
 * A part of `npm run check`: what no test may do, and comments, names of tests and pages that make
 * readers stumble. Comments have at most 100 columns, and none begins with a word that points at a
 * thing the reader does not see. Pages call no request a status, and put no subject behind its
 * verb. All documents together have at most 50,000 words, besides their tables and programs.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { testFaultOf } from './test-rules.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = '{client,conformance,console,demo,market,scripts,server}/**/*.{ts,tsx}';
// The last one is generated from the texts of the reference.
const LEFT_OUT = ['**/node_modules', '**/dist', '**/*.d.ts', 'client/src/types.ts'];

const COLUMNS_MAX = 100;
const COMMENT = /^\s*(\/\/|\*|\/\*)/;
const RIDDLES: readonly RegExp[] = [
  /^\s*(\/\/|\*|\/\*\*?)\s*(Of|What|Whether|Where|Those|The same|Its?|They|Their|These)\b/,
  /^\s*(it|test|describe)(\.\w+)*\(\s*['"`](of|what|whether|where|those|the same|its?|they|their|these)\b/,
];

const PAGES = '{README.md,docs/**/*.md,{clients/python,conformance,deploy}/README.md}';
const PAGE_RIDDLE =
  /\b(is|are) an? [45]\d\d\b|\band so (is|are|do|does)\b|\b(all the same|by itself|as far as|whoever)\b/i;
/** Programs and what they print; lines are kept, so that the next ones have their numbers. */
const CODE_BLOCK = /^```.*?^```$/gms;

const DOCUMENTS = '{*.md,{clients,conformance,deploy,docs,server}/**/*.md}';
/** The last ones are generated. */
const NO_DOCUMENTS = ['**/node_modules', '**/dist', 'docs/vendors'];
const TABLE_ROW = /^\|.*$/gm;
const WORDS_MAX = 50_000;

function faultOf(line: string): string | null {
  if (RIDDLES.some((riddle) => riddle.test(line))) return `say what is meant: ${line.trim()}`;
  return COMMENT.test(line) && line.length > COLUMNS_MAX ? `over ${COLUMNS_MAX} columns` : null;
}

function report(path: string, at: number, fault: string | null): void {
  if (fault === null) return;
  process.stderr.write(`${path.replaceAll('\\', '/')}:${at + 1}: ${fault}\n`);
  process.exitCode = 1;
}

const textOf = (path: string) => readFileSync(`${cwd}${path}`, 'utf8');

const paths = globSync(SOURCES, { cwd, exclude: LEFT_OUT });
for (const path of paths) {
  const lines = textOf(path).split('\n');
  const name = path.replaceAll('\\', '/');
  for (const [at, line] of lines.entries()) {
    report(path, at, faultOf(line) ?? testFaultOf(name, line, lines[at - 1]));
  }
}
const pages = globSync(PAGES, { cwd, exclude: ['docs/decisions/**'] });
for (const page of pages) {
  const prose = textOf(page).replaceAll(CODE_BLOCK, (code) => code.replaceAll(/[^\n]/g, ''));
  for (const [at, line] of prose.split('\n').entries()) {
    report(page, at, PAGE_RIDDLE.test(line) ? `say it plainly: ${line.trim()}` : null);
  }
}
const documents = globSync(DOCUMENTS, { cwd, exclude: NO_DOCUMENTS });
const prose = documents.map((path) =>
  textOf(path).replaceAll(CODE_BLOCK, '').replaceAll(TABLE_ROW, ''),
);
const wordCount = prose.join(' ').match(/\S+/g)?.length ?? 0;
if (wordCount > WORDS_MAX) {
  process.stderr.write(`the documents have ${wordCount} words; the limit is ${WORDS_MAX}\n`);
  process.exitCode = 1;
}
if (paths.length === 0 || pages.length === 0) process.exitCode = 1;
