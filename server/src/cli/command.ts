/** Types of the commands; `commands.ts` has the table of them. */
import type { Clock } from '../base/clock.ts';
import { ApiError, type ErrorKind, UsageError } from '../base/errors.ts';
import type { Config } from '../settings/config.ts';

export const EXIT = {
  done: 0,
  /** Another try may succeed. */
  failed: 1,
  /** The command line, a setting, the data or what is already there has to change. */
  refused: 2,
  /** There are no rows, or the rows or the state that a command asks for are there already. */
  nothingToDo: 3,
  interrupted: 130,
} as const;

/** Kinds of errors that nothing which the caller could change has caused. */
const FAILURES: readonly ErrorKind[] = [
  'internal',
  'unavailable',
  'timed out',
  'too many requests',
];

/** The exit code of a command that ended with this error. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.refused;
  return error instanceof ApiError && !FAILURES.includes(error.kind) ? EXIT.refused : EXIT.failed;
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

export function flag(description: string): CommandOption {
  return { type: 'boolean', description };
}

/** An option with a value. */
export function option(valueName: string, description: string): CommandOption {
  return { type: 'string', valueName, description };
}

export function repeatable(valueName: string, description: string): CommandOption {
  return {
    type: 'string',
    valueName,
    multiple: true,
    description: `${description}; may be given more than once`,
  };
}

export type OptionValue = string | boolean | readonly string[] | undefined;
/** By option name, without the dashes; only options of the command, never the global ones. */
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** The value of an option with one value. */
export function textOf(values: OptionValues, name: string): string | undefined {
  return values[name] as string | undefined;
}

/** All values of an option that may be given more than once. */
export function textsOf(values: OptionValues, name: string): readonly string[] {
  return (values[name] ?? []) as readonly string[];
}

/** The number that an option gives; undefined without it. Throws `UsageError` for any other. */
export function wholeNumberOf(
  values: OptionValues,
  name: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  const text = textOf(values, name);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  const legal = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  throw new UsageError(`--${name} must be a whole number${legal}, not ${text}`);
}

type Opened =
  | { readonly close: () => unknown; readonly release?: never }
  | { readonly release: () => unknown; readonly close?: never };

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
  /** Shows how far a long step has come; without a terminal it draws nothing. */
  readonly onProgress: (step: string, share: number) => void;
  /** Says that another publication goes first. */
  readonly onWait: () => void;
  /** Closes what a command has opened, when that has ended, the last one first. */
  readonly closing: <T extends Opened>(opened: T) => T;
}

/** Output of a command: `value` with `--json` (keys in snake case), else `text` in lines. */
export interface CommandResult {
  readonly value: unknown;
  readonly text: string;
  /** `text` goes to standard error unless it is 0, the default, or the text is a report. */
  readonly exitCode?: Exclude<(typeof EXIT)[keyof typeof EXIT], typeof EXIT.interrupted>;
  /** True: `text` goes to standard output whatever the exit code. */
  readonly isReport?: boolean;
}

export interface Command {
  /** The words that name it, e.g. `['import', 'lean']`. */
  readonly name: readonly string[];
  /** One line, without a full stop. */
  readonly summary: string;
  /**
   * The arguments after the name, e.g. `<dataset> [<file...>]`, or several forms of them with ` | `
   * between; absent when there are none. It is called with so many.
   */
  readonly usage?: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** The options that arguments stand for, in each form; it is called with these alone. */
  readonly argumentOptions?: readonly (readonly string[])[];
  /** The command's own default home, used where neither `--home` nor the environment names one. */
  readonly defaultHome?: string;
  /** Standard error is a log of JSON lines. */
  readonly writesLog?: true;
  /** Throws `UsageError` for wrong words or bad input; any other error is a failure (exit 1). */
  run(
    context: CommandContext,
    values: OptionValues,
    positionals: readonly string[],
  ): Promise<CommandResult>;
}
