/** A folder in which the commands of pages run one after the other, as a reader types them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { until } from '../../server/test/until.ts';
import { DEFAULT_ORIGIN } from './pages.ts';

const OPERATION_ORIGIN = 'http://127.0.0.1:9090';

/** Commands that last: a page has another terminal for what comes after them. */
const SERVING = /^(.*ticklake\S* (?:serve|demo)\b.*\n)/m;

export class PageShell {
  readonly #env: NodeJS.ProcessEnv;
  readonly #elsewhere: readonly (readonly [RegExp, string])[];
  #origins: Record<string, string> = {};
  #banner = '';
  #ended: Promise<never> = new Promise(() => {});
  /** Ends the server that runs, if one does. */
  stop = async (): Promise<void> => {};

  /** `elsewhere`: names in pages, and what this machine has instead. */
  constructor(env: NodeJS.ProcessEnv, elsewhere: readonly (readonly [RegExp, string])[]) {
    this.#env = env;
    this.#elsewhere = elsewhere;
  }

  get origin(): string {
    return this.#origins[DEFAULT_ORIGIN] ?? '';
  }

  get metrics(): string {
    return `${this.#origins[OPERATION_ORIGIN]}/metrics`;
  }

  /** Output of the commands. The server that they start, or that ran before, goes on. */
  async run(commands: string, cwd: string): Promise<string> {
    let text = commands;
    for (const [name, place] of this.#elsewhere) text = text.replaceAll(name, place);
    let output = '';
    for (const part of text.split(SERVING)) {
      if (SERVING.test(part)) output += await this.#serve(part, cwd);
      else if (part.trim() !== '') output += await this.#finish(part, cwd);
    }
    return output;
  }

  /** Resolves when the server has printed what the pattern matches. */
  async printed(pattern: RegExp): Promise<string[]> {
    await Promise.race([until(() => pattern.test(this.#banner)), this.#ended]);
    return pattern.exec(this.#banner) ?? [];
  }

  async #finish(commands: string, cwd: string): Promise<string> {
    let text = commands;
    for (const [name, place] of Object.entries(this.#origins)) text = text.replaceAll(name, place);
    const begun = performance.now();
    const settings = { cwd, env: this.#env, maxBuffer: Number.POSITIVE_INFINITY };
    const { stdout } = await promisify(execFile)('sh', ['-euc', text], settings);
    say(`${since(begun)}: ${text.trim().replaceAll('\n', '; ')}`);
    return stdout;
  }

  async #serve(command: string, cwd: string): Promise<string> {
    await this.stop();
    const begun = performance.now();
    // A group of its own, so that stopping it stops npx and the server behind it.
    const settings = { cwd, env: this.#env, detached: true } as const;
    const child = spawn('sh', ['-euc', command], {
      ...settings,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(child, 'close');
    this.stop = async () => {
      this.stop = async () => {};
      if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGTERM');
      // npx may end before the server behind it, which has the same output.
      await closed;
    };
    this.#banner = '';
    child.stdout.on('data', (chunk) => {
      this.#banner += chunk;
    });
    this.#ended = closed.then(([code]) => {
      throw new Error(`${command.trim()} ended with ${code}`);
    });
    this.#ended.catch(() => {});
    const [, origin = ''] = await this.printed(/listening on (\S+)\n/);
    const [, operation = ''] = await this.printed(/Operation pages are on (\S+)\/metrics/);
    this.#origins = {
      [DEFAULT_ORIGIN]: origin,
      'https://data.example.com': origin,
      [OPERATION_ORIGIN]: operation,
    };
    say(`${since(begun)}: ${command.trim()} listens`);
    return this.#banner;
  }
}

export function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

export const since = (begunMs: number) => `${((performance.now() - begunMs) / 1000).toFixed(1)} s`;
