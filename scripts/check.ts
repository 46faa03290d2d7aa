/**
 * `npm run check`: what can be said of the code without running it. Each check is a program; as
 * many run side by side as there are cores. What a check has found is printed when it ends, so that
 * no two of them mix their lines.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CACHE = 'node_modules/.cache/check';

/** Types of a folder with its own configuration, incrementally. */
const typesOf = (project: string) => [
  ...['tsc', '--noEmit', '--project', project, '--incremental'],
  ...['--tsBuildInfoFile', `${CACHE}/types-${project.replace(/\W+/g, '-')}`],
];

/** The longest first: the others fit in beside it. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  'types of the server': typesOf('.'),
  'style and lint': ['biome', 'check'],
  'types of the tests of the console': typesOf('console/test'),
  'unused code': ['knip', '--cache', '--cache-location', `${CACHE}/knip`],
  'types of the console': typesOf('console'),
  'types of the client': typesOf('client'),
  imports: ['node', 'scripts/check-imports.ts'],
  comments: ['node', 'scripts/check-comments.ts'],
};

function run([program = '', ...words]: readonly string[]) {
  return new Promise<{ isGood: boolean; output: string }>((resolve) => {
    const child = spawn(join('node_modules/.bin', program), words, {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
      shell: process.platform === 'win32',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', ({ message }) => resolve({ isGood: false, output: `${message}\n` }));
    child.on('close', (code) => resolve({ isGood: code === 0, output }));
  });
}

const waiting = Object.entries(CHECKS);

async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [name, words] = next;
    const { isGood, output } = await run(words);
    if (isGood) continue;
    process.stdout.write(`BROKEN: ${name}\n${output}  again: npx ${words.join(' ')}\n`);
    process.exitCode = 1;
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
if (!process.exitCode) process.stdout.write(`${Object.keys(CHECKS).length} checks passed\n`);
