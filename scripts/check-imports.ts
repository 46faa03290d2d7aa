/**
 * A part of `npm run check`: whether each import keeps the rules of ARCHITECTURE.md. Tests may
 * import everything.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { wrongImports } from './import-rules.ts';

const cwd = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = '{client,server,market,demo,console}/src/**/*.{ts,tsx}';

const paths = globSync(SOURCES, { cwd, exclude: ['**/*.test.ts', '**/conformance/**'] });
const lines = wrongImports(
  paths.map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(`${cwd}${path}`, 'utf8'),
  })),
);
for (const line of lines) process.stderr.write(`${line}\n`);
if (lines.length > 0 || paths.length === 0) process.exitCode = 1;
