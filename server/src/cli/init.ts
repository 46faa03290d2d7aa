/** `ticklake init`: makes a home for an operator's own data, with an owner and a first account. */
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as textOfStream } from 'node:stream/consumers';
import { Passwords } from '../access/passwords.ts';
import { createAccount } from '../admin/account-operations.ts';
import { type Fault, readFields } from '../admin/field.ts';
import { NEW_PASSWORD } from '../admin/field-kinds.ts';
import { type InitialPassword, type Operation, performIn } from '../admin/operation.ts';
import { createPerson, newInitialPassword } from '../admin/person-operations.ts';
import { atEnd } from '../base/at-end.ts';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import type { Catalog } from '../catalog/dataset.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import { findControlStore, noteDeployment, openControlStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { hasAccounts, isDemoHome } from '../operation/home-state.ts';
import { readValue } from '../schema/read-value.ts';
import { legalText } from '../schema/schema.ts';
import type { StoreReader } from '../store/control-store.ts';
import { type Command, type CommandContext, type OptionValues, option, textOf } from './command.ts';
import { requireTerminal } from './operation-options.ts';
import { isTerminal } from './progress-bar.ts';
import { linesText } from './text.ts';

export interface PasswordTerminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

/** Swallows what the line editor would echo. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Throws `UsageError` if the two do not match or none is given. */
export async function askPassword(
  { stdin, stderr, signal }: PasswordTerminal,
  prompt: string,
): Promise<string> {
  const lines = createInterface({ input: stdin, output: nowhere(), terminal: true, signal });
  // The line editor catches the interrupt key, so it has to be passed on to the program.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Echo is off before the prompt appears; what is typed or pasted ahead waits for its question.
  const typed = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    stderr.write(question);
    const { done, value } = await typed.next();
    stderr.write('\n');
    signal.throwIfAborted();
    if (done) throw new UsageError('no password was given');
    return value;
  };
  try {
    const password = await ask(prompt);
    if (password !== '' && (await ask('Repeat the password: ')) !== password) {
      throw new UsageError('the two passwords differ; nothing was changed');
    }
    return password;
  } finally {
    lines.close();
  }
}

const STANDARD_INPUT = '-';
const PASSWORD_FILE = 'password-file';
const PROMPT = 'Password for the owner (press Enter to generate one): ';

const FIELDS = { email: createPerson.fields.email, account: createAccount.fields.name };

interface Names {
  readonly email: string;
  readonly account: string;
}

/** The owner's first password; `isMade`: generated here, so it has to be shown. */
interface OwnerPassword extends InitialPassword {
  readonly isMade: boolean;
}

function namesOf(values: OptionValues, catalog: Catalog, nowMs: number): Names {
  const faults: Fault[] = [];
  const input = Object.fromEntries(
    Object.keys(FIELDS).flatMap((name) =>
      values[name] === undefined ? [] : [[name, values[name]]],
    ),
  );
  const read = readFields(FIELDS as never, input, { catalog, nowMs, faults });
  if (faults.length > 0)
    throw new UsageError(
      faults.map(({ path, complaint }) => `--${path[0]} ${complaint}`).join('; '),
    );
  return read as unknown as Names;
}

/** Rejects with a `UsageError` where the home already has accounts or people. */
async function requireNewHome(config: CommandContext['config']): Promise<void> {
  const { home } = config;
  if (isDemoHome(home)) {
    throw new UsageError(`${home} is the home of the demo; name another folder with --home`);
  }
  if (!findControlStore(config).exists) return;
  const store = await openControlStore(config);
  await using _store = atEnd(() => store.close());
  await requireNoAccounts(store, home);
}

async function requireNoAccounts(store: StoreReader, home: string): Promise<void> {
  if (!(await hasAccounts(store))) return;
  throw new UsageError(
    `${home} already has accounts; add more with ticklake identity create and ticklake user create`,
  );
}

