// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs what the lock
// file names when that has not been done yet, so that one command on a fresh clone is enough.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

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
  process.stderr.write('Installing dependencies…\n');
  const options = ['--include=dev', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  // Not `npm ci`: it refuses a lock file that does not name the binaries of every other platform.
  // The console is built with what only its developers need otherwise.
  npm('install', ...options);
  // npm 9, which Debian has, leaves the link to the pinned Node out.
  if (!existsSync(`${root}node_modules/.bin/node`)) npm('rebuild', '--ignore-scripts');
}
