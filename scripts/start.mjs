// `npm start`, on whatever Node the machine has: installs what serving needs, and serves the demo. What
// else there is to install, and the console, follow meanwhile, each step only where it is needed.
import { spawn, spawnSync } from 'node:child_process';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPTS = fileURLToPath(new URL('.', import.meta.url));
const MEANWHILE = ['install-if-needed.mjs', 'build-console-if-needed.mjs'];
/** Of 19: rows come first. */
const NICENESS = 10;

/** Ends with this process, with the programs that it started. */
function runNext([step, ...others]) {
  if (step === undefined) return;
  // What the server prints stays alone on standard output.
  const options = { stdio: ['ignore', 2, 2], detached: process.platform !== 'win32' };
  const child = spawn(process.execPath, [join(SCRIPTS, step)], options);
  setPriority(child.pid, NICENESS);
  child.unref();
  const end = () => (options.detached ? process.kill(-child.pid) : child.kill());
  process.on('exit', end);
  child.on('exit', (code) => {
    process.off('exit', end);
    if (code === 0) runNext(others);
  });
}

const first = [join(SCRIPTS, MEANWHILE[0]), '--to-serve'];
const { status } = spawnSync(process.execPath, first, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
runNext(MEANWHILE);
process.argv.splice(2, 0, 'demo');
await import('../server/bin/ticklake.js');
