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

/** Ends with this process, with the programs that it started. */
function runNext([step, ...others]) {
  if (step === undefined) return;
  // What the server prints stays alone on standard output.
  const options = { stdio: ['ignore', 2, 2], detached: process.platform !== 'win32' };
  const child = spawn(process.execPath, [join(SCRIPTS, step)], options);
  // Without it, the demo still serves.
  child.on('error', () => {});
  if (child.pid === undefined) return;
  try {
    setPriority(child.pid, NICENESS);
  } catch {
    // It has ended, or may not be made slower.
  }
  child.unref();
  const end = () => (options.detached ? process.kill(-child.pid) : child.kill());
  process.on('exit', end);
  child.on('exit', (code) => {
    process.off('exit', end);
    if (code === 0) runNext(others);
  });
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
if (isFresh) runNext(STEPS);
process.argv.splice(2, 0, 'demo');
await import('../server/bin/ticklake.js');
