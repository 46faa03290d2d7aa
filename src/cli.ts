/** The command `ticklake`. */
import { COMMANDS } from './cli/commands.ts';
import { runCommandLine } from './cli/run-command-line.ts';
import { systemClock } from './clock.ts';

const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => interruption.abort(new Error(name)));
}

// A reader such as `head` that closes the pipe early is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

process.exitCode = await runCommandLine(
  {
    words: process.argv.slice(2),
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
    clock: systemClock,
    signal: interruption.signal,
  },
  COMMANDS,
);
