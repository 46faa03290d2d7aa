/** `ticklake account import`: accounts, keys and rules from a file, all of them or none. */
import { readFileSync } from 'node:fs';
import { createAccount } from '../admin/account-operations.ts';
import { csvRows } from '../admin/csv-text.ts';
import { BadInput, unknownField } from '../admin/field.ts';
import { createKey } from '../admin/key-operations.ts';
import { performIn } from '../admin/operation.ts';
import { addRules } from '../admin/rule-operations.ts';
import { ApiError, UsageError } from '../base/errors.ts';
import { pathFailure } from '../base/failure-text.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { counted } from '../base/printable.ts';
import { fieldsOfRecord } from '../ingest/csv-scanner.ts';
import { openExistingStore } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { valueOfText } from '../schema/read-value.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreTransaction } from '../store/control-store.ts';
import { type Command, type CommandContext, flag, textOf } from './command.ts';
import { deliverSecret, type Input, SECRET_FILE, secretFileOption } from './operation-options.ts';

const OPERATIONS = { account: createAccount, key: createKey, rule: addRules } as const;
type Part = keyof typeof OPERATIONS;
type Entry = Readonly<Record<Part, readonly Input[]>>;

/** More would fill the screen. */
const FAULTS_TOLD_MAX = 20;
const KEY_COLUMNS = ['account', 'identity_id', 'key_id'];

/** Titles are fields of operations, such as `key.name`; an empty cell says nothing. */
function entryOf(titles: readonly string[], cells: readonly string[]): Entry {
  const inputs: Record<Part, Input> = { account: {}, key: {}, rule: {} };
  for (const [at, title] of titles.entries()) {
    const [, part = 'account', name = title] = /^(key|rule)\.(.+)$/.exec(title) ?? [];
    const kind = OPERATIONS[part as Part].fields[name]?.kind as Schema | undefined;
    const cell = cells[at];
    if (cell) inputs[part as Part][name] = kind ? valueOfText(kind, cell) : cell;
  }
  const given = (input: Input) => (Object.keys(input).length > 0 ? [input] : []);
  return { account: [inputs.account], key: given(inputs.key), rule: given(inputs.rule) };
}

const isInput = (value: unknown): value is Input =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areInputs = (value: unknown): value is Input[] =>
  Array.isArray(value) && value.every(isInput);

function entryOfJson(given: unknown, at: number): Entry {
  const { keys = [], rules = [], ...account } = isInput(given) ? given : {};
  if (isInput(given) && areInputs(keys) && areInputs(rules)) {
    return { account: [account], key: keys, rule: rules };
  }
  throw new SyntaxError(
    `entry ${at + 1} must be an object, its 'keys' and 'rules' lists of objects`,
  );
}

