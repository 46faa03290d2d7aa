/** `ticklake sharing profile`: the file that Delta Sharing clients read. */
import { resolve } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { writeSecretFile } from '../base/secret.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { clientOf, keyOf, SERVER_OPTIONS } from './server-options.ts';

const TIMEOUT_MS = 30_000;
/** The only version of profiles so far. */
const PROFILE_VERSION = 1;

interface Shares {
  readonly items?: readonly { readonly name: string }[];
}

/** The account's share, null if it may read nothing. Throws `UsageError` for a refused key. */
async function shareOf(endpoint: string, key: string, stop: AbortSignal): Promise<string | null> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = { Authorization: `Bearer ${key}` };
  const asked = fetch(`${endpoint}/shares`, { headers, signal, redirect: 'error' });
  const answer = await asked.catch((error: Error) => {
    const reason = failureText(error.cause ?? error);
    throw new Error(`${endpoint} cannot be reached: ${reason}`, { cause: error });
  });
  const text = await answer.text();
  if (!answer.ok) throw new UsageError(`the server answers with ${answer.status}: ${text}`);
  return (JSON.parse(text) as Shares).items?.[0]?.name ?? null;
}

function writeProfile(path: string, profile: object): void {
  try {
    writeSecretFile(path, JSON.stringify(profile, null, 2));
  } catch (error) {
    throw new UsageError(failureText(error));
  }
}

async function run(context: CommandContext, values: OptionValues, [file = '']: readonly string[]) {
  const key = keyOf(context, values['key-file']);
  const endpoint = `${clientOf(context, values).url}/delta-sharing`;
  const share = await shareOf(endpoint, key, context.signal);
  const path = resolve(file);
  writeProfile(path, { shareCredentialsVersion: PROFILE_VERSION, endpoint, bearerToken: key });
  const what =
    share === null ? 'no share yet, because the account has no rules' : `the share ${share}`;
  return {
    value: { output: path, endpoint, share },
    text: `${path}: ${what}, at ${endpoint}\nThe file holds your API key: keep it to yourself.\n`,
  };
}

export const sharingProfile: Command = {
  name: ['sharing', 'profile'],
  summary: 'write the profile by which clients of Delta Sharing read from a server',
  usage: '<file>',
  options: SERVER_OPTIONS,
  run,
};
