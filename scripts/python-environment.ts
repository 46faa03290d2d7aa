/** Virtual environments of Python for tests, kept from run to run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** What the program printed; rejects with it where the program fails. */
export async function runToEnd(program: string, words: readonly string[]): Promise<string> {
  try {
    return (await execute(program, words)).stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & Record<string, string>;
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

/**
 * Path of an interpreter with what pip installs by `words`, in a folder below `cache`. Another text of
 * `requirements` or another Python makes a new one. Rejects where there is no Python or no package.
 */
export async function prepareInterpreter(
  cache: string,
  requirements: string,
  words: readonly string[],
): Promise<string> {
  const version = await runToEnd('python3', [
    '-c',
    'import sys; print(sys.version, sys.base_prefix)',
  ]);
  const name = createHash('sha256').update(`${requirements}${version}`).digest('hex').slice(0, 16);
  const folder = join(cache, name);
  const interpreter = join(folder, 'bin', 'python');
  const marker = join(folder, 'complete');
  if (existsSync(marker)) return interpreter;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  process.stderr.write('Installing Python packages for the tests…\n');
  await runToEnd('python3', ['-m', 'venv', folder]);
  // Most modules of the packages are never imported.
  await runToEnd(interpreter, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...words]);
  writeFileSync(marker, '');
  return interpreter;
}
