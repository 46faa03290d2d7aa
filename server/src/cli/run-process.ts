/** Runs a command line as this process: its words, streams, signals and exit code. */
import { systemClock } from '../base/clock.ts';
import type { Config } from '../settings/config.ts';
import type { Command } from './command.ts';
import { runCommandLine } from './run-command-line.ts';

/** An interrupt arrives twice when the launcher passes it on; a second one by a person comes later. */
const SAME_SIGNAL_MS = 1000;
const EXIT_INTERRUPTED = 130;
const PARENT_CHECK_MS = 500;

/** Aborts with the first signal; a second one, some time later, ends the process at once. */
class Interruption {
  readonly #controller = new AbortController();
  #atMs = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  interrupt(reason: string): void {
    const nowMs = systemClock.now();
    if (!this.signal.aborted) {
      this.#atMs = nowMs;
      this.#controller.abort(new Error(reason));
    } else if (nowMs - this.#atMs > SAME_SIGNAL_MS) process.exit(EXIT_INTERRUPTED);
  }
}

/**
 * npm and the launcher start this program on behalf of a person, who ends it by ending them. If they
 * are killed by a signal that they cannot pass on, this program would go on unnoticed.
 */
function stopWithParent(interruption: Interruption): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    interruption.interrupt('the parent process has ended');
  }, PARENT_CHECK_MS);
  check.unref();
}

/** It is not a failure when a reader such as `head` closes the pipe early. */
function endWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/**
 * Runs the process's own command line with these commands and sets its exit code. `limits` replace
 * constants: tests need small ones.
 */
export async function runProcess(
  commands: readonly Command[],
  limits: Partial<Config> = {},
): Promise<void> {
  const interruption = new Interruption();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => interruption.interrupt(signal));
  }
  let hangUp = () => interruption.interrupt('SIGHUP');
  process.on('SIGHUP', () => hangUp());
  // A program ends with the terminal that it was started from.
  const onHangUp = (act: () => void) => {
    if (!process.stdin.isTTY && !process.stdout.isTTY) hangUp = act;
  };
  if (process.env.npm_lifecycle_event || process.env.TICKLAKE_LAUNCHED) {
    stopWithParent(interruption);
  }
  endWithReader();
  const { argv, env, stdin, stdout, stderr } = process;
  const { signal } = interruption;
  const line = {
    words: argv.slice(2),
    env,
    stdin,
    stdout,
    stderr,
    clock: systemClock,
    signal,
    onHangUp,
    limits,
  };
  process.exitCode = await runCommandLine(line, commands);
}
