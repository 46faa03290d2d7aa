// Runs in `npm start` and before `npm test`, on whatever Node the machine has: installs what the lock
// file names when that has not been done yet, so that one command on a fresh clone is enough. With
// `--to-serve`, a fresh clone gets no more than the server needs: half of it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = `${root}node_modules/.package-lock.json`;
const wanted = `${root}package-lock.json`;

const OF_SERVER = [
  ...['--workspace=ticklake', '--workspace=@ticklake/demo'],
  '--include-workspace-root=false',
];

/** The number of the npm that installs, or of one that was stopped. */
const numberFile = `${root}node_modules/.installing`;

function isInstalling() {
  try {
    return process.kill(Number(readFileSync(numberFile, 'utf8')), 0);
  } catch {
    return false;
  }
}

/** An npm that was told to stop may take back what it did for a minute after that. */
async function waitForOther() {
  if (isInstalling()) process.stderr.write('Waiting for another installation to end…\n');
  for (let waits = 0; waits < 600 && isInstalling(); waits++) await setTimeout(200);
}

/**
 * Removes all packages, those of a workspace alone as well, after an npm that was killed: npm takes
 * parts of packages for whole ones. What tests keep beside them stays.
 */
function removeBroken() {
  if (!existsSync(numberFile) || isInstalling()) return;
  for (const place of ['.', ...readdirSync(root)]) {
    const folder = join(root, place, 'node_modules');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of names.filter((each) => each !== '.cache')) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
}

/** Ends this process if npm fails. Runs it on the Node that it came with, as older ones warn on others. */
async function npm(...words) {
  const { npm_execpath: program, npm_node_execpath: node = process.execPath } = process.env;
  const how = { cwd: root, stdio: 'inherit', shell: !program };
  const child = program ? spawn(node, [program, ...words], how) : spawn('npm', words, how);
  mkdirSync(`${root}node_modules`, { recursive: true });
  writeFileSync(numberFile, `${child.pid}`);
  const [status] = await once(child, 'exit');
  // One that ends by itself leaves whole packages, also where it fails.
  if (status !== null) rmSync(numberFile, { force: true });
  if (status !== 0) process.exit(status ?? 1);
}

await waitForOther();
removeBroken();
const isInstalled =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
if (!isInstalled) {
  const isToServe = process.argv.includes('--to-serve') && !existsSync(installed);
  const what = isToServe ? 'what serving needs' : 'what the project needs';
  process.stderr.write(`Installing ${what}…\n`);
  const options = ['--include=dev', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  // Not `npm ci`: it refuses a lock file that does not name the binaries of every other platform.
  // The console is built with what only its developers need otherwise.
  await npm('install', ...options, ...(isToServe ? OF_SERVER : []));
  // At once, so that the next call installs the rest, whatever becomes of this one.
  if (isToServe) utimesSync(installed, 0, 0);
}
// npm 9, which Debian has, leaves the link to the pinned Node out.
if (!existsSync(`${root}node_modules/.bin/node`)) await npm('rebuild', '--ignore-scripts');
