/**
 * Makes the Python that the tests run snippets with: a virtual environment with the packages of
 * `requirements.txt`, kept for the next run.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { prepareInterpreter } from '../../../scripts/python-environment';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/ticklake-snippets');

declare module 'vitest' {
  interface ProvidedContext {
    /** The interpreter; null where there is none with the packages. */
    python: string | null;
  }
}

export default function setUp(project: TestProject): void {
  try {
    const requirements = readFileSync(REQUIREMENTS, 'utf8');
    const words = ['--requirement', REQUIREMENTS];
    project.provide('python', prepareInterpreter(CACHE, requirements, words));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `no Python for the tests of snippets (Debian: apt-get install python3-venv): ${reason}`;
    if (process.env.TICKLAKE_PYTHON === 'required') throw new Error(message);
    process.stderr.write(`SKIPPED: ${message}\n`);
    project.provide('python', null);
  }
}
