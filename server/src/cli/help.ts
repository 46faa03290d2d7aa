/** The help texts: of the program and of one command. */
import type { Command, CommandOption } from './command.ts';
import { GLOBAL_OPTIONS } from './parse-command-line.ts';

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

function optionRows(options: Readonly<Record<string, CommandOption>>): [string, string][] {
  return Object.entries(options).map(([name, option]) => [
    option.type === 'string' ? `--${name} ${option.valueName ?? 'VALUE'}` : `--${name}`,
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
    left.startsWith('--home') ? right.replace(/\)$/, closed) : right,
  ]);
}

export function programHelp(commands: readonly Command[]): string {
  const rows = commands.map(
    ({ name, usage, summary }) => [`${name.join(' ')} ${usage}`.trim(), summary] as const,
  );
  return (
    'Usage: ticklake <command> [options]\n\n' +
    `Commands:\n${aligned(rows)}\n` +
    `Options of every command:\n${aligned(globalRows(commands))}`
  );
}

/** `commands` are all of the program's. */
export function commandHelp(
  { name, usage, summary, options }: Command,
  commands: readonly Command[],
): string {
  const own = optionRows(options);
  return (
    `Usage: ticklake ${`${name.join(' ')} ${usage}`.trim()} [options]\n\n` +
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.\n\n` +
    (own.length > 0 ? `Options:\n${aligned(own)}\n` : '') +
    `Options of every command:\n${aligned(globalRows(commands))}`
  );
}
