// Runs in `npm start` and before `npm test`, on whatever Node the machine has: installs what the lock
// file names when that has not been done yet, so that one command on a fresh clone is enough. With
// `--to-serve`, a fresh clone gets no more than the server needs: half of it.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync, utimesSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

const OF_SERVER = [
  ...['--workspace=ticklake', '--workspace=@ticklake/demo'],
  '--include-workspace-root=false',
];

/** Ends this process if npm fails. */
function npm(...words) {
  const program = process.env.npm_execpath;
  const { status } = program
    ? spawnSync(process.execPath, [program, ...words], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', words, { cwd: root, stdio: 'inherit', shell: true });
  if (status !== 0) process.exit(status ?? 1);
}

const isInstalled =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
if (!isInstalled) {
  const isToServe = process.argv.includes('--to-serve') && !existsSync(`${root}node_modules`);
  const what = isToServe ? 'what serving needs' : 'what the project needs';
  process.stderr.write(`Installing ${what}…\n`);
  const options = ['--include=dev', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  // Not `npm ci`: it refuses a lock file that does not name the binaries of every other platform.
  // The console is built with what only its developers need otherwise.
  npm('install', ...options, ...(isToServe ? OF_SERVER : []));
  // At once, so that the next call installs the rest, whatever becomes of this one.
  if (isToServe) utimesSync(installed, 0, 0);
}
// npm 9, which Debian has, leaves the link to the pinned Node out.
if (!existsSync(`${root}node_modules/.bin/node`)) npm('rebuild', '--ignore-scripts');
