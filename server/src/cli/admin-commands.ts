/** The commands of administrative operations, made from their table. */

import { Passwords } from '../access/passwords.ts';
import type { Field, Fields } from '../admin/field.ts';
import { newInitialPassword } from '../admin/initial-password.ts';
import { givesPassword, type Links, type Operation, perform } from '../admin/operation.ts';
import { OPERATIONS } from '../admin/operations.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { type Message, openMailer } from '../mail/mailer.ts';
import { openControlStore, openExistingStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import type { ControlStore } from '../store/control-store.ts';
import { answerText } from './answer-text.ts';
import type { Command, CommandContext, CommandResult, OptionValues } from './command.ts';
import { printCsv } from './csv-output.ts';
import { commandOptions, type Input, inputOf, usageError } from './operation-options.ts';
import { deliverSecret, SECRET_FILE, secretFileOption } from './secret-output.ts';

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

/** Only operations that need nothing else may create a store, so that a mistyped home stays as it is. */
async function openStore(
  { method, fields }: Operation,
  config: CommandContext['config'],
): Promise<ControlStore> {
  const isBeginning = method === 'POST' && subjectOf(fields) === undefined;
  return isBeginning ? openControlStore(config) : openExistingStore(config);
}

/**
 * Fails where an e-mail is not sent: nobody should take the person for told. The mail server's settings and password
 * are needed only where one is to be sent.
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

/** Opens what the operation works on, for as often as it is asked. */
async function withOperation<T>(
  operation: Operation,
  context: CommandContext,
  links: Links,
  work: (ask: (input: Input) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const { config, clock } = context;
  const catalog = openCatalog(config.home);
  const store = await openStore(operation, config);
  try {
    const performing = {
      store,
      catalog,
      nowMs: clock.now(),
      actor: localActor(),
      source: LOCAL_SOURCE,
      ...(givesPassword(operation)
        ? { initialPassword: await newInitialPassword(new Passwords()) }
        : {}),
      links,
      sessionLimits: config,
    };
    return await work((input) => perform(operation, performing, input));
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
  const links = linksOf(context, input);
  if (input.response_format === 'csv' && !context.isJson) {
    await withOperation(operation, context, links, (ask) =>
      printCsv(operation, context, input, ask),
    );
    return { value: null, text: '', exitCode: 0 };
  }
  const make = () =>
    withOperation(operation, context, links, (ask) => ask(input) as Promise<Input>);
  const answer =
    secret && input.send_by_email !== true
      ? await deliverSecret(context.stdout, secretFile, secret, make)
      : await make();
  const isShown = secretFile === undefined && input.send_by_email !== true;
  const text = `${answerText(answer)}${note && isShown ? `${note}\n` : ''}`;
  return { value: answer, text, exitCode: 0 };
}

const SECRET_WORDS = { api_key: 'key', password: 'password', link: 'link' } as const;

function commandOf(operation: Operation): Command {
  const { words, summary, secret } = operation;
  const secretOption = secret ? { [SECRET_FILE]: secretFileOption(SECRET_WORDS[secret]) } : {};
  return {
    name: words,
    summary,
    usage: '',
    options: { ...commandOptions(operation), ...secretOption },
    run: async (context, values, positionals) => {
      const input = inputOf(operation, withSubject(operation, values, positionals));
      return runAndDeliver(operation, context, input, values[SECRET_FILE] as string | undefined);
    },
  };
}

export const ADMIN_COMMANDS: readonly Command[] = OPERATIONS.map(commandOf);
