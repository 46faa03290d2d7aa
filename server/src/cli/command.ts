/** Types of the commands; `commands.ts` has the table of them. */
import type { Clock } from '../base/clock.ts';
import { ApiError, type ErrorKind, UsageError } from '../base/errors.ts';
import type { Config } from '../settings/config.ts';

export const EXIT = {
  done: 0,
  /** The input is not the cause. */
  failed: 1,
  /** The command line, a setting or the data has to change. */
  refused: 2,
  /** Files hold no rows, or there already are the rows or the state that a command asks for. */
  nothingToDo: 3,
  interrupted: 130,
} as const;

/** Kinds of errors that the command line's own words cause. */
const OF_WORDS: readonly ErrorKind[] = ['not found'];

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.refused;
  return error instanceof ApiError && OF_WORDS.includes(error.kind) ? EXIT.refused : EXIT.failed;
}

/** Commands in messages, in the form in which the reader can type them. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A word, quoted for a POSIX shell where needed. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The program's name: npm tells scripts and npx how they were called. */
function programOf({ npm_lifecycle_event: script }: Environment): string {
  if (script === undefined) return 'ticklake';
  return script === 'npx' ? 'npx ticklake' : 'npm run ticklake --';
}

/** Writes a command for the home of this one, or for another. */
export type CommandLine = (words: string, otherHome?: string) => string;

/** `givenHome` is what `--home` named, or null. */
export function commandLineOf(env: Environment, givenHome: string | null): CommandLine {
  return (words, otherHome) => {
    const home = otherHome ?? givenHome;
    return `${programOf(env)} ${words}${home === null ? '' : ` --home ${shellWord(home)}`}`;
  };
}

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  /** Placeholder for the value of a string option in the help, e.g. `NAME`. */
  readonly valueName?: string;
  /** May be given more than once; its value is then an array. */
  readonly multiple?: boolean;
  readonly description: string;
}

export type OptionValue = string | boolean | readonly string[] | undefined;
/** By option name, without the dashes; only options of the command, never the global ones. */
export type OptionValues = Readonly<Record<string, OptionValue>>;

export interface CommandContext {
  /** The settings; `--home` is in `config.home`, which is absolute. */
  readonly config: Config;
  /** Neither `--home` nor the environment named the home. */
  readonly isDefaultHome: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Aborted when the person at the terminal interrupts or the process is asked to end. */
  readonly signal: AbortSignal;
  /** From then on, a hang-up of a process without a terminal calls it, and ends nothing. */
  readonly onHangUp: (act: () => void) => void;
  readonly stdin: NodeJS.ReadableStream;
  /** For progress of a long-running command; results are returned in `CommandResult`. */
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** A command as the reader would type it here, for messages: `npx ticklake init --home DIR`. */
  readonly commandLine: CommandLine;
  /** True if the result is printed as JSON. */
  readonly isJson: boolean;
  /** For drawing progress; null without a terminal. */
  readonly terminal: NodeJS.WritableStream | null;
}

/** Output of a command: `value` with `--json` (keys in snake case), else `text` in lines. */
export interface CommandResult {
  readonly value: unknown;
  readonly text: string;
  /** `text` goes to standard error unless it is 0. */
  readonly exitCode: Exclude<(typeof EXIT)[keyof typeof EXIT], typeof EXIT.interrupted>;
}

export interface Command {
  /** The words that name it, e.g. `['import', 'lean']`. */
  readonly name: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /** The arguments after the name, e.g. `<dataset> <file...>`; empty when there are none. */
  readonly usage: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  /** The command's own default home, used where neither `--home` nor the environment names one. */
  readonly defaultHome?: string;
  /** Throws `UsageError` for wrong words or bad input; any other error is a failure (exit 1). */
  run(
    context: CommandContext,
    values: OptionValues,
    positionals: readonly string[],
  ): Promise<CommandResult>;
}

/** For a command that takes no arguments. */
export function refuseArguments(command: string, positionals: readonly string[]): void {
  if (positionals.length === 0) return;
  throw new UsageError(
    `ticklake ${command} takes no arguments, but was given ${positionals.join(' ')}`,
  );
}
