/** Options of the commands made from operations: reading, faults, secrets and CSV. */

import { once } from 'node:events';
import { openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { csvRows, csvText, type RowsAnswer, rowColumns } from '../admin/csv-text.ts';
import {
  BadInput,
  type Fault,
  type Field,
  type FieldOption,
  type Fields,
  optionText,
} from '../admin/field.ts';
import type { Operation } from '../admin/operation.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { printableText } from '../base/printable.ts';
import { fillSecretFile, SECRET_FILE_MODE } from '../base/secret.ts';
import { valueOfText } from '../schema/read-value.ts';
import { type Schema, schemaInside } from '../schema/schema.ts';
import { type CommandContext, type CommandOption, type OptionValues, option } from './command.ts';
import { isTerminal } from './progress-bar.ts';

export const SECRET_FILE = 'secret-file';

export function secretFileOption(secret: string): CommandOption {
  return option(
    'FILE',
    `write the ${secret} to a new file that only you can read, and do not show it`,
  );
}

function createFile(path: string): number {
  try {
    return openSync(path, 'wx', SECRET_FILE_MODE);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') {
      throw new UsageError(`--${SECRET_FILE} must be a new file: ${path} exists`);
    }
    // A new file cannot be missing, so its folder is.
    const failed =
      code === 'ENOENT' ? Object.assign(error as Error, { path: dirname(path) }) : error;
    throw new UsageError(`--${SECRET_FILE}: ${failureText(failed)}`);
  }
}

/** The members of answers that are secrets, and their names in messages. */
const SECRET_NAMES: Readonly<Record<string, string>> = { api_key: 'API key', password: 'password' };

/** Throws `UsageError` where a secret would be shown to nobody, or to anybody. */
export function requireTerminal(stdout: NodeJS.WritableStream, secret: string, hint: string): void {
  if (isTerminal(stdout)) return;
  throw new UsageError(
    `a new ${secret} is shown only on a terminal, and standard output is not one; ${hint}`,
  );
}

/** The answer of `make`, without the secret `member` if that was written to a file. */
export async function deliverSecret(
  stdout: NodeJS.WritableStream,
  file: string | undefined,
  member: string,
  make: () => Promise<Readonly<Record<string, unknown>>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (file === undefined) {
    const name = SECRET_NAMES[member] ?? member;
    requireTerminal(stdout, name, `write it to a new file with --${SECRET_FILE} FILE`);
    return make();
  }
  const path = resolve(file);
  // Before anything is changed: a secret that cannot be kept should not come to be.
  const descriptor = createFile(path);
  try {
    const { [member]: secret, ...answer } = await make();
    fillSecretFile(descriptor, String(secret));
    return { ...answer, secret_file: path };
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  }
}

/** Rows of a page where nobody says how many. */
const PAGE_ROWS = 1000;
const LINE_END = '\n';

/** All rows, or those of one page where the input has a limit. */
export async function printCsv(
  { answer: schema, fields }: Pick<Operation, 'answer' | 'fields'>,
  { stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>,
  input: Input,
  ask: (input: Input) => Promise<unknown>,
): Promise<void> {
  const columns = rowColumns(schema);
  const isWalk = 'limit' in fields && input.limit === undefined;
  let asked = isWalk ? { ...input, limit: PAGE_ROWS } : input;
  for (let isFirst = true; ; isFirst = false) {
    const { data, pagination } = (await ask(asked)) as RowsAnswer;
    const text = (isFirst ? csvText : csvRows)(columns, data, LINE_END);
    if (!stdout.write(printableText(text))) await once(stdout, 'drain', { signal });
    signal.throwIfAborted();
    const after = pagination?.next_after ?? null;
    if (!isWalk || after === null) return;
    asked = { ...asked, after };
  }
}

export type Input = Record<string, unknown>;

interface Described {
  readonly fields: Fields;
}

/** Each option of an operation, with the field that it is for. */
function optionsOf({
  fields,
}: Described): { name: string; field: Field<unknown>; option: FieldOption }[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.options.map((option) => ({ name, field, option })),
  );
}

function commandOption(field: Field<unknown>, option: FieldOption): CommandOption {
  const { valueName, isMultiple } = option;
  const description = optionText(field, option);
  if (valueName === undefined) return { type: 'boolean', description };
  return { type: 'string', valueName, description, ...(isMultiple ? { multiple: true } : {}) };
}

/** The options of an operation's command. */
export function commandOptions(operation: Described): Readonly<Record<string, CommandOption>> {
  return Object.fromEntries(
    optionsOf(operation).map(({ field, option }) => [option.name, commandOption(field, option)]),
  );
}

/** The JSON value that a given option stands for. */
function jsonValue(option: FieldOption, field: Field<unknown>, given: unknown): unknown {
  if (option.valueName === undefined) return option.flag;
  const [part] = option.at ?? [];
  const kind = part === undefined ? field.kind : (schemaInside(field.kind, part) as Schema);
  return valueOfText(kind, Array.isArray(given) ? given.join(',') : String(given));
}

/** The input of an operation, from the options of a command line. */
export function inputOf(operation: Described, values: OptionValues): Input {
  const input: Input = {};
  const givenBy = new Map<string, string>();
  for (const { name, field, option } of optionsOf(operation)) {
    const given = values[option.name];
    if (given === undefined) continue;
    const [part] = option.at ?? [];
    const place = part === undefined ? name : `${name}.${part}`;
    const other = givenBy.get(place);
    if (other !== undefined) {
      throw new UsageError(`--${option.name} should not be given together with --${other}`);
    }
    givenBy.set(place, option.name);
    const value = jsonValue(option, field, given);
    input[name] = part === undefined ? value : { ...(input[name] as Input), [part]: value };
  }
  return input;
}

/** The options that give a field; null: there is no such field. */
function optionsText(operation: Described, field: string): string | null {
  const own = optionsOf(operation).filter(({ name }) => name === field);
  return own.length === 0 ? null : own.map(({ option }) => `--${option.name}`).join(', ');
}

/** The option that a fault is about, by its name on the command line. */
function faultText(
  operation: Described,
  { path, complaint, textComplaint = complaint }: Fault,
): string {
  const [field, ...inside] = path;
  const options = optionsOf(operation).filter(({ name }) => name === field);
  const found = options.find(({ option }) => option.at?.[0] === inside[0]) ?? options[0];
  const text = textComplaint.replaceAll(
    /'(\w+)'/g,
    (quoted, name) => optionsText(operation, name) ?? quoted,
  );
  return `--${found?.option.name ?? path.join('.')} ${text}`;
}

export function usageError(operation: Described, error: unknown): unknown {
  if (error instanceof BadInput) {
    return new UsageError(error.faults.map((one) => faultText(operation, one)).join('; '));
  }
  return error;
}