function entriesOf(text: string): Entry[] {
  if (/^\s*\[/.test(text)) return (JSON.parse(text) as unknown[]).map(entryOfJson);
  const lines = text
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split(/\r?\n/);
  const [titles = [], ...rows] = lines.map((line) => fieldsOfRecord(line));
  return rows.map((cells, at) => {
    if (cells.length === titles.length) return entryOf(titles, cells);
    const found = `${counted(cells.length, 'cell')} for ${counted(titles.length, 'title')}`;
    throw new SyntaxError(`line ${at + 2} has ${found}; a cell with a comma needs quotes`);
  });
}

function read(path: string): Entry[] {
  try {
    return entriesOf(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path}: ${error.message}`);
    throw pathFailure(path, error);
  }
}

/** A key stays as it is: a quote before `-1` would become part of it. */
export function keysText(keys: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = keys.map((key) => `${csvRows(KEY_COLUMNS, [key], '')},${key.api_key}`);
  return [`${KEY_COLUMNS.join(',')},api_key`, ...lines].join('\r\n');
}

/** The faults of an input by the names of the file. Throws what is the program's own. */
function faultText(error: unknown, part: Part): string {
  if (error instanceof ApiError) return error.message;
  if (!(error instanceof BadInput)) throw error;
  const prefix = part === 'account' ? '' : `${part}.`;
  return error.faults
    .map((each) => `'${prefix}${each.path.join('.')}' ${each.complaint}`)
    .join('; ');
}

type Given = Pick<CommandContext, 'config' | 'clock'>;

/** Rejects with a `UsageError` that has the faults of all entries. */
async function makeAll(entries: readonly Entry[], tx: StoreTransaction, { config, clock }: Given) {
  const counts = { account: 0, key: 0, rule: 0 };
  const keys: Record<string, unknown>[] = [];
  const faults: string[] = [];
  const catalog = openCatalog(config.home);
  const by = { catalog, nowMs: clock.now(), actor: localActor(), source: LOCAL_SOURCE };
  const make = async (part: Part, input: Input, at: number) => {
    try {
      const known = Object.keys(OPERATIONS[part].fields);
      const unknown = Object.keys(input).filter((name) => !known.includes(name));
      if (unknown.length > 0) {
        throw new BadInput(unknown.map((name) => unknownField(name, known, input[name])));
      }
      const answer = (await performIn(tx, OPERATIONS[part], by, input)) as Input;
      counts[part] += (answer.added as readonly unknown[] | undefined)?.length ?? 1;
      return answer;
    } catch (error) {
      faults.push(`entry ${at + 1}: ${faultText(error, part)}`);
      return null;
    }
  };
  for (const [at, entry] of entries.entries()) {
    const [{ name, ...others } = {}] = entry.account;
    // Another row of the same account has its next key or rule.
    const isNext = typeof name === 'string' && Object.keys(others).length === 0;
    const known = isNext ? await tx.accounts.findByName(name) : null;
    const identity_id =
      known?.accountId ?? (await make('account', { name, ...others }, at))?.identity_id;
    for (const part of identity_id === undefined ? [] : (['key', 'rule'] as const)) {
      for (const input of entry[part]) {
        const answer = await make(part, { ...input, identity_id }, at);
        if (answer && part === 'key') keys.push({ ...answer, account: name, identity_id });
      }
    }
  }
  if (faults.length > 0) throw new UsageError(faults.slice(0, FAULTS_TOLD_MAX));
  return { ...counts, api_keys: keysText(keys) };
}

/** Nothing that was tried stays. */
class DryRunEnds extends Error {}

async function importAll(context: CommandContext, entries: readonly Entry[], applies: boolean) {
  const store = context.closing(await openExistingStore(context.config));
  let made: Input = {};
  try {
    await store.transaction(async (tx) => {
      made = await makeAll(entries, tx, context);
      if (!applies) throw new DryRunEnds();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnds)) throw error;
  }
  return made;
}

export const accountImport: Command = {
  name: ['identity', 'import'],
  summary: 'make accounts, keys and rules from a CSV or JSON file, all of them or none',
  usage: '<file>',
  options: {
    apply: flag('make them; without it, the file is only tried'),
    [SECRET_FILE]: secretFileOption('keys'),
  },
  run: async (context, values, [path = '']) => {
    const applies = values.apply === true;
    const entries = read(path);
    const make = () => importAll(context, entries, applies);
    const file = textOf(values, SECRET_FILE);
    const answer: Input =
      applies && entries.some(({ key }) => key.length > 0)
        ? await deliverSecret(context.stdout, file, 'api_keys', make)
        : { ...(await make()), api_keys: undefined };
    const { account, key, rule } = answer as Record<Part, number>;
    const things = `${counted(account, 'account')}, ${counted(key, 'key')} and ${counted(rule, 'rule')}`;
    const text = applies
      ? `${answer.api_keys ? `${answer.api_keys}\n` : ''}Made ${things}.\n`
      : `Would make ${things}; nothing is wrong. Make them with --apply.\n`;
    return { value: answer, text };
  },
};
