/** The commands of administrative operations, made from their table. */

import { Passwords } from '../access/passwords.ts';
import { BadInput, type Fault, type Field, type FieldOption, type Fields } from '../admin/field.ts';
import { newInitialPassword } from '../admin/initial-password.ts';
import { type Operation, perform } from '../admin/operation.ts';
import { OPERATIONS } from '../admin/operations.ts';
import { UsageError } from '../base/errors.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { findControlStore, openControlStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { type Schema, schemaInside } from '../schema/schema.ts';
import { valueOfText } from '../schema/text-value.ts';
import type { ControlStore } from '../store/control-store.ts';
import { answerText } from './answer-text.ts';
import type {
  Command,
  CommandContext,
  CommandOption,
  CommandResult,
  OptionValues,
} from './command.ts';
import { deliverSecret, SECRET_FILE, secretFileOption } from './secret-output.ts';

type Input = Record<string, unknown>;

/** Each option of an operation, with the field that it is for. */
function optionsOf({
  fields,
}: Operation): { name: string; field: Field<unknown>; option: FieldOption }[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    field.options.map((option) => ({ name, field, option })),
  );
}

function commandOption({ valueName, isMultiple, description }: FieldOption): CommandOption {
  if (valueName === undefined) return { type: 'boolean', description };
  return { type: 'string', valueName, description, ...(isMultiple ? { multiple: true } : {}) };
}

/** The JSON value that a given option stands for. */
function jsonValue(option: FieldOption, field: Field<unknown>, given: unknown): unknown {
  if (option.valueName === undefined) return option.flag;
  const [part] = option.at ?? [];
  const kind = part === undefined ? field.kind : (schemaInside(field.kind, part) as Schema);
  return valueOfText(kind, Array.isArray(given) ? given.join(',') : String(given));
}

/** The input of an operation, from the options of a command line. */
function inputOf(operation: Operation, values: OptionValues): Input {
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

/** The first field that takes the id of something that exists. */
function subjectOf(fields: Fields): Field<unknown> | undefined {
  const [, field] = Object.entries(fields).find(([name]) => name.endsWith('_id')) ?? [];
  return field?.isRequired ? field : undefined;
}

/** An id may be given as a bare word instead of the option for the operation's first id. */
function withSubject(
  { words, fields }: Operation,
  values: OptionValues,
  positionals: readonly string[],
): OptionValues {
  if (positionals.length === 0) return values;
  const command = `ticklake ${words.join(' ')}`;
  const option = subjectOf(fields)?.options[0]?.name;
  if (option === undefined) {
    throw new UsageError(`${command} takes no arguments, but was given ${positionals.join(' ')}`);
  }
  if (positionals.length > 1 || values[option] !== undefined) {
    throw new UsageError(`${command} takes one id, as --${option} or as an argument`);
  }
  return { ...values, [option]: positionals[0] };
}

/** The options that give a field; null: there is no such field. */
function optionsText(operation: Operation, field: string): string | null {
  const own = optionsOf(operation).filter(({ name }) => name === field);
  return own.length === 0 ? null : own.map(({ option }) => `--${option.name}`).join(', ');
}

/** The option that a fault is about, by its name on the command line. */
function faultText(
  operation: Operation,
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

function usageError(operation: Operation, error: unknown): unknown {
  if (error instanceof BadInput) {
    return new UsageError(error.faults.map((one) => faultText(operation, one)).join('; '));
  }
  return error;
}

/** Only operations that need nothing else may create a store, so that a mistyped home stays as it is. */
function openStore({ method, fields }: Operation, home: string): ControlStore {
  const { exists, path } = findControlStore(home);
  const isBeginning = method === 'POST' && subjectOf(fields) === undefined;
  if (!isBeginning && !exists) {
    throw new UsageError(`there is no store at ${path}; run ticklake init to create one`);
  }
  return openControlStore(home);
}

async function runOperation(
  operation: Operation,
  { config, clock }: CommandContext,
  input: Input,
): Promise<unknown> {
  const catalog = openCatalog(config.home, config.definitions);
  const store = openStore(operation, config.home);
  try {
    return await perform(
      operation,
      {
        store,
        catalog,
        nowMs: clock.now(),
        actor: localActor(),
        source: LOCAL_SOURCE,
        ...(operation.secret === 'password'
          ? { initialPassword: await newInitialPassword(new Passwords()) }
          : {}),
      },
      input,
    );
  } catch (error) {
    throw usageError(operation, error);
  } finally {
    await store.close();
  }
}

/** Runs the operation; a secret that it makes is kept out of logs. */
async function runAndDeliver(
  operation: Operation,
  context: CommandContext,
  input: Input,
  secretFile: string | undefined,
): Promise<CommandResult> {
  const { note, secret } = operation;
  const make = () => runOperation(operation, context, input) as Promise<Input>;
  const answer = secret
    ? await deliverSecret(context.stdout, secretFile, secret, make)
    : await make();
  const isShown = secretFile === undefined;
  const text = `${answerText(answer)}${note && isShown ? `${note}\n` : ''}`;
  return { value: answer, text, exitCode: 0 };
}

function commandOf(operation: Operation): Command {
  const { words, summary, secret } = operation;
  const options = optionsOf(operation).map(({ option }) => [option.name, commandOption(option)]);
  const secretName = secret === 'api_key' ? 'key' : 'password';
  if (secret) options.push([SECRET_FILE, secretFileOption(secretName)]);
  return {
    name: words,
    summary,
    usage: '',
    options: Object.fromEntries(options),
    run: async (context, values, positionals) => {
      const input = inputOf(operation, withSubject(operation, values, positionals));
      return runAndDeliver(operation, context, input, values[SECRET_FILE] as string | undefined);
    },
  };
}

export const ADMIN_COMMANDS: readonly Command[] = OPERATIONS.map(commandOf);
