// `npm start`, on whatever Node the machine has: installs, builds the console, each where it is needed,
// and serves the demo. A fresh clone serves first, with what that needs, and the rest follows meanwhile.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url));
const STEPS = ['install-if-needed.mjs', 'build-console-if-needed.mjs'];
/** Of 19: rows come first. */
const NICENESS = 10;

/** Of the step beside the server: none is running, or none may begin any more. */
let background = null;
let isOver = false;

/** A signal ends it at once: the server may take a while to stop. */
function endBackground() {
  isOver = true;
  const child = background;
  background = null;
  if (child === null) return;
  try {
    // With the programs that it started. Asked to end, npm takes back first what it has done so far,
    // which takes longer than the server; `install-if-needed.mjs` knows that it was killed.
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** Runs the steps one after the other beside the server. */
function runBeside([step, ...others]) {
  if (step === undefined || isOver) return;
  // What the server prints stays alone on standard output.
  const options = { stdio: ['ignore', 2, 2], detached: process.platform !== 'win32' };
  const child = spawn(process.execPath, [join(SCRIPTS, step)], options);
  // Without it, the demo still serves.
  child.on('error', () => {});
  if (child.pid === undefined) return;
  background = child;
  try {
    setPriority(child.pid, NICENESS);
  } catch {
    // It has ended, or may not be made slower.
  }
  child.unref();
  child.on('exit', (code) => {
    background = null;
    if (code === 0) runBeside(others);
  });
}

function beginBackground() {
  process.on('exit', endBackground);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      endBackground();
      // Nobody else has heard it before the server's program is loaded.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  }
  runBeside(STEPS);
}

// A server keeps the console that it found, so an old one is built again before.
const isFresh = !existsSync(join(SCRIPTS, '../console/dist'));
for (const [step, ...options] of isFresh
  ? [[STEPS[0], '--to-serve']]
  : STEPS.map((each) => [each])) {
  const program = [join(SCRIPTS, step), ...options];
  const { status } = spawnSync(process.execPath, program, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
if (isFresh) beginBackground();
process.argv.splice(2, 0, 'demo');
await import('../server/bin/ticklake.js');
