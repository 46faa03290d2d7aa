/** The commands of administrative operations, made from their table. */
import { Passwords } from '../access/passwords.ts';
import type { Field, Fields } from '../admin/field.ts';
import {
  givesPassword,
  type Links,
  type Operation,
  perform,
  valuesOf,
} from '../admin/operation.ts';
import { OPERATIONS } from '../admin/operations.ts';
import { newInitialPassword } from '../admin/person-operations.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { printableLine } from '../base/printable.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { type Message, openMailer } from '../mail/mailer.ts';
import { openControlStore, openExistingStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { RULE_CHANGES, whatIf } from '../query/what-if.ts';
import type { ControlStore } from '../store/control-store.ts';
import { type Command, type CommandContext, type CommandResult, flag, textOf } from './command.ts';
import { openHome } from './opened-home.ts';
import {
  commandOptions,
  deliverSecret,
  type Input,
  inputOf,
  printCsv,
  SECRET_FILE,
  secretFileOption,
  usageError,
} from './operation-options.ts';
import { alignedTable, factsText, left, right } from './text.ts';

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function plainText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function cellText(value: unknown): string {
  if (value === null) return '-';
  if (!Array.isArray(value)) return printableLine(plainText(value));
  return value.length === 0 ? '-' : printableLine(value.map(plainText).join(','));
}

/** The differences between two states; everything if there is only one state. */
function changesText(before: unknown, after: unknown): string {
  if (!isObject(before) || !isObject(after)) {
    return [before, after]
      .filter(isObject)
      .flatMap((state) => flattened(state))
      .map(([name, text]) => `${name} ${text}`)
      .join('; ');
  }
  const was = new Map(flattened(before));
  return flattened(after)
    .filter(([name, text]) => was.get(name) !== text)
    .map(([name, text]) => `${name} ${was.get(name) ?? '-'} -> ${text}`)
    .join('; ');
}

function withChanges(row: Members): Members {
  if (!('before' in row && 'after' in row)) return row;
  const { before, after, ...others } = row;
  return { ...others, changes: changesText(before, after) };
}

function tableText(data: readonly Members[]): string {
  const rows = data.map(withChanges);
  const [first] = rows;
  if (!first) return 'none\n';
  const names = Object.keys(first);
  const columns = names.map((name) =>
    (typeof first[name] === 'number' ? right : left)(name.toUpperCase().replaceAll('_', ' ')),
  );
  return alignedTable(
    columns,
    rows.map((row) => names.map((name) => cellText(row[name]))),
  );
}

/** `[name, text]` of each value, those of inner objects by their path: `month.requests`. */
function flattened(members: Members, prefix = ''): [string, string][] {
  return Object.entries(members).flatMap(([name, value]): [string, string][] =>
    isObject(value)
      ? flattened(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, cellText(value)]],
  );
}

/** The lists of objects below the lines of all else, each below its name. */
function membersText(members: Members): string {
  const entries = Object.entries(members);
  const tables = entries.flatMap(([name, value]) =>
    isTable(value) ? [`${name}\n${tableText(value)}`] : [],
  );
  const others = entries.filter(([, value]) => !isTable(value));
  const lines = others.length > 0 ? [factsText(flattened(Object.fromEntries(others)))] : [];
  return [...lines, ...tables].join('\n');
}

/** Arrays and the `data` of a page are tables; other members are lines. */
export function answerText(answer: unknown): string {
  if (Array.isArray(answer)) return tableText(answer);
  const { data, ...others } = answer as Members;
  if (!Array.isArray(data)) return membersText(answer as Members);
  return `${tableText(data)}\n${membersText(others)}`;
}

/** The first field that takes the id of something that exists. */
function subjectOf(fields: Fields): Field<unknown> | undefined {
  const [, field] = Object.entries(fields).find(([name]) => name.endsWith('_id')) ?? [];
  return field?.isRequired ? field : undefined;
}

/** Few operations may create a store, so that a mistyped home stays as it is. */
async function openStore(
  { method, fields }: Operation,
  config: CommandContext['config'],
): Promise<ControlStore> {
  const isBeginning = method === 'POST' && subjectOf(fields) === undefined;
  return isBeginning ? openControlStore(config) : openExistingStore(config);
}

