/** Runs one command line from its words to its exit code. */
import type { Clock } from '../base/clock.ts';
import { UsageError } from '../base/errors.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { printableLine, printableText } from '../base/printable.ts';
import { type Config, readConfig } from '../settings/config.ts';
import { errorLines, errorValue } from './allowance-text.ts';
import type { Command, CommandResult } from './command.ts';
import { commandLineOf } from './command-line-text.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { commandHelp, programHelp } from './help.ts';
import { namesOf, parseCommandLine } from './parse-command-line.ts';
import { printableJson } from './printed.ts';
import { isTerminal } from './terminal.ts';

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

function textResult(text: string, value: unknown): CommandResult {
  return { value, text, exitCode: EXIT.done };
}

async function execute(line: CommandLine, commands: readonly Command[]): Promise<CommandResult> {
  const parsed = parseCommandLine(line.words, commands);
  const { command, globals, values, positionals } = parsed;
  if (globals.version) {
    return textResult(`${SERVICE_VERSION}\n`, { version: SERVICE_VERSION });
  }
  if (globals.help) {
    const help = command ? commandHelp(command, commands) : programHelp(parsed.meant);
    return textResult(help, { help });
  }
  if (!command) {
    throw new UsageError(`name a command: ${namesOf(commands)}; ticklake --help explains them`);
  }
  const { stdin, stdout, stderr, env } = line;
  const givenHome = typeof globals.home === 'string' ? globals.home : null;
  const defaultHome = command.defaultHome ? { TICKLAKE_HOME: command.defaultHome } : {};
  const home = givenHome === null ? {} : { TICKLAKE_HOME: givenHome };
  const isWatched = isTerminal(stderr) && !globals.json;
  const context = {
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
    terminal: isWatched ? stderr : null,
  };
  return command.run(context, values, positionals);
}

/** Resolves to one of the codes of `EXIT`. */
export async function runCommandLine(
  line: CommandLine,
  commands: readonly Command[],
): Promise<number> {
  // Read separately, because a failure to parse the rest has to be reported in JSON as well.
  const isJson = line.words.includes('--json');
  try {
    const { value, text, exitCode } = await execute(line, commands);
    const target = exitCode === 0 || isJson ? line.stdout : line.stderr;
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
