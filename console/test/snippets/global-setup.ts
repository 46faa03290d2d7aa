/**
 * Makes the Python that the tests run snippets with: a virtual environment with the packages of
 * `requirements.txt`, kept for the next run.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/ticklake-snippets');

declare module 'vitest' {
  interface ProvidedContext {
    /** The interpreter; null where there is none with the packages. */
    python: string | null;
  }
}

/** Throws with what the program printed. */
function run(program: string, words: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout.trim();
}

/** Path of an interpreter with the packages; other requirements or another Python make a new one. */
function prepareInterpreter(): string {
  const version = run('python3', ['-c', 'import sys; print(sys.version, sys.base_prefix)']);
  const content = `${readFileSync(REQUIREMENTS, 'utf8')}${version}`;
  const name = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const folder = join(CACHE, name);
  const interpreter = join(folder, 'bin', 'python');
  const marker = join(folder, 'complete');
  if (existsSync(marker)) return interpreter;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  process.stderr.write('Installing the Python packages for the tests of snippets…\n');
  run('python3', ['-m', 'venv', folder]);
  run(interpreter, ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS]);
  writeFileSync(marker, '');
  return interpreter;
}

export default function setUp(project: TestProject): void {
  try {
    project.provide('python', prepareInterpreter());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `no Python for the tests of snippets (Debian: apt-get install python3-venv): ${reason}`;
    if (process.env.TICKLAKE_PYTHON === 'required') throw new Error(message);
    process.stderr.write(`SKIPPED: ${message}\n`);
    project.provide('python', null);
  }
}