/**
 * Fails where an e-mail is not sent: nobody should take the person for told. The mail server's
 * settings and password are needed only where one is to be sent.
 */
function linksOf({ config, commandLine }: CommandContext, { send_by_email }: Input): Links {
  const mailer = send_by_email === true ? openMailer(config) : null;
  const origin = config.publicUrl ?? `http://${config.host}:${config.port}`;
  const send =
    mailer &&
    (async (message: Message, personId: number) => {
      try {
        await mailer.send(message);
        return true;
      } catch (error) {
        const next = commandLine(`user link --user ${personId} --send`);
        throw new Error(
          `${message.to} is person ${personId} now, but the link was not sent: ${failureText(error)}; make and send another one with: ${next}`,
        );
      }
    });
  return { ...config, origin, send };
}

/** Opens what the operation works on, to ask it as often as needed. */
async function openOperation(operation: Operation, context: CommandContext, links: Links) {
  const { config, clock, closing } = context;
  const catalog = openCatalog(config.home);
  const store = closing(await openStore(operation, config));
  const initialPassword = givesPassword(operation)
    ? await newInitialPassword(new Passwords())
    : null;
  const performing = {
    ...{ store, catalog, nowMs: clock.now(), links, sessionLimits: config },
    ...{ actor: localActor(), source: LOCAL_SOURCE },
    ...(initialPassword && { initialPassword }),
  };
  return async (input: Input) => {
    try {
      return (await perform(operation, performing, input)) as Input;
    } catch (error) {
      throw usageError(operation, error);
    }
  };
}

/** Runs the operation; a secret that it makes is kept out of logs. */
async function runAndDeliver(
  operation: Operation,
  context: CommandContext,
  input: Input,
  secretFile: string | undefined,
): Promise<CommandResult> {
  const { note, secret } = operation;
  const links = linksOf(context, input);
  if (input.response_format === 'csv' && !context.isJson) {
    await printCsv(operation, context, input, await openOperation(operation, context, links));
    return { value: null, text: '' };
  }
  const make = async () => (await openOperation(operation, context, links))(input);
  const answer =
    secret && input.send_by_email !== true
      ? await deliverSecret(context.stdout, secretFile, secret, make)
      : await make();
  const isShown = secretFile === undefined && input.send_by_email !== true;
  return { value: answer, text: `${answerText(answer)}${note && isShown ? `${note}\n` : ''}` };
}

const WHAT_IF_FLAG = flag('show which keys would gain or lose which rows, and save nothing');

async function showWhatIf(operation: Operation, context: CommandContext, input: Input) {
  const { config, clock, closing, signal } = context;
  const opened = { ...(await openHome(context)), catalog: openCatalog(config.home) };
  const engine = closing(await INSTALLED_ENGINE.openReader(config));
  const by = { actor: localActor(), source: LOCAL_SOURCE, nowMs: clock.now() };
  const trying = { ...opened, ...by, engine, signal };
  try {
    const value = await whatIf(trying, operation, valuesOf(operation, trying, input));
    return { value, text: answerText(value) };
  } catch (error) {
    throw usageError(operation, error);
  }
}

const SECRET_WORDS = { api_key: 'key', password: 'password', link: 'link' } as const;

function commandOf(operation: Operation): Command {
  const { words, summary, secret, fields } = operation;
  const subject = subjectOf(fields)?.options[0]?.name;
  return {
    ...{ name: words, summary },
    ...(subject === undefined ? { usage: '' } : { usage: '[<id>]', argumentOptions: [[subject]] }),
    options: {
      ...commandOptions(operation),
      ...(secret && { [SECRET_FILE]: secretFileOption(SECRET_WORDS[secret]) }),
      ...(RULE_CHANGES.includes(operation) && { 'what-if': WHAT_IF_FLAG }),
    },
    run: async (context, values) => {
      const input = inputOf(operation, values);
      return values['what-if'] === true
        ? await showWhatIf(operation, context, input)
        : await runAndDeliver(operation, context, input, textOf(values, SECRET_FILE));
    },
  };
}

export const ADMIN_COMMANDS: readonly Command[] = OPERATIONS.map(commandOf);