/** The only line of a file, with or without a line break at its end. */
async function passwordFrom(file: string, stdin: NodeJS.ReadableStream): Promise<string> {
  try {
    const text = file === STANDARD_INPUT ? await textOfStream(stdin) : await readFile(file, 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`--${PASSWORD_FILE}: ${failureText(error)}`);
  }
}

async function chosenPassword(context: CommandContext, file: string | undefined): Promise<string> {
  if (file !== undefined) {
    const password = await passwordFrom(file, context.stdin);
    if (password === '') throw new UsageError(`--${PASSWORD_FILE} holds no password`);
    return password;
  }
  if (isTerminal(context.stdin) && isTerminal(context.stderr)) return askPassword(context, PROMPT);
  throw new UsageError(
    'there is no terminal to ask for the password on; ' +
      `name a file that holds it with --${PASSWORD_FILE} FILE, or - for standard input`,
  );
}

async function ownerPassword(
  context: CommandContext,
  file: string | undefined,
): Promise<OwnerPassword> {
  const passwords = new Passwords();
  const password = await chosenPassword(context, file);
  if (password === '') {
    requireTerminal(context.stdout, 'password', 'type one, or use --password-file');
    return { ...(await newInitialPassword(passwords)), isMade: true };
  }
  const { faults } = readValue(NEW_PASSWORD, password);
  if (faults.length > 0 || /[\r\n]/.test(password)) {
    throw new UsageError(`the password must be ${legalText(NEW_PASSWORD)}, on one line`);
  }
  return { password, hash: await passwords.hash(password), isMade: false };
}

function madeText(
  { config, commandLine }: CommandContext,
  { email, account }: Names,
  accountId: number,
  password: string | null,
): string {
  const secret =
    password === null
      ? []
      : [`Password: ${password}`, 'Keep it: it is shown only once and cannot be read again.'];
  const next = [
    'ingest <dataset> <file...>',
    `rule add --identity ${accountId} --dataset <dataset>`,
    `key create --identity ${accountId} --name first --expires-in 90d`,
    'serve',
  ];
  const lines = [
    `Created the account ${account} (id ${accountId}) and its owner ${email} in ${config.home}.`,
    ...secret,
    'Next, load data, let the account read it, make a key for it, and serve it:',
    ...next.map((words) => `  ${commandLine(words)}`),
  ];
  return linesText(lines);
}

async function run(context: CommandContext, values: OptionValues) {
  const { config, clock, closing } = context;
  const { home } = config;
  const catalog = openCatalog(home);
  const names = namesOf(values, catalog, clock.now());
  await requireNewHome(config);
  await noteDeployment(config);
  await INSTALLED_ENGINE.prepare?.(config);
  const owner = await ownerPassword(context, textOf(values, PASSWORD_FILE));
  const store = closing(await openControlStore(config));
  const by = { actor: localActor(), source: LOCAL_SOURCE };
  const acting = { catalog, nowMs: clock.now(), initialPassword: owner, ...by };
  const ids = await store.transaction(async (tx) => {
    // Checked again: another process may have been quicker while the person typed.
    await requireNoAccounts(tx, home);
    const act = <T>(operation: Operation, input: Record<string, unknown>) =>
      performIn(tx, operation, acting, input) as Promise<T>;
    const { account: name, email } = names;
    const { identity_id } = await act<{ identity_id: number }>(createAccount, { name });
    const input = { email, role: 'owner', identity_id };
    const { person_id } = await act<{ person_id: number }>(createPerson, input);
    if (!owner.isMade) await tx.people.setPassword(person_id, owner.hash, false);
    return { identity_id, person_id };
  });
  const password = owner.isMade ? owner.password : null;
  const value = { home, ...names, ...ids, ...(password === null ? {} : { password }) };
  return { value, text: madeText(context, names, ids.identity_id, password) };
}

export const init: Command = {
  name: ['init'],
  summary: 'create a home for your own data, with an owner and a first account',
  options: {
    email: option('E', 'e-mail address that the owner signs in with'),
    account: option('NAME', 'name of the first account'),
    [PASSWORD_FILE]: option(
      'FILE',
      "read the owner's password from FILE, or from standard input for -",
    ),
  },
  run,
};
