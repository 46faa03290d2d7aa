/** Virtual environments of Python for tests, kept from run to run. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the program printed; throws with it where the program fails. */
export function runToEnd(program: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/**
 * Path of an interpreter with what pip installs by `words`, in a folder below `cache`. Another text of
 * `requirements` or another Python makes a new one. Throws where there is no Python or no package.
 */
export function prepareInterpreter(
  cache: string,
  requirements: string,
  words: readonly string[],
): string {
  const version = runToEnd('python3', ['-c', 'import sys; print(sys.version, sys.base_prefix)']);
  const name = createHash('sha256').update(`${requirements}${version}`).digest('hex').slice(0, 16);
  const folder = join(cache, name);
  const interpreter = join(folder, 'bin', 'python');
  const marker = join(folder, 'complete');
  if (existsSync(marker)) return interpreter;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  process.stderr.write('Installing Python packages for the tests…\n');
  runToEnd('python3', ['-m', 'venv', folder]);
  // Most modules of the packages are never imported.
  runToEnd(interpreter, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...words]);
  writeFileSync(marker, '');
  return interpreter;
}
