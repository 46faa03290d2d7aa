/** The words of a command, what it prints and its exit code. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { csvOf, MARKET } from './market.ts';
import { GUARANTEES, type Result, tryGuarantee } from './run.ts';
import { openServer, type Server } from './server.ts';

const USAGE = `Usage: ticklake-conformance URL [KEY]
       ticklake-conformance market FOLDER
       ticklake-conformance --list

Tries whether a server of market data keeps the contract. It has to hold the market of this program,
which the second form writes as CSV files. URL is its address with the version prefix (default: /v1).

Options:
  --restricted-key KEY  key of an account with narrower rules and few requests a minute
  --only TEXT           only the checks whose id begins with TEXT
  --json                print a line of JSON for each check
  --list                list the checks, and ask nothing

Both keys are better given as TICKLAKE_KEY and TICKLAKE_RESTRICTED_KEY in the environment: other
users of a machine see the words of a command.
`;

/** Something that the person who typed the command has to change. */
class UsageError extends Error {}

const OPTIONS = {
  'restricted-key': { type: 'string' },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function readWords(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function writeMarket(folder: string | undefined): string {
  if (folder === undefined) throw new UsageError('market needs a folder to write to');
  mkdirSync(folder, { recursive: true });
  for (const { textId, columns, rows } of MARKET) {
    writeFileSync(join(folder, `${textId}.csv`), csvOf(Object.keys(columns), rows));
  }
  return MARKET.map(
    ({ textId, rows }) => `${join(folder, textId)}.csv: ${rows.length} rows\n`,
  ).join('');
}

const WORDS = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const;

function linesOf({ id, clause, says, state, ...found }: Result): string {
  const details = Object.entries(found).map(([name, text]) => `\n       ${name}: ${text}`);
  return `${WORDS[state]} ${id}: ${says} (${clause})${details.join('')}\n`;
}

type Environment = Readonly<Record<string, string | undefined>>;

function serverOf(
  [address, keyWord, ...more]: readonly string[],
  restrictedWord: string | undefined,
  env: Environment,
  fetching: typeof fetch,
): Server {
  const key = (keyWord ?? env.TICKLAKE_KEY)?.trim();
  const problems = {
    'one URL is needed, and at most one key': address === undefined || more.length > 0,
    'the URL has to begin with http: or https:': !/^https?:/.test(address ?? ''),
    'the URL is not valid': !URL.canParse(address ?? ''),
    'there is no key: set TICKLAKE_KEY': !key,
  };
  const problem = Object.entries(problems).find(([, isThere]) => isThere);
  if (address === undefined || !key || problem) throw new UsageError(problem?.[0]);
  const restrictedKey = (restrictedWord ?? env.TICKLAKE_RESTRICTED_KEY)?.trim() || null;
  return openServer(new URL(address), { key, restrictedKey }, fetching);
}

async function tryServer(
  server: Server,
  only: string,
  isJson: boolean,
  print: Print,
  printError: Print,
): Promise<number> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const guarantees = GUARANTEES.filter(({ id }) => id.startsWith(only));
  if (guarantees.length === 0) throw new UsageError(`no check begins with ${only}`);
  for (const guarantee of guarantees) {
    const result = await tryGuarantee(server, guarantee);
    counts[result.state]++;
    print(isJson ? `${JSON.stringify(result)}\n` : linesOf(result));
    if (server.isSilent()) {
      // Each request would wait as long as the last.
      printError('ticklake-conformance: the server does not answer, so no more is tried\n');
      break;
    }
  }
  const { passed, failed, skipped } = counts;
  const words = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  print(`${isJson ? JSON.stringify(counts) : words}\n`);
  return failed > 0 ? 1 : 0;
}

type Print = (text: string) => void;

/** Returns the exit code: 1 if a check failed, 2 for words that make no command. */
export async function runCommand(
  words: readonly string[],
  env: Environment,
  print: Print,
  printError: Print,
  fetching: typeof fetch = fetch,
): Promise<number> {
  try {
    const { values, positionals } = readWords(words);
    const [first, folder, ...more] = positionals;
    if (values.help) print(USAGE);
    else if (values.list)
      print(GUARANTEES.map(({ id, clause, says }) => `${id}: ${says} (${clause})\n`).join(''));
    else if (first === 'market' && more.length === 0) print(writeMarket(folder));
    else {
      const server = serverOf(positionals, values['restricted-key'], env, fetching);
      return await tryServer(server, values.only, values.json, print, printError);
    }
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    printError(`ticklake-conformance: ${error.message} (--help explains)\n`);
    return 2;
  }
}
