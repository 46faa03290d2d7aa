/** The Python that the tests run snippets with. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareInterpreter } from '../../../scripts/python-environment.ts';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const CACHE = join(import.meta.dirname, '../../node_modules/.cache/ticklake-snippets');

/**
 * A virtual environment with the packages of `requirements.txt`, kept for the next run. Null, after
 * saying so, where there is no Python or no package; with `TICKLAKE_PYTHON=required` that is an
 * error.
 */
export async function snippetPython(): Promise<string | null> {
  try {
    const requirements = readFileSync(REQUIREMENTS, 'utf8');
    return await prepareInterpreter(CACHE, requirements, ['--requirement', REQUIREMENTS]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `no Python for the tests of snippets (Debian: apt-get install python3-venv): ${reason}`;
    if (process.env.TICKLAKE_PYTHON === 'required') throw new Error(message);
    process.stderr.write(`SKIPPED: ${message}\n`);
    return null;
  }
}
