/** Options of the commands that are made from tables of operations: what they say, and what is wrong of it. */
import { BadInput, type Fault, type Field, type FieldOption, type Fields } from '../admin/field.ts';
import { UsageError } from '../base/errors.ts';
import { valueOfText } from '../schema/read-value.ts';
import { type Schema, schemaInside } from '../schema/schema.ts';
import type { CommandOption, OptionValues } from './command.ts';

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

function commandOption({ valueName, isMultiple, description }: FieldOption): CommandOption {
  if (valueName === undefined) return { type: 'boolean', description };
  return { type: 'string', valueName, description, ...(isMultiple ? { multiple: true } : {}) };
}

/** The options of an operation's command. */
export function commandOptions(operation: Described): Readonly<Record<string, CommandOption>> {
  return Object.fromEntries(
    optionsOf(operation).map(({ option }) => [option.name, commandOption(option)]),
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
