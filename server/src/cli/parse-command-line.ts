/** From the words of a command line to a command with its options and arguments. Pure. */
import { parseArgs } from 'node:util';
import { UsageError } from '../base/errors.ts';
import { capitalized } from '../base/printable.ts';
import type { Command, CommandOption, OptionValue, OptionValues } from './command.ts';
import { factsText } from './text.ts';

function optionRows(options: Readonly<Record<string, CommandOption>>): [string, string][] {
  return Object.entries(options).map(([name, option]) => [
    option.type === 'string' ? `  --${name} ${option.valueName ?? 'VALUE'}` : `  --${name}`,
    option.description,
  ]);
}

/** The options of every command; also says which command has a default home of its own. */
function globalRows(commands: readonly Command[]): [string, string][] {
  const homes = commands.flatMap(({ name, defaultHome }) =>
    defaultHome ? [`, or ${defaultHome} for the ${name.join(' ')}`] : [],
  );
  const closed = `${homes.join('')})`;
  return optionRows(GLOBAL_OPTIONS).map(([left, right]) => [
    left,
    left.startsWith('  --home') ? right.replace(/\)$/, closed) : right,
  ]);
}

export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(
    ({ name, usage = '', summary }) => [`  ${name.join(' ')} ${usage}`.trimEnd(), summary] as const,
  );
  return (
    'Usage: ticklake <command> [options]\n\n' +
    `Commands:\n${factsText(rows)}\n` +
    `Options of every command:\n${factsText(globalRows(commands))}`
  );
}

/** `commands` are all of the program's. */
export function commandHelp(
  { name, usage = '', summary, options = {} }: Command,
  commands: readonly Command[],
): string {
  const own = optionRows(options);
  return (
    `Usage: ticklake ${`${name.join(' ')} ${usage}`.trim()} [options]\n\n` +
    `${capitalized(summary)}.\n\n` +
    (own.length > 0 ? `Options:\n${factsText(own)}\n` : '') +
    `Options of every command:\n${factsText(globalRows(commands))}`
  );
}

export const GLOBAL_OPTIONS: Readonly<Record<string, CommandOption>> = {
  json: { type: 'boolean', description: 'print the result, or the error, as one line of JSON' },
  home: {
    type: 'string',
    valueName: 'DIR',
    description: 'folder that holds all data (default: $TICKLAKE_HOME, else .ticklake)',
  },
  help: { type: 'boolean', description: 'show help for the program or the command' },
  version: { type: 'boolean', description: "print the program's version" },
};

export interface ParsedCommandLine {
  /** Null when no command is named. */
  readonly command: Command | null;
  /** Commands whose name begins with the first word; all without a word. */
  readonly meant: readonly Command[];
  readonly globals: OptionValues;
  readonly values: OptionValues;
  readonly positionals: readonly string[];
}

interface Token {
  readonly kind: string;
  readonly name?: string;
  readonly rawName?: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

type Options = Readonly<Record<string, CommandOption>>;

function split(words: readonly string[], options: Options) {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple === true },
    ]),
  );
  return parseArgs({
    args: [...words],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
}

/** Asks for help, as `--help` does. */
const HELP_WORD = 'help';

/** The product's own word, which the interface has another one for. */
const SAID_AS: Readonly<Record<string, string>> = { account: 'identity' };

const named = ([first = '', ...others]: readonly string[]) =>
  first === '' ? [] : [SAID_AS[first] ?? first, ...others];

function findCommand(commands: readonly Command[], words: readonly string[]): Command | null {
  return commands.find(({ name }) => name.every((word, i) => word === words[i])) ?? null;
}

/** Commands whose name begins with the first word: `key create` for `key`. */
function commandsOf(commands: readonly Command[], [first]: readonly string[]): readonly Command[] {
  return first === undefined ? commands : commands.filter(({ name }) => name[0] === first);
}

function namesOf(commands: readonly Command[]): string {
  return commands.map(({ name }) => name.join(' ')).join(', ');
}

/** The first words of all names, each once. */
function topics(commands: readonly Command[]): string {
  return [...new Set(commands.map(({ name }) => name[0]))].join(', ');
}

function unknownCommand(
  commands: readonly Command[],
  meant: readonly Command[],
  words: readonly string[],
): UsageError {
  if (meant.length > 0) {
    const given = words.slice(0, 2).join(' ');
    return new UsageError(`unknown command ${given}; commands: ${namesOf(meant)}`);
  }
  return new UsageError(
    `unknown command ${words[0]}; commands begin with ${topics(commands)}; ticklake --help lists them`,
  );
}

function checkOption(token: Token, options: Options, seen: Set<string>): void {
  const name = token.name as string;
  const option = Object.hasOwn(options, name) ? options[name] : undefined;
  const shown = token.rawName as string;
  if (!option || !shown.startsWith('--')) {
    const legal = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(`unknown option ${shown}; options: ${legal.join(', ')}`);
  }
  if (option.type === 'boolean' && token.value !== undefined) {
    throw new UsageError(`option ${shown} takes no value`);
  }
  // A number below zero is a value, for the command to judge, and so is a dash for standard input.
  const isNextOption = token.inlineValue === false && /^-(?!\d|$)/.test(token.value ?? '');
  if (option.type === 'string' && (!token.value || isNextOption)) {
    throw new UsageError(`option ${shown} needs a value: ${shown} ${option.valueName ?? 'VALUE'}`);
  }
  if (seen.has(name) && !option.multiple) {
    throw new UsageError(`option ${shown} is given twice`);
  }
  seen.add(name);
}

/** The least and the greatest number of arguments of a form such as `<dataset> [<file...>]`. */
function argumentCounts(form: string): readonly [min: number, max: number] {
  const words = form.match(/\[<?[^\]]+\]|<[^>]+>/g) ?? [];
  const hasMany = words.some((word) => word.includes('...'));
  const min = words.filter((word) => word.startsWith('<')).length;
  return [min, hasMany ? Number.POSITIVE_INFINITY : words.length];
}

