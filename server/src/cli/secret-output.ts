/**
 * Where a new secret goes: to the terminal of the person who asked for it, or into a file of its own
 * that only its owner can read; never into a pipe or a log.
 */
import { openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { fillSecretFile, SECRET_FILE_MODE } from '../base/secret.ts';
import type { CommandOption } from './command.ts';
import { isTerminal } from './terminal.ts';

export const SECRET_FILE = 'secret-file';

export function secretFileOption(secret: string): CommandOption {
  const description = `write the ${secret} to a new file that only you can read, and do not show it`;
  return { type: 'string', valueName: 'FILE', description };
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
