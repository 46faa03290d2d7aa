// Runs in `npm start`, on whatever Node the machine has: builds the console when that has not been done
// since its sources, or what is installed to build it with, have changed. A server without a console is
// still a server, so a build that fails is only told; with `--required`, it is an error.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'console', 'dist');
/** Takes the place of the other one as a whole: a server may be looking. */
const unfinished = `${folder}.unfinished`;
const built = join(folder, 'index.html');
/** What the console, its documentation and the packages of the clients are built from. */
const SOURCES = [
  ...['console', 'docs', 'deploy/README.md', 'client', 'clients/python', 'package-lock.json'],
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
];
const NOT_SOURCES = [
  'dist',
  'dist.unfinished',
  'screenshots',
  'test',
  'tests',
  'node_modules',
  '__pycache__',
];

/** Tools of Python keep what they know in folders whose names begin with a dot. */
function isProduced(name) {
  return NOT_SOURCES.includes(name) || name.startsWith('.');
}

/** When a file, or the newest one in a folder, was changed. */
function changedAtMs(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  const names = readdirSync(path).filter((name) => !isProduced(name));
  return Math.max(0, ...names.map((name) => changedAtMs(join(path, name))));
}

function isBuilt() {
  if (!existsSync(built)) return false;
  const builtAtMs = statSync(built).mtimeMs;
  return SOURCES.every((path) => changedAtMs(join(root, path)) <= builtAtMs);
}

if (!isBuilt()) {
  process.stderr.write('Building the console…\n');
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env;
  const options = ['--config', 'console/vite.config.ts', '--logLevel', 'error'];
  const words = ['exec', '--', 'vite', 'build', ...options, '--outDir', unfinished];
  // Whatever the caller's own environment is: that of a test would build in React's checks.
  const how = { cwd: root, stdio: 'inherit', env: { ...process.env, NODE_ENV: 'production' } };
  const { status } = npm
    ? spawnSync(node, [npm, ...words], how)
    : spawnSync('npm', words, { ...how, shell: true });
  if (status === 0) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(unfinished, folder);
    process.stderr.write('The console is built\n');
  } else {
    process.stderr.write('The console could not be built\n');
    if (process.argv.includes('--required')) process.exit(1);
  }
}