function requireArguments({ name, usage = '' }: Command, words: readonly string[]): void {
  const fits = usage.split(' | ').some((form) => {
    const [min, max] = argumentCounts(form);
    return words.length >= min && words.length <= max;
  });
  if (fits) return;
  const given = words.length === 0 ? 'nothing' : words.join(' ');
  throw new UsageError(
    `ticklake ${name.join(' ')} takes ${usage || 'no arguments'}, but was given ${given}`,
  );
}

/** The values of a command whose arguments stand for options. */
function withArguments(
  { options = {}, argumentOptions = [] }: Command,
  values: OptionValues,
  words: readonly string[],
): OptionValues {
  const [first = ''] = argumentOptions[0] ?? [];
  const names = argumentOptions.find(({ length }) => length === words.length) ?? [first];
  const given = options[first]?.multiple
    ? { [first]: words }
    : Object.fromEntries(names.map((name, at) => [name, words[at]]));
  const twice = Object.keys(given).find((name) => values[name] !== undefined);
  if (twice === undefined) return { ...values, ...given };
  throw new UsageError(`--${twice} should not be given together with ${words.join(' ')}`);
}

/** The options and arguments that a command is run with. Throws `UsageError`. */
export function argumentsOf(command: Command, values: OptionValues, words: readonly string[]) {
  const { argumentOptions } = command;
  if (argumentOptions && words.length === 0) return { values, words };
  requireArguments(command, words);
  return argumentOptions
    ? { values: withArguments(command, values, words), words: [] }
    : { values, words };
}

export function parseCommandLine(
  given: readonly string[],
  commands: readonly Command[],
): ParsedCommandLine {
  const [isHelp] = split(given, GLOBAL_OPTIONS).positionals.map((word) => word === HELP_WORD);
  // `help plan` is the same as `--help plan`.
  const words = isHelp ? ['--help', ...given.toSpliced(given.indexOf(HELP_WORD), 1)] : given;
  const first = split(words, GLOBAL_OPTIONS);
  const command = findCommand(commands, named(first.positionals));
  const meant = commandsOf(commands, named(first.positionals));
  const isExplained = first.values.help === true && meant.length > 0;
  if (!command && first.positionals.length > 0 && !isExplained) {
    throw unknownCommand(commands, meant, first.positionals);
  }
  const options = { ...GLOBAL_OPTIONS, ...command?.options };
  const { values, positionals, tokens } = split(words, options);
  const seen = new Set<string>();
  for (const token of tokens as readonly Token[]) {
    if (token.kind === 'option') checkOption(token, options, seen);
  }
  const entries = Object.entries(values as Record<string, OptionValue>);
  const isGlobal = ([name]: [string, OptionValue]) => Object.hasOwn(GLOBAL_OPTIONS, name);
  return {
    ...{ command, meant },
    globals: Object.fromEntries(entries.filter(isGlobal)),
    values: Object.fromEntries(entries.filter((entry) => !isGlobal(entry))),
    positionals: positionals.slice(command?.name.length ?? 0),
  };
}
