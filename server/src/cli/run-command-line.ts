/** Runs one command line from its words to its exit code. */
import { type Clock, systemClock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { printableLine, printableText } from '../base/printable.ts';
import { type Config, readConfig, warningOfSettings } from '../settings/config.ts';
import {
  type Command,
  type CommandContext,
  type CommandResult,
  commandLineOf,
  EXIT,
  exitCodeOf,
} from './command.ts';
import { argumentsOf, commandHelp, parseCommandLine, programHelp } from './parse-command-line.ts';
import { isTerminal, ProgressBar } from './progress-bar.ts';
import { errorLines, errorValue, printableJson } from './text.ts';

/** The launcher may pass an interrupt on twice; a person's second one comes later. */
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
 * npm and the launcher start this program on behalf of a person, who ends it by ending them. If
 * they are killed by a signal that they cannot pass on, this program would go on unnoticed.
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

/** Exits quietly when a reader such as `head` closes the pipe early. */
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

export interface CommandLine {
  /** The words after the program's name. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onHangUp?: (act: () => void) => void;
  /** Constants that tests replace. */
  readonly limits?: Partial<Config>;
}

async function execute(line: CommandLine, commands: readonly Command[]): Promise<CommandResult> {
  const parsed = parseCommandLine(line.words, commands);
  const { command, globals, values, positionals } = parsed;
  if (globals.version) {
    return { value: { version: SERVICE_VERSION }, text: `${SERVICE_VERSION}\n` };
  }
  if (globals.help) {
    const help = command ? commandHelp(command, commands) : programHelp(parsed.meant);
    return { value: { help }, text: help };
  }
  if (!command) {
    throw new UsageError('name a command; ticklake --help lists them');
  }
  const { stdin, stdout, stderr, env } = line;
  const givenHome = typeof globals.home === 'string' ? globals.home : null;
  const defaultHome = command.defaultHome ? { TICKLAKE_HOME: command.defaultHome } : {};
  const home = givenHome === null ? {} : { TICKLAKE_HOME: givenHome };
  const isWatched = isTerminal(stderr) && !globals.json;
  const progress = new ProgressBar(isWatched ? stderr : null, () => line.clock.now());
  const opened = new AsyncDisposableStack();
  opened.defer(() => progress.clear());
  const context: CommandContext = {
    config: { ...readConfig({ ...defaultHome, ...env, ...home }), ...line.limits },
    isDefaultHome: givenHome === null && env.TICKLAKE_HOME === undefined,
    env,
    clock: line.clock,
    signal: line.signal,
    onHangUp: line.onHangUp ?? (() => undefined),
    stdin,
    stdout,
    stderr,
    commandLine: commandLineOf(env, givenHome),
    isJson: globals.json === true,
    onProgress: (step, share) => progress.update(step, share),
    onWait: () => void stderr.write('waiting until another publication has ended\n'),
    closing: (each) => {
      opened.defer(async () => void (await (each.close ?? each.release).call(each)));
      return each;
    },
  };
  const warning = warningOfSettings(env);
  if (warning !== null && !command.writesLog) stderr.write(`ticklake: warning: ${warning}\n`);
  try {
    const given = argumentsOf(command, values, positionals);
    return await command.run(context, given.values, given.words);
  } finally {
    await opened.disposeAsync();
  }
}

/** Resolves to one of the codes of `EXIT`. */
export async function runCommandLine(
  line: CommandLine,
  commands: readonly Command[],
): Promise<number> {
  // Read separately, because a failure to parse the rest has to be reported in JSON as well.
  const isJson = line.words.includes('--json');
  try {
    const { value, text, exitCode = EXIT.done, isReport } = await execute(line, commands);
    const target = exitCode === 0 || isJson || isReport ? line.stdout : line.stderr;
    target.write(isJson ? printableJson(value) : printableText(text));
    return exitCode;
  } catch (error) {
    const isInterrupted = line.signal.aborted;
    const told = isInterrupted ? new Error('interrupted') : error;
    const lines = errorLines(told);
    if (isJson) line.stdout.write(printableJson(errorValue(told)));
    else line.stderr.write(`ticklake: ${lines.map(printableLine).join('\n')}\n`);
    if (isInterrupted) return EXIT.interrupted;
    return exitCodeOf(error);
  }
}
