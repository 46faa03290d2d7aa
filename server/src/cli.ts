/** The command `ticklake`. */

import { systemClock } from './base/clock.ts';
import { COMMANDS } from './cli/commands.ts';
import { runCommandLine } from './cli/run-command-line.ts';

/** A terminal's interrupt comes twice when the launcher passes it on; a person's second one later. */
const SAME_SIGNAL_MS = 1000;
const EXIT_INTERRUPTED = 130;
const PARENT_CHECK_MS = 500;

const interruption = new AbortController();
let interruptedAtMs = 0;

function interrupt(signal: string): void {
  const nowMs = systemClock.now();
  if (!interruption.signal.aborted) {
    interruptedAtMs = nowMs;
    interruption.abort(new Error(signal));
  } else if (nowMs - interruptedAtMs > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

/**
 * npm and the launcher start this program for somebody who ends them. When they are gone, even by a
 * signal that they could not pass on, nobody would know of it any more.
 */
function stopWithParent(): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    interrupt('the parent process has ended');
  }, PARENT_CHECK_MS);
  check.unref();
}

if (process.env.npm_lifecycle_event || process.env.TICKLAKE_LAUNCHED) stopWithParent();

// A reader such as `head` that closes the pipe early is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(
  {
    words: process.argv.slice(2),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    signal: interruption.signal,
  },
  COMMANDS,
);
