// Runs before `npm start` and `npm test`, on whatever Node the machine has: installs what the lock
// file names when that has not been done yet, so that one command on a fresh clone is enough.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

const isInstalled =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
if (!isInstalled) {
  process.stderr.write('Installing dependencies…\n');
  // Not `npm ci`: it refuses a lock file that does not name the binaries of every other platform.
  // The console is built with what only its developers need otherwise.
  const options = [
    'install',
    '--include=dev',
    '--no-save',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const npm = process.env.npm_execpath;
  const { status } = npm
    ? spawnSync(process.execPath, [npm, ...options], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', options, { cwd: root, stdio: 'inherit', shell: true });
  process.exit(status ?? 1);
}
