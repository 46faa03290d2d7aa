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

/** The number of the npm that installs, or of one that was stopped, and when it began. */
const numberFile = `${root}node_modules/.installing`;

/** Tells a process from a later one with its number; empty where the system does not say. */
function beginOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[19];
  } catch {
    return '';
  }
}

function isInstalling() {
  try {
    const [pid, begin] = readFileSync(numberFile, 'utf8').split(' ');
    return pid > 0 && process.kill(Number(pid), 0) && beginOf(pid) === begin;
  } catch {
    return false;
  }
}

/** An npm that was told to stop may take back what it did for a minute after that. */
async function waitForOther() {
  if (isInstalling()) process.stderr.write('Waiting for another installation to end…\n');
  for (let waits = 0; waits < 3000 && isInstalling(); waits++) await setTimeout(200);
}

/**
 * Removes all packages, those of a workspace alone as well, after an npm that was killed: npm takes
 * parts of packages for whole ones. What tests keep beside them stays.
 */
function removeBroken() {
  if (!existsSync(numberFile)) return;
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
  // Ctrl-C tells npm, too, which takes back what it did, and a second one ends it at once.
  let interruptCount = 0;
  process.on('SIGINT', () => interruptCount++);
  // The first one has nothing to take back, for which npm needs half a minute and reports an error.
  if (!existsSync(installed)) {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill('SIGKILL'));
  }
  mkdirSync(`${root}node_modules`, { recursive: true });
  writeFileSync(numberFile, `${child.pid} ${beginOf(child.pid)}`);
  const [status, signal] = await once(child, 'exit');
  // One that ends by itself leaves whole packages, also where it fails.
  const isWhole = status !== null || (signal === 'SIGINT' && interruptCount === 1);
  if (isWhole) rmSync(numberFile, { force: true });
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
