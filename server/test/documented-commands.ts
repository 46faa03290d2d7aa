/** The tables of the page on the command line, as the commands and their options are declared. */
import { ADMIN_COMMANDS } from '../src/cli/admin-commands.ts';
import type { Command, CommandOption } from '../src/cli/command.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { GLOBAL_OPTIONS } from '../src/cli/parse-command-line.ts';

type Row = readonly [option: string, meaning: string];

const SHARED = 'Options of several commands';
const SHARING_COMMANDS_MIN = 3;

/** The heading of the commands that begin with a word. */
const ADMINISTRATION = {
  Accounts: ['identity'],
  Keys: ['key'],
  Rules: ['rule'],
  'Requests for access': ['access', 'enquiry'],
  Limits: ['quota'],
  Plans: ['plan'],
  People: ['user'],
  Usage: ['usage-by-month', 'usage-ledger', 'usage'],
  'Audit log': ['audit'],
};

const code = (text: string) => `\`${text}\``;
const usageOf = ({ name, usage = '' }: Command) => `${name.join(' ')} ${usage}`.trim();
const commandHeading = (command: Command) => code(`ticklake ${usageOf(command)}`);

const sentenceOf = ({ summary }: Command) =>
  `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;

const nameOf = ([option]: Row) => option.split(/[` ]/)[1] as string;

function optionRows(options: Readonly<Record<string, CommandOption>> = {}): Row[] {
  return Object.entries(options).map(([name, { type, valueName, description }]) => [
    code(type === 'string' ? `--${name} ${valueName}` : `--${name}`),
    description,
  ]);
}

/** Options that mean the same in several commands; of each name, the commonest meaning. */
function sharedRows(): Row[] {
  const all = COMMANDS.flatMap(({ options }) => optionRows(options));
  const same = Map.groupBy(all, (row) => row.join());
  const common = [...same.values()]
    .filter(({ length }) => length >= SHARING_COMMANDS_MIN)
    .toSorted((a, b) => b.length - a.length)
    .map(([row]) => row as Row);
  return common.filter((row, i) => common.findIndex((each) => nameOf(each) === nameOf(row)) === i);
}

const shared = sharedRows();
const isShared = (row: Row) => shared.some((each) => each.join() === row.join());

/** The meanings of a command's own options, and the names of its shared ones. */
function rowsOf({ options }: Command): { own: Row[]; others: string } {
  const rows = optionRows(options);
  const names = rows.filter(isShared).map((row) => code(nameOf(row)));
  return { own: rows.filter((row) => !isShared(row)), others: names.join(', ') };
}

function ownRows(command: Command): Row[] {
  const { own, others } = rowsOf(command);
  return others === ''
    ? own
    : [
        ...own,
        [
          others,
          `see [options of several commands](#${SHARED.toLowerCase().replaceAll(' ', '-')})`,
        ],
      ];
}

function administrationRows(command: Command): Row[] {
  const { own, others } = rowsOf(command);
  const also = others === '' ? '' : `; also ${others}`;
  return [[`**${code(usageOf(command))}**`, `${command.summary}${also}`], ...own];
}

const isAdministration = (command: Command) => ADMIN_COMMANDS.includes(command);

const administration = () =>
  Object.entries(ADMINISTRATION).map(([heading, words]) => ({
    heading,
    header: ['Command or option', 'Meaning'],
    rows: COMMANDS.filter(
      (command) => isAdministration(command) && words.includes(command.name[0] as string),
    ).flatMap(administrationRows),
  }));

/** All sections of the page, in its order; without rows, a command takes no options. */
export const commandTables = () => [
  ...[
    { heading: 'Options of every command', rows: optionRows(GLOBAL_OPTIONS) },
    { heading: SHARED, rows: shared },
    ...COMMANDS.filter((command) => !isAdministration(command)).map((command) => ({
      heading: commandHeading(command),
      lead: sentenceOf(command),
      rows: ownRows(command),
    })),
  ].map((each) => ({ ...each, header: ['Option', 'Meaning'] })),
  ...administration(),
];
