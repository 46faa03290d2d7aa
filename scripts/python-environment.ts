/** Virtual environments of Python for tests, kept from run to run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { waitForLock } from '../server/src/base/process-lock.ts';
import { tryLockFile } from '../server/src/store/sqlite/publisher-locks.ts';

const execute = promisify(execFile);

/** Resolves to the program's output; rejects with it if the program fails. */
export async function runToEnd(program: string, words: readonly string[]): Promise<string> {
  try {
    return (await execute(program, words)).stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & Record<string, string>;
    throw new Error(`${message}\n${stdout}${stderr}`);
  }
}

const WITHOUT_LIMIT = { timeoutMs: Infinity, timeoutError: () => new Error('no lock') };

/** One process after the other fills a folder: several suites may want it at the same time. */
async function fillAlone<T>(folder: string, fill: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(folder), { recursive: true });
  const lock = await waitForLock(tryLockFile, `${folder}.lock`, WITHOUT_LIMIT);
  try {
    return await fill();
  } finally {
    lock.release();
  }
}

const installers = new Map<string, Promise<string | null>>();

/** uv, which takes a tenth of pip's time; null where it cannot be had. */
async function installedUv(cache: string): Promise<string | null> {
  const folder = join(cache, 'uv');
  const program = join(folder, 'bin', 'uv');
  if (existsSync(program)) return program;
  try {
    await runToEnd('python3', ['-m', 'venv', folder]);
    const words = ['-m', 'pip', 'install', '--quiet', '--no-compile', 'uv'];
    await runToEnd(join(folder, 'bin', 'python'), words);
    return program;
  } catch {
    return null;
  }
}

function uvOf(cache: string): Promise<string | null> {
  const fill = () => fillAlone(join(cache, 'uv'), () => installedUv(cache));
  const found = installers.get(cache) ?? fill();
  installers.set(cache, found);
  return found;
}

/** Fills a folder by uv, or else by pip, which knows more mirrors; rejects with pip's output. */
async function install(cache: string, folder: string, words: readonly string[]): Promise<void> {
  const interpreter = join(folder, 'bin', 'python');
  const uv = await uvOf(cache);
  try {
    if (uv !== null) {
      await runToEnd(uv, ['venv', '--quiet', '--seed', '--python', 'python3', folder]);
      await runToEnd(uv, ['pip', 'install', '--quiet', '--python', interpreter, ...words]);
      return;
    }
  } catch {
    rmSync(folder, { recursive: true, force: true });
  }
  await runToEnd('python3', ['-m', 'venv', folder]);
  // Most modules of the packages are never imported.
  await runToEnd(interpreter, ['-m', 'pip', 'install', '--quiet', '--no-compile', ...words]);
}

/**
 * Path of an interpreter with what pip would install by `words`, in a folder below `cache`. Another
 * text of `requirements` or another Python makes a new one. Rejects where there is no Python or no
 * package.
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
  return fillAlone(folder, async () => {
    if (existsSync(marker)) return interpreter;
    rmSync(folder, { recursive: true, force: true });
    process.stderr.write('Installing Python packages for the tests…\n');
    await install(cache, folder, words);
    writeFileSync(marker, '');
    return interpreter;
  });
}
