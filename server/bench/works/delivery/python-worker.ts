/** A Python process that does one piece of work after the other and says how long each took. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareInterpreter } from '../../../../scripts/python-environment.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const CLIENT = join(ROOT, 'clients/python');
const CACHE = join(ROOT, 'node_modules/.cache/ticklake-bench');
/** ROAPI comes as a wheel. */
const PACKAGES = ['--editable', `${CLIENT}[pandas,polars]`, 'roapi==0.12.7'];

export interface Done {
  /** Without what starting Python takes. */
  readonly ms: number;
  readonly result: unknown;
}

/** Path of an interpreter with the packages, beside which their programs lie. */
export function benchInterpreter(): Promise<string> {
  return prepareInterpreter(CACHE, PACKAGES.join('\n'), PACKAGES);
}

export class PythonWorker {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  private constructor(interpreter: string) {
    this.#child = spawn(interpreter, [join(import.meta.dirname, 'worker.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#child;
    if (!stdout) throw new Error('the worker has no output');
    this.#answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
  }

  static async open(interpreter: string): Promise<PythonWorker> {
    const worker = new PythonWorker(interpreter);
    await worker.#answer();
    return worker;
  }

  async #answer(): Promise<unknown> {
    const { value, done } = await this.#answers.next();
    if (done) throw new Error('the worker has ended');
    return JSON.parse(value);
  }

  /** Rejects with what Python says where the work fails. */
  async run(work: string, given: object): Promise<Done> {
    this.#child.stdin?.write(`${JSON.stringify({ work, given })}\n`);
    const answer = (await this.#answer()) as Done | { readonly error: string };
    if ('error' in answer) throw new Error(`${work}: ${answer.error}`);
    return answer;
  }

  close(): void {
    this.#child.stdin?.end();
  }
}
